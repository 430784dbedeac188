"""Where failures that were found before are kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tritonopt.cache_directory import VARIABLE
from tritonopt.verification.inputs.hypothesis_internals import past_failures


def test_in_the_directory_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    database = past_failures()
    assert database is not None
    database.save(b"key", b"value")
    assert (tmp_path / "failures").is_dir()


def test_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")
    assert past_failures() is None


def test_a_user_without_a_home_keeps_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    # As for a user whom the system does not know.
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert past_failures() is None
