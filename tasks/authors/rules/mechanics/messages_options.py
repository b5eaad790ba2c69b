"""What a theme says of its channels and messages."""

from dataclasses import dataclass

from tasks.authors.rules.nouns import Noun

ATTENTION = ("everything", "mentions", "muted")
"""What a member is told about in a channel."""


@dataclass(frozen=True)
class Messages:
    """Channels with members, who write messages and reply to them."""

    channel: Noun
    membership: Noun
    """One person in one channel."""
    message: Noun
    person: Noun
    """Who writes: a registry."""
    channels: dict[str, str]
    """Name -> what such a channel is about."""
    texts: tuple[str, ...]
    replies: tuple[str, ...]
    edit_hours: int = 24
    """Hours within which authors may edit or delete what they wrote."""
    most_pinned: int = 3
    active_person: str = "active"

    @property
    def parent(self) -> str:
        """Attribute with the message that a reply belongs to; null for others."""
        return f"reply_to_{self.message.key}"

    @property
    def newest_read(self) -> str:
        """Attribute with the newest message that a member has read; null before the first."""
        return f"read_up_to_{self.message.key}"

    def on_channel(self, verb: str) -> str:
        """Name of a tool: "archive" -> "archive_channel"."""
        return f"{verb}_{self.channel.one}"

    def on_message(self, verb: str) -> str:
        """Name of a tool: "pin" -> "pin_message"."""
        return f"{verb}_{self.message.one}"
