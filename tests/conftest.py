"""What every test needs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# The many processes that tests start need not compile our modules anew each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture
def root() -> Path:
    """The repository."""
    return ROOT
