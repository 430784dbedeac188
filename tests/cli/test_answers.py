"""Kept answers: used for the same run again, and for nothing that differs in what decides."""

from __future__ import annotations

import io
import json
import os
import pickle
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tritonopt.cli import answers, scanning
from tritonopt.cli.main import main
from tritonopt.rewriting import registry
from tritonopt.source import looked_up

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
KERNEL = """\
@triton.jit
def top(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N)
    tl.store(Y, tl.max(x, axis=0))
"""
SUGGESTED = "undefined-lanes"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of three files in the current directory, and an empty cache."""
    (tmp_path / "work" / "lib").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.delenv(answers.VARIABLE)
    monkeypatch.setenv("TRITONOPT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITONOPT_JIT_DECORATORS", "")
    monkeypatch.setattr(looked_up, "_found", {})
    Path("lib/kernels.py").write_text(HEAD + KERNEL)
    Path("lib/launcher.py").write_text("from lib.kernels import top\n")
    Path("lib/other.py").write_text("x = 1\n")
    Path("context.py").write_text("y = 1\n")
    Path("pyproject.toml").write_text("[tool.tritonopt]\n")
    return tmp_path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Any:
    """Run a command; whether it computed anything, its exit code, and what it printed."""
    computed: list[int] = []
    work = scanning.work

    def counted(*arguments: Any) -> Any:
        computed.append(1)
        return work(*arguments)

    monkeypatch.setattr(scanning, "work", counted)

    def command(*arguments: str) -> tuple[bool, int, str, str]:
        computed.clear()
        code = main(list(arguments))
        return (bool(computed), code, *capfd.readouterr())

    return command


COMMAND = ("suggest", "lib", "--context", "context.py")


@pytest.mark.parametrize(
    "command",
    [
        COMMAND,
        (*COMMAND, "--format", "json"),
        ("suggest", "lib/kernels.py:top", "--statistics"),
        ("rewrite", "lib", "--explain-missed"),
        ("rewrite", "lib", "--check", "--assume", "M > 0"),
    ],
)
def test_the_second_run_prints_the_same_and_computes_nothing(
    run: Any, command: tuple[str, ...]
) -> None:
    first, *printed = run(*command)
    second, *again = run(*command)
    assert (first, second) == (True, False)
    assert printed == again and "".join(printed[1:])
    assert run(*command, "--no-cache")[0]


def edit(path: str, text: str) -> Callable[[], object]:
    return lambda: Path(path).write_text(text)


def other_pass(text: str) -> Callable[[], object]:
    """The code of a pass that another package brings."""

    def write() -> None:
        Path("site/theirs-1.dist-info").mkdir(parents=True, exist_ok=True)
        Path("site/theirs").mkdir(exist_ok=True)
        Path("site/theirs/__init__.py").write_text(text)
        points = "[other]\na = nothing:x\n\n[tritonopt.passes]\ntheir-pass = theirs.a:Their\n"
        Path("site/theirs-1.dist-info/entry_points.txt").write_text(points)

    return write


CHANGES: dict[str, Callable[[], object]] = {
    "the file": edit("lib/kernels.py", HEAD + KERNEL.replace("N)", "N, other=0.0)")),
    "a comment of it": edit("lib/kernels.py", HEAD + KERNEL + "# end\n"),
    "a file that launches": edit("lib/launcher.py", "from lib.kernels import top\ntop[(1,)](1)\n"),
    "a file that has nothing to do with it": edit("lib/other.py", "x = 2\n"),
    "a file that is new": edit("lib/new.py", ""),
    "a file that is gone": lambda: Path("lib/other.py").unlink(),
    "the name of a file": lambda: Path("lib/other.py").rename("lib/another.py"),
    "a file of --context": edit("context.py", "from lib.kernels import top\n"),
    "the configuration": edit("pyproject.toml", "[tool.tritonopt]\nignore = ['undef']\n"),
    "a line of the configuration": edit("pyproject.toml", "\n[tool.tritonopt]\n"),
    "a configuration that is nearer": edit("lib/pyproject.toml", "[tool.tritonopt]\n"),
    "a package around the files": edit("__init__.py", ""),
    "a package in them": edit("lib/__init__.py", ""),
    "a file that is ignored": edit("lib/.gitignore", "other.py\n"),
    "what is installed": lambda: Path("site/numpy-9.dist-info").mkdir(parents=True),
    "an installed pass": other_pass("a = 1\n"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_answer_is_not_used_after_a_change(
    run: Any, monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]
) -> None:
    Path("site").mkdir()
    monkeypatch.syspath_prepend("site")
    assert run(*COMMAND)[0]
    assert not run(*COMMAND)[0]
    change()
    assert run(*COMMAND)[0]


def test_nor_after_a_change_of_the_code_of_a_pass(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_pass("a = 1\n")()
    monkeypatch.syspath_prepend("site")
    monkeypatch.setattr("tritonopt.rewriting.registry._entries", dict)
    run(*COMMAND)
    assert not run(*COMMAND)[0]
    other_pass("a = 10\n")()
    assert run(*COMMAND)[0]


def test_nor_where_its_package_cannot_be_found(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    other_pass("")()
    monkeypatch.syspath_prepend("site")
    Path("site/theirs/__init__.py").unlink()
    Path("site/theirs").rmdir()
    run(*COMMAND)
    assert run(*COMMAND)[0]


def test_nor_with_other_code_of_ours(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run(*COMMAND)
    stamps = answers._stamps
    monkeypatch.setattr(answers, "_stamps", lambda folder: [*stamps(folder), ("new.py", (1, 1))])
    assert run(*COMMAND)[0]


def test_the_code_of_ours_is_all_of_it() -> None:
    shown = repr(answers._stamps(Path(answers.__file__).parents[1]))
    assert all(f"'{name}'" in shown for name in ("online_legality.py", "measured.json", "forms.py"))


def test_nor_with_another_python_or_in_another_directory(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("suggest", str(Path("lib").absolute()))
    assert not run("suggest", str(Path("lib").absolute()))[0]
    with monkeypatch.context() as patch:
        patch.setattr(sys, "version", "3.99")
        assert run("suggest", str(Path("lib").absolute()))[0]
    with monkeypatch.context() as patch:
        patch.setenv("TRITONOPT_JIT_DECORATORS", "their.jit")
        assert run("suggest", str(Path("lib").absolute()))[0]
    there = str(Path("lib").absolute())
    monkeypatch.chdir("lib")
    assert run("suggest", there)[0]


@pytest.mark.parametrize(
    "flags",
    [
        ["--passes", "all"],
        ["--safety", "exact"],
        ["--assume", "N > 0"],
        ["--select", "undef"],
        ["--ignore", "undef"],
        ["--isolated"],
        ["--context", "lib/other.py"],
        ["--format", "json"],
        ["--stdin-filename", "x.py"],
    ],
    ids=" ".join,
)
def test_nor_with_other_flags(run: Any, flags: list[str]) -> None:
    run(*COMMAND)
    assert run(*COMMAND, *flags)[0]


def test_nor_after_a_link_leads_elsewhere(run: Any) -> None:
    for name in ("one", "two"):
        Path(name).mkdir()
        Path(name, "k.py").write_text(HEAD + KERNEL)
    Path("link").symlink_to("one")
    run("suggest", "link/k.py")
    assert not run("suggest", "link/k.py")[0]
    Path("link").unlink()
    Path("link").symlink_to("two")
    assert run("suggest", "link/k.py")[0]


def test_what_was_looked_up_is_looked_up_again(tmp_path: Path) -> None:
    path = tmp_path / "ruff.toml"
    assert looked_up.text_of(path) is None and not looked_up.is_there(tmp_path / ".git")
    found = looked_up.found()
    assert looked_up.still(found)
    path.write_text("line-length = 80\n")
    assert not looked_up.still(found)
    assert looked_up.text_of(path) == "line-length = 80\n"
    found = looked_up.found()
    path.write_text("line-length = 90\n")
    assert not looked_up.still(found)
    path.write_text("line-length = 80\n")
    assert looked_up.still(found)
    (tmp_path / ".git").mkdir()
    assert not looked_up.still(found)


def test_a_rewritten_file_is_read_again(run: Any) -> None:
    asked = ("rewrite", "lib", "--passes", "undefined-lanes", "--write")
    assert "1 rewrite applied" in run(*asked)[3]
    computed, _, _, said = run(*asked)
    assert computed and "0 rewrites applied" in said
    assert not run(*asked)[0]


def test_nothing_is_kept_of_a_file_that_changes_meanwhile(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = scanning.work

    def disturbed(*arguments: Any) -> Any:
        yield from work(*arguments)
        Path("lib/other.py").write_text("x = 3\n")

    with monkeypatch.context() as patch:
        patch.setattr(scanning, "work", disturbed)
        run(*COMMAND)
    Path("lib/other.py").write_text("x = 1\n")
    assert run(*COMMAND)[0]


def test_nothing_is_kept_of_a_pass_that_runs_the_file(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry.load("undefined-lanes"), "runs_file", True)
    asked = (*COMMAND, "--passes", "undefined-lanes")
    run(*asked)
    assert run(*asked)[0]


def test_an_error_is_told_again(run: Any) -> None:
    Path("lib/broken.py").write_text("import triton\n@triton.jit\ndef (:\n")
    first, second = run(*COMMAND), run(*COMMAND)
    assert first[1:] == second[1:] and first[1] == 2 and "broken.py:3:5" in second[3]
    assert not second[0]
    missing = ("suggest", "lib", "missing.py")
    assert run(*missing)[0] and run(*missing)[0]


class Runs:
    """Would run a command when it is read."""

    def __reduce__(self) -> Any:
        return (os.system, ("touch ran",))


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"nonsense",
        zlib.compress(pickle.dumps(({}, 5))),
        zlib.compress(pickle.dumps(({}, [Runs()]))),
    ],
)
def test_a_damaged_answer_is_computed_again(run: Any, tmp_path: Path, damage: bytes) -> None:
    printed = run(*COMMAND)[1:]
    (answer,) = (tmp_path / "cache" / "answers").iterdir()
    answer.write_bytes(damage)
    assert run(*COMMAND) == (True, *printed)
    assert not Path("ran").exists()
    assert run(*COMMAND) == (False, *printed)


def test_a_directory_that_cannot_be_written_is_no_error(run: Any, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    assert run(*COMMAND)[1] == 1
    assert run(*COMMAND)[1] == 1


def test_answers_are_bounded_and_cleaned(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache" / "answers"
    run(*COMMAND)
    (first,) = folder.iterdir()
    os.utime(first, (1, 1))
    run(*COMMAND)  # used, so that it is not the oldest
    old = folder / "old"
    old.write_bytes(bytes(10))
    os.utime(old, (1, 1))
    monkeypatch.setattr(answers, "MOST_BYTES", 2 * first.stat().st_size + 9)
    run(*COMMAND, "--ignore", "licm")
    assert first in folder.iterdir() and old not in folder.iterdir()
    computed, code, out, _ = run("clean")
    assert (code, out.count("2 files deleted")) == (0, 1)
    assert not list(folder.iterdir())


def test_several_processes_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tritonopt", *COMMAND, "--format", "json"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    shown = [process.communicate()[0] for process in started]
    shown.append(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    assert len(set(shown)) == 1
    assert json.load(io.StringIO(shown[0]))["files"]
    assert len(list((tmp_path / "cache" / "answers").iterdir())) == 1
