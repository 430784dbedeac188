"""What hypothesis does not promise: these tests say when a version no longer has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import configuration, given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from tritonopt.verification.inputs import hypothesis_internals as internals


def test_this_version_has_the_names() -> None:
    configuration.set_hypothesis_home_dir(None)
    assert hasattr(configuration, internals.HOME_DIRECTORY)
    assert callable(getattr(providers, internals.LOCAL_CONSTANTS))
    assert providers.Constants() is not None


def test_the_working_directory_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    drawn = []

    @settings(max_examples=20, deadline=None, database=None)
    @given(st.integers())
    def draw(number: int) -> None:
        drawn.append(number)

    with internals.no_traces(), internals.no_local_constants():
        draw()
    assert drawn
    assert not list(tmp_path.iterdir())


def test_all_is_as_before_afterwards() -> None:
    home = getattr(configuration, internals.HOME_DIRECTORY, None)
    constants = getattr(providers, internals.LOCAL_CONSTANTS)
    with internals.no_traces(), internals.no_local_constants():
        assert getattr(configuration, internals.HOME_DIRECTORY) != home
        assert getattr(providers, internals.LOCAL_CONSTANTS) is not constants
    assert getattr(configuration, internals.HOME_DIRECTORY) == home
    assert getattr(providers, internals.LOCAL_CONSTANTS) is constants


def test_a_version_without_the_constants_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(providers, internals.LOCAL_CONSTANTS)
    with internals.no_local_constants():
        assert not hasattr(providers, internals.LOCAL_CONSTANTS)
