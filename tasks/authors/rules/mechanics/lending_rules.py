"""The rules of lending, as predicates."""

from tasks.authors.rules.mechanics.lending_words import GIVEN_BACK, LENT, ON_SHELF, OUT, WAITING, Lending
from tasks.authors.rules.spec import Draft


def add_lending_rules(draft: Draft, what: Lending) -> None:
    """Adds every rule of copies, loans and holds."""
    _add_copy_rules(draft, what)
    _add_loan_rules(draft, what)
    _add_hold_rules(draft, what)


def _add_copy_rules(draft: Draft, what: Lending) -> None:
    title, copy, loan, hold = what.title, what.copy, what.loan, what.hold
    loans, copies = f'state["{loan.many}"].values()', f'state["{copy.many}"]'
    draft.rule(
        f"{copy.one}_has_one_borrower",
        "invariant",
        f"{copy.a.capitalize()} has one {loan.spoken} at a time: exactly one while it is lent, otherwise none.",
        f'all(sum(r["{copy.key}"] == k and r["status"] == "{OUT}" for r in {loans}) == (c["status"] == "{LENT}")'
        f" for k, c in {copies}.items())",
        by=(what.lend_tool, what.back_tool),
    )
    draft.rule(
        f"{copy.one}_{what.mark}_unique",
        "uniqueness",
        f"Every {copy.spoken} has its own {what.mark.replace('_', ' ')}.",
        f'len({{c["{what.mark}"] for c in {copies}.values()}}) == len({copies})',
        by=(what.add_tool,),
    )
    of_it = f'{copies}[args["{copy.key}"]]'
    draft.rule(
        f"{copy.one}_withdrawn_from_shelf",
        "precondition",
        f"{copy.a.capitalize()} is only withdrawn from the shelf, and not while somebody waits for its {title.spoken}.",
        f'{of_it}["status"] == "{ON_SHELF}" and not any(h["{title.key}"] == {of_it}["{title.key}"] and'
        f' h["status"] == "{WAITING}"'
        f' for h in state["{hold.many}"].values())',
        by=(what.withdraw_tool,),
    )


def _add_loan_rules(draft: Draft, what: Lending) -> None:
    title, copy, loan, hold, member = what.title, what.copy, what.loan, what.hold, what.member
    loans = f'state["{loan.many}"].values()'
    draft.rule(
        f"{member.one}_most_{loan.many}",
        "invariant",
        f"{member.a.capitalize()} has at most {what.most_loans} {copy.spoken_many} at a time.",
        f'all(sum(r["{member.key}"] == k and r["status"] == "{OUT}" for r in {loans})'
        f' <= state["settings"]["most_{loan.many}_per_{member.one}"] for k in state["{member.many}"])',
        by=(what.lend_tool,),
    )
    draft.rule(
        f"{member.one}_with_overdue_{loan.one}",
        "precondition",
        f"Nothing is lent to {member.a} who has something overdue.",
        f'not any(r["{member.key}"] == args["{member.key}"] and r["status"] == "{OUT}" and r["due_on"] <'
        f" now[:10] for r in {loans})",
        by=(what.lend_tool,),
    )
    draft.rule(
        f"{loan.one}_most_renewals",
        "invariant",
        f"{loan.a.capitalize()} is renewed {what.most_renewals} times at most.",
        f'all(0 <= r["renewals"] <= state["settings"]["most_renewals"] for r in {loans})',
        by=(what.renew_tool,),
    )
    record = f'state["{loan.many}"][args["{loan.key}"]]'
    draft.rule(
        f"{loan.one}_renewed_in_time",
        "precondition",
        f"Only {loan.a} that is out and not overdue is renewed, and only while nobody waits for the {title.spoken}.",
        f'{record}["status"] == "{OUT}" and {record}["due_on"] >= now[:10] and not any('
        f'h["{title.key}"] == {record}["{title.key}"] and h["status"] == "{WAITING}" for h in'
        f' state["{hold.many}"].values())',
        by=(what.renew_tool,),
    )
    draft.rule(
        f"{loan.one}_ends_once",
        "transition",
        f"{loan.a.capitalize()} that is {GIVEN_BACK} never changes again.",
        f'all(r["status"] == "{OUT}" or state["{loan.many}"][k] == r for k, r in before["{loan.many}"].items())',
        by=(what.back_tool, what.renew_tool),
    )


def _add_hold_rules(draft: Draft, what: Lending) -> None:
    title, copy, hold, member = what.title, what.copy, what.hold, what.member
    holds = f'state["{hold.many}"].values()'
    waiting = f'[(h["{title.key}"], h["{member.key}"]) for h in {holds} if h["status"] == "{WAITING}"]'
    draft.rule(
        f"{hold.one}_once_per_{title.one}",
        "uniqueness",
        f"{member.a.capitalize()} waits for {title.a} only once.",
        f"len({waiting}) == len(set({waiting}))",
        by=(what.hold_tool,),
    )
    draft.rule(
        f"{member.one}_most_{hold.many}",
        "invariant",
        f"{member.a.capitalize()} waits for at most {what.most_holds} {title.spoken_many}.",
        f'all(sum(h["{member.key}"] == k and h["status"] == "{WAITING}" for h in {holds})'
        f' <= state["settings"]["most_{hold.many}_per_{member.one}"] for k in state["{member.many}"])',
        by=(what.hold_tool,),
    )
    on_shelf = f'sum(c["{title.key}"] == {{of}} and c["status"] == "{ON_SHELF}" for c in state["{copy.many}"].values())'
    asked = f'args["{title.key}"]'
    draft.rule(
        f"{hold.one}_needs_waiting",
        "precondition",
        f"{member.a.capitalize()} waits for {title.a} only when no {copy.spoken} of it is free: all on the"
        " shelf are for those who wait.",
        f'{on_shelf.format(of=asked)} <= sum(h["{title.key}"] == {asked} and h["status"] == "{WAITING}" for h'
        f" in {holds})",
        by=(what.hold_tool,),
    )
    lent = f'state["{copy.many}"][args["{copy.key}"]]["{title.key}"]'
    mine = f'g["{title.key}"] == {lent} and g["status"] == "{WAITING}" and g["{member.key}"] == args["{member.key}"]'
    earlier = f'g["{hold.key}"] < h["{hold.key}"]'
    draft.rule(
        f"{hold.one}_in_order",
        "precondition",
        f"Those who wait come first, in the order of their {hold.spoken_many}: {copy.a} goes to {member.a} only"
        " when fewer wait"
        f" before that {member.spoken} than there are {copy.spoken_many} on the shelf.",
        f'sum(h["{title.key}"] == {lent} and h["status"] == "{WAITING}" and h["{member.key}"] != args["{member.key}"]'
        f" and not any({mine} and {earlier} for g in {holds}) for h in {holds}) < {on_shelf.format(of=lent)}",
        by=(what.lend_tool,),
    )
