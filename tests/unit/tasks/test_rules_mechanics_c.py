"""Tickets and dispatch: what their tools do, and that every rule is enforced."""

from typing import Any

import pytest

from tasks.scenarios.records import state_finding
from tasks.scenarios.states import rule_finding
from tests.fakes.desk import desk, has_entity, lived_in_states
from tests.fakes.sandbox import SANDBOX

THEMES = (
    "it-helpdesk",
    "city-service-requests",
    "project-board",
    "ride-dispatch",
    "parcel-courier",
    "smart-home",
    "vehicle-control",
    "greenhouse-control",
    "robot-fleet",
    "document-library",
    "team-messaging",
)
SEEDS = (1, 2)
MONDAY = "2025-06-16T09:00"
ALL_WEEK = ["mon", "tue", "wed", "thu", "fri"]


def people(one: str, prefix: str, *more: dict[str, Any], **shared: Any) -> dict[str, dict[str, Any]]:
    """Active people of a registry, one for each of `more`."""
    found = {}
    for number, details in enumerate(more, start=1):
        key = f"{prefix}-000{number}"
        phone = {"phone": f"+4411349600{number:02d}", "email": None}
        named = {f"{one}_id": key, "full_name": f"Person {number}", **phone, "status": "active"}
        found[key] = {**named, **shared, **details}
    return found


def workers(one: str, prefix: str, skill: str, *skills: list[str], away: int = 0) -> dict[str, dict[str, Any]]:
    """Workers of a roster with these skills; the one with the number `away` is away."""
    found = {}
    for number, each in enumerate(skills, start=1):
        key = f"{prefix}-000{number}"
        status = "away" if number == away else "available"
        found[key] = {
            f"{one}_id": key,
            "full_name": f"Worker {number}",
            skill: each,
            "works_on": ALL_WEEK,
            "status": status,
        }
    return found


def helpdesk() -> dict[str, Any]:
    skills = ["hardware"], ["hardware", "network"], ["network"]
    return {
        "now": MONDAY,
        "employees": people("employee", "EMP", {}, {"status": "inactive"}, department="sales", floor=2),
        "technicians": workers("technician", "TEC", "handles", *skills, away=3),
    }


def a_ticket(**details: Any) -> dict[str, Any]:
    usual = {"title": "Screen is black", "employee_id": "EMP-0001", "category": "hardware", "priority": "normal"}
    return {**usual, **details}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_lived_in_state_fits_the_logic_model_and_its_rules(theme: str, seed: int) -> None:
    model, states = lived_in_states(theme, seed)

    with SANDBOX.checks() as checks:
        for state in states:
            assert (state_finding(state, model) or rule_finding(state, model, checks)) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_a_ticket_goes_from_open_to_closed_and_back(seed: int) -> None:
    with desk("it-helpdesk", seed, helpdesk()) as front:
        opened = front.do("open_ticket", **a_ticket(priority="urgent"))
        assert (opened["status"], opened["due_at"]) == ("open", "2025-06-16T13:00")
        one = {"ticket_id": opened["ticket_id"]}
        assert "needs one that is assigned" in front.refuses("start_ticket", **one)
        front.do("assign_ticket", **one, technician_id="TEC-0001")
        front.do("start_ticket", **one)
        front.do("hold_ticket", **one)
        assert "on_hold" in front.refuses("resolve_ticket", **one, resolution="New cable")
        front.do("resume_ticket", **one)
        front.do("resolve_ticket", **one, resolution="New cable")
        front.breaks("ticket_not_edited_when_done", "set_ticket_priority", **one, priority="low")
        front.do("add_comment", **one, text="Works since then")
        front.do("close_ticket", **one)
        assert "closed" in front.refuses("add_comment", **one, text="Too late")
        reopened = front.do("reopen_ticket", **one)
        assert (reopened["status"], reopened["technician_id"], reopened["resolution"]) == ("open", None, None)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_ticket_is_due_by_its_priority_and_is_reopened_only_for_two_weeks(seed: int) -> None:
    with desk("it-helpdesk", seed, helpdesk()) as front:
        front.do("open_ticket", **a_ticket(priority="low"))
        one = {"ticket_id": "TCK-0001"}
        assert front.do("set_ticket_priority", **one, priority="high")["due_at"] == "2025-06-17T09:00"
        assert "already" in front.refuses("set_ticket_priority", **one, priority="high")
        front.do("assign_ticket", **one, technician_id="TEC-0002")
        front.do("start_ticket", **one)
        front.set_clock("2025-06-18T09:00")
        assert [each["ticket_id"] for each in front.do("list_tickets", only_overdue=True)] == ["TCK-0001"]
        front.do("resolve_ticket", **one, resolution="New cable")
        front.set_clock("2025-07-02T09:01")
        front.breaks("ticket_reopened_soon", "reopen_ticket", **one)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_ticket_is_given_only_to_a_technician_who_can_take_it(seed: int) -> None:
    with desk("it-helpdesk", seed, helpdesk()) as front:
        assert "not active" in front.refuses("open_ticket", **a_ticket(employee_id="EMP-0002"))
        for _ in range(6):
            front.do("open_ticket", **a_ticket())
        front.do("open_ticket", **a_ticket(category="network"))
        front.breaks("ticket_fits_technician", "assign_ticket", ticket_id="TCK-0007", technician_id="TEC-0003")
        front.breaks("ticket_fits_technician", "assign_ticket", ticket_id="TCK-0007", technician_id="TEC-0001")
        for number in range(1, 6):
            front.do("assign_ticket", ticket_id=f"TCK-000{number}", technician_id="TEC-0001")
        assert "at most 5" in front.refuses("assign_ticket", ticket_id="TCK-0006", technician_id="TEC-0001")
        front.do("assign_ticket", ticket_id="TCK-0006", technician_id="TEC-0002")
        assert "at most 5" in front.refuses("reassign_ticket", ticket_id="TCK-0006", technician_id="TEC-0001")
        assert "already" in front.refuses("reassign_ticket", ticket_id="TCK-0006", technician_id="TEC-0002")
        fitting = front.do("list_technicians_for_ticket", ticket_id="TCK-0001")
        assert [(each["technician_id"], each["load"]) for each in fitting] == [("TEC-0002", 1)]
        assert front.do("unassign_ticket", ticket_id="TCK-0006")["status"] == "open"
        assert "TCK-0001" in front.refuses("deactivate_employee", employee_id="EMP-0001")


def city() -> dict[str, Any]:
    sites = {f"SIT-000{n}": {"site_id": f"SIT-000{n}", "name": f"Site {n}", "district": "north"} for n in (1, 2)}
    return {
        "now": MONDAY,
        "residents": people("resident", "RES", {}, {}, {"status": "inactive"}),
        "sites": {key: {**site, "status": "active"} for key, site in sites.items()},
        "crews": {
            "CRW-0001": {
                "crew_id": "CRW-0001",
                "name": "Alder",
                "does": ["waste"],
                "works_on": ["mon"],
                "status": "available",
            }
        },
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_a_site_has_one_request_of_a_service_which_others_join(seed: int) -> None:
    asked = {"title": "Bin is full", "resident_id": "RES-0001", "service": "waste", "priority": "soon"}
    with desk("city-service-requests", seed, city()) as hall:
        hall.do("log_request", **asked, site_id="SIT-0001")
        assert "REQ-0001" in hall.refuses("log_request", **{**asked, "resident_id": "RES-0002"}, site_id="SIT-0001")
        hall.do("log_request", **asked, site_id="SIT-0002")
        one = {"request_id": "REQ-0001"}
        assert "own" in hall.refuses("support_request", **one, resident_id="RES-0001")
        assert "not active" in hall.refuses("support_request", **one, resident_id="RES-0003")
        assert hall.do("support_request", **one, resident_id="RES-0002")["supporter_ids"] == ["RES-0002"]
        assert "already" in hall.refuses("support_request", **one, resident_id="RES-0002")
        assert "not completed" in hall.refuses("close_site", site_id="SIT-0001")
        hall.do("assign_request", **one, crew_id="CRW-0001")
        hall.do("start_request", **one)
        hall.do("complete_request", **one, outcome="removed")
        hall.do("log_request", **asked, site_id="SIT-0001")
        assert "REQ-0003" in hall.refuses("reopen_request", **one), "a new one is about the same"


def board() -> dict[str, Any]:
    project = {"project_id": "PRJ-0001", "name": "Beta 2", "client": "in-house", "ends_on": "2025-07-31"}
    skills = ["backend"], ["backend", "design"], ["design"]
    members = workers("member", "MEM", "skills", *skills, away=3)
    return {"now": MONDAY, "projects": {"PRJ-0001": {**project, "status": "active"}}, "members": members}


def a_task(title: str, effort: int = 5, due_on: str = "2025-07-01") -> dict[str, Any]:
    usual = {"project_id": "PRJ-0001", "area": "backend", "priority": "high"}
    return {"title": title, "effort": effort, "due_on": due_on, **usual}


def test_a_task_waits_for_others_but_never_in_circles() -> None:
    with desk("project-board", 1, board()) as team:
        for title in ("Schema", "Import", "Report"):
            team.do("add_task", **a_task(title, effort=2))
        team.do("add_blocker", task_id="TSK-0002", needs_task_id="TSK-0001")
        team.do("add_blocker", task_id="TSK-0003", needs_task_id="TSK-0002")
        assert "wait for each other" in team.refuses("add_blocker", task_id="TSK-0001", needs_task_id="TSK-0003")
        assert "wait for each other" in team.refuses("add_blocker", task_id="TSK-0001", needs_task_id="TSK-0001")
        assert "already" in team.refuses("add_blocker", task_id="TSK-0002", needs_task_id="TSK-0001")
        team.do("assign_task", task_id="TSK-0002", member_id="MEM-0001")
        team.breaks("task_waits_for_others", "start_task", task_id="TSK-0002")
        assert [each["needs_task_id"] for each in team.do("list_blockers", task_id="TSK-0002")] == ["TSK-0001"]
        team.do("remove_blocker", blocker_id="BLK-0001")
        team.do("start_task", task_id="TSK-0002")
        assert "in_progress" in team.refuses("add_blocker", task_id="TSK-0002", needs_task_id="TSK-0001")


def test_a_task_has_points_a_due_date_and_a_reviewer() -> None:
    with desk("project-board", 1, board()) as team:
        assert "1, 2, 3, 5 or 8" in team.refuses("add_task", **a_task("Odd", effort=4))
        assert "2025-07-31" in team.refuses("add_task", **a_task("Late", due_on="2025-08-01"))
        assert "between today" in team.refuses("add_task", **a_task("Past", due_on="2025-06-15"))
        assert "between today" in team.refuses("add_task", **a_task("Never", due_on="9999-12-31"))
        for title in ("Schema", "Import"):
            team.do("add_task", **a_task(title, effort=8))
        team.do("assign_task", task_id="TSK-0001", member_id="MEM-0001")
        assert "at most 13" in team.refuses("assign_task", task_id="TSK-0002", member_id="MEM-0001")
        team.breaks("task_fits_member", "assign_task", task_id="TSK-0002", member_id="MEM-0003")
        one = {"task_id": "TSK-0001"}
        team.do("start_task", **one)
        assert "somebody else" in team.refuses("submit_task", **one, reviewing_member_id="MEM-0001")
        assert "away" in team.refuses("submit_task", **one, reviewing_member_id="MEM-0003")
        team.do("submit_task", **one, reviewing_member_id="MEM-0002")
        assert "reviews" in team.refuses("reassign_task", **one, member_id="MEM-0002")
        assert team.do("return_task", **one)["reviewing_member_id"] is None
        team.do("submit_task", **one, reviewing_member_id="MEM-0002")
        assert team.do("approve_task", **one)["status"] == "done"
        assert "done" in team.refuses("set_task_due_date", **one, due_on="2025-07-02")
        assert "TSK-0002" in team.refuses("archive_project", project_id="PRJ-0001")


def test_a_theme_with_options_has_different_parts_for_different_seeds() -> None:
    parts = {has_entity("city-service-requests", seed, "permits") for seed in range(1, 9)}

    assert parts == {True, False}
