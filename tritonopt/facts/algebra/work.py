"""How much work goes into what is asked of one kernel: counted, so that it ends everywhere alike.

What is asked grows with the square of a kernel's loads and stores, and faster where the forms of
its indices grow too. The unit is a form that is computed, which is what nearly all of it consists
of; a clock would stop at another place on another machine.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TooMuchWork(Exception):
    """More was asked than is worth waiting for."""


class _Meter(threading.local):
    """The forms that may still be computed, in each thread by itself."""

    left: float = float("inf")


_METER = _Meter()


@contextmanager
def at_most(forms: int) -> Iterator[None]:
    """Inside, so many forms can be computed; one more raises TooMuchWork."""
    before, _METER.left = _METER.left, forms
    try:
        yield
    finally:
        _METER.left = before


def spend() -> None:
    """One more form."""
    _METER.left -= 1
    if _METER.left < 0:
        raise TooMuchWork
