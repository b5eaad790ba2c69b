"""A messenger. Fault: the counter of the message ids belongs to the class, not to the instance.

Style: public attributes, methods raise.
"""

from typing import Any


class MessagingError(ValueError):
    """Why a message can't be sent or changed."""


class Messenger:
    """Messages between the users of a workspace."""

    _messages_sent = 0

    def __init__(self) -> None:
        self.users = {"ada": {"name": "Ada Berg"}, "bo": {"name": "Bo Chen"}, "cleo": {"name": "Cleo Diaz"}}
        self.current_user = "ada"
        self.messages: dict[str, dict[str, Any]] = {}

    def list_users(self) -> list[str]:
        """List the names of all users."""
        return sorted(self.users)

    def switch_user(self, user: str) -> str:
        """Become another user.

        Args:
            user: Name of the account, such as "bo".
        """
        if user not in self.users:
            raise MessagingError(f"unknown user {user}")
        self.current_user = user
        return user

    def send_message(self, receiver: str, text: str) -> str:
        """Send a message.

        Args:
            receiver: Name of the account.
            text: What to say.

        Returns:
            Id of the message.
        """
        if receiver not in self.users or receiver == self.current_user:
            raise MessagingError("a message goes to another user of the workspace")
        if not text:
            raise MessagingError("the message is empty")
        Messenger._messages_sent += 1
        message_id = f"msg-{Messenger._messages_sent}"
        self.messages[message_id] = {"sender": self.current_user, "receiver": receiver, "text": text}
        return message_id

    def delete_message(self, message_id: str) -> None:
        """Delete a message that the current user has sent.

        Args:
            message_id: Id of the message.
        """
        if self.messages.get(message_id, {}).get("sender") != self.current_user:
            raise MessagingError("only own messages can be deleted")
        del self.messages[message_id]

    def search_messages(self, keyword: str) -> list[dict[str, Any]]:
        """Find messages that contain a word.

        Args:
            keyword: The word, in the same case.
        """
        return [message for message in self.messages.values() if keyword in message["text"]]
