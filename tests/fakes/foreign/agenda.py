"""A calendar. Right.

Style: a pair of methods loads and dumps the state, parameters are datetimes, ids are counted.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any


class CalendarError(Exception):
    """Why an event can't be."""


class Event:
    """Something with a beginning and an end."""

    def __init__(self, title: str, start: datetime, minutes: int, guests: set[str]) -> None:
        self.title, self.start, self.minutes, self.guests = title, start, minutes, guests

    @property
    def end(self) -> datetime:
        """When it is over."""
        return self.start + timedelta(minutes=self.minutes)


class Agenda:
    """One person's calendar; events never overlap."""

    def __init__(self) -> None:
        self._events: dict[int, Event] = {1: Event("Dentist", datetime(2025, 3, 3, 9, 0), 45, set())}
        self._last_id = 1

    def load_events(self, state: dict[str, Any]) -> None:
        """Replace everything by a state."""
        self._events = {
            int(number): Event(
                each["title"], datetime.fromisoformat(each["start"]), each["minutes"], set(each["guests"])
            )
            for number, each in state["events"].items()
        }
        self._last_id = state["last_id"]

    def dump_events(self) -> dict[str, Any]:
        """Everything as plain JSON."""
        events = {
            str(number): {
                "title": event.title,
                "start": event.start.isoformat(timespec="minutes"),
                "minutes": event.minutes,
                "guests": sorted(event.guests),
            }
            for number, event in self._events.items()
        }
        return {"events": events, "last_id": self._last_id}

    def list_events(self, day: str) -> list[dict[str, Any]]:
        """List the events of a day, in order.

        Args:
            day: The day, as YYYY-MM-DD.
        """
        found = [(number, event) for number, event in self._events.items() if event.start.date().isoformat() == day]
        found.sort(key=lambda each: each[1].start)
        return [{"id": number, "title": event.title, "start": event.start.isoformat()} for number, event in found]

    def find_event(self, title: str) -> int:
        """Find an event by its exact title.

        Args:
            title: The title.
        """
        for number, event in self._events.items():
            if event.title == title:
                return number
        raise CalendarError(f"no event is called {title[:40]}")

    def add_event(self, title: str, start: datetime, minutes: int = 60) -> int:
        """Add an event that overlaps no other.

        Args:
            title: What it is.
            start: When it begins, a date and time such as "2025-03-04T10:00".
            minutes: How long it takes, 5 to 600.

        Returns:
            Its id.
        """
        if not title or not 5 <= minutes <= 600:
            raise CalendarError("an event has a title, and takes 5 to 600 minutes")
        if not 2000 <= start.year <= 2100:
            raise CalendarError("the year must be 2000 to 2100")
        event = Event(title, start.replace(tzinfo=None, second=0, microsecond=0), minutes, set())
        self._refuse_overlap(event, 0)
        self._last_id += 1
        self._events[self._last_id] = event
        return self._last_id

    def move_event(self, event_id: int, start: datetime) -> None:
        """Move an event to another time.

        Args:
            event_id: Its id.
            start: The new beginning, a date and time.
        """
        event = self._event(event_id)
        if not 2000 <= start.year <= 2100:
            raise CalendarError("the year must be 2000 to 2100")
        moved = Event(event.title, start.replace(tzinfo=None, second=0, microsecond=0), event.minutes, event.guests)
        self._refuse_overlap(moved, event_id)
        self._events[event_id] = moved

    def invite(self, event_id: int, guest: str) -> list[str]:
        """Invite somebody.

        Args:
            event_id: Id of the event.
            guest: Name of the guest.

        Returns:
            All guests, in alphabetical order.
        """
        if not guest:
            raise CalendarError("who?")
        guests = self._event(event_id).guests
        guests.add(guest)
        return sorted(guests)

    def delete_event(self, event_id: int) -> None:
        """Delete an event.

        Args:
            event_id: Its id.
        """
        self._event(event_id)
        del self._events[event_id]

    def _event(self, event_id: int) -> Event:
        if event_id not in self._events:
            raise CalendarError(f"there is no event {event_id}")
        return self._events[event_id]

    def _refuse_overlap(self, event: Event, own_id: int) -> None:
        for number, other in self._events.items():
            if number != own_id and event.start < other.end and other.start < event.end:
                raise CalendarError(f"it overlaps with {other.title[:40]}")
