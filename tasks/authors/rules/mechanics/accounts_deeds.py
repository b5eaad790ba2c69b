"""What is asked for at an account: paying in, taking out, moving, freezing, opening, closing."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.spec import Deed, Draft, Pick, Record, Told, Value, World
from tasks.authors.rules.spoken import pick, told_euros, told_word
from tasks.authors.rules.statuses import in_status

if TYPE_CHECKING:
    from tasks.authors.rules.mechanics.accounts import Accounts


def add_account_deeds(draft: Draft, what: "Accounts") -> None:
    """Adds the deeds, for the past of initial states and for tasks."""
    account, owner, entry = what.account, what.owner, what.entry
    one = f"{{{account.key}}}"
    draft.deeds += [
        Deed(
            f"{what.deposit}_money",
            (Pick(account.key, account.many, in_status("open", "frozen")), Value("amount_cents", _amount(90_000))),
            (f"pay {{amount_cents}} into {one}", f"{what.deposit} {{amount_cents}} to {one}"),
            f"I have put {{amount_cents}} on {one}.",
            creates=entry.many,
            weight=4,
        ),
        Deed(
            f"{what.withdraw}_money",
            (Pick(account.key, account.many, _can_pay(what)), Value("amount_cents", _affordable(what))),
            (f"take {{amount_cents}} out of {one}", f"{what.withdraw} {{amount_cents}} from {one}"),
            f"I have taken {{amount_cents}} out of {one}.",
            creates=entry.many,
            weight=3,
        ),
        Deed(
            "transfer_money",
            (
                Pick(account.key, account.many, _can_pay(what)),
                Pick(f"to_{account.key}", account.many, _other_open(what)),
                Value("amount_cents", _affordable(what)),
            ),
            (
                f"transfer {{amount_cents}} from {one} to {{to_{account.key}}}",
                f"move {{amount_cents}} from {one} over to {{to_{account.key}}}",
            ),
            f"{{amount_cents}} went from {one} to {{to_{account.key}}}.",
            weight=3,
        ),
        Deed(
            f"freeze_{account.one}",
            (Pick(account.key, account.many, in_status("open")),),
            (f"freeze {one}", f"put a freeze on {one}"),
            f"{one} is frozen.",
            weight=0,
        ),
        Deed(
            f"unfreeze_{account.one}",
            (Pick(account.key, account.many, in_status("frozen")),),
            (f"lift the freeze on {one}", f"unfreeze {one}"),
            f"{one} is open again.",
            weight=0,
        ),
        Deed(
            f"open_{account.one}",
            (Pick(owner.key, owner.many, is_active()), Value("kind", _missing_kind(what))),
            (f"open a new {{kind}} {account.spoken} for {{{owner.key}}}",),
            f"{{{owner.key}}} has a {{kind}} {account.spoken} now.",
            creates=account.many,
            weight=1,
        ),
        Deed(
            f"close_{account.one}",
            (
                Pick(
                    account.key,
                    account.many,
                    lambda record, world: bool(record["status"] == "open" and record["balance_cents"] == 0),
                ),
            ),
            (f"close {one}",),
            f"{one} is closed.",
            weight=0,
        ),
    ]
    if what.overdraft_kinds:
        draft.deeds.append(
            Deed(
                f"set_{account.one}_overdraft",
                (
                    Pick(
                        account.key,
                        account.many,
                        lambda record, world: record["kind"] in what.overdraft_kinds and record["status"] == "open",
                    ),
                    Value(
                        "overdraft_cents",
                        lambda world: told_euros(world.rng.choice((60_000, 75_000, 100_000, 150_000))),
                    ),
                ),
                (f"set the overdraft of {one} to {{overdraft_cents}}",),
                f"The overdraft of {one} is now {{overdraft_cents}}.",
                weight=0,
            )
        )


def _can_pay(what: "Accounts") -> Callable[[Record, World], bool]:
    return lambda record, world: bool(record["status"] == "open" and record["balance_cents"] >= 2_000)


def _other_open(what: "Accounts") -> Callable[[Record, World], bool]:
    key = what.account.key
    return lambda record, world: bool(record["status"] == "open" and record[key] != world.chosen[key])


def _amount(most_cents: int) -> Callable[[World], Told]:
    return lambda world: told_euros(world.rng.randint(5, most_cents // 500) * 500 + world.rng.choice((0, 0, 250)))


def _affordable(what: "Accounts") -> Callable[[World], Told]:
    def make(world: World) -> Told:
        most = min(world.records[what.account.key]["balance_cents"], what.daily_limit_cents // 4)
        return told_euros(world.rng.randint(1, most // 500) * 500)

    return make


def _missing_kind(what: "Accounts") -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        whose = world.chosen[what.owner.key]
        there = [each["kind"] for each in world.state[what.account.many].values() if each[what.owner.key] == whose]
        free = [kind for kind in what.kinds if kind not in there]
        return told_word(pick(world.rng, free)) if free else None

    return make
