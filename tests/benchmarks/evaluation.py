"""Tests the evaluation itself: what share of seeded faults it catches, how often it blames good classes, what it costs.

Run with `make bench-evaluation`. Faults are seeded by syntax tree into environments of the built-in author, with states
and a test plan by the same author, who does not see the faulty code. A fault counts as caught when the evaluation does
not accept the class. Faults that make no difference, by the criterion of `evaluation_twins`, are not counted; how many
these were is printed.
"""

import argparse
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from rich.console import Console
from rich.table import Table

from schemas.logic_models import LogicModel
from schemas.row import Status
from tasks.authors.base import DraftInitialStates, DraftTestPlan, TestPlan, TopicBrief
from tasks.authors.rules.author import RuleAuthor, environment_of
from tasks.authors.rules.themes import themes
from tasks.evaluation.evaluate import Evaluation, evaluate
from tasks.evaluation.plan_runs import StatedPlan
from tasks.evaluation.planned import needs_plan, with_plan
from tasks.sandbox.base import Sandbox
from tasks.sandbox.zygote import ZygoteSandbox
from tests.benchmarks.evaluation_faults import KINDS, Fault, fault_of
from tests.benchmarks.evaluation_twins import Original, is_twin, original_of
from tests.benchmarks.measuring import Figure, show

_OVERALL, _PER_KIND, _ACCEPTED, _SECONDS = 0.95, 0.85, 0.98, 2.0
_STATES = 2
_SEEDS = (1, 2)
_TIMED = 3
_FEWEST_TOOLS = 20


@dataclass(frozen=True)
class Good:
    """An environment without a fault, and what it is tested with."""

    slug: str
    code: str
    model: LogicModel
    states: tuple[dict[str, Any], ...]
    plan: TestPlan


@dataclass
class Tally:
    """Of one kind of fault."""

    seeded: int = 0
    twins: int = 0
    by_standard: int = 0
    """Rejected before the test plan, which may then be executed all the same."""
    by_plan: int = 0
    """Accepted before it, and caught by it."""
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def counted(self) -> int:
        """Faults that make a difference."""
        return self.seeded - self.twins

    @property
    def caught(self) -> int:
        """In either way."""
        return self.by_standard + self.by_plan

    @property
    def share(self) -> float:
        """Caught among those that count; 1 where none does."""
        return self.caught / self.counted if self.counted else 1.0


def main() -> None:
    """Measure, print, and say what was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environments", type=int, default=24, help="how many get faults")
    parser.add_argument("--faults", type=int, default=1, help="of each kind in each environment")
    parser.add_argument("--only", choices=("faults", "alarms", "cost"), help="measure only this")
    options = parser.parse_args()
    sandbox = ZygoteSandbox()
    slugs = [each.slug for each in themes()]
    if options.only in (None, "cost"):
        _show_cost(slugs)
    if options.only in (None, "alarms"):
        _show_alarms(slugs, sandbox)
    if options.only in (None, "faults"):
        _show_faults(slugs[: options.environments], options.faults, sandbox)
    sandbox.close()


def good_environment(slug: str, seed: int, sandbox: Sandbox) -> Good:
    """What the built-in author writes for a theme."""
    author = RuleAuthor(sandbox)
    title = slug.replace("-", " ").capitalize()
    topic = TopicBrief(slug=slug, title=title, summary=f"{title}.", introduction=f"{title}.", domain="any")
    known = environment_of(topic, seed)
    states = author.ask(DraftInitialStates(topic, known.logic_model, known.code, _STATES), seed=seed).states
    plan = author.ask(DraftTestPlan(topic, known.logic_model, states[0]), seed=seed)
    return Good(slug, known.code, known.logic_model, states, plan)


def evaluated(good: Good, code: str, sandbox: Sandbox, seed: int = 1) -> tuple[Evaluation, Status]:
    """The evaluation with the test plan, and its status before; the same one, where the class is rejected anyway."""
    first = evaluate(code, good.model.class_name, good.model, good.states, sandbox=sandbox, seed=seed)
    if not needs_plan(first):
        return first, first.status
    whole = with_plan(first, code, good.model, [StatedPlan(first.states[0], good.plan)], sandbox=sandbox)
    return whole, first.status


def _show_faults(slugs: Sequence[str], per_kind: int, sandbox: Sandbox) -> None:
    tallies: dict[str, Tally] = defaultdict(Tally)
    missed: list[str] = []
    for slug in slugs:
        good = good_environment(slug, 1, sandbox)
        original = original_of(good.code, good.model, good.states, sandbox)
        for fault in _seeded(good, per_kind):
            _count(good, original, fault, tallies[fault.kind], missed, sandbox)
        _progress(f"{slug}: {sum(each.caught for each in tallies.values())} caught so far, {len(missed)} missed")
    _print_faults(tallies, len(slugs))
    for line in missed:
        Console(width=160).print(f"missed: {line}", markup=False)


def _seeded(good: Good, per_kind: int) -> Iterator[Fault]:
    for kind in KINDS:
        rng = Random(f"faults {good.slug} {kind}")
        for _ in range(per_kind):
            fault = fault_of(good.code, good.model, kind, rng.random())
            if fault is not None:
                yield fault


def _count(good: Good, original: Original, fault: Fault, tally: Tally, missed: list[str], sandbox: Sandbox) -> None:
    tally.seeded += 1
    evaluation, before_plan = evaluated(good, fault.code, sandbox)
    if evaluation.status != "accepted":
        tally.by_plan += before_plan == "accepted"
        tally.by_standard += before_plan != "accepted"
        tally.reasons[str(evaluation.reason)] += 1
    elif is_twin(original, fault, sandbox):
        tally.twins += 1
    else:
        missed.append(f"{fault.kind} in {good.slug}, {fault.method}, line {fault.line}")
        _progress(f"missed: {missed[-1]}")


def _print_faults(tallies: dict[str, Tally], environments: int) -> None:
    headings = (
        "kind of fault",
        "seeded",
        "no difference",
        "caught",
        "without plan",
        "by plan only",
        "share",
        "first reason",
    )
    table = Table(*headings, title=f"Seeded faults, {environments} environments", title_justify="left")
    for kind, tally in tallies.items():
        reasons = ", ".join(f"{reason} {count}" for reason, count in tally.reasons.most_common(4))
        counts = (tally.seeded, tally.twins, tally.caught, tally.by_standard, tally.by_plan)
        table.add_row(kind, *map(str, counts), f"{tally.share:.0%}", reasons)
    Console(width=160).print(table)
    seeded, counted = sum(each.seeded for each in tallies.values()), sum(each.counted for each in tallies.values())
    share = sum(each.caught for each in tallies.values()) / counted
    without = sum(each.by_standard for each in tallies.values()) / counted
    worst = min(tallies.items(), key=lambda each: each[1].share)
    show(
        "Seeded faults",
        [
            Figure(
                "caught, of all that make a difference", f"{share:.1%}", f"{counted} faults", "95 %", share >= _OVERALL
            ),
            Figure("caught, of all that were seeded", f"{counted * share / seeded:.1%}", f"{seeded} faults"),
            Figure("caught without the test plan", f"{without:.1%}"),
            Figure("caught, worst kind", f"{worst[1].share:.0%}", worst[0], "85 %", worst[1].share >= _PER_KIND),
        ],
    )


def _show_alarms(slugs: Sequence[str], sandbox: Sandbox) -> None:
    accepted, alarms = 0, []
    for seed in _SEEDS:
        for slug in slugs:
            good = good_environment(slug, seed, sandbox)
            whole, _ = evaluated(good, good.code, sandbox, seed)
            accepted += whole.status == "accepted"
            if whole.status != "accepted":
                alarms.append(f"{slug}, seed {seed}: {whole.reason}: {whole.detail}")
                _progress(alarms[-1])
    count = len(slugs) * len(_SEEDS)
    share = accepted / count
    show(
        "False alarms",
        [Figure("good classes accepted", f"{share:.1%}", f"{count} classes", "98 %", share >= _ACCEPTED)],
    )


def _show_cost(slugs: Sequence[str]) -> None:
    """CPU seconds of this process and of the sandbox's, which is what it takes on one core with nothing else on it."""
    figures: list[Figure] = []
    maker = ZygoteSandbox()
    for slug in slugs:
        if len(figures) == _TIMED:
            break
        good = good_environment(slug, 1, maker)
        if len(good.model.operations) < _FEWEST_TOOLS:
            continue
        sandbox = ZygoteSandbox()
        sandbox.layers()
        start, cpu = time.perf_counter(), _cpu_s()
        whole, _ = evaluated(good, good.code, sandbox)
        wall = time.perf_counter() - start
        sandbox.close()
        used = _cpu_s() - cpu
        what = f"{slug}: {len(good.model.operations)} tools, {whole.call_count} calls, {len(good.plan.cases)} cases"
        figures.append(Figure(what, f"{used:.2f} s CPU", f"{wall:.2f} s wall", "2 s", used <= _SECONDS))
    maker.close()
    show("Cost of one evaluation", figures)


def _cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _progress(text: str) -> None:
    Console(stderr=True, width=160).print(text, markup=False, highlight=False)


if __name__ == "__main__":
    main()
