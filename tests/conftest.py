"""What every test needs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

# The many processes that tests start need not compile our modules anew each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A busy machine is no defect of ours.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") is not None:
        torch = pytest.importorskip("torch")
        if not torch.cuda.is_available():
            pytest.skip("there is no GPU here")


@pytest.fixture
def root() -> Path:
    """The repository."""
    return ROOT
