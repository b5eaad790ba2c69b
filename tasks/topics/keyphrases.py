"""TF-IDF over a corpus: the phrases that set a text apart, and clusters of texts that share phrases."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy import sparse
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from tasks.topics.words import phrases

MAX_KEYPHRASES = 5
MAX_CLUSTERS = 60

_MAX_PHRASES = 100_000
_LABEL_PHRASES = 3
_DIRECTIONS = 64
_SEED = 0


@dataclass(frozen=True, slots=True)
class Description:
    """What a text is about, as seen against the other texts of its corpus."""

    keyphrases: tuple[str, ...]
    """Strongest first, at most `MAX_KEYPHRASES`; empty for a text of stop words and numbers alone."""
    cluster: int
    cluster_label: str
    """The strongest phrases of the cluster; "other" for a cluster without any."""


def describe(texts: Sequence[str]) -> tuple[Description, ...]:
    """Keyphrases and cluster of every text. Deterministic, on one thread; one cluster per about sqrt(2 n) texts."""
    if not texts:
        return ()
    vectorizer = TfidfVectorizer(analyzer=phrases, sublinear_tf=True, max_features=_MAX_PHRASES, dtype=np.float64)
    try:
        weights = sparse.csr_matrix(vectorizer.fit_transform(texts))
    except ValueError:  # no text has a single word that counts
        return tuple(Description((), 0, "other") for _ in texts)
    vocabulary = vectorizer.get_feature_names_out()
    clusters = _clusters(weights)
    labels = _labels(weights, clusters, vocabulary)
    return tuple(
        Description(_strongest(weights[row], vocabulary, MAX_KEYPHRASES), int(cluster), labels[int(cluster)])
        for row, cluster in enumerate(clusters)
    )


def _clusters(weights: sparse.csr_matrix) -> np.ndarray:
    """A cluster number per row, by k-means on the strongest latent directions (raw TF-IDF leaves one giant cluster)."""
    count = weights.shape[0]
    wanted = max(1, min(MAX_CLUSTERS, round(sqrt(count / 2))))
    shared = weights[:, np.flatnonzero(np.diff(sparse.csc_matrix(weights).indptr) > 1)]
    directions = min(_DIRECTIONS, shared.shape[1] - 1, count - 1)
    if wanted == 1 or directions < 2:
        return np.zeros(count, dtype=int)
    with threadpool_limits(1):  # sums in one order only
        reduced = normalize(TruncatedSVD(directions, random_state=_SEED).fit_transform(shared))
        found = MiniBatchKMeans(wanted, random_state=_SEED, n_init=3, batch_size=1024).fit_predict(reduced)
    # Number the clusters by the first text that is in them, and leave no gaps.
    order: dict[int, int] = {}
    return np.array([order.setdefault(int(cluster), len(order)) for cluster in found])


def _labels(weights: sparse.csr_matrix, clusters: np.ndarray, vocabulary: np.ndarray) -> list[str]:
    count = int(clusters.max()) + 1
    membership = sparse.csr_matrix(
        (np.ones(len(clusters)), (clusters, np.arange(len(clusters)))), shape=(count, len(clusters))
    )
    sums = sparse.csr_matrix(membership @ weights)
    return [", ".join(_strongest(sums[row], vocabulary, _LABEL_PHRASES)) or "other" for row in range(count)]


def _strongest(row: sparse.csr_matrix, vocabulary: np.ndarray, limit: int) -> tuple[str, ...]:
    """The heaviest phrases, none of which share a word. Ties go to pairs, then by the alphabet."""
    weighed = zip(np.round(row.data, 9).tolist(), vocabulary[row.indices].tolist(), strict=True)
    chosen: list[str] = []
    for _, phrase in sorted(weighed, key=lambda one: (-one[0], " " not in one[1], one[1])):
        if len(chosen) == limit:
            break
        words = set(phrase.split())
        if not any(words & set(other.split()) for other in chosen):
            chosen.append(phrase)
    return tuple(chosen)
