"""A thermostat. Fault: reading the temperature drifts it.

Style: scalar attributes, methods return plain values or raise.
"""


class Thermostat:
    """Heats one room."""

    def __init__(self) -> None:
        self.temperature = 19.5
        self.target = 21.0
        self.mode = "heat"
        self.schedule: dict[str, float] = {"06:30": 21.0, "22:00": 17.0}

    def get_temperature(self) -> float:
        """Read the temperature of the room, in degrees Celsius."""
        self.temperature = round(self.temperature + (self.target - self.temperature) / 10, 2)
        return self.temperature

    def get_schedule(self) -> dict[str, float]:
        """Show the schedule: time of day -> target."""
        return self.schedule

    def set_target(self, celsius: float) -> float:
        """Set the target.

        Args:
            celsius: 5 to 30.
        """
        if not 5 <= celsius <= 30:
            raise ValueError("the target must be 5 to 30")
        self.target = celsius
        return celsius

    def set_mode(self, mode: str) -> str:
        """Choose what the device does.

        Args:
            mode: One of heat, cool or off.
        """
        if mode not in ("heat", "cool", "off"):
            raise ValueError("mode must be one of heat, cool, off")
        self.mode = mode
        return mode

    def add_schedule(self, clock: str, celsius: float) -> int:
        """Add a change of the target.

        Args:
            clock: Time of day, as HH:MM.
            celsius: The target from then on, 5 to 30.
        """
        hours, colon, minutes = clock.partition(":")
        is_clock = hours.isascii() and hours.isdigit() and minutes.isascii() and minutes.isdigit() and len(clock) == 5
        if not colon or not is_clock or int(hours) > 23 or int(minutes) > 59:
            raise ValueError("the time must look like 06:30")
        if not 5 <= celsius <= 30:
            raise ValueError("the target must be 5 to 30")
        self.schedule[clock] = celsius
        return len(self.schedule)

    def remove_schedule(self, clock: str) -> None:
        """Remove a change of the target.

        Args:
            clock: Time of day, as HH:MM.
        """
        if clock not in self.schedule:
            raise ValueError("nothing is scheduled then")
        del self.schedule[clock]
