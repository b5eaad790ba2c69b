"""Every mechanic, by the name that themes use."""

from collections.abc import Callable
from typing import Any

from tasks.authors.rules.mechanics.accounts import Accounts, add_accounts
from tasks.authors.rules.mechanics.admissions import Admissions, add_admissions
from tasks.authors.rules.mechanics.appointments import Appointments, add_appointments
from tasks.authors.rules.mechanics.approvals import Approvals, add_approvals
from tasks.authors.rules.mechanics.billing import add_billing
from tasks.authors.rules.mechanics.billing_words import Billing
from tasks.authors.rules.mechanics.calendar import Calendar, add_calendar
from tasks.authors.rules.mechanics.devices import add_devices
from tasks.authors.rules.mechanics.devices_options import Devices
from tasks.authors.rules.mechanics.dispatch import add_dispatch
from tasks.authors.rules.mechanics.dispatch_options import Dispatch
from tasks.authors.rules.mechanics.enrolment import Enrolment, add_enrolment
from tasks.authors.rules.mechanics.folders import add_folders
from tasks.authors.rules.mechanics.folders_options import Folders
from tasks.authors.rules.mechanics.grants import add_grants
from tasks.authors.rules.mechanics.grants_options import Grants
from tasks.authors.rules.mechanics.journeys import Journeys, add_journeys
from tasks.authors.rules.mechanics.lending import add_lending
from tasks.authors.rules.mechanics.lending_words import Lending
from tasks.authors.rules.mechanics.messages import add_messages
from tasks.authors.rules.mechanics.messages_options import Messages
from tasks.authors.rules.mechanics.missions import add_missions
from tasks.authors.rules.mechanics.missions_options import Missions
from tasks.authors.rules.mechanics.order_words import Orders
from tasks.authors.rules.mechanics.orders import add_orders
from tasks.authors.rules.mechanics.playlists import Playlists, add_playlists
from tasks.authors.rules.mechanics.products import Products, add_products
from tasks.authors.rules.mechanics.readings import Readings, add_readings
from tasks.authors.rules.mechanics.registry import Registry, add_registry
from tasks.authors.rules.mechanics.roster import Roster, add_roster
from tasks.authors.rules.mechanics.seating_words import Seatings
from tasks.authors.rules.mechanics.seatings import add_seatings
from tasks.authors.rules.mechanics.stay_words import Stays
from tasks.authors.rules.mechanics.stays import add_stays
from tasks.authors.rules.mechanics.stock import Stock, add_stock
from tasks.authors.rules.mechanics.subscriptions import Subscriptions, add_subscriptions
from tasks.authors.rules.mechanics.tanks import Tanks, add_tanks
from tasks.authors.rules.mechanics.tickets import add_tickets
from tasks.authors.rules.mechanics.tickets_options import Tickets
from tasks.authors.rules.mechanics.trading import Trading, add_trading
from tasks.authors.rules.mechanics.units import Units, add_units
from tasks.authors.rules.spec import Draft

MECHANICS: dict[str, tuple[type[Any], Callable[[Draft, Any], None]]] = {
    "registry": (Registry, add_registry),
    "roster": (Roster, add_roster),
    "accounts": (Accounts, add_accounts),
    "appointments": (Appointments, add_appointments),
    "admissions": (Admissions, add_admissions),
    "approvals": (Approvals, add_approvals),
    "calendar": (Calendar, add_calendar),
    "playlists": (Playlists, add_playlists),
    "dispatch": (Dispatch, add_dispatch),
    "devices": (Devices, add_devices),
    "enrolment": (Enrolment, add_enrolment),
    "billing": (Billing, add_billing),
    "lending": (Lending, add_lending),
    "orders": (Orders, add_orders),
    "products": (Products, add_products),
    "seatings": (Seatings, add_seatings),
    "stays": (Stays, add_stays),
    "trading": (Trading, add_trading),
    "subscriptions": (Subscriptions, add_subscriptions),
    "stock": (Stock, add_stock),
    "folders": (Folders, add_folders),
    "grants": (Grants, add_grants),
    "journeys": (Journeys, add_journeys),
    "messages": (Messages, add_messages),
    "missions": (Missions, add_missions),
    "readings": (Readings, add_readings),
    "tanks": (Tanks, add_tanks),
    "tickets": (Tickets, add_tickets),
    "units": (Units, add_units),
}
"""Name -> what a theme says of it, and the function that adds it to a draft."""
