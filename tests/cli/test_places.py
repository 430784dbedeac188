"""`FILE`, `FILE:KERNEL`, `FILE:LINE`: what an argument of the command line stands for."""

from __future__ import annotations

import json
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from tests.cli.test_suggest import HEAD, MAXIMUM, RING
from tritonopt.cli.main import main
from tritonopt.cli.places import Place, PlaceError, place
from tritonopt.rewriting.focus import Focus

TWO = HEAD + RING + RING.replace("ring", "other").replace("repeat", "again")
CLASS = HEAD + "class Op:\n" + indent(MAXIMUM.replace("top", "ring"), "    ")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("k.py").write_text(TWO)
    return tmp_path


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Any:
    def command(*arguments: str) -> tuple[int, str, str]:
        code = main(list(arguments))
        return code, *capfd.readouterr()

    return command


def kernel(name: str) -> Focus:
    return Focus(kernels=frozenset({name}))


def line(number: int) -> Focus:
    return Focus(lines=frozenset({number}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k.py", Place("k.py")),
        ("k.py:ring", Place("k.py", kernel("ring"))),
        ("k.py:Op.ring", Place("k.py", kernel("Op.ring"))),
        ("k.py:make.<locals>.ring", Place("k.py", kernel("make.<locals>.ring"))),
        ("k.py:12", Place("k.py", line(12))),
        ("k.py:12:5", Place("k.py", line(12))),
        ("-", Place("-", stdin=True)),
        ("a:b.py", Place("a:b.py")),
        ("a:b.py:ring", Place("a:b.py", kernel("ring"))),
        ("C:\\k.py", Place("C:\\k.py")),
        ("C:\\k.py:7", Place("C:\\k.py", line(7))),
        ("a:b.py:\u00b2", Place("a:b.py", Focus(kernels=frozenset({"\u00b2"})))),  # no number
        (f"a:b.py:{'9' * 5000}", Place("a:b.py", Focus(kernels=frozenset({"9" * 5000})))),
        (".", Place(".")),
        ("none.py", Place("none.py")),  # who reads it says so
    ],
)
def test_what_a_place_is(text: str, expected: Place) -> None:
    for name in ("a:b.py", "C:\\k.py"):
        Path(name).write_text("")
    assert place(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("none.py:ring", "none.py: does not exist"),
        ("none.py:12", "none.py: does not exist"),
        ("D:\\none.py", "D:\\none.py: does not exist"),
        (".:ring", ".:ring: . is a directory; name a file of it, as in FILE.py:ring"),
        ("k.py:", "k.py:: give a kernel or line, as in k.py:12"),
    ],
)
def test_what_is_no_place(text: str, message: str) -> None:
    with pytest.raises(PlaceError) as raised:
        place(text)
    assert str(raised.value) == message


HINT = ["--passes", "contiguity-hints", "--isolated"]


@pytest.mark.parametrize("where", ["k.py:other", "k.py:20"])
def test_only_what_is_named_changes(run: Any, where: str) -> None:
    whole = run("rewrite", "k.py", *HINT)[1]
    code, out, err = run("rewrite", where, *HINT)
    assert code == 0 and out.count("@@ ") == 1 and whole.count("@@ ") == 2
    assert "tl.max_contiguous" in out and "def other" in "".join(TWO.splitlines(True)[17:18])
    assert err.splitlines()[0].startswith("k.py:20:14: contiguity-hints")
    assert err.endswith("2 kernels: 1 rewrite applied, 0 not applied; 1 file would change\n")


def test_several_places_of_one_file(run: Any) -> None:
    whole = run("rewrite", "k.py", *HINT)[1]
    assert run("rewrite", "k.py:ring", "k.py:20", *HINT)[1] == whole
    assert run("rewrite", "k.py:ring", "k.py", *HINT)[1] == whole


def test_the_command_does_what_was_suggested_and_nothing_else(run: Any) -> None:
    report = json.loads(run("suggest", "k.py", *HINT, "--format", "json")[1])
    (_, second) = report["files"][0]["suggestions"]
    lines = TWO.splitlines(keepends=True)
    for part in reversed(second["fix"]):
        lines[part["first"] - 1 : part["behind"] - 1] = [part["text"]]
    program, *arguments = second["apply"].split()
    assert program == "tritonopt" and run(*arguments)[0] == 0
    assert Path("k.py").read_text() == "".join(lines)
    code, out, _ = run("suggest", "k.py:other", *HINT)
    assert (code, out) == (0, "")
    assert run("suggest", "k.py:ring", *HINT)[0] == 1


def test_a_kernel_of_a_class(run: Any) -> None:
    Path("c.py").write_text(CLASS)
    for name in ("ring", "Op.ring"):
        code, out, _ = run("suggest", f"c.py:{name}")
        assert code == 1 and out.startswith("c.py:10:13: undefined-lanes")
    assert run("facts", "c.py:Op.ring")[1].startswith("kernel Op.ring")


def test_a_line_without_a_site_is_told(run: Any) -> None:
    code, out, err = run("rewrite", "k.py:7", *HINT)
    assert (code, out) == (0, "")
    note = "note: k.py:7: no pass has a site in this line (`tritonopt explain k.py:7`)"
    assert err.splitlines()[0] == note


@pytest.mark.parametrize("command", ["rewrite", "suggest", "facts", "explain"])
@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("k.py:rnig", "k.py: no kernel 'rnig'; did you mean ring? There are ring, other"),
        ("k.py:zzz", "k.py: no kernel 'zzz'; there are ring, other"),
        ("k.py:2", "k.py:2:1: is in no kernel; there are ring (line 7), other (line 18)"),
        ("k.py:999", "k.py: has no line 999; it has 28"),
        ("plain.py:k", "plain.py: no kernel 'k'; the file has none"),
        ("none.py:k", "none.py: does not exist"),
        (".:k", ".:k: . is a directory; name a file of it, as in FILE.py:k"),
        ("n.ipynb:k", "n.ipynb: is no notebook: it has no nbformat, or no cells"),
    ],
)
def test_what_is_not_there(run: Any, command: str, where: str, message: str) -> None:
    Path("plain.py").write_text("x = 1\n")
    Path("n.ipynb").write_text("{}\n")
    code, out, err = run(command, where)
    assert (code, out) == (2, "") and message in err


@pytest.mark.parametrize("command", ["rewrite", "suggest"])
def test_a_notebook_without_kernels(run: Any, command: str) -> None:
    Path("n.ipynb").write_text(json.dumps({"cells": [], "nbformat": 4}))
    code, out, err = run(command, "n.ipynb")
    assert code == 0 and "0 kernels" in out + err


def test_a_folder_of_notebooks(run: Any) -> None:
    Path("only").mkdir()
    Path("only/n.ipynb").write_text("{}")
    code, _, err = run("rewrite", "only")
    assert code == 2 and "no Python file" in err and "name each notebook by itself" in err


def test_verify_refuses_a_notebook(run: Any) -> None:
    Path("n.ipynb").write_text("{}")
    code, _, err = run("verify", "n.ipynb", "n.ipynb")
    assert code == 2 and "n.ipynb: is a notebook" in err


# stdin


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Any:
    def data(text: str | bytes) -> None:
        raw = text.encode() if isinstance(text, str) else text
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(raw), encoding="utf-8"))

    return data


def test_stdin_is_rewritten_to_stdout(run: Any, given: Any) -> None:
    assert main(["rewrite", "k.py", "--write", *HINT]) == 0
    expected = Path("k.py").read_text()
    run("passes")
    given(TWO)
    code, out, err = run("rewrite", "-", "--stdin-filename", "sub/name.py", *HINT)
    assert (code, out) == (0, expected)
    assert err.startswith("sub/name.py:9:14: contiguity-hints")
    assert not Path("sub").exists()
    for nothing_to_do in (expected, "x = 1\n", "", "\ufeffx = 'é'\r\n"):
        given(nothing_to_do)
        assert run("rewrite", "-", *HINT)[:2] == (0, nothing_to_do)


def test_a_part_of_stdin(run: Any, given: Any) -> None:
    given(TWO)
    _, out, _ = run("rewrite", "-", "--stdin-filename", "x.py:other", *HINT)
    assert out.count("max_contiguous") == 1


def test_stdin_that_is_wrong_comes_back(run: Any, given: Any) -> None:
    wrong = "import triton\n@triton.jit\ndef f(:\n"
    given(wrong)
    code, out, err = run("rewrite", "-", "--stdin-filename", "w.py")
    assert (code, out) == (2, wrong) and "w.py:3:7: " in err
    given(TWO)
    assert run("rewrite", "-", "--verify")[0] == 2


def test_check_of_stdin(run: Any, given: Any) -> None:
    given(TWO)
    assert run("rewrite", "-", "--check", *HINT)[:2] == (1, "")


def test_stdin_is_configured_as_the_file_it_stands_for(run: Any, given: Any, here: Path) -> None:
    (here / "sub").mkdir()
    (here / "sub" / "pyproject.toml").write_text('[tool.tritonopt]\nignore = ["undefined-lanes"]\n')
    given(HEAD + MAXIMUM)
    assert run("suggest", "-", "--stdin-filename", "sub/k.py")[0] == 0
    given(HEAD + MAXIMUM)
    code, out, _ = run("suggest", "-")
    assert code == 1 and out.startswith("-:9:9: undefined-lanes")
    given(TWO)
    assert run("facts", "-", "--stdin-filename", "a.py")[1].startswith("kernel ring")
    given(TWO)
    assert run("explain", "-", "--stdin-filename", "a.py:9")[1].startswith("a.py:9:14")
