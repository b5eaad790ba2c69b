"""The plan, the state and the code of the small example in `repair_code` and `judge_calls`."""

from typing import Any

from schemas.logic_models import Attribute, Entity, LogicModel, Operation, Parameter, Rule
from tests.unit.prompts.examples import example_of, given_in

_KEY = Parameter(name="key_id", type="reference", to="keys", description="Which key.")

PLAN = LogicModel(
    title="Key cabinet",
    class_name="KeyCabinet",
    summary="The keys of a building and the people who have them.",
    entities=(
        Entity(
            name="person",
            collection="people",
            key="person_id",
            id_prefix="PER",
            description="Somebody who may have keys.",
            attributes=(
                Attribute(name="person_id", type="string", description="Own id."),
                Attribute(name="full_name", type="string", max_length=80, description="Full name."),
            ),
        ),
        Entity(
            name="key",
            collection="keys",
            key="key_id",
            id_prefix="KEY",
            description="A key of a room.",
            attributes=(
                Attribute(name="key_id", type="string", description="Own id."),
                Attribute(name="room", type="string", max_length=40, description="What it opens."),
                Attribute(name="holder_id", type="reference", to="people", nullable=True, description="Who has it."),
            ),
        ),
    ),
    rules=(
        Rule(
            id="key_is_in",
            kind="precondition",
            text="Only a key that hangs in the cabinet is lent.",
            predicate="state['keys'][args['key_id']]['holder_id'] is None",
        ),
        Rule(
            id="key_is_out",
            kind="precondition",
            text="Only a key that somebody has is returned.",
            predicate="state['keys'][args['key_id']]['holder_id'] is not None",
        ),
    ),
    operations=(
        Operation(
            name="find_people",
            kind="query",
            description="Find people by part of their name.",
            parameters=(Parameter(name="name_contains", type="string", description="Part of the full name."),),
            reads=("people",),
        ),
        Operation(
            name="list_keys",
            kind="query",
            description="List keys.",
            parameters=(
                Parameter(
                    name="holder_id",
                    type="reference",
                    to="people",
                    required=False,
                    description="Only keys that this person has.",
                ),
            ),
            reads=("keys", "people"),
        ),
        Operation(
            name="lend_key",
            kind="state_change",
            description="Lend a key to a person.",
            parameters=(_KEY, Parameter(name="person_id", type="reference", to="people", description="Who takes it.")),
            reads=("keys", "people"),
            writes=("keys",),
            enforces=("key_is_in",),
        ),
        Operation(
            name="return_key",
            kind="state_change",
            description="Take a key back.",
            parameters=(_KEY,),
            reads=("keys",),
            writes=("keys",),
            enforces=("key_is_out",),
        ),
    ),
)

STATE: dict[str, Any] = {
    "now": "2025-05-12T09:30",
    "settings": {},
    "people": {
        "PER-0001": {"person_id": "PER-0001", "full_name": "Nadia Haddad"},
        "PER-0002": {"person_id": "PER-0002", "full_name": "Tom Adeyemi"},
    },
    "keys": {
        "KEY-0001": {"key_id": "KEY-0001", "room": "boiler room", "holder_id": None},
        "KEY-0002": {"key_id": "KEY-0002", "room": "archive", "holder_id": "PER-0001"},
    },
    "counters": {"people": 2, "keys": 2},
}


def repaired_code() -> str:
    """The answer of the example of `repair_code`."""
    return example_of("repair_code")


def broken_code() -> str:
    """The same module with the method that the example was given."""
    given, _ = given_in("repair_code")
    repaired = repaired_code()
    start, end = repaired.index("    def lend_key"), repaired.index("    def return_key")
    return f"{repaired[:start]}{given}\n{repaired[end:]}"
