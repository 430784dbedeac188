"""`tritonopt new-pass`: what it lays out is a pass as it stands, or nothing is written."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

import pytest

import tritonopt.passes
from tests import test_architecture
from tests.passes import test_cases, test_documentation
from tests.passes.cases import Case, all_cases
from tritonopt import source
from tritonopt.cli import new_pass
from tritonopt.cli.main import main
from tritonopt.rewriting import registry

Captured = pytest.CaptureFixture[str]
NAME = "drop-plus-zero"
ENTRY = 'drop-plus-zero = "tritonopt.passes.drop_plus_zero:DropPlusZero"'


@pytest.fixture
def checkout(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As much of a checkout as a new pass needs, with the real pyproject.toml."""
    (tmp_path / "passes").mkdir()
    (tmp_path / "tests" / "passes").mkdir(parents=True)
    shutil.copy(root / "pyproject.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def laid_out(checkout: Path, capsys: Captured) -> Path:
    assert main(["new-pass", NAME]) == 0, capsys.readouterr().err
    return checkout


@pytest.fixture
def installed(laid_out: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """As `pip install -e .` would have it: found by the entry point that was written."""
    home = [*tritonopt.passes.__path__, str(laid_out / "passes")]
    monkeypatch.setattr(tritonopt.passes, "__path__", home)
    (line,) = re.findall(rf"^{NAME} = .*$", (laid_out / "pyproject.toml").read_text(), re.MULTILINE)
    entry = metadata.EntryPoint(NAME, line.partition(" = ")[2].strip('"'), registry.GROUP)
    monkeypatch.setattr(registry, "_entries", lambda: {NAME: entry})
    registry.catalog.cache_clear()
    yield laid_out
    registry.catalog.cache_clear()
    sys.modules.pop("tritonopt.passes.drop_plus_zero", None)


def case(checkout: Path, stem: str) -> Case:
    found = all_cases(checkout / "tests" / "passes")
    return next(one for one in found if one.stem == stem)


def everything(checkout: Path) -> dict[str, bytes]:
    """Each file and each folder below, with what is in it."""
    return {
        str(path.relative_to(checkout)): path.read_bytes() if path.is_file() else b""
        for path in checkout.rglob("*")
    }


def test_what_is_laid_out(checkout: Path, capsys: Captured) -> None:
    before = everything(checkout)
    assert main(["new-pass", NAME]) == 0
    after = everything(checkout)
    assert {*after} - {*before} == {
        "passes/drop_plus_zero.py",
        "tests/passes/drop-plus-zero",
        "tests/passes/drop-plus-zero/not_applied.py",
        "tests/passes/drop-plus-zero/rewritten.diff",
        "tests/passes/drop-plus-zero/rewritten.py",
    }
    assert {path for path in before if before[path] != after[path]} == {"pyproject.toml"}
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "wrote passes/drop_plus_zero.py"
    assert "wrote pyproject.toml" in lines


def test_what_is_next(laid_out: Path, root: Path, capsys: Captured) -> None:
    assert main(["new-pass", "another-one"]) == 0
    lines = capsys.readouterr().out.rpartition("next: ")[2].splitlines()
    assert lines[0] == f"{shlex.quote(sys.executable)} -m pip install -e ."
    assert "      write the cases: a kernel" in "\n".join(lines)
    named = re.findall(r"(?:tests|tritonopt|docs)/[\w./]*|tests/docs", "\n".join(lines))
    assert "tritonopt/checks/reasons.py" in named and "tests/passes/test_pass_pairs.py" in named
    assert not [name for name in named if not (root / name).exists()]


def test_it_can_be_run_from_a_folder_inside(
    checkout: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout / "tests" / "passes")
    assert main(["new-pass", NAME]) == 0
    assert "wrote ../../passes/drop_plus_zero.py" in capsys.readouterr().out


# It passes the tests of cases, of documentation and of the house, and the linter, as it stands.


def test_its_cases_come_out_as_they_say(installed: Path) -> None:
    test_cases.test_rewritten_as_expected(case(installed, "first_element"))
    test_cases.test_twice_is_once(case(installed, "first_element"))
    test_cases.test_left_alone_as_expected(case(installed, "comment_inside"))
    test_cases.test_left_alone_as_expected(case(installed, "helper_stores"))


def test_its_case_gives_the_same_answer(installed: Path, tmp_path: Path) -> None:
    test_cases.test_same_answer(case(installed, "first_element"), tmp_path)


def test_its_page_is_true_and_complete(installed: Path) -> None:
    test_documentation.test_the_example_is_real(NAME)
    test_architecture.test_a_pass_has_a_manual_page_and_a_proper_name(NAME)


def test_a_heading_that_is_missing_is_named(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = registry.catalog()[NAME]
    monkeypatch.setattr(found, "__doc__", (found.__doc__ or "").replace("## Why\n", ""))
    with pytest.raises(AssertionError, match="^heading `## Why` is missing"):
        test_architecture.test_a_pass_has_a_manual_page_and_a_proper_name(NAME)


def test_its_page_can_be_read(installed: Path, capsys: Captured) -> None:
    assert main(["explain", NAME]) == 0
    assert f"# {NAME}\n\nDrop the `+ 0`" in capsys.readouterr().out


def checked(checkout: Path, root: Path, *command: str) -> str:
    """What a checker has to say of the files, with the settings of the repository."""
    files = sorted((checkout / "passes").glob("*.py"))
    done = subprocess.run(
        [sys.executable, "-m", *command, *map(str, files)], cwd=root, capture_output=True, text=True
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize("command", [("check",), ("format", "--check")], ids=["lint", "format"])
def test_ruff_has_nothing_to_say(laid_out: Path, root: Path, command: tuple[str, ...]) -> None:
    settings = str(root / "pyproject.toml")
    assert not checked(laid_out, root, "ruff", *command, "--config", settings)


@pytest.mark.slow
def test_mypy_has_nothing_to_say(laid_out: Path, root: Path) -> None:
    assert not checked(laid_out, root, "mypy", "--strict")


def test_it_rewrites_an_address_and_nothing_else(installed: Path) -> None:
    text = """\
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N):
    x = tl.load(X + 0) + 0
    y = tl.load(X + N) + tl.load(N + X) + tl.load(X + 0.0)
    tl.store(Y + 0, x + 0, mask=y + 0 > 0)
"""
    result = tritonopt.rewrite_source(text, passes=NAME)
    assert result.text == text.replace("(X + 0)", "(X)").replace("(Y + 0,", "(Y,")


# The entry point


TABLE = '[project.entry-points."tritonopt.passes"]\n'
OTHER_QUOTES = "[project.entry-points.'tritonopt.passes']\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{TABLE}a = 'x'\nz = 'y'\n\n[t]\n", f"{TABLE}a = 'x'\n{ENTRY}\nz = 'y'\n\n[t]\n"),
        (f"{TABLE}a = 'x'\n\n[t]\n", f"{TABLE}a = 'x'\n{ENTRY}\n\n[t]\n"),
        (f"{TABLE}z = 'y'\n", f"{TABLE}{ENTRY}\nz = 'y'\n"),
        (f"{TABLE}\n[t]\nb = 1\n", f"{TABLE}{ENTRY}\n\n[t]\nb = 1\n"),
        (f"{TABLE}# those\n\"a\"='x' # one", f"{TABLE}# those\n\"a\"='x' # one\n{ENTRY}\n"),
        (f"{TABLE}a = 'x'\n\n".replace("\n", "\r\n"), f"{TABLE}a = 'x'\n{ENTRY}\n\n"),
        (OTHER_QUOTES, f"{OTHER_QUOTES}{ENTRY}\n"),
    ],
    ids=["between", "last", "first", "empty", "no line end", "line ends of DOS", "quotes"],
)
def test_the_entry_point_stands_in_its_place(checkout: Path, before: str, after: str) -> None:
    (checkout / "pyproject.toml").write_bytes(before.encode())
    assert main(["new-pass", NAME]) == 0
    line_end = "\r\n" if "\r" in before else "\n"
    assert (checkout / "pyproject.toml").read_bytes().decode() == after.replace("\n", line_end)


# What is refused, with nothing written


def refused(checkout: Path, capsys: Captured, *names: str) -> str:
    before = everything(checkout)
    assert main(["new-pass", *names]) == 2
    assert everything(checkout) == before
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1
    return err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "DropZero",
            ("'DropZero' is not a valid name of a pass: write it in kebab-case, as in drop-zero"),
        ),
        (
            "drop_zero",
            ("'drop_zero' is not a valid name of a pass: write it in kebab-case, as in drop-zero"),
        ),
        ("../x", "'../x' is not a valid name of a pass: write it in kebab-case, as in x"),
        ("-", "is not a valid name of a pass"),
        ("8-rows", "'8-rows' is not a valid name of a pass: write it in kebab-case\n"),
        ("all", "'all' already has another meaning: use two words"),
        ("lambda", "'lambda' already has another meaning: use two words"),
        ("site", "'site' already has another meaning: use two words"),
        ("fuse-stats", "there is a pass 'fuse-stats' already; choose another name"),
    ],
)
def test_what_is_no_name(checkout: Path, capsys: Captured, name: str, message: str) -> None:
    assert message in refused(checkout, capsys, "--", name)


def test_no_file_is_overwritten(checkout: Path, capsys: Captured) -> None:
    written = checkout / "passes" / "drop_plus_zero.py"
    written.write_text("mine")
    assert f"{written}:1:1: already exists" in refused(checkout, capsys, NAME)
    written.unlink()
    cases = checkout / "tests" / "passes" / NAME
    cases.mkdir()
    assert f"{cases}:1:1: already exists" in refused(checkout, capsys, NAME)


def test_an_entry_point_of_that_name(checkout: Path, capsys: Captured) -> None:
    path = checkout / "pyproject.toml"
    path.write_text(f"{TABLE}{ENTRY}\n")
    assert f"{path}:2:1: there is a pass 'drop-plus-zero' already" in refused(
        checkout, capsys, NAME
    )


@pytest.mark.parametrize("missing", ["passes", "tests/passes", "pyproject.toml"])
def test_outside_of_a_checkout(checkout: Path, capsys: Captured, missing: str) -> None:
    (checkout / missing).rename(checkout / "away")
    assert f"{checkout}: is not in a checkout of tritonopt" in refused(checkout, capsys, NAME)


def test_a_pyproject_that_cannot_be_read(checkout: Path, capsys: Captured) -> None:
    path = checkout / "pyproject.toml"
    path.write_bytes(b"# caf\xe9\n" + path.read_bytes())
    assert f"{path}:1:6: not UTF-8" in refused(checkout, capsys, NAME)


def test_in_the_checkout_of_another_package(checkout: Path, capsys: Captured) -> None:
    (checkout / "pyproject.toml").write_text('[project]\nname = "other"\n')
    assert "is not in a checkout of tritonopt" in refused(checkout, capsys, NAME)


def breaks(error: Exception) -> Callable[..., None]:
    def broken(*_: object) -> None:
        raise error

    return broken


def test_nothing_is_left_where_not_all_can_be_written(
    checkout: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = source.SourceError("pyproject.toml", 0, 0, "has changed")
    monkeypatch.setattr(new_pass.source, "write_file", breaks(changed))
    assert "pyproject.toml: has changed" in refused(checkout, capsys, NAME)


def test_a_full_disk_is_an_error_with_its_place(
    checkout: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OSError(28, "No space left on device", "pass.py")
    monkeypatch.setattr(new_pass, "_put", breaks(full))
    assert "pass.py:1:1: cannot be written: No space left on device" in refused(
        checkout, capsys, NAME
    )


def test_interrupted_in_the_middle(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything(checkout)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(new_pass.source, "write_file", interrupted)
    assert main(["new-pass", NAME]) == 130
    assert everything(checkout) == before
