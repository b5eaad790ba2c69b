"""The twelve classes, and what the evaluation must say of each."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class ForeignCase:
    """One class and its known fault."""

    target: str
    fault: str | None = None
    """Reason code; null for a class that is right."""
    said: str = ""
    """What the detail names: the tool at fault."""

    @property
    def path(self) -> str:
        """As it is typed."""
        return str(FOLDER / self.target)


CASES = (
    ForeignCase("file_system.py:FileSystem"),
    ForeignCase("ticketing.py:HelpDesk"),
    ForeignCase("trading.py:TradingBot"),
    ForeignCase("travel.py:TravelAgency"),
    ForeignCase("agenda.py:Agenda"),
    ForeignCase("warehouse.py:Warehouse"),
    ForeignCase("messaging.py:Messenger", "state_does_not_survive", "send_message"),
    ForeignCase("vehicle.py:Vehicle", "uncaught_exception", "show_consumption"),
    ForeignCase("thermostat.py:Thermostat", "query_changes_state", "get_temperature"),
    ForeignCase("playlist.py:MusicPlayer", "nondeterministic", "list_artists"),
    ForeignCase("parking.py:CarPark", "tool_never_succeeds", "leave"),
    ForeignCase("pharmacy.py:Pharmacy", "effect_missing", "update_dose"),
)
