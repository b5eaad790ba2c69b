"""Which topics become environments when there are more than wanted."""

from collections.abc import Sequence

from tasks.topics.candidates import Candidate


def select_for_coverage(candidates: Sequence[Candidate], limit: int | None) -> frozenset[str]:
    """The slugs of the chosen candidates: at most `limit`, but always every one that a person gave.

    Each place goes to the domain that has the fewest so far (of equals, the first by name), and there to the best
    scored candidate (of equals, the first by name). A given candidate counts as its domain's first.

    So every domain gets min(what it has, one common level, give or take one), and the order of domains and of
    candidates never depends on who else is there. When a candidate disappears, its own domain moves its next one up and
    the common level can only rise; hence whoever was chosen stays chosen, and at most one other joins.

    Args:
        candidates: Those that may be chosen; slugs are unique.
        limit: How many are wanted; null for all.
    """
    chosen = [candidate for candidate in candidates if candidate.origin == "given"]
    waiting: dict[str, list[Candidate]] = {}
    for candidate in sorted(candidates, key=lambda candidate: (-candidate.score, candidate.slug)):
        if candidate.origin != "given":
            waiting.setdefault(candidate.domain, []).append(candidate)
    counts = {domain: sum(candidate.domain == domain for candidate in chosen) for domain in waiting}
    while waiting and (limit is None or len(chosen) < limit):
        domain = min(waiting, key=lambda name: (counts[name], name))
        chosen.append(waiting[domain].pop(0))
        counts[domain] += 1
        if not waiting[domain]:
            del waiting[domain]
    return frozenset(candidate.slug for candidate in chosen)
