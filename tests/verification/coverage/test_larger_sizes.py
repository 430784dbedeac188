"""Sizes beyond every number that a test compares with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.coverage.exploration import LargerSizes
from tritonopt.verification.coverage.text_differences import Numbers


class Calls:
    """An exploration that has used up its calls, and a loop over what `n` counts."""

    names = ("m", "n")
    calls_left = 0
    work = 0

    class tried:
        base: Mapping[str, int] = {"m": 5, "n": 5}
        known = True

        @classmethod
        def governs(cls, demand: Demand) -> bool:
            return cls.known

    def __init__(self, *counts: int) -> None:
        self.sizes: list[Mapping[str, int]] = []
        self.sized_calls = SimpleNamespace(limits=SimpleNamespace(counts=counts))

    def unmet(self) -> list[Demand]:
        done = any(sizes["n"] > 32768 for sizes in self.sizes)
        return [] if done else [Demand("original", 7, "turns", "for i in range(0, n, BLOCK):")]

    def wanting(self, name: str) -> bool:
        return name == "n"

    def made(self, sizes: Mapping[str, int]) -> Iterator[Any]:
        if self.calls_left:
            self.calls_left -= 1
            self.sizes.append(sizes)
            yield sizes

    def expected(self, sizes: Mapping[str, int]) -> float:
        return 0.0

    def fits(self, sizes: Mapping[str, int]) -> bool:
        return True

    def affordable(self, sizes: Mapping[str, int], *, needed: bool, most: int) -> bool:
        return True

    bearable = fits


def test_there_are_calls_for_a_tile_that_grows_however_many_flags_came_before() -> None:
    calls = Calls()
    list(LargerSizes(calls, Numbers(limits=[2048, 32768])).examples())  # type: ignore[arg-type]  # a stand-in
    assert calls.sizes == [{"m": 5, "n": 2049}, {"m": 5, "n": 32769}]


def test_every_size_is_tried_for_a_loop_of_which_nothing_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As that of rows which are ignored, to which no plain call comes."""
    monkeypatch.setattr(Calls.tried, "known", False)
    monkeypatch.setattr(Calls, "wanting", lambda self, name: False)
    calls = Calls()
    list(LargerSizes(calls, Numbers(limits=[2048, 32768])).examples())  # type: ignore[arg-type]  # a stand-in
    assert {"m": 5, "n": 32769} in calls.sizes and {"m": 2049, "n": 5} in calls.sizes


def test_beside_numbers_that_the_files_mention_sizes_are_tried_before_larger_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A number of locks is compared with nothing, and one more row finds a lock that was held."""
    line = [Demand("original", 7, "true", "begun == 0")]
    calls = Calls(3, 256, 100_000)
    found = lambda: [] if {"m": 257, "n": 5} in calls.sizes else line  # noqa: E731
    monkeypatch.setattr(calls, "unmet", found)
    monkeypatch.setattr(calls, "expected", lambda sizes: 40.0 * max(sizes.values()))
    list(LargerSizes(calls, Numbers(limits=[1024])).examples())  # type: ignore[arg-type]  # a stand-in
    assert calls.sizes == [{"m": 257, "n": 5}]
