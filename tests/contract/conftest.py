"""Fixtures for the contract of sandboxes. A new implementation is added to `implementation`."""

from collections.abc import Callable, Iterator

import pytest

from tasks.sandbox.base import CheckSession, EnvironmentSession, Sandbox
from tasks.sandbox.zygote import ZygoteSandbox
from tests.contract.sandbox_samples import SHELF, STATE


@pytest.fixture(scope="module", params=[ZygoteSandbox])
def implementation(request: pytest.FixtureRequest) -> Callable[..., Sandbox]:
    """The class under test; its limits have the same names in every implementation."""
    made: Callable[..., Sandbox] = request.param
    return made


@pytest.fixture(scope="module")
def sandbox(implementation: Callable[..., Sandbox]) -> Sandbox:
    """A sandbox with room for what should work, also on a busy machine."""
    return implementation(wall_s=10, cpu_s=10, memory_mib=256, frame_mib=1, check_s=0.2)


@pytest.fixture
def impatient(implementation: Callable[..., Sandbox]) -> Sandbox:
    """A sandbox for what should run out of time."""
    return implementation(wall_s=1, cpu_s=10)


@pytest.fixture(scope="module")
def shelf_session(sandbox: Sandbox) -> Iterator[EnvironmentSession]:
    """A session with the shelf loaded, shared by the tests that leave it alive."""
    with sandbox.environment(SHELF, "Shelf") as session:
        yield session


@pytest.fixture
def shelf(shelf_session: EnvironmentSession) -> EnvironmentSession:
    """A fresh shelf of two books."""
    shelf_session.init(STATE)
    return shelf_session


@pytest.fixture(scope="module")
def checks(sandbox: Sandbox) -> Iterator[CheckSession]:
    """A session for checks, shared by the tests that leave it alive."""
    with sandbox.checks() as session:
        yield session
