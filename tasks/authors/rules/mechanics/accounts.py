"""Accounts: money that comes in, goes out and moves between accounts, every movement on record."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.accounts_deeds import add_account_deeds
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder, Record, State


@dataclass(frozen=True)
class Accounts:
    """What a theme says of its accounts."""

    account: Noun
    owner: Noun
    """A kind of registry."""
    entry: Noun
    """One movement of money: "transaction"."""
    kinds: tuple[str, ...]
    deposit: str = "deposit"
    withdraw: str = "withdraw"
    daily_limit_cents: int = 100_000
    """Most money that leaves one account on one day."""
    overdraft_kinds: tuple[str, ...] = ()
    """Kinds that may be overdrawn up to their overdraft."""
    count: tuple[int, int] = (12, 16)


def add_accounts(draft: Draft, what: Accounts) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    account, owner, entry = what.account, what.owner, what.entry
    draft.alias(f"{account.title}Kind", what.kinds)
    draft.alias(f"{account.title}Status", ("open", "frozen", "closed"))
    draft.alias(f"{entry.title}Kind", ("deposit", "withdrawal", "transfer_in", "transfer_out"))
    draft.settings["daily_limit_cents"] = what.daily_limit_cents
    draft.entity(
        EntitySpec(
            account,
            f"Money of one {owner.spoken}.",
            (
                Attribute(
                    name=owner.key, type="reference", to=owner.many, description=f"The {owner.spoken} it belongs to."
                ),
                Attribute(name="kind", type="enum", values=what.kinds, description=f"Kind of {account.spoken}."),
                Attribute(name="balance_cents", type="integer", unit="euro cent", description="Money on it now."),
                Attribute(
                    name="opening_cents", type="integer", unit="euro cent", description="Money before any movement."
                ),
                Attribute(
                    name="overdraft_cents",
                    type="integer",
                    minimum=0,
                    maximum=500_000,
                    unit="euro cent",
                    description="How far it may go below zero.",
                ),
                Attribute(
                    name="status",
                    type="enum",
                    values=("open", "frozen", "closed"),
                    description="Frozen: nothing leaves it.",
                ),
            ),
            count=what.count,
            make=_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            entry,
            f"Money that came to or left one {account.spoken}.",
            (
                Attribute(name=account.key, type="reference", to=account.many, description=f"The {account.spoken}."),
                Attribute(
                    name="kind",
                    type="enum",
                    values=draft.aliases[f"{entry.title}Kind"],
                    description="What kind of movement.",
                ),
                Attribute(
                    name="amount_cents",
                    type="integer",
                    minimum=1,
                    unit="euro cent",
                    description="How much, always positive.",
                ),
                Attribute(name="booked_at", type="datetime", description="When."),
            ),
        )
    )
    _add_rules(draft, what)
    draft.hook(
        f"{owner.one}.retire",
        f"for {account.one} in self.{account.many}.values():",
        f'    if {account.one}["{owner.key}"] == {owner.key} and {account.one}["status"] != "closed":',
        f"        return _fail(f\"{{{account.one}['{account.key}']}} is not closed yet.\")",
    )
    draft.templates.append(("accounts", {"what": what, "account": account, "owner": owner, "entry": entry}))
    whose = Filter(owner.key, owner.key, "reference")
    draft.finders.append(
        Finder(
            account.many,
            f"list_{account.many}",
            (whose, Filter("kind", "kind")),
            (f"{{{owner.key}}}'s {{kind}} {account.spoken}", f"the {{kind}} {account.spoken} of {{{owner.key}}}"),
        )
    )
    add_account_deeds(draft, what)


def _add_rules(draft: Draft, what: Accounts) -> None:
    account, entry = what.account, what.entry
    many, withdraw, transfer = account.many, f"{what.withdraw}_money", "transfer_money"
    draft.rule(
        f"{account.one}_within_overdraft",
        "invariant",
        f"No {account.spoken} is further below zero than its overdraft.",
        f'all(r["balance_cents"] >= -r["overdraft_cents"] for r in state["{many}"].values())',
        by=(withdraw, transfer, f"set_{account.one}_overdraft"),
    )
    draft.rule(
        f"{account.one}_entries_add_up",
        "invariant",
        f"The balance of {account.a} is its opening balance plus what came in minus what went out.",
        f'all(r["balance_cents"] == r["opening_cents"] + sum(e["amount_cents"] if e["kind"] in ("deposit",'
        f' "transfer_in")'
        f' else -e["amount_cents"] for e in state["{entry.many}"].values() if e["{account.key}"] == k)'
        f' for k, r in state["{many}"].items())',
        by=(f"{what.deposit}_money", withdraw, transfer),
    )
    draft.rule(
        f"{account.one}_frozen_pays_nothing",
        "precondition",
        f"Money leaves {account.a} only while it is open.",
        f'state["{many}"][args["{account.key}"]]["status"] == "open"',
        by=(withdraw, transfer),
    )
    draft.rule(
        f"{account.one}_daily_limit",
        "invariant",
        f"On one day, at most {what.daily_limit_cents // 100} euros leave one {account.spoken}.",
        f'all(sum(e["amount_cents"] for e in state["{entry.many}"].values() if e["{account.key}"] == k'
        ' and e["kind"] in ("withdrawal", "transfer_out") and e["booked_at"][:10] == now[:10])'
        f' <= state["settings"]["daily_limit_cents"] for k in state["{many}"])',
        by=(withdraw, transfer),
    )
    draft.rule(
        f"{account.one}_closed_is_empty",
        "invariant",
        f"A closed {account.spoken} has a balance of zero.",
        f'all(r["balance_cents"] == 0 for r in state["{many}"].values() if r["status"] == "closed")',
        by=(f"close_{account.one}",),
    )


def _maker(what: Accounts) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        owners = list(state[what.owner.many])
        taken = {(each[what.owner.key], each["kind"]) for each in state[what.account.many].values()}
        free = [(whose, kind) for whose in owners for kind in what.kinds if (whose, kind) not in taken]
        if not free:
            return None
        whose, kind = free[rng.randrange(len(free))]
        balance = rng.choice((0, 4_250, 18_000, 63_990, 120_500, 250_000, 804_315))
        return {
            what.account.key: new_id,
            what.owner.key: whose,
            "kind": kind,
            "balance_cents": balance,
            "opening_cents": balance,
            "overdraft_cents": rng.choice((0, 20_000, 50_000)) if kind in what.overdraft_kinds else 0,
            "status": "frozen" if rng.random() < 0.12 else "open",
        }

    return make
