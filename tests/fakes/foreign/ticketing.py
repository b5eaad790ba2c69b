"""A help desk for support tickets. Right.

Style: public collections, every method returns {"success": ...} and never raises.
"""

import copy
from typing import Any, Literal

Priority = Literal["low", "normal", "high", "urgent"]


class HelpDesk:
    """Tickets of customers, and the agents who answer them."""

    def __init__(self) -> None:
        self.agents: dict[str, dict[str, Any]] = {
            "agent_1": {"agent_id": "agent_1", "name": "Rosa Lind", "team": "billing", "is_available": True},
            "agent_2": {"agent_id": "agent_2", "name": "Omar Haddad", "team": "network", "is_available": True},
            "agent_3": {"agent_id": "agent_3", "name": "Wei Tan", "team": "network", "is_available": False},
        }
        self.tickets: dict[str, dict[str, Any]] = {
            "ticket_1": self._ticket("ticket_1", "Double charge in May", "normal", "open", None),
            "ticket_2": self._ticket("ticket_2", "No connection since Monday", "urgent", "in_progress", "agent_2"),
            "ticket_3": self._ticket("ticket_3", "How do I change my address?", "low", "resolved", "agent_1"),
        }
        self.ticket_counter = 3

    def _ticket(self, ticket_id: str, title: str, priority: str, status: str, agent: str | None) -> dict[str, Any]:
        return {
            "ticket_id": ticket_id,
            "title": title,
            "priority": priority,
            "status": status,
            "agent_id": agent,
            "comments": [],
        }

    def get_ticket(self, ticket_id: str) -> dict[str, Any]:
        """Look a ticket up.

        Args:
            ticket_id (str): Id of the ticket.

        Returns:
            dict: {"success": True, "data": ticket} or {"success": False, "error": text}
        """
        if ticket_id not in self.tickets:
            return {"success": False, "error": "Ticket not found"}
        return {"success": True, "data": copy.deepcopy(self.tickets[ticket_id])}

    def list_tickets(self, status: str | None = None, priority: Priority | None = None) -> dict[str, Any]:
        """List tickets, oldest first.

        Args:
            status (str, optional): Only tickets with this status: open, in_progress, resolved or closed.
            priority (str, optional): Only tickets of this priority.
        """
        found = [
            copy.deepcopy(ticket)
            for ticket in self.tickets.values()
            if status in (None, ticket["status"]) and priority in (None, ticket["priority"])
        ]
        return {"success": True, "data": found}

    def list_agents(self, team: str | None = None) -> dict[str, Any]:
        """List agents.

        Args:
            team (str, optional): Only agents of this team.
        """
        found = [dict(agent) for agent in self.agents.values() if team in (None, agent["team"])]
        return {"success": True, "data": found}

    def create_ticket(self, title: str, priority: Priority = "normal") -> dict[str, Any]:
        """Open a ticket.

        Args:
            title (str): What it is about, at most 120 characters.
            priority (str, optional): How urgent it is.
        """
        if not title.strip() or len(title) > 120:
            return {"success": False, "error": "A title has 1 to 120 characters"}
        self.ticket_counter += 1
        ticket_id = f"ticket_{self.ticket_counter}"
        self.tickets[ticket_id] = self._ticket(ticket_id, title, priority, "open", None)
        return {"success": True, "data": {"ticket_id": ticket_id}}

    def assign_ticket(self, ticket_id: str, agent_id: str) -> dict[str, Any]:
        """Give a ticket to an agent who is available.

        Args:
            ticket_id (str): Id of the ticket.
            agent_id (str): Id of the agent.
        """
        ticket, agent = self.tickets.get(ticket_id), self.agents.get(agent_id)
        if ticket is None or agent is None:
            return {"success": False, "error": "No such ticket or agent"}
        if ticket["status"] in ("resolved", "closed"):
            return {"success": False, "error": f"The ticket is {ticket['status']}"}
        if not agent["is_available"]:
            return {"success": False, "error": "The agent is not available"}
        ticket["agent_id"], ticket["status"] = agent_id, "in_progress"
        return {"success": True, "message": f"{agent['name']} has the ticket"}

    def add_comment(self, ticket_id: str, text: str) -> dict[str, Any]:
        """Add a comment to a ticket that is not closed.

        Args:
            ticket_id (str): Id of the ticket.
            text (str): The comment.
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None or ticket["status"] == "closed":
            return {"success": False, "error": "There is no such ticket, or it is closed"}
        if not text.strip():
            return {"success": False, "error": "The comment is empty"}
        ticket["comments"].append(text)
        return {"success": True, "message": f"{len(ticket['comments'])} comments"}

    def resolve_ticket(self, ticket_id: str) -> dict[str, Any]:
        """Mark a ticket in progress as resolved.

        Args:
            ticket_id (str): Id of the ticket.
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None or ticket["status"] != "in_progress":
            return {"success": False, "error": "Only a ticket in progress can be resolved"}
        ticket["status"] = "resolved"
        return {"success": True, "message": "Resolved"}

    def close_ticket(self, ticket_id: str) -> dict[str, Any]:
        """Close a resolved ticket for good.

        Args:
            ticket_id (str): Id of the ticket.
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None or ticket["status"] != "resolved":
            return {"success": False, "error": "Only a resolved ticket can be closed"}
        ticket["status"] = "closed"
        return {"success": True, "message": "Closed"}
