"""The lending shed: topic, logic model, code and two initial states of one small hand-written environment."""

from pathlib import Path
from typing import Any

from schemas.ids import make_id
from schemas.logic_models import Attribute, Entity, LogicModel, Operation, Parameter, Rule
from schemas.topics import Topic

CODE = (Path(__file__).parent / "lending_shed_environment.py").read_text(encoding="utf-8")
CLASS_NAME = "LendingShed"

_TITLE = "Neighbourhood lending shed"
_SUMMARY = "A shed that lends tools to its members: items, loans, due dates and late fees."

TOPIC = Topic(
    topic_id=make_id("top", _TITLE, "community", _SUMMARY),
    slug="neighbourhood-lending-shed",
    title=_TITLE,
    summary=_SUMMARY,
    introduction=(
        "Volunteers lend out what the shed owns. They keep members with their trainings, items with their condition, "
        "and loans; they extend loans, take items back and collect fees for what comes back late."
    ),
    domain="community",
    usefulness=7,
    modelability=9,
    origin="given",
    seed_task_count=0,
    keyphrases=["lending shed", "late fee"],
    author="scripted",
    embedder="none",
    status="accepted",
    split="train",
)

_CATEGORIES = ("garden", "wood", "metal", "paint")
_CONDITIONS = ("good", "worn", "broken")
_TRAININGS = ("chainsaw", "welding", "ladder")
_STATUSES = ("open", "returned")

_ENTITIES = (
    Entity(
        name="member",
        collection="members",
        key="member_id",
        id_prefix="MEM",
        description="A person who may borrow.",
        attributes=(
            Attribute(name="member_id", type="string", description="Own id."),
            Attribute(name="full_name", type="string", description="Full name.", max_length=80),
            Attribute(name="email", type="string", description="Email address in lower case.", max_length=120),
            Attribute(
                name="trainings", type="list", items="enum", values=_TRAININGS, description="Certificates shown."
            ),
            Attribute(name="joined_on", type="date", description="Day of registration."),
        ),
    ),
    Entity(
        name="item",
        collection="items",
        key="item_id",
        id_prefix="ITM",
        description="One thing that can be borrowed; no tool adds or removes items.",
        attributes=(
            Attribute(name="item_id", type="string", description="Own id."),
            Attribute(name="name", type="string", description="What it is.", max_length=80),
            Attribute(name="category", type="enum", values=_CATEGORIES, description="Shelf it belongs to."),
            Attribute(name="condition", type="enum", values=_CONDITIONS, description="Broken items stay in the shed."),
            Attribute(
                name="training",
                type="enum",
                values=_TRAININGS,
                nullable=True,
                description="Training that a borrower must have; null when none is needed.",
            ),
            Attribute(name="weight_kg", type="number", minimum=0, maximum=200, unit="kg", description="Weight."),
        ),
    ),
    Entity(
        name="loan",
        collection="loans",
        key="loan_id",
        id_prefix="LOA",
        description="One item with one member, from a moment to a due date.",
        attributes=(
            Attribute(name="loan_id", type="string", description="Own id."),
            Attribute(name="member_id", type="reference", to="members", description="Who has it."),
            Attribute(name="item_id", type="reference", to="items", description="What was lent."),
            Attribute(name="lent_at", type="datetime", description="When it left the shed."),
            Attribute(name="due_on", type="date", description="Last day without a fee."),
            Attribute(name="status", type="enum", values=_STATUSES, description="Open until the item is back."),
            Attribute(name="fee_due_cents", type="integer", minimum=0, unit="euro cent", description="Still to pay."),
            Attribute(name="is_extended", type="boolean", description="Whether the due date was moved."),
        ),
    ),
)

_RULES = (
    Rule(
        id="item_lent_once",
        kind="invariant",
        text="An item is with one member at a time.",
        predicate=(
            "all(sum(l['item_id'] == i and l['status'] == 'open' for l in state['loans'].values()) <= 1 "
            "for i in state['items'])"
        ),
    ),
    Rule(
        id="loan_limit",
        kind="invariant",
        text="A member has at most `loan_limit` items at a time.",
        predicate=(
            "all(sum(l['member_id'] == m and l['status'] == 'open' for l in state['loans'].values()) "
            "<= state['settings']['loan_limit'] for m in state['members'])"
        ),
    ),
    Rule(
        id="email_unique",
        kind="uniqueness",
        text="An email address belongs to one member.",
        predicate="len({m['email'] for m in state['members'].values()}) == len(state['members'])",
    ),
    Rule(
        id="training_needed",
        kind="precondition",
        text="An item that needs a training is only lent to a member who has it.",
        predicate=(
            "state['items'][args['item_id']]['training'] is None or "
            "state['items'][args['item_id']]['training'] in state['members'][args['member_id']]['trainings']"
        ),
    ),
    Rule(
        id="fees_first",
        kind="precondition",
        text="Who owes a late fee borrows nothing more.",
        predicate=(
            "not any(l['member_id'] == args['member_id'] and l['fee_due_cents'] > 0 for l in state['loans'].values())"
        ),
    ),
    Rule(
        id="broken_stays",
        kind="precondition",
        text="A broken item is not lent.",
        predicate="state['items'][args['item_id']]['condition'] != 'broken'",
    ),
    Rule(
        id="extended_in_time",
        kind="precondition",
        text="Only a loan that is not overdue, and was not extended before, is extended.",
        predicate=(
            "state['loans'][args['loan_id']]['due_on'] >= now[:10] "
            "and not state['loans'][args['loan_id']]['is_extended']"
        ),
    ),
    Rule(
        id="loan_lifecycle",
        kind="transition",
        text="A loan goes from open to returned, never back, and none disappears.",
        predicate=(
            "all(k in state['loans'] and (l['status'] == 'open' or state['loans'][k]['status'] == 'returned') "
            "for k, l in before['loans'].items())"
        ),
    ),
    Rule(
        id="say_the_fee",
        kind="policy",
        text="Before taking back an overdue item, tell the member what the fee will be and wait for a yes.",
    ),
    Rule(
        id="others_are_private",
        kind="policy",
        text="Never tell a member what another member has borrowed or owes.",
    ),
)

_OPERATIONS = (
    Operation(
        name="find_items",
        kind="query",
        description="Find items by part of their name, category and/or whether they are on the shelf now.",
        parameters=(
            Parameter(name="name_contains", type="string", required=False, description="Part of the item's name."),
            Parameter(name="category", type="enum", values=_CATEGORIES, required=False, description="Category."),
            Parameter(name="is_available", type="boolean", required=False, description="On the shelf or lent out."),
        ),
        reads=("items", "loans"),
    ),
    Operation(
        name="find_members",
        kind="query",
        description="Find members by part of their name.",
        parameters=(Parameter(name="name_contains", type="string", description="Part of the full name."),),
        reads=("members",),
    ),
    Operation(
        name="list_loans",
        kind="query",
        description="List loans in the order in which they began.",
        parameters=(
            Parameter(name="member_id", type="reference", to="members", required=False, description="Whose loans."),
            Parameter(name="item_id", type="reference", to="items", required=False, description="Loans of this item."),
            Parameter(name="status", type="enum", values=_STATUSES, required=False, description="Status."),
        ),
        reads=("members", "items", "loans"),
        errors=("the member or the item does not exist",),
    ),
    Operation(
        name="register_member",
        kind="state_change",
        description="Register a new member.",
        parameters=(
            Parameter(name="full_name", type="string", description="Full name, 1 to 80 characters."),
            Parameter(name="email", type="string", description="Email address, such as ada@example.org."),
            Parameter(
                name="trainings",
                type="list",
                items="enum",
                values=_TRAININGS,
                required=False,
                description="Certificates shown.",
            ),
        ),
        reads=("members", "now"),
        writes=("members", "counters"),
        errors=("the email address is taken or malformed",),
        enforces=("email_unique",),
    ),
    Operation(
        name="lend_item",
        kind="state_change",
        description="Lend an item to a member from today on.",
        parameters=(
            Parameter(name="member_id", type="reference", to="members", description="Who borrows."),
            Parameter(name="item_id", type="reference", to="items", description="What is lent."),
            Parameter(name="days", type="integer", description="Length of the loan in days."),
        ),
        reads=("members", "items", "loans", "settings", "now"),
        writes=("loans", "counters"),
        errors=("the item is lent out or broken", "the training is missing", "a fee is due", "too many items"),
        enforces=("item_lent_once", "loan_limit", "training_needed", "fees_first", "broken_stays", "loan_lifecycle"),
    ),
    Operation(
        name="extend_loan",
        kind="state_change",
        description="Move the due date of an open loan that is not overdue.",
        parameters=(
            Parameter(name="loan_id", type="reference", to="loans", description="Which loan."),
            Parameter(name="due_on", type="date", description="New due date."),
        ),
        reads=("loans", "settings", "now"),
        writes=("loans",),
        errors=("the loan is closed, overdue or was extended before", "the date is too early or too late"),
        enforces=("extended_in_time", "loan_lifecycle"),
    ),
    Operation(
        name="return_item",
        kind="state_change",
        description="Take an item back. A late return costs a fee per day.",
        parameters=(
            Parameter(name="loan_id", type="reference", to="loans", description="Which loan."),
            Parameter(name="condition", type="enum", values=_CONDITIONS, description="How the item came back."),
        ),
        reads=("loans", "settings", "now"),
        writes=("loans", "items"),
        errors=("the loan is not open",),
        enforces=("loan_lifecycle",),
    ),
    Operation(
        name="settle_fee",
        kind="state_change",
        description="Take money for the late fee of a returned loan.",
        parameters=(
            Parameter(name="loan_id", type="reference", to="loans", description="Which loan."),
            Parameter(name="amount_cents", type="integer", description="Amount in euro cents."),
        ),
        reads=("loans",),
        writes=("loans",),
        errors=("nothing is due", "the amount is more than what is due"),
        enforces=("loan_lifecycle",),
    ),
)

LOGIC_MODEL = LogicModel(
    title=_TITLE,
    class_name=CLASS_NAME,
    summary=_SUMMARY,
    settings={"loan_limit": 3, "longest_loan_days": 21, "late_fee_cents_per_day": 150},
    entities=_ENTITIES,
    rules=_RULES,
    operations=_OPERATIONS,
)


def _member(number: int, name: str, trainings: list[str], joined_on: str) -> dict[str, Any]:
    email = f"{name.lower().replace(' ', '.')}@example.org"
    return {
        "member_id": f"MEM-{number:04d}",
        "full_name": name,
        "email": email,
        "trainings": trainings,
        "joined_on": joined_on,
    }


def _item(number: int, name: str, category: str, condition: str, training: str | None, kg: float) -> dict[str, Any]:
    return {
        "item_id": f"ITM-{number:04d}",
        "name": name,
        "category": category,
        "condition": condition,
        "training": training,
        "weight_kg": kg,
    }


def _loan(
    number: int, member: int, item: int, lent_at: str, due_on: str, status: str, *, fee: int = 0, extended: bool = False
) -> dict[str, Any]:
    return {
        "loan_id": f"LOA-{number:04d}",
        "member_id": f"MEM-{member:04d}",
        "item_id": f"ITM-{item:04d}",
        "lent_at": lent_at,
        "due_on": due_on,
        "status": status,
        "fee_due_cents": fee,
        "is_extended": extended,
    }


def _state(
    now: str, members: list[dict[str, Any]], items: list[dict[str, Any]], loans: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "now": now,
        "settings": dict(LOGIC_MODEL.settings),
        "members": {each["member_id"]: each for each in members},
        "items": {each["item_id"]: each for each in items},
        "loans": {each["loan_id"]: each for each in loans},
        "counters": {"members": len(members), "loans": len(loans)},
    }


STATES: tuple[dict[str, Any], ...] = (
    _state(
        "2025-04-07T10:00",
        [
            _member(1, "Ada Okoro", ["chainsaw", "ladder"], "2023-05-02"),
            _member(2, "Bram de Wit", [], "2024-01-15"),
            _member(3, "Chiara Rossi", ["welding"], "2024-03-20"),
            _member(4, "Bram Jansen", ["ladder"], "2025-02-11"),
        ],
        [
            _item(1, "Electric chainsaw", "garden", "good", "chainsaw", 4.8),
            _item(2, "Hedge trimmer", "garden", "worn", None, 3.6),
            _item(3, "Orbital sander", "wood", "good", None, 1.4),
            _item(4, "Orbital sander", "wood", "worn", None, 1.5),
            _item(5, "Welding set", "metal", "good", "welding", 18.0),
            _item(6, "Extension ladder", "paint", "good", "ladder", 14.5),
            _item(7, "Paint sprayer", "paint", "broken", None, 2.9),
        ],
        [
            _loan(1, 1, 6, "2025-03-01T09:30", "2025-03-10", "returned", fee=450),
            _loan(2, 2, 3, "2025-03-20T11:00", "2025-03-30", "open"),
            _loan(3, 3, 5, "2025-04-01T16:15", "2025-04-12", "open"),
            _loan(4, 4, 2, "2025-04-03T10:45", "2025-04-17", "open", extended=True),
        ],
    ),
    _state(
        "2025-09-15T14:30",
        [
            _member(1, "Farid Haddad", ["ladder", "welding"], "2022-11-08"),
            _member(2, "Greta Lindqvist", ["chainsaw"], "2023-08-30"),
            _member(3, "Noor van Dijk", [], "2025-06-01"),
        ],
        [
            _item(1, "Pole saw", "garden", "good", None, 5.2),
            _item(2, "Chainsaw, petrol", "garden", "worn", "chainsaw", 6.1),
            _item(3, "Router table", "wood", "good", None, 22.0),
            _item(4, "Step ladder", "paint", "good", "ladder", 7.3),
            _item(5, "Steam wallpaper remover", "paint", "worn", None, 4.0),
        ],
        [
            _loan(1, 1, 4, "2025-08-20T09:00", "2025-09-03", "returned", fee=300),
            _loan(2, 2, 2, "2025-09-10T12:20", "2025-09-20", "open"),
            _loan(3, 3, 5, "2025-09-01T17:00", "2025-09-08", "open"),
        ],
    ),
)
