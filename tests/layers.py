"""What of a test every run has, and what only `make test-all`: see the layers in CONTRIBUTING."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

EVERYTHING = "TRITONOPT_TEST_ALL"
"""Set by tests/conftest.py where tests marked `thorough` are not left out."""


def few(parameters: Iterable[Any], *places: int) -> list[Any]:
    """The parameters of a test, which are of one kind: those at these places are in every run.

    A tuple has the values of several.
    """
    chosen = []
    for place, one in enumerate(parameters):
        values = one if isinstance(one, tuple) else (one,)
        marks = () if place in places else (pytest.mark.thorough,)
        chosen.append(pytest.param(*values, marks=marks))
    assert 0 < len(places) < len(chosen) and max(places) < len(chosen)
    return chosen


def everything() -> bool:
    """Whether the slow part of a test runs too, of which the rest of it is a cheaper sibling."""
    return bool(os.environ.get(EVERYTHING))


def number(every_run: int, thorough: int) -> int:
    """So many examples are drawn."""
    return thorough if everything() else every_run


def children() -> frozenset[int]:
    """The living processes that this one has started; none where the system does not tell."""
    found = set[int]()
    tasks = "/proc/self/task"  # each test asks twice, so in the fewest steps
    for thread in os.listdir(tasks) if os.path.isdir(tasks) else ():
        try:
            with open(f"{tasks}/{thread}/children", "rb") as children:
                found.update(map(int, children.read().split()))
        except OSError:
            continue  # it has ended, or is no file here
    return frozenset(filter(is_alive, found))


def is_alive(process: int) -> bool:
    # What nobody waits for yet is no more than an entry in a table.
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
