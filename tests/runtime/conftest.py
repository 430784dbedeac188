"""Caches of their own for the tests, Triton's too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonopt.cache_directory import VARIABLE as CACHE


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE, str(tmp_path / "rewritten"))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "compiled"))
