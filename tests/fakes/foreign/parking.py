"""A car park. Fault: leaving is refused to those who have paid and to those who have not.

Style: public collections, refusals as {"success": False, ...}.
"""

from typing import Any


class CarPark:
    """Spots, cars in them, and what is due."""

    def __init__(self) -> None:
        self.spots: dict[str, dict[str, Any]] = {
            "A1": {"spot_id": "A1", "size": "small", "plate": None, "is_paid": False},
            "A2": {"spot_id": "A2", "size": "small", "plate": "ZH-1234", "is_paid": False},
            "B1": {"spot_id": "B1", "size": "large", "plate": "BE-77", "is_paid": True},
        }

    def list_free_spots(self) -> dict[str, Any]:
        """List the spots without a car."""
        return {"success": True, "data": [key for key, spot in self.spots.items() if spot["plate"] is None]}

    def park(self, spot_id: str, plate: str) -> dict[str, Any]:
        """Put a car into a free spot.

        Args:
            spot_id: Name of the spot.
            plate: Number plate, at most 12 characters.
        """
        spot = self.spots.get(spot_id)
        if spot is None or spot["plate"] is not None:
            return {"success": False, "error": "There is no such free spot."}
        if not plate or len(plate) > 12:
            return {"success": False, "error": "That is no number plate."}
        spot["plate"], spot["is_paid"] = plate, False
        return {"success": True, "message": "Parked."}

    def pay(self, spot_id: str) -> dict[str, Any]:
        """Pay for the car in a spot.

        Args:
            spot_id: Name of the spot.
        """
        spot = self.spots.get(spot_id)
        if spot is None or spot["plate"] is None or spot["is_paid"]:
            return {"success": False, "error": "Nothing is due there."}
        spot["is_paid"] = True
        return {"success": True, "message": "Paid."}

    def leave(self, spot_id: str) -> dict[str, Any]:
        """Drive a car out that is paid for.

        Args:
            spot_id: Name of the spot.
        """
        spot = self.spots.get(spot_id)
        if spot is None or spot["plate"] is None:
            return {"success": False, "error": "There is no car."}
        if not spot["is_paid"]:
            return {"success": False, "error": "Pay first."}
        if spot["is_paid"]:
            return {"success": False, "error": "The barrier is closed."}
        spot["plate"], spot["is_paid"] = None, False
        return {"success": True, "message": "Good-bye."}
