"""Topic mining: corpora become seed tasks, seed tasks become topics."""

from tasks.topics.corpus import BrokenLine, CorpusReading, CorpusRecord
from tasks.topics.embeddings import Embedder, MiniLmEmbedder
from tasks.topics.formation import MinedTopics, Thresholds, form_topics
from tasks.topics.holdout import Closeness, HeldOut, hold_out, read_holdout, too_close
from tasks.topics.judging import JudgeBatch, Judged, judge_batches, pair_judgements
from tasks.topics.reading import read_corpus
from tasks.topics.refinement import Refined, refine

__all__ = [
    "BrokenLine",
    "Closeness",
    "CorpusReading",
    "CorpusRecord",
    "Embedder",
    "HeldOut",
    "JudgeBatch",
    "Judged",
    "MinedTopics",
    "MiniLmEmbedder",
    "Refined",
    "Thresholds",
    "form_topics",
    "hold_out",
    "judge_batches",
    "pair_judgements",
    "read_corpus",
    "read_holdout",
    "refine",
    "too_close",
]
