"""`tritonopt facts FILE[:KERNEL]`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonopt.cli.main import main
from tritonopt.reporting import text

FILE = """\
import triton
import triton.language as tl


@triton.jit
def first(X, N):
    tl.store(X, N)


class Holder:
    @triton.jit
    def second(X, Y):
        tl.store(X, tl.load(Y))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "k.py"
    path.write_text(FILE)
    return path


def test_all_kernels_without_a_name(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["facts", str(file)]) == 0
    out = capsys.readouterr().out
    assert "first" in out and "Holder.second" in out


@pytest.mark.parametrize("name", ["second", "Holder.second"])
def test_one_kernel(file: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["facts", f"{file}:{name}"]) == 0
    out = capsys.readouterr().out
    assert "first" not in out and "second" in out


NAMED = """\
import triton
import triton.language as tl


@triton.jit
def named(X, N, stride, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * stride + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=tl.arange(0, BLOCK) < N, other=0.0).to(tl.float32)
    tl.store(X + cols, x * x * x)
    y = x * x + tl.sum(x, axis=0) * x * stride + x
"""


def test_named_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.py"
    path.write_text(NAMED)
    assert main(["facts", str(path)]) == 0
    out = capsys.readouterr().out
    assert "       7  cols  [BLOCK]  ?           program_id(0)*stride + arange(0, BLOCK)\n" in out
    assert (
        "       8  x     [BLOCK]  fp32        X[program_id(0)*stride + arange(0, BLOCK)] where"
        in out
    )
    assert " ...\n" in out
    assert main(["facts", str(path), "--full"]) == 0
    assert "..." not in capsys.readouterr().out


@pytest.mark.parametrize("columns", [80, 120])
def test_on_a_terminal_values_stay_in_their_column(
    tmp_path: Path, columns: int, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.py"
    path.write_text(NAMED)
    style = text.Style(False, columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text.Style, "of", lambda _: style)
        assert main(["facts", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = lines[next(i for i, line in enumerate(lines) if line.startswith("    line  ")) :]
    place = table[0].index("value")
    assert len(table) > 4
    for line in table:
        assert len(line) <= columns
        assert line[place] != " " and line[place - 1] == " "


def test_a_file_with_a_colon_in_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a:b.py"
    path.write_text(FILE)
    assert main(["facts", str(path)]) == 0
    assert main(["facts", f"{path}:first"]) == 0
    assert "first" in capsys.readouterr().out


def test_bad_input(tmp_path: Path, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def error(*arguments: str) -> str:
        assert main(["facts", *arguments]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        return err

    assert "no kernel 'secnd'; did you mean Holder.second?" in error(f"{file}:secnd")
    assert "no kernel 'q'; there are first, Holder.second" in error(f"{file}:q")
    assert "does not exist" in error(str(tmp_path / "nowhere.py"))
    assert "is a directory" in error(str(tmp_path))
    assert "is not a Python expression" in error(str(file), "--assume", "N ==")
    (tmp_path / "broken.py").write_text("def f(:\n")
    assert "broken.py:1:7: " in error(str(tmp_path / "broken.py"))
    (tmp_path / "plain.py").write_text("x = 1\n")
    assert "no kernels" in error(str(tmp_path / "plain.py"))
