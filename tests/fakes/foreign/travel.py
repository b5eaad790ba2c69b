"""A travel agency. Right.

Style: booking references from uuid4, time stamps from the clock, dataclasses in collections, exceptions that the
docstrings announce.
"""

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum


class Cabin(str, Enum):  # noqa: UP042 - as people write it
    """Where one sits."""

    ECONOMY = "economy"
    BUSINESS = "business"


class BookingState(Enum):
    """What has become of a booking."""

    HELD = "held"
    PAID = "paid"
    CANCELLED = "cancelled"


@dataclass
class Flight:
    """A flight with the seats that are left."""

    origin: str
    destination: str
    price: float
    seats: int


@dataclass
class Booking:
    """One booking of one traveller."""

    reference: str
    flight: str
    traveller: str
    cabin: Cabin
    total: float
    booked_at: datetime
    state: BookingState = BookingState.HELD
    notes: list[str] = field(default_factory=list)


class TravelAgency:
    """Flights, and bookings on a credit of the customer."""

    def __init__(self) -> None:
        self.flights: dict[str, Flight] = {
            "LX100": Flight("ZRH", "LIS", 180.0, 3),
            "LX200": Flight("ZRH", "OSL", 240.0, 2),
            "TP300": Flight("LIS", "ZRH", 150.0, 5),
        }
        self.bookings: dict[str, Booking] = {}
        self.credit: float = 5000.0

    def search_flights(self, origin: str, destination: str | None = None) -> list[str]:
        """Find flights.

        Args:
            origin: Code of the airport, such as "ZRH".
            destination: Code of another airport; any when left out.
        """
        return [
            number
            for number, flight in self.flights.items()
            if flight.origin == origin and destination in (None, flight.destination)
        ]

    def get_flight(self, number: str) -> Flight:
        """Show a flight.

        Args:
            number: Its number.

        Raises:
            KeyError: there is no such flight.
        """
        return self.flights[number]

    def get_credit(self) -> float:
        """Show what the customer may still spend, in euros."""
        return self.credit

    def book_flight(self, flight_number: str, traveller: str, cabin: Cabin = Cabin.ECONOMY) -> Booking:
        """Hold a seat.

        Args:
            flight_number: Number of the flight.
            traveller: Full name.
            cabin: Business costs three times as much.

        Raises:
            KeyError: there is no such flight.
            ValueError: no seat is left, or the name is empty.
        """
        flight = self.flights[flight_number]
        if flight.seats == 0:
            raise ValueError("no seat is left")
        if not traveller.strip():
            raise ValueError("who travels?")
        flight.seats -= 1
        total = flight.price * (3 if cabin is Cabin.BUSINESS else 1)
        booking = Booking(str(uuid.uuid4()), flight_number, traveller, cabin, total, datetime.now())
        self.bookings[booking.reference] = booking
        return booking

    def pay_booking(self, reference: str) -> float:
        """Pay a booking that is held.

        Args:
            reference: Reference of the booking.

        Returns:
            What is left of the credit.

        Raises:
            LookupError: there is no such booking.
            ValueError: it is not held, or the credit does not suffice.
        """
        booking = self.bookings[reference]
        if booking.state is not BookingState.HELD:
            raise ValueError(f"the booking is {booking.state.value}")
        if booking.total > self.credit:
            raise ValueError("the credit does not suffice")
        self.credit -= booking.total
        booking.state = BookingState.PAID
        return self.credit

    def cancel_booking(self, reference: str) -> None:
        """Cancel a booking; what was paid comes back.

        Args:
            reference: Reference of the booking.

        Raises:
            LookupError: there is no such booking.
            ValueError: it is cancelled already.
        """
        booking = self.bookings[reference]
        if booking.state is BookingState.CANCELLED:
            raise ValueError("the booking is cancelled already")
        if booking.state is BookingState.PAID:
            self.credit += booking.total
        booking.state = BookingState.CANCELLED
        self.flights[booking.flight].seats += 1

    def add_note(self, reference: str, note: str) -> int:
        """Add a note to a booking.

        Args:
            reference: Reference of the booking.
            note: The text.

        Returns:
            How many notes it has now.

        Raises:
            LookupError: there is no such booking.
        """
        self.bookings[reference].notes.append(note)
        return len(self.bookings[reference].notes)

    def list_bookings(self, state: BookingState | None = None) -> list[Booking]:
        """List the bookings.

        Args:
            state: Only those in this state.
        """
        return [booking for booking in self.bookings.values() if state in (None, booking.state)]
