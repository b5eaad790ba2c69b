"""How well the built-in author tells stateful tasks from others: precision and recall.

    python -m tests.benchmarks.stateful_filter [--corpora DIR]

The bundled seeds are divided by a digest of their ids: the words and weights of the filter were set on two thirds, and
on texts that are not part of the repository. The held-out third and the labelled texts of public corpora were never
looked at for it. The corpora are not part of the repository; `--corpora` names the folder that holds them.

A text that is judged stateful but has no known theme counts as stateful here: the filter is measured, not the themes.
"""

import argparse
import csv
import hashlib
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tasks.authors.rules.statefulness import statefulness
from tasks.topics import read_corpus

SEEDS = Path("warehouse/seeds/seeds.jsonl")
LABELS = Path("tests/benchmarks/stateful_labels.csv")
REQUIRED = 0.85


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text and what a person says of it."""

    text: str
    is_stateful: bool
    is_borderline: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """Counts of one set."""

    name: str
    right_yes: int
    wrong_yes: int
    wrong_no: int
    right_no: int

    @property
    def precision(self) -> float:
        """Of the texts judged stateful, how many are; 1 when none was."""
        return self.right_yes / judged if (judged := self.right_yes + self.wrong_yes) else 1.0

    @property
    def recall(self) -> float:
        """Of the stateful texts, how many were judged so; 1 when there is none."""
        return self.right_yes / stateful if (stateful := self.right_yes + self.wrong_no) else 1.0


def is_held_out(source_id: str) -> bool:
    """Whether a seed belongs to the third that nothing was tuned on."""
    return int.from_bytes(hashlib.blake2b(source_id.encode(), digest_size=8).digest(), "big") % 3 == 0


def read_seeds(*, held_out: bool) -> list[Labelled]:
    """The bundled seeds of one part."""
    rows = [json.loads(line) for line in SEEDS.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [
        Labelled(row["task"], row["label"] == "stateful") for row in rows if is_held_out(row["source_id"]) == held_out
    ]


def read_labelled(corpora: Path) -> list[Labelled]:
    """The labelled texts, looked up in the corpora by source and source id.

    Raises:
        KeyError: a labelled text is in none of the corpora.
    """
    texts = {
        (record.source, record.source_id): record.text
        for path in sorted(corpora.glob("*.jsonl"))
        for record in read_corpus(path).records
    }
    with LABELS.open(encoding="utf-8", newline="") as file:
        return [
            Labelled(texts[row["source"], row["source_id"]], _flag(row["is_stateful"]), _flag(row["is_borderline"]))
            for row in csv.DictReader(file)
        ]


def measure(name: str, labelled: Iterable[Labelled]) -> Result:
    """Judge every text and count."""
    pairs = [(statefulness(one.text).is_stateful, one.is_stateful) for one in labelled]
    return Result(
        name,
        right_yes=pairs.count((True, True)),
        wrong_yes=pairs.count((True, False)),
        wrong_no=pairs.count((False, True)),
        right_no=pairs.count((False, False)),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when a set that was not tuned on falls below `REQUIRED`."""
    parser = argparse.ArgumentParser(description="Precision and recall of the stateful filter.")
    parser.add_argument("--corpora", type=Path, help="Folder with the public corpora (*.jsonl).")
    parser.add_argument("--tuned-only", action="store_true", help="Measure only the part that may be tuned on.")
    options = parser.parse_args(arguments)

    results = [measure("seeds, tuned on", read_seeds(held_out=False))]
    if not options.tuned_only:
        results.append(measure("seeds, held out", read_seeds(held_out=True)))
    if options.corpora and not options.tuned_only:
        labelled = read_labelled(options.corpora)
        results.append(measure("public corpora", labelled))
        results.append(measure("public corpora, clear cases", [one for one in labelled if not one.is_borderline]))
    print(f"{'set':<28} {'texts':>6} {'precision':>10} {'recall':>7} {'wrong yes':>10} {'wrong no':>9}")
    for one in results:
        count = one.right_yes + one.wrong_yes + one.wrong_no + one.right_no
        print(
            f"{one.name:<28} {count:>6} {one.precision:>10.3f} {one.recall:>7.3f} {one.wrong_yes:>10} {one.wrong_no:>9}"
        )
    return 0 if all(min(one.precision, one.recall) >= REQUIRED for one in results) else 1


def _flag(value: str) -> bool:
    known = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    return known[value.strip().lower()]


if __name__ == "__main__":
    sys.exit(main())
