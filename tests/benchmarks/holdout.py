"""How well texts that come too close to a benchmark are told from others.

    python -m tests.benchmarks.holdout --corpora FOLDER

`holdout_pairs.csv` holds requests of public corpora as somebody who leaks them would write them: "edited" with other
names, numbers and polite words, "reworded" with the same wish in quite other words. The corpora are not part of the
repository; `--corpora` names the folder that holds them, and all of them are held out. Requests that nobody has taken
from a benchmark are the bundled seeds: beside the corpora, and each beside the others of its field of life, planned
repeats left aside. A minute or two, most of it for embeddings.
"""

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tasks.topics import CorpusReading, CorpusRecord, HeldOut, MiniLmEmbedder, hold_out, read_holdout, too_close
from tasks.topics.duplicates import find_repeats
from tasks.topics.embeddings import Vectors

SEEDS = Path("warehouse/seeds/seeds.jsonl")
PAIRS = Path("tests/benchmarks/holdout_pairs.csv")
LEAST_FOUND = {"edited": 0.9, "reworded": 0.6}
MOST_WRONG = 0.02
"""Beyond it, people's own requests would be dropped; some of the seeds do say what another text says."""


class Remembering:
    """Embeds each text once."""

    def __init__(self) -> None:
        self._model = MiniLmEmbedder()
        self._known: dict[str, Vectors] = {}
        self.name = self._model.name

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known |= dict(zip(new, self._model.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


@dataclass(frozen=True, slots=True)
class Result:
    """Texts of one set, and how many of them come too close."""

    name: str
    texts: int
    close: int

    @property
    def share(self) -> float:
        """0 to 1."""
        return self.close / self.texts


def measure(name: str, texts: Sequence[str], held_out: Sequence[HeldOut], embedder: Remembering) -> Result:
    """Count what comes too close."""
    found = too_close(texts, held_out, embedder)
    return Result(name, len(texts), sum(each is not None for each in found))


def measure_fields(embedder: Remembering) -> Result:
    """Each bundled seed beside the others of its field of life."""
    rows = [json.loads(line) for line in SEEDS.read_text(encoding="utf-8").splitlines() if line.strip()]
    repeats = {each.index for each in find_repeats([row["task"] for row in rows])}
    fields: dict[str, list[str]] = {}
    for number, row in enumerate(rows):
        if number not in repeats and row["domain"] != "none":
            fields.setdefault(row["domain"], []).append(row["task"])
    close = count = 0
    for texts in fields.values():
        for text in texts:
            others = hold_out(_reading([each for each in texts if each != text]), embedder)
            count += 1
            close += too_close([text], [others], embedder)[0] is not None
    return Result("seeds beside others of their field", count, close)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when too little is found or too much is wrong."""
    parser = argparse.ArgumentParser(description="What comes too close to a benchmark.")
    parser.add_argument("--corpora", type=Path, required=True, help="Folder with the public corpora (*.jsonl).")
    options = parser.parse_args(arguments)

    embedder = Remembering()
    held_out = [hold_out(read_holdout(path), embedder) for path in sorted(options.corpora.glob("*.jsonl"))]
    with PAIRS.open(encoding="utf-8", newline="") as file:
        pairs = list(csv.DictReader(file))
    seeds = [json.loads(line)["task"] for line in SEEDS.read_text(encoding="utf-8").splitlines() if line.strip()]
    leaks = [
        measure(degree, [row["text"] for row in pairs if row["degree"] == degree], held_out, embedder)
        for degree in LEAST_FOUND
    ]
    others = [measure("seeds beside the corpora", seeds, held_out, embedder), measure_fields(embedder)]
    print(f"{'set':<36} {'texts':>6} {'too close':>10} {'share':>7}")
    for one in [*leaks, *others]:
        print(f"{one.name:<36} {one.texts:>6} {one.close:>10} {one.share:>7.3f}")
    is_good = all(one.share >= LEAST_FOUND[one.name] for one in leaks) and all(
        one.share <= MOST_WRONG for one in others
    )
    return 0 if is_good else 1


def _reading(texts: Sequence[str]) -> CorpusReading:
    records = [CorpusRecord("seeds", "seeds", str(line), line, text) for line, text in enumerate(texts, start=1)]
    return CorpusReading("seeds", tuple(records), ())


if __name__ == "__main__":
    sys.exit(main())
