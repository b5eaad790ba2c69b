"""The accounts of what a language model was asked: on disk within a second or two, while the run goes on."""

import threading

from schemas.errors import HomeNotWritable
from schemas.llm_calls import LLM_CALLS, LlmCall
from warehouse.store import Warehouse

DELAY_S = 1.0
"""From a call to its row in the ledger, at most, while the disk keeps up."""
ROWS_PER_PART = 500
"""A part is written anew with every addition. This many rows take less than 0.1 s."""


class CallLedger:
    """Takes the rows of one run, and writes them a second later, many at a time. Safe to use from several threads.

    Args:
        store: Where the ledger lies.
        run_id: The run.
    """

    def __init__(self, store: Warehouse, run_id: str) -> None:
        self._store, self._run_id = store, run_id
        self._part: list[LlmCall] = []
        self._part_number = 1
        self._written = 0
        """Rows of the part that are on disk."""
        self._timer: threading.Timer | None = None
        self._trouble: HomeNotWritable | None = None
        self._taking, self._writing = threading.Lock(), threading.Lock()

    def take(self, call: LlmCall) -> None:
        """One more row.

        Raises:
            HomeNotWritable: rows from before could not be written. This one is kept for the next try.
        """
        with self._taking:
            self._part.append(call)
            if self._timer is None:
                self._timer = threading.Timer(DELAY_S, self._write_late)
                self._timer.daemon = True
                self._timer.start()
            trouble, self._trouble = self._trouble, None
        if trouble is not None:
            raise trouble

    def flush(self) -> None:
        """Write what was taken so far. For the end of a stage; calls that still come are taken all the same.

        Raises:
            HomeNotWritable: it can't be written.
        """
        with self._writing:
            with self._taking:
                if self._timer is not None:
                    self._timer.cancel()
                    self._timer = None
                rows, number = tuple(self._part), self._part_number
            if len(rows) == self._written:
                return
            self._store.replace_ledger_part(LLM_CALLS, rows, self._run_id, f"calls-{number}")
            self._written = len(rows)
            if self._written >= ROWS_PER_PART:
                with self._taking:
                    del self._part[: self._written]
                    self._part_number += 1
                self._written = 0

    def _write_late(self) -> None:
        try:
            self.flush()
        except HomeNotWritable as trouble:
            # Nobody waits for this thread: whoever asks next is told.
            with self._taking:
                self._trouble = trouble
