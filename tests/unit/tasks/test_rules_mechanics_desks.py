"""Each rule of the desk-like mechanics is enforced: one call that breaks it, next to one that does not."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tasks.authors.base import TopicBrief
from tasks.authors.rules.compose import compose
from tasks.authors.rules.render import render
from tasks.sandbox.base import EnvironmentSession
from tests.fakes.sandbox import SANDBOX

NOW = "2025-06-10T11:00"


@dataclass(frozen=True)
class Desk:
    """An environment in use: called with a tool's name and arguments, it answers what the tool returned."""

    session: EnvironmentSession

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = self.session.step(tool, arguments)
        assert result.error is None, result.error
        answer: dict[str, Any] = result.result
        return answer

    def state(self) -> dict[str, Any]:
        return self.session.snapshot()


@contextmanager
def desk(theme: str, **state: Any) -> Iterator[Desk]:
    """The environment of a theme on a state of a few records."""
    topic = TopicBrief(slug=theme, title=theme, summary="", introduction="", domain="")
    draft = compose(topic, theme, 1)
    with SANDBOX.environment(render(draft), draft.class_name) as session:
        session.init({"now": NOW, **state})
        yield Desk(session)


def refused(answer: dict[str, Any], part: str) -> bool:
    """Whether a call was refused for this reason."""
    return answer["success"] is False and part in answer["error"]


def person(key: str, number: int, **more: Any) -> dict[str, Any]:
    prefix = {"patient": "PAT", "customer": "CUS", "student": "STU", "employee": "EMP", "guest": "GST"}
    prefix |= {"subscriber": "SBR", "client": "CLI", "contact": "CTC", "listener": "LIS"}
    record_id = f"{prefix[key]}-{number:04d}"
    contact = {"phone": f"+44113496000{number}", "email": None}
    return {f"{key}_id": record_id, "full_name": f"Person {number}", **contact, "status": "active", **more}


def by_id(key: str, *records: dict[str, Any]) -> dict[str, Any]:
    return {record[f"{key}_id"]: record for record in records}


def dentist(**more: Any) -> dict[str, Any]:
    record = {
        "dentist_id": "DEN-0001",
        "full_name": "Dr. One",
        "treats": ["checkup"],
        "works_on": ["mon", "tue", "wed"],
    }
    return {**record, "status": "available", **more}


def test_appointments_keep_hours_skills_notice_and_one_place_at_a_time() -> None:
    patients = by_id("patient", person("patient", 1, birth_date="1990-01-01", insurance="none"))
    patients |= by_id("patient", person("patient", 2, birth_date="1990-01-01", insurance="none", status="archived"))
    with desk("dental-practice", patients=patients, dentists=by_id("dentist", dentist())) as call:
        book = {"patient_id": "PAT-0001", "dentist_id": "DEN-0001", "treatment": "checkup"}
        first = call("book_appointment", **book, start="2025-06-16T09:00")
        appointment = {"appointment_id": first["data"]["appointment_id"]}

        assert first["data"]["minutes"] == 30
        assert refused(call("book_appointment", **book, start="2025-06-16T09:15"), "taken by APT-0001")
        assert refused(call("book_appointment", **book, start="2025-06-16T07:45"), "outside the hours")
        assert refused(call("book_appointment", **book, start="2025-06-19T09:00"), "does not work on thu")
        assert refused(call("book_appointment", **book, start="2025-06-16T10:05"), "multiple of 15")
        assert refused(call("book_appointment", **book, start="9999-12-31T17:45"), "next 120 days")
        assert refused(
            call("book_appointment", **{**book, "treatment": "filling"}, start="2025-06-16T10:00"), "does not do"
        )
        assert refused(
            call("book_appointment", **{**book, "patient_id": "PAT-0002"}, start="2025-06-16T10:00"), "archived"
        )
        assert refused(call("archive_patient", patient_id="PAT-0001"), "still booked")
        assert refused(call("check_in_appointment", **appointment), "not before 2025-06-16")
        assert call("reschedule_appointment", **appointment, start="2025-06-16T09:15")["success"]
        assert call("cancel_appointment", **appointment)["success"]
        assert refused(call("cancel_appointment", **appointment), "only a booked one")
        soon = call("book_appointment", **book, start="2025-06-10T16:00")["data"]["appointment_id"]
        assert refused(call("cancel_appointment", appointment_id=soon), "less than 24 hours")
        assert call("mark_dentist_away", dentist_id="DEN-0001")["success"]
        assert refused(call("book_appointment", **book, start="2025-06-17T09:00"), "is away")


def test_stock_is_never_overdrawn_expired_or_received_when_discontinued() -> None:
    item = {"supply_id": "SUP-0001", "name": "Bibs", "category": "consumable", "quantity": 5, "opening_quantity": 5}
    item |= {"reorder_level": 2, "status": "listed", "expires_on": "2025-12-31"}
    old = {**item, "supply_id": "SUP-0002", "expires_on": "2025-06-09"}
    with desk("dental-practice", supplies=by_id("supply", item, old)) as call:
        assert refused(call("use_supply", supply_id="SUP-0001", quantity=6), "only 5 units")
        assert refused(call("use_supply", supply_id="SUP-0001", quantity=0), "between 1 and 50")
        assert refused(call("use_supply", supply_id="SUP-0002", quantity=1), "expired on 2025-06-09")
        assert call("use_supply", supply_id="SUP-0001", quantity=5)["data"]["direction"] == "out"
        assert call("discontinue_supply", supply_id="SUP-0001")["success"]
        assert refused(call("receive_supply", supply_id="SUP-0001", quantity=1), "discontinued")
        assert call.state()["supplies"]["SUP-0001"]["quantity"] == 0


def account(number: int, **more: Any) -> dict[str, Any]:
    record = {"account_id": f"ACC-000{number}", "customer_id": "CUS-0001", "kind": "checking", "status": "open"}
    cents = more.pop("cents", 50_000)
    return {**record, "balance_cents": cents, "opening_cents": cents, "overdraft_cents": 0, **more}


def test_money_leaves_an_account_only_within_balance_limit_and_status() -> None:
    accounts = by_id(
        "account",
        account(1),
        account(2, kind="savings", cents=900_000),
        account(3, kind="fixed_deposit", status="frozen"),
    )
    customers = by_id("customer", person("customer", 1, segment="standard"), person("customer", 2, segment="standard"))
    with desk("retail-bank", customers=customers, accounts=accounts) as call:
        assert refused(call("withdraw_money", account_id="ACC-0001", amount_cents=50_001), "Only 500.00 euros")
        assert refused(call("withdraw_money", account_id="ACC-0002", amount_cents=100_001), "may still leave")
        assert refused(call("withdraw_money", account_id="ACC-0003", amount_cents=1), "frozen")
        assert refused(call("withdraw_money", account_id="ACC-0001", amount_cents=0), "at least 1")
        same = {"account_id": "ACC-0001", "to_account_id": "ACC-0001", "amount_cents": 1}
        assert refused(call("transfer_money", **same), "two different ones")
        assert call("transfer_money", account_id="ACC-0001", to_account_id="ACC-0003", amount_cents=50_000)["success"]
        assert refused(call("close_account", account_id="ACC-0002"), "must be zero")
        assert refused(call("set_account_overdraft", account_id="ACC-0002", overdraft_cents=1), "has no overdraft")
        assert refused(call("open_account", customer_id="CUS-0001", kind="savings"), "already has ACC-0002")
        assert refused(call("close_file_of_customer", customer_id="CUS-0001"), "not closed yet")
        assert call("close_account", account_id="ACC-0001")["success"]
        assert refused(call("deposit_money", account_id="ACC-0001", amount_cents=1), "is closed")
        balances = [each["balance_cents"] for each in call.state()["accounts"].values()]
        assert balances == [0, 900_000, 100_000]


def course(number: int, **more: Any) -> dict[str, Any]:
    record = {"course_id": f"CRS-000{number}", "name": f"Course {number}", "capacity": 1, "starts_on": "2025-07-01"}
    return {**record, "status": "open", "level": "beginner", **more}


def test_a_full_course_has_a_line_and_the_first_of_it_moves_up() -> None:
    students = by_id("student", *(person("student", n, level="beginner", fee_group="full") for n in (1, 2, 3)))
    courses = by_id("course", course(1), course(2, level="advanced"), course(3, starts_on="2025-06-10"))
    with desk("course-registry", students=students, courses=courses) as call:
        places = [call("enrol_student", student_id=f"STU-000{n}", course_id="CRS-0001")["data"] for n in (1, 2, 3)]

        assert [(each["status"], each["position"]) for each in places] == [
            ("enrolled", None),
            ("waiting", 1),
            ("waiting", 2),
        ]
        assert refused(call("enrol_student", student_id="STU-0001", course_id="CRS-0001"), "already has a place")
        assert refused(
            call("enrol_student", student_id="STU-0001", course_id="CRS-0002"), "asks for the level advanced"
        )
        assert refused(call("enrol_student", student_id="STU-0001", course_id="CRS-0003"), "started on")
        assert refused(call("withdraw_student", student_id="STU-0002"), "still waiting")
        assert call("drop_enrolment", enrolment_id="ENR-0001")["success"]
        line = call.state()["enrolments"]
        assert [(each["status"], each["position"]) for each in line.values()] == [
            ("dropped", None),
            ("enrolled", None),
            ("waiting", 1),
        ]
        assert refused(call("set_course_capacity", course_id="CRS-0001", capacity=0), "between 1 and 500")
        assert call("set_course_capacity", course_id="CRS-0001", capacity=2)["success"]
        assert refused(call("set_course_capacity", course_id="CRS-0001", capacity=1), "2 places")
        assert call("close_course", course_id="CRS-0001")["success"]
        assert refused(call("enrol_student", student_id="STU-0001", course_id="CRS-0001"), "takes nobody new")


def test_an_expense_needs_other_eyes_authority_and_budget() -> None:
    people = [person("employee", n, team="sales", limit_cents=cents) for n, cents in ((1, 300_000), (2, 50_000))]
    people.append(person("employee", 3, team="sales", limit_cents=300_000))
    pot = {"cost_center_id": "CCT-0001", "name": "Fairs", "budget_cents": 90_000, "spent_cents": 0}
    pot["opening_spent_cents"] = 0
    with desk("expense-desk", employees=by_id("employee", *people), cost_centers={"CCT-0001": pot}) as call:
        ask = {"employee_id": "EMP-0001", "cost_center_id": "CCT-0001", "kind": "hotel", "purpose": "Fair"}
        for cents in (60_000, 40_000):
            assert call("submit_expense", **ask, amount_cents=cents)["success"]

        assert refused(call("submit_expense", **ask, amount_cents=250_001), "between 1 and 250000")
        assert refused(call("submit_expense", **{**ask, "purpose": "  "}, amount_cents=1), "printable")
        assert refused(call("approve_expense", expense_id="EXP-0001", decided_by="EMP-0001"), "own expense")
        assert refused(call("approve_expense", expense_id="EXP-0001", decided_by="EMP-0002"), "500.00 euros at most")
        assert refused(call("reimburse_expense", expense_id="EXP-0001"), "not approved")
        assert call("approve_expense", expense_id="EXP-0001", decided_by="EMP-0003")["success"]
        assert refused(call("approve_expense", expense_id="EXP-0002", decided_by="EMP-0003"), "only 300.00 euros left")
        assert refused(call("set_cost_center_budget", cost_center_id="CCT-0001", budget_cents=59_999), "spent already")
        assert call("withdraw_expense", expense_id="EXP-0001")["success"]
        assert call("approve_expense", expense_id="EXP-0002", decided_by="EMP-0003")["success"]
        assert call.state()["cost_centers"]["CCT-0001"]["spent_cents"] == 40_000


def test_seats_are_not_oversold_and_changes_come_in_time() -> None:
    shows = by_id(
        "show",
        {"show_id": "SHW-0001", "name": "Late", "starts_at": "2025-06-20T20:00", "status": "on_sale"},
        {"show_id": "SHW-0002", "name": "Soon", "starts_at": "2025-06-11T08:00", "status": "on_sale"},
    )
    seats = [
        ("PRC-0001", "SHW-0001", "stalls", 5),
        ("PRC-0002", "SHW-0001", "box", 9),
        ("PRC-0003", "SHW-0002", "box", 9),
    ]
    categories = {
        key: {"price_category_id": key, "show_id": show, "seat_class": name, "seats": count, "price_cents": 1000}
        for key, show, name, count in seats
    }
    guests = by_id("guest", person("guest", 1, discount="none"), person("guest", 2, discount="none"))
    with desk("event-box-office", guests=guests, shows=shows, price_categories=categories) as call:
        hold = {"guest_id": "GST-0001", "price_category_id": "PRC-0001"}
        assert call("hold_seats", **hold, quantity=4)["data"]["total_cents"] == 4000
        assert refused(call("hold_seats", **hold, quantity=3), "at most 6")
        assert refused(call("hold_seats", **{**hold, "guest_id": "GST-0002"}, quantity=2), "Only 1 seats are free")
        assert refused(call("hold_seats", **hold, quantity=0), "at least 1")
        other = call("hold_seats", guest_id="GST-0002", price_category_id="PRC-0003", quantity=1)["data"]
        assert refused(call("cancel_reservation", reservation_id=other["reservation_id"]), "less than 24 hours")
        change = {"reservation_id": "RSV-0001", "price_category_id": "PRC-0003"}
        assert refused(call("change_reservation_price_category", **change), "another show")
        assert refused(call("admit_reservation", reservation_id="RSV-0001"), "not paid")
        assert call("set_price_category_price", price_category_id="PRC-0001", price_cents=9)["success"]
        assert call("pay_reservation", reservation_id="RSV-0001")["data"]["total_cents"] == 4000
        assert call("close_show_sales", show_id="SHW-0001")["success"]
        assert refused(call("hold_seats", **{**hold, "guest_id": "GST-0002"}, quantity=1), "any more")


def test_a_line_uses_what_it_has_and_ends_for_good() -> None:
    plans = {
        f"PLN-000{n}": {"plan_id": f"PLN-000{n}", "name": f"Plan {n}", "allowance": n * 5, "price_cents": 1}
        for n in (1, 2)
    }
    line = {"line_id": "LIN-0001", "subscriber_id": "SBR-0001", "plan_id": "PLN-0002", "label": "phone", "included": 10}
    line |= {"used": 7, "opening_used": 7, "status": "active", "changed_at": NOW}
    subscribers = by_id("subscriber", person("subscriber", 1, billing="monthly", language="english"))
    with desk("mobile-plans", subscribers=subscribers, plans=plans, lines={"LIN-0001": line}) as call:
        start = {"subscriber_id": "SBR-0001", "plan_id": "PLN-0001"}
        assert refused(call("record_data_use", line_id="LIN-0001", amount=4), "has 3 left")
        assert refused(call("activate_line", **start, label="phone"), "already has LIN-0001")
        assert refused(call("change_line_plan", line_id="LIN-0001", plan_id="PLN-0001"), "has used 7")
        assert refused(call("change_line_plan", line_id="LIN-0001", plan_id="PLN-0002"), "on PLN-0002 already")
        assert refused(call("top_up_line", line_id="LIN-0001", amount=51), "between 1 and 50")
        assert call("top_up_line", line_id="LIN-0001", amount=2)["data"]["kind"] == "top_up"
        assert call("record_data_use", line_id="LIN-0001", amount=5)["success"]
        assert call("pause_line", line_id="LIN-0001")["success"]
        assert refused(call("record_data_use", line_id="LIN-0001", amount=1), "is paused")
        assert call("terminate_line", line_id="LIN-0001")["success"]
        assert refused(call("resume_line", line_id="LIN-0001"), "is ended")
        assert call("activate_line", **start, label="phone")["success"]


def test_cash_and_units_are_reserved_once_and_limits_hold() -> None:
    securities = {
        key: {"security_id": key, "name": key, "sector": "health", "price_cents": 1000, "status": status}
        for key, status in (("SEC-0001", "trading"), ("SEC-0002", "halted"))
    }
    portfolio = {"portfolio_id": "PTF-0001", "client_id": "CLI-0001", "cash_cents": 10_000, "reserved_cents": 0}
    position = {"position_id": "POS-0001", "portfolio_id": "PTF-0001", "security_id": "SEC-0001", "units": 5}
    with desk(
        "brokerage-desk",
        clients=by_id("client", person("client", 1, risk_class="bold")),
        securities=securities,
        portfolios={"PTF-0001": portfolio},
        positions={"POS-0001": {**position, "reserved_units": 0}},
    ) as call:
        trade = {"portfolio_id": "PTF-0001", "security_id": "SEC-0001"}
        assert call("place_buy_order", **trade, units=8, limit_cents=1100)["success"]
        assert refused(call("place_buy_order", **trade, units=2, limit_cents=1000), "12.00 euros are available")
        assert refused(call("withdraw_cash", portfolio_id="PTF-0001", amount_cents=1201), "only 12.00 euros")
        assert refused(call("place_sell_order", **trade, units=6, limit_cents=1000), "only 5 units")
        assert call("place_sell_order", **trade, units=5, limit_cents=1001)["success"]
        assert refused(call("place_sell_order", **trade, units=1, limit_cents=1000), "only 0 units")
        assert refused(call("fill_order", order_id="ORD-0002"), "the limit is 10.01 euros")
        assert refused(
            call("place_buy_order", **{**trade, "security_id": "SEC-0002"}, units=1, limit_cents=1), "halted"
        )
        assert call("fill_order", order_id="ORD-0001")["success"]
        assert call("cancel_order", order_id="ORD-0002")["success"]
        assert refused(call("cancel_order", order_id="ORD-0002"), "not open")
        assert refused(call("open_portfolio", client_id="CLI-0001"), "already has PTF-0001")
        state = call.state()
        assert state["portfolios"]["PTF-0001"]["cash_cents"] == 2_000
        assert state["portfolios"]["PTF-0001"]["reserved_cents"] == 0
        assert (state["positions"]["POS-0001"]["units"], state["positions"]["POS-0001"]["reserved_units"]) == (13, 0)


def test_events_never_overlap_and_reminders_stay_done() -> None:
    contacts = by_id("contact", person("contact", 1, circle="work", birthday="1990-01-01"))
    with desk("personal-calendar", contacts=contacts) as call:
        event = {"title": "Choir", "kind": "personal", "minutes": 60}
        assert call("create_event", **event, start="2025-06-12T18:00")["success"]
        assert refused(call("create_event", **event, start="2025-06-12T18:30"), "overlaps with EVT-0001")
        assert refused(call("create_event", **event, start="2025-06-10T10:00"), f"later than {NOW}")
        assert refused(call("create_event", **event, start="9999-12-31T23:59"), "within 400 days")
        invite = {"event_id": "EVT-0001", "contact_id": "CTC-0001"}
        assert call("invite_contact", **invite)["success"]
        assert refused(call("invite_contact", **invite), "invited to EVT-0001 already")
        assert call("record_response", invitation_id="INV-0001", response="accepted")["success"]
        assert call("move_event", event_id="EVT-0001", start="2025-06-12T18:30")["success"]
        assert call.state()["invitations"]["INV-0001"]["response"] == "pending"
        assert call("cancel_event", event_id="EVT-0001")["success"]
        assert refused(call("move_event", event_id="EVT-0001", start="2025-06-13T18:00"), "is cancelled")
        assert call("set_reminder", text="Call", due_at="2025-06-11T09:00")["success"]
        assert call("snooze_reminder", reminder_id="REM-0001", days=2)["data"]["due_at"] == "2025-06-13T09:00"
        assert refused(call("snooze_reminder", reminder_id="REM-0001", days=31), "between 1 and 30")
        assert call("complete_reminder", reminder_id="REM-0001")["success"]
        assert refused(call("complete_reminder", reminder_id="REM-0001"), "done already")


def test_a_playlist_stays_in_line_and_fits_its_listener() -> None:
    tracks = {
        f"TRK-000{n}": {
            "track_id": f"TRK-000{n}",
            "name": f"Song {n}",
            "artist": "A",
            "genre": "folk",
            "seconds": 9,
            "is_explicit": n == 4,
        }
        for n in (1, 2, 3, 4)
    }
    listener = person("listener", 1, profile="child", quality="low")
    del listener["phone"], listener["email"]
    with desk("music-library", listeners=by_id("listener", listener), tracks=tracks) as call:
        assert call("create_playlist", listener_id="LIS-0001", name="Mix")["success"]
        assert refused(call("create_playlist", listener_id="LIS-0001", name="mix "), "already has PLS-0001")
        for n in (1, 2, 3):
            assert call("add_track", playlist_id="PLS-0001", track_id=f"TRK-000{n}")["data"]["position"] == n
        assert refused(call("add_track", playlist_id="PLS-0001", track_id="TRK-0001"), "already")
        assert refused(call("add_track", playlist_id="PLS-0001", track_id="TRK-0004"), "not for children")
        assert refused(call("move_place", place_id="PLC-0003", position=4), "between 1 and 3")
        assert call("move_place", place_id="PLC-0003", position=1)["success"]
        assert call("remove_place", place_id="PLC-0001")["success"]
        order = call("list_places", playlist_id="PLS-0001")["data"]
        assert [(each["track_id"], each["position"]) for each in order] == [("TRK-0003", 1), ("TRK-0002", 2)]
        assert call("share_playlist", playlist_id="PLS-0001")["success"]
        assert refused(call("delete_playlist", playlist_id="PLS-0001"), "is shared, not private")
        assert call("unshare_playlist", playlist_id="PLS-0001")["success"]
        assert call("delete_playlist", playlist_id="PLS-0001")["success"]
        assert refused(call("rename_playlist", playlist_id="PLS-0001", name="New"), "is deleted")
