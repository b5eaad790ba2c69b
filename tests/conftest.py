"""What all tests share."""

import gc

import pytest


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what was imported out of garbage collection: Hypothesis and pytest look through everything, many times."""
    gc.collect()
    gc.freeze()
