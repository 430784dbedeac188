"""Diffs that the real tools accept."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tritonopt.reporting import diff

OLD = "".join(f"line {number}\n" for number in range(1, 30))
NEW = OLD.replace("line 3\n", "line three\nmore\n").replace("line 20\n", "")

TEXTS = {
    "two hunks": (OLD, NEW),
    "no newline at the end, before and after": (OLD[:-1], NEW[:-1]),
    "no newline before": (OLD[:-1], OLD),
    "no newline after": (OLD, OLD[:-1]),
    "windows line ends": (OLD.replace("\n", "\r\n"), NEW.replace("\n", "\r\n")),
    "old mac line ends": (OLD.replace("\n", "\r"), NEW.replace("\n", "\r")),
    "form feed and line separator": ("a\x0cb\u2028c\nd\n", "a\x0cb\u2028c\ne\n"),
    "byte order mark": ("\ufeff" + OLD, "\ufeff" + OLD.replace("line 1\n", "line one\n")),
    "from nothing": ("", OLD),
    "to nothing": (OLD, ""),
    "lines that look like a diff": ("--- a\n+++ b\n", "--- a\n+++ c\n"),
}

NAMES = ["kernel.py", "two words.py", "näive.py", 'quote".py', "tab\there.py", "deep/er/kernel.py"]


def apply(tool: list[str], directory: Path, name: str, old: str, new: str, encoding: str) -> bytes:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(old.encode(encoding))
    shown = diff.unified(name, old, new)
    done = subprocess.run(
        tool, cwd=directory, input=diff.encoded(shown, encoding), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode() + shown
    return path.read_bytes() if path.exists() else b""


GIT = ["git", "apply", "--whitespace=nowarn", "-"]
PATCH = ["patch", "-p1", "--binary", "--quiet"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory that is the current one, outside of any repository."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return tmp_path


@pytest.mark.parametrize("case", TEXTS)
@pytest.mark.parametrize("tool", [GIT, PATCH], ids=["git", "patch"])
def test_it_applies(here: Path, case: str, tool: list[str]) -> None:
    if shutil.which(tool[0]) is None:
        pytest.skip(f"{tool[0]} is not installed")
    old, new = TEXTS[case]
    assert apply(tool, here, "kernel.py", old, new, "utf-8") == new.encode()


@pytest.mark.parametrize("name", NAMES)
def test_it_applies_to_a_file_with_an_odd_name(here: Path, name: str) -> None:
    assert apply(GIT, here, name, OLD, NEW, "utf-8") == NEW.encode()


def test_it_applies_in_the_encoding_of_the_file(here: Path) -> None:
    old, new = "# coding: latin-1\n# café\nx = 1\n", "# coding: latin-1\n# café\nx = 2\n"
    assert apply(GIT, here, "kernel.py", old, new, "latin-1") == new.encode("latin-1")


pieces = st.lists(st.sampled_from(["a\n", "b\n", "\n", "c\r\n", "\\ x\n", "-- d\n"]), max_size=12)
texts = st.builds(lambda lines, tail: "".join(lines) + tail, pieces, st.sampled_from(["", "end"]))


@settings(max_examples=25, deadline=None)
@given(old=texts, new=texts)
def test_it_applies_whatever_the_texts(
    tmp_path_factory: pytest.TempPathFactory, old: str, new: str
) -> None:
    if old == new:
        assert diff.unified("kernel.py", old, new) == ""
        return
    directory = tmp_path_factory.mktemp("apply")
    assert apply(GIT, directory, "kernel.py", old, new, "utf-8") == new.encode()


def test_the_headers_name_the_path_relative_to_here(here: Path) -> None:
    for path in ("sub/k.py", "./sub/k.py", str(here / "sub" / "k.py")):
        assert diff.unified(path, "a\n", "b\n").startswith("--- a/sub/k.py\n+++ b/sub/k.py\n@@")
    assert diff.unified("/elsewhere/k.py", "a\n", "b\n").startswith("--- a/elsewhere/k.py\n")


def test_colors_change_nothing_but_color() -> None:
    shown = diff.unified("k.py", OLD.replace("\n", "\r\n"), NEW)
    painted = diff.colored(shown)
    assert "\x1b[32m+line three\x1b[0m\n" in painted
    assert "\x1b[31m-line 3\x1b[0m\r\n" in painted
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m"):
        painted = painted.replace(code, "")
    assert painted == shown


def test_lines_that_occur_often_stay_where_they_did_not_change(here: Path) -> None:
    """Texts of 200 lines and more are long to difflib."""
    same = "    a = 1\n\n"
    old = f"    x = 0\n{same * 150}    x = 1\n{same}    y = 2\n"
    new = f"    x = 0\n{same * 150}    x = 3\n{same}    y = 4\n"
    lines = diff.unified("file.py", old, new).splitlines()[2:]
    assert [line for line in lines if line[0] in "+-"] == [
        "-    x = 1",
        "+    x = 3",
        "-    y = 2",
        "+    y = 4",
    ]
