"""A pharmacy. Fault: a new dose is written into a copy of the prescription and lost.

Style: private attributes, plain values or raise.
"""

from typing import Any


class PharmacyError(Exception):
    """Why the counter refuses."""


class Pharmacy:
    """Medicines in stock, and prescriptions to fill."""

    def __init__(self) -> None:
        self._medicines: dict[str, dict[str, Any]] = {
            "ibuprofen": {"name": "ibuprofen", "stock": 40, "needs_prescription": False},
            "amoxicillin": {"name": "amoxicillin", "stock": 12, "needs_prescription": True},
        }
        self._prescriptions: dict[str, dict[str, Any]] = {
            "RX-1": {"patient": "Eva Brandt", "medicine": "amoxicillin", "dose_mg": 500, "is_filled": False},
            "RX-2": {"patient": "Jon Vik", "medicine": "ibuprofen", "dose_mg": 200, "is_filled": False},
        }

    def get_stock(self, medicine: str) -> int:
        """Count the packs that are left.

        Args:
            medicine: Name of the medicine.
        """
        if medicine not in self._medicines:
            raise PharmacyError(f"unknown medicine {medicine[:40]}")
        return int(self._medicines[medicine]["stock"])

    def find_prescriptions(self, patient: str) -> list[str]:
        """Find the prescriptions of a patient.

        Args:
            patient: Full name.
        """
        return [key for key, each in self._prescriptions.items() if each["patient"] == patient]

    def update_dose(self, prescription_id: str, dose_mg: int) -> dict[str, Any]:
        """Change the dose of a prescription that is not filled yet.

        Args:
            prescription_id: Id of the prescription.
            dose_mg: New dose, 50 to 1000 mg.
        """
        found = self._prescription(prescription_id)
        if not 50 <= dose_mg <= 1000:
            raise PharmacyError("the dose must be 50 to 1000 mg")
        changed = dict(found)
        changed["dose_mg"] = dose_mg
        return changed

    def fill_prescription(self, prescription_id: str) -> int:
        """Hand a pack out.

        Args:
            prescription_id: Id of the prescription.

        Returns:
            Packs that are left.
        """
        found = self._prescription(prescription_id)
        medicine = self._medicines[found["medicine"]]
        if medicine["stock"] == 0:
            raise PharmacyError("out of stock")
        medicine["stock"] -= 1
        found["is_filled"] = True
        return int(medicine["stock"])

    def order_packs(self, medicine: str, packs: int) -> int:
        """Order more packs, which come at once.

        Args:
            medicine: Name of the medicine.
            packs: 1 to 100.
        """
        if medicine not in self._medicines or not 1 <= packs <= 100:
            raise PharmacyError("order 1 to 100 packs of a medicine that is kept here")
        self._medicines[medicine]["stock"] += packs
        return int(self._medicines[medicine]["stock"])

    def _prescription(self, prescription_id: str) -> dict[str, Any]:
        found = self._prescriptions.get(prescription_id)
        if found is None or found["is_filled"]:
            raise PharmacyError("there is no such prescription to fill")
        return found
