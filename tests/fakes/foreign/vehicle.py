"""A car with an assistant. Fault: with no kilometre on the trip meter, the consumption is divided by zero.

Style: scalar attributes, methods return dicts with the new values, refusals as {"error": ...}.
"""

from typing import Literal

Gear = Literal["P", "R", "N", "D"]


class Vehicle:
    """A car at a standstill that is about to leave."""

    def __init__(self) -> None:
        self.engine_state = "stopped"
        self.doors: dict[str, str] = {"driver": "unlocked", "passenger": "locked", "rear_left": "locked"}
        self.brake_pressed = False
        self.gear = "P"
        self.fuel_level: float = 12.0
        self.trip_km: float = 0.0
        self.trip_litres: float = 0.0

    def press_brake(self, pressed: bool = True) -> dict[str, bool]:
        """Press the brake pedal, or let it go.

        Args:
            pressed: False to let it go.
        """
        self.brake_pressed = pressed
        return {"brake_pressed": pressed}

    def start_engine(self) -> dict[str, str]:
        """Start the engine: all doors locked, brake pressed, gear P."""
        if any(state == "unlocked" for state in self.doors.values()):
            return {"error": "All doors must be locked."}
        if not self.brake_pressed or self.gear != "P":
            return {"error": "Press the brake, in gear P."}
        self.engine_state = "running"
        return {"engine_state": "running"}

    def lock_doors(self, unlock: bool = False) -> dict[str, str]:
        """Lock all doors, or unlock them.

        Args:
            unlock: True to unlock.
        """
        for door in self.doors:
            self.doors[door] = "unlocked" if unlock else "locked"
        return self.doors

    def fill_tank(self, litres: float) -> dict[str, float]:
        """Fill fuel in while the engine is stopped.

        Args:
            litres: 1 to 50; the tank holds 50.
        """
        if self.engine_state == "running":
            return {"error": "Stop the engine first."}  # type: ignore[dict-item]
        if litres < 1 or self.fuel_level + litres > 50:
            return {"error": "The tank can't hold that."}  # type: ignore[dict-item]
        self.fuel_level += litres
        return {"fuel_level": self.fuel_level}

    def drive(self, km: float) -> dict[str, float]:
        """Drive straight ahead with a running engine.

        Args:
            km: Distance, 1 to 100.
        """
        if self.engine_state != "running" or not 1 <= km <= 100:
            return {"error": "Start the engine; at most 100 km at a time."}  # type: ignore[dict-item]
        needed = km * 0.07
        if needed > self.fuel_level:
            return {"error": "Not enough fuel."}  # type: ignore[dict-item]
        self.fuel_level = round(self.fuel_level - needed, 3)
        self.trip_km += km
        self.trip_litres = round(self.trip_litres + needed, 3)
        return {"fuel_level": self.fuel_level, "trip_km": self.trip_km}

    def stop_engine(self) -> dict[str, str]:
        """Stop the engine."""
        self.engine_state = "stopped"
        return {"engine_state": "stopped"}

    def show_consumption(self) -> dict[str, float]:
        """Show the litres per 100 km of this trip."""
        return {"litres_per_100_km": round(self.trip_litres * 100 / self.trip_km, 1)}
