"""`tritonopt explain`: a pass, and a line of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_suggest import HEAD, MAXIMUM, RING
from tritonopt.cli.main import main

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("k.py").write_text(HEAD + MAXIMUM + RING)
    return tmp_path


def test_the_manual_page_with_options(capsys: Captured) -> None:
    assert main(["explain", "fuse-stats"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# fuse-stats\n\nMerge the sweep that sums squared deviations")
    assert "## Measured" in out and "| 16384 | 256, 1 |" in out
    assert "- `formula`: shifted, moments, welford; default shifted\n" in out


def test_the_manual_page_on_a_terminal(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["explain", "undefined-lanes"]) == 0
    out = capsys.readouterr().out
    assert "\x1b[" in out and "## What it does" not in out and "What it does" in out


def test_a_line_with_every_condition(capsys: Captured) -> None:
    assert main(["explain", "k.py:16"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("k.py:16:14: contiguity-hints [exact]: can be done: say that each")
    statuses = {line.split()[0] for line in lines[1:]}
    assert statuses == {"proved", "assumed"}
    assert any("hint-is-true: BLOCK divides" in line for line in lines)


def test_a_line_without_a_site_shows_those_of_the_kernel(capsys: Captured) -> None:
    assert main(["explain", "k.py:8", "--passes", "undefined-lanes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "k.py:8: no pass has a site in line 8; those of top:"
    assert lines[1].startswith("k.py:9:9: undefined-lanes")
    assert lines[2] == "    refuted  reduced-lanes-are-defined"  # its detail is the message


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("fuse-stat", "there is no pass 'fuse-stat'; did you mean fuse-stats"),
        ("k.py", "k.py: say which line or kernel, as in k.py:12"),
        ("k.py:2", "k.py:2:1: is in no kernel; there are top (line 7), ring (line 14)"),
        ("k.py:999", "k.py: has no line 999; it has "),
        ("none.py:3", "none.py: does not exist"),
        ("k.py:rings", "k.py: no kernel 'rings'; did you mean ring? There are top, ring"),
        (".:top", ".:top: . is a directory; name a file of it, as in FILE.py:top"),
        ("k.py:", "k.py:: say which kernel or line, as in k.py:12"),
    ],
)
def test_what_cannot_be_explained(target: str, message: str, capsys: Captured) -> None:
    assert main(["explain", target]) == 2
    assert message in capsys.readouterr().err


def test_a_kernel_and_several_places(capsys: Captured) -> None:
    assert main(["explain", "k.py:ring", "k.py:9", "--passes", "all"]) == 0
    out = capsys.readouterr().out
    heads = [line for line in out.splitlines() if line.startswith("k.py:")]
    assert heads[0].startswith("k.py:14:") or heads[0].startswith("k.py:16:")
    assert any(line.startswith("k.py:9:9: undefined-lanes") for line in heads)
    assert "\n\nk.py:9:9" in out


def test_a_line_with_a_column(capsys: Captured) -> None:
    assert main(["explain", "k.py:16:14", "--passes", "contiguity-hints"]) == 0
    assert capsys.readouterr().out.startswith("k.py:16:14: contiguity-hints [exact]: can be done")
