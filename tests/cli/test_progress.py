"""The bar of what takes long: when it appears, and what it says."""

from __future__ import annotations

import io
import time
from types import SimpleNamespace

import pytest

from tritonopt.cli import progress
from tritonopt.cli.progress import Bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def wait_for(text: str, stream: Terminal) -> None:
    end = time.monotonic() + 20
    while text not in stream.getvalue():
        assert time.monotonic() < end, stream.getvalue()
        time.sleep(0.02)


def test_a_bar_appears_where_nothing_is_done_yet_and_says_done_left_and_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(progress, "time", clock)
    stream = Terminal()
    with Bar(4, "verifying", stream, patience=0.01) as bar:
        wait_for("0/4", stream)
        clock.now = 10.0
        bar.update(1, 4, "verifying")
        wait_for("about 30 s left", stream)
        clock.now = 15.0
        wait_for("15 s, about 25 s left", stream)
        bar.clear()
        before = stream.getvalue()
        bar.advance()
        wait_for("2/4", stream)
        # It begins where it was, and not with nothing.
        assert "0/4" not in stream.getvalue()[len(before) :]
        best = "best 1.60x with one-tile{raise_block=32768} + num_warps 4 -> 8 + BLOCK 16 -> 32"
        bar.update(19, 54, f"softmax (1 of 2): timing, {best}", "26 s left")
        wait_for("19/54", stream)
        line = stream.getvalue().rpartition("softmax")[2]
        assert "1.60x" in line and "... " in line and ", 26 s left" in line
        bar.update(85, 60, "examples")
        wait_for("85/85", stream)


def test_a_bar_that_is_cleared_does_not_come_by_itself_and_a_pipe_has_none() -> None:
    stream = Terminal()
    with Bar(4, "verifying", stream, patience=0.05) as bar:
        bar.clear()
        time.sleep(0.2)
    pipe = io.StringIO()
    with Bar(4, "verifying", pipe, patience=0.0) as bar:
        bar.update(1, 4, "verifying")
    assert not stream.getvalue() and not pipe.getvalue()
