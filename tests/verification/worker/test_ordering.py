"""Loads of what was stored in the same launch: found where nothing orders the two."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tritonopt.verification import Verdict
from tritonopt.verification.worker.triton_interpreter.ordering import Launch, Touch

_BLOCK = np.arange(4, dtype=np.uint64) * 4 + 4096
_COUNTER = np.array([64], dtype=np.uint64)
_GPU, _RELAXED = "RMW_OP.ADD MEM_SEMANTIC.ACQUIRE_RELEASE GPU", "RMW_OP.ADD RELAXED GPU"


def _on(kind: str, addresses: np.ndarray, operation: str = "", value: int = 1) -> Touch:
    lanes = np.ones(addresses.shape, bool)
    bits = np.full(addresses.size, value, np.uint32) if kind == "store" else None
    return Touch(kind, addresses=addresses, lanes=lanes, bits=bits, operation=operation)


def _launch(first: list[Touch], second: list[Touch]) -> str:
    launch = Launch()
    for program, touches in enumerate((first, second)):
        for touch in (Touch("program", program), *touches):
            launch.add(touch)
    return launch.unordered()


_STORE, _LOAD, _WAIT = _on("store", _BLOCK), _on("load", _BLOCK), Touch("barrier")
_ADD = _on("atomic", _COUNTER, _GPU)


def test_what_is_published_before_it_is_acquired_is_ordered() -> None:
    assert not _launch([_STORE, _WAIT, _ADD], [_ADD, _LOAD])
    single = _BLOCK[:1]
    assert not _launch([_on("store", single), _ADD], [_ADD, _on("load", single)])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([_STORE, _ADD], [_ADD, _LOAD]),
        ([_ADD, _STORE, _WAIT], [_ADD, _LOAD]),
        ([_STORE, _WAIT, _on("atomic", _COUNTER, _RELAXED)], [_ADD, _LOAD]),
        ([_STORE, _WAIT, _ADD], [_on("atomic", _COUNTER, _RELAXED), _LOAD]),
        ([_STORE, _WAIT, _ADD], [_on("atomic", _COUNTER + 4, _GPU), _LOAD]),
        ([_STORE, _WAIT, _ADD], [_on("atomic", _COUNTER, _GPU[:-3] + "CTA"), _LOAD]),
        ([_STORE, _WAIT, _ADD, _on("store", _COUNTER)], [_ADD, _LOAD]),
    ],
    ids=["no-barrier", "early", "relaxed-release", "relaxed-acquire", "other", "scope", "plain"],
)
def test_what_is_not_published_may_be_stale(first: list[Touch], second: list[Touch]) -> None:
    assert "nothing orders the two" in _launch(first, second)


def test_a_program_that_stored_the_same_value_sees_it_in_any_order() -> None:
    assert not _launch([_STORE, _ADD], [_ADD, _STORE, _LOAD])
    own = [_on("store", _BLOCK), _ADD]
    assert not _launch(own, [_on("store", _BLOCK), _on("load", _BLOCK), _ADD])


def test_a_third_program_sees_what_was_passed_on() -> None:
    launch = Launch()
    other = _on("atomic", _COUNTER + 4, _GPU)
    for program, touches in enumerate(([_STORE, _WAIT, _ADD], [_ADD, other], [other, _LOAD])):
        for touch in (Touch("program", program), *touches):
            launch.add(touch)
    assert not launch.unordered()


def test_lanes_of_one_program_need_a_barrier() -> None:
    turned = _on("load", _BLOCK[::-1].copy())
    assert "tl.debug_barrier()" in _launch([_STORE, turned], [])
    assert not _launch([_STORE, _WAIT, turned], [])
    assert not _launch([_STORE, _LOAD], [])


_RELEASE = "    tl.debug_barrier()\n    tl.atomic_xchg(lock_ptr, 0)\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("lock_ptr, 0, 1)", 'lock_ptr, 0, 1, sem="relaxed")'),
        ("    tl.debug_barrier()\n", ""),
        (_RELEASE, "    tl.debug_barrier()\n    tl.store(lock_ptr, 0)\n"),
        (_RELEASE, _RELEASE.replace(", 0)", ', 0, sem="acquire")')),
    ],
    ids=["acquired-relaxed", "no-barrier", "released-by-a-store", "released-by-an-acquire"],
)
def test_a_lock_that_orders_nothing(against: Callable[..., Verdict], old: str, new: str) -> None:
    verdict = against("locked", (old, new), backend="interpreter")
    assert verdict.verdict == "counterexample", verdict
    assert "the rewritten version has a race" in str(verdict.counterexample)
