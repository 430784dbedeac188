"""When there is no answer, and why: never a silent yes."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from tritonopt.verification import Verdict, VerificationError, verify
from tritonopt.verification.tasks import read_module

_HEAD = """
import torch
import triton
import triton.language as tl
"""


def _copy(body: str, block: int = 16) -> str:
    """A file whose kernel has this body, on x and y of n elements."""
    return f"""{_HEAD}
@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    o = pid * BLOCK + tl.arange(0, BLOCK)
{textwrap.indent(textwrap.dedent(body), "    ")}

def launch(x: torch.Tensor):
    (n,) = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, {block}),)](x, y, n, BLOCK={block})
    return y
"""


_PLAIN = _copy("tl.store(y + o, tl.load(x + o, mask=o < n), mask=o < n)")


def test_a_kernel_that_writes_nothing_is_not_verified(of_texts: Callable[..., Verdict]) -> None:
    text = _copy("v = tl.load(x + o, mask=o < n)")
    verdict = of_texts(text, text)
    assert verdict.verdict == "unsupported"
    assert verdict.reason is not None and "no kernel changed any memory" in verdict.reason


def test_what_is_written_may_be_what_was_there(of_texts: Callable[..., Verdict]) -> None:
    """A flag that is always set: memory that nobody wrote holds one that is set, too."""
    text = _copy("tl.store(y + o, tl.load(x + o, mask=o < n) == o + 0.5, mask=o < n)")
    old = text.replace("empty_like(x)", "empty_like(x, dtype=torch.bool)").replace("==", "!=")
    verdict = of_texts(old, old.replace("o + 0.5", "0.5 + o"), max_examples=1)
    assert verdict.verdict == "identical", verdict.reason
    wrong = of_texts(old, old.replace("mask=o < n)\n", "mask=o < n - 1)\n"), max_examples=1)
    assert wrong.verdict == "counterexample", wrong.reason


def test_the_same_text_is_identical(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(_PLAIN, _PLAIN, max_examples=5)
    assert verdict.verdict == "identical"
    assert verdict.backend.startswith("interpreter") and "triton" in verdict.backend
    assert verdict.examples > 0 and verdict.worst_error is None


UNSUPPORTED = {
    "the order of its programs": """
        left = tl.load(x + o - 1, mask=(o > 0) & (o < n), other=0.0)
        v = tl.load(x + o, mask=o < n)
        tl.store(x + o, v + left, mask=o < n)
        tl.store(y + o, v, mask=o < n)""",
    "uninitialized memory": """
        v = tl.load(y + o, mask=o < n)
        tl.store(y + o, v + 1, mask=o < n)""",
    "writes outside of its memory": "tl.store(y + o, tl.load(x + o, mask=o < n))",
}


@pytest.mark.parametrize("reason", UNSUPPORTED)
def test_an_original_that_is_broken_is_reported(
    reason: str, of_texts: Callable[..., Verdict]
) -> None:
    text = _copy(UNSUPPORTED[reason])
    verdict = of_texts(text, text)
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None and reason in verdict.reason


def test_masked_lanes_that_matter_to_the_original_are_noted(
    of_texts: Callable[..., Verdict],
) -> None:
    text = _copy("""
        v = tl.load(x + o, mask=o < n)
        tl.store(y + o, v + tl.sum(v, axis=0), mask=o < n)""")
    verdict = of_texts(text, text)
    assert verdict.verdict == "identical", verdict
    assert any("inactive lanes" in note for note in verdict.notes)


def test_a_single_masked_lane_reads_the_zero_that_was_asked_for(
    of_texts: Callable[..., Verdict],
) -> None:
    one = _copy("""
        v = tl.load(x + n, mask=n < 0, other=0.0)
        tl.store(y + o, tl.load(x + o, mask=o < n, other=1.0), mask=o < n)""")
    # Not added: that would lose the sign of -0.0.
    kept = "tl.where(v == 0.0, tl.load(x + o, o < n, 1.0), 7.0)"
    other = one.replace("tl.load(x + o, mask=o < n, other=1.0)", kept)
    verdict = of_texts(one, other, args="x: f32[n]", max_examples=3)
    assert verdict.verdict == "identical", verdict


def test_identical_is_asked_for(of_texts: Callable[..., Verdict]) -> None:
    one = _copy("tl.store(y + o, tl.load(x + o, mask=o < n) * 3.0 / 7.0, mask=o < n)")
    other = _copy("tl.store(y + o, tl.load(x + o, mask=o < n) * (3.0 / 7.0), mask=o < n)")
    verdict = of_texts(one, other, args="x: f32[n]")
    assert verdict.verdict == "equivalent", verdict
    assert verdict.worst_error is not None and verdict.worst_error < 1e-6
    verdict = of_texts(one, other, args="x: f32[n]", require="identical")
    assert verdict.verdict == "counterexample"
    assert verdict.counterexample is not None
    for part in ("x = f32[", "seed", "first differing index", "original:", "rewritten:"):
        assert part in verdict.counterexample


def test_bfloat16_is_computed_and_rounded(of_texts: Callable[..., Verdict]) -> None:
    load = "v = tl.load(x + o, mask=o < n, other=0.0)\n"
    one = _copy(f"{load}tl.store(y + o, (v * v + 1.0) * (v - 3.0), mask=o < n)")
    wide = _copy(f"{load}v = v.to(tl.float32)\ntl.store(y + o, v * v + 2.0, mask=o < n)")
    given = {"args": "x: bf16[n]", "max_examples": 4}
    assert of_texts(one, one, **given).verdict == "identical"
    assert of_texts(one, wide, **given).verdict == "counterexample"
    # The sum of two is rounded once, whichever way it is written.
    sums = _copy(f"{load}tl.store(y + o, v + tl.max(v, axis=0), mask=o < n)")
    same = sums.replace(
        "v + tl.max(v, axis=0)",
        "(v.to(tl.float32) + tl.max(v.to(tl.float32), axis=0)).to(tl.bfloat16)",
    )
    assert of_texts(sums, same, **given).verdict == "identical"


def test_float64_is_kept_where_the_original_keeps_it(of_texts: Callable[..., Verdict]) -> None:
    one = _copy("tl.store(y + o, tl.load(x + o, mask=o < n) * 3.0, mask=o < n)")
    other = one.replace("mask=o < n) * 3.0", "mask=o < n).to(tl.float32) * 3.0")
    assert of_texts(one, other, max_examples=3).verdict == "counterexample"
    # Computed in float32 by both, it may round as float32 does.
    third = other.replace("* 3.0", "* 6.0 / 2.0")
    assert of_texts(other, third, max_examples=3).verdict in ("identical", "equivalent")


REFUSED = {
    "`if` on a block": "m = (o < n) if (o >= 0) else (o < 0)",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_the_interpreter_gets_wrong_is_refused(
    reason: str, of_texts: Callable[..., Verdict]
) -> None:
    text = _copy(f"{REFUSED[reason]}\ntl.store(y + o, tl.load(x + o, mask=o < n), mask=m)")
    verdict = of_texts(text, text, max_examples=2)
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None and reason in verdict.reason


def test_and_or_not_are_the_compilers(of_texts: Callable[..., Verdict]) -> None:
    store = "tl.store(y + o, tl.load(x + o, mask=o < n), mask=m)"
    one = _copy(f"assert o < 3\nm = not (o >= n) and (o > 2 or o < 1) and BLOCK > 0\n{store}")
    same = _copy(f"m = (o < n) & ((o > 2) | (o < 1))\n{store}")
    assert of_texts(one, same, max_examples=3).verdict == "identical"
    # What Python's `and` makes of it.
    other = _copy(f"m = (o > 2) & (o < n)\n{store}")
    assert of_texts(one, other, max_examples=3).verdict == "counterexample"


def test_a_launch_that_does_nothing_without_a_word(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(
        _PLAIN, _PLAIN.replace("cdiv(n, 16),)", "cdiv(n, 16), 65536, 65536)"), max_examples=2
    )
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None
    assert "NothingLaunched" in verdict.counterexample and "32 bits" in verdict.counterexample


def test_rows_that_should_be_zero_have_errors_of_their_own(
    of_texts: Callable[..., Verdict],
) -> None:
    one = _copy("tl.store(y + o, tl.load(x + o, mask=o < n) * 0.0, mask=o < n)")
    verdict = of_texts(one, one.replace("* 0.0", "* 0.0 + 1e-3"), args="x: f32[n]", max_examples=2)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None
    assert "0.001, where the original's is 0, in a row that is 0" in verdict.counterexample
    assert verdict.worst_error == 0.0


def test_a_launcher_that_rejects_everything(of_texts: Callable[..., Verdict]) -> None:
    text = _PLAIN.replace("    y = torch", "    raise RuntimeError('not today')\n    y = torch")
    verdict = of_texts(text, text)
    assert verdict.verdict == "unsupported"
    assert verdict.reason is not None and "not today" in verdict.reason
    assert verdict.discarded > 0


def test_a_crash_is_attributed(of_texts: Callable[..., Verdict]) -> None:
    crash = _PLAIN.replace(
        "    y = torch", "    import os; os.kill(os.getpid(), 11)\n    y = torch"
    )
    verdict = of_texts(_PLAIN, crash, max_examples=2)
    assert verdict.verdict == "counterexample"
    assert verdict.counterexample is not None and "SIGSEGV" in verdict.counterexample


def test_a_rewrite_that_cannot_be_imported(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(_PLAIN, _PLAIN + "\nraise ValueError('broken')\n")
    assert verdict.verdict == "counterexample"
    assert verdict.counterexample is not None and "broken" in verdict.counterexample


def test_a_file_that_ends_the_process_when_it_is_imported(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(_PLAIN + "\nimport sys\nsys.exit(3)\n", _PLAIN)
    assert verdict.verdict == "unsupported"
    assert verdict.reason is not None and "sys.exit(3)" in verdict.reason
    assert 'put that under `if __name__ == "__main__":`' in verdict.reason


def test_memory_that_only_the_rewritten_version_needs(of_texts: Callable[..., Verdict]) -> None:
    huge = _PLAIN.replace("    y = torch", "    torch.empty(2**45)\n    y = torch")
    verdict = of_texts(_PLAIN, huge, args="x: f32[n]", max_examples=1)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None and "OutOfMemoryError" in verdict.counterexample


def test_an_original_that_runs_on_empty_tensors_only(of_texts: Callable[..., Verdict]) -> None:
    broken = _PLAIN.replace("    o = pid", "    undefined_name\n    o = pid")
    verdict = of_texts(broken, broken.replace("undefined_name", "another_name"))
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None and "undefined_name" in verdict.reason


def test_what_was_compared_is_counted(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(_PLAIN, _PLAIN, args="x: f32[16]", max_examples=2)
    assert verdict.verdict == "identical"
    assert verdict.written > 0 and verdict.compared >= 2 * verdict.written


def test_files_in_the_encoding_that_they_declare(tmp_path: Path) -> None:
    found = []
    for name, start, encoding in (
        ("latin.py", "# -*- coding: latin-1 -*-\n# caf\xe9\n", "latin-1"),
        ("marked.py", "", "utf-8-sig"),
    ):
        (tmp_path / name).write_text(start + _PLAIN, encoding=encoding)
        found.append(read_module(tmp_path / name).text)
    assert found[1] == _PLAIN and "caf\xe9" in found[0]
    (tmp_path / "broken.py").write_bytes(b"# caf\xe9\n")
    with pytest.raises(VerificationError, match=r"broken\.py: .*save the file as UTF-8"):
        read_module(tmp_path / "broken.py")


def test_a_text_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "marked.py").write_text("\ufeff" + _PLAIN, encoding="utf-8")
    given = tmp_path / "marked.py", tmp_path / "changed.py"
    verdict = verify(*given, text="\ufeff" + _PLAIN, backend="interpreter", max_examples=3)
    assert verdict.verdict == "identical", verdict


def test_relative_imports_and_the_name_of_the_module(tmp_path: Path) -> None:
    package = tmp_path / "mypackage"
    package.mkdir()
    (package / "__init__.py").write_text("from .kernel import launch\n")
    (package / "helper.py").write_text("SIZE = 16\n")
    text = _PLAIN.replace("    (n,) = x.shape", "    from .helper import SIZE\n    (n,) = x.shape")
    text += "\nassert __name__ == 'mypackage.kernel' and __file__.endswith('kernel.py')\n"
    (package / "kernel.py").write_text(text)
    (tmp_path / "elsewhere.py").write_text(text)
    verdict = verify(
        package / "kernel.py", tmp_path / "elsewhere.py", backend="interpreter", max_examples=3
    )
    assert verdict.verdict == "identical", verdict


def test_nothing_is_left_behind(
    of_texts: Callable[..., Verdict], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    of_texts(_PLAIN, _PLAIN, max_examples=2)
    assert {p.name for p in tmp_path.iterdir()} <= {"kernel.py", "rewritten.py", "__pycache__"}


MISTAKES = {
    "has no launcher `lunch`. Did you mean `--launcher launch`?": {"launcher": "lunch"},
    "has no parameter `z`": {"args": "x: f32[n], z: f32[n]"},
    "column 4: expected a type": {"args": "x: f23[n]"},
    "write one of auto, interpreter, cuda": {"backend": "gpu"},
}


@pytest.mark.parametrize("message", MISTAKES)
def test_what_the_user_did_wrong_is_said(message: str, of_texts: Callable[..., Verdict]) -> None:
    with pytest.raises(VerificationError) as raised:
        of_texts(_PLAIN, _PLAIN, **MISTAKES[message])
    assert message in str(raised.value)


def test_a_file_without_launcher(of_texts: Callable[..., Verdict]) -> None:
    with pytest.raises(VerificationError, match="no function launches kernel"):
        of_texts(_PLAIN.partition("def launch")[0], _PLAIN)


def test_a_missing_file_and_a_missing_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(VerificationError, match="there is no such file"):
        verify(tmp_path / "none.py", tmp_path / "none.py")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(VerificationError, match=r"pip install .*\[verify\]'"):
        verify(tmp_path / "none.py", tmp_path / "none.py")


@pytest.mark.gpu
@pytest.mark.parametrize("subject", ["layer_norm", "softmax", "add", "column_sum", "autograd"])
def test_the_gpu_says_the_same(subject: str, against: Callable[..., Verdict]) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch finds no GPU: the cuda backend was NOT tested")
    verdict = against(subject, backend="cuda", max_examples=20)
    assert verdict.verdict == "identical", verdict
    assert verdict.backend.startswith("cuda: ")


def test_what_is_too_large_to_be_compared_is_not_compared(of_texts: Callable[..., Verdict]) -> None:
    """Two sizes that have nothing to do with each other may make a result of any size."""
    text = _PLAIN.replace(
        "    y = torch.empty_like(x)\n",
        "    y = torch.empty_like(x)\n    torch.empty((n**2, n**2), device=x.device)\n",
    )
    assert text != _PLAIN
    verdict = of_texts(
        text, text.replace("mask=o < n), mask=", "mask=(o < n)), mask="), max_examples=24
    )
    assert verdict.verdict == "identical", verdict
    assert any("did not fit the memory" in note for note in verdict.notes)


_ROWS_FIRST = """
import torch
import triton
import triton.language as tl

@triton.jit
def add_one(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, x + 1, mask=cols < N)

def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty((m, n), device=x.device)
    add_one[(m, triton.cdiv(n, 64))](x, y, n, BLOCK=64)
    return y
"""


def test_a_grid_that_cuda_refuses(of_texts: Callable[..., Verdict]) -> None:
    """No such call is run: the grid alone is looked at."""
    columns_first = (
        _ROWS_FIRST.replace("program_id(0)", "program_id(2)")
        .replace("program_id(1)", "program_id(0)")
        .replace("program_id(2)", "program_id(1)")
        .replace("(m, triton.cdiv(n, 64))", "(triton.cdiv(n, 64), m)")
    )
    verdict = of_texts(_ROWS_FIRST, columns_first, max_examples=4)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None
    assert "x = f32[65536, 1]" in verdict.counterexample
    assert "at most 65535" in verdict.counterexample


def test_a_grid_that_cuda_refuses_of_the_original_too(of_texts: Callable[..., Verdict]) -> None:
    tiles = _ROWS_FIRST.replace("(m, triton.cdiv(n, 64))", "(1, m, triton.cdiv(n, 64))").replace(
        "program_id(1)", "program_id(2)"
    )
    tiles = tiles.replace("program_id(0)", "program_id(1)")
    again = tiles.replace("(1, m,", "(2, m,").replace(
        "tl.store(Y + row * N + cols, x + 1, mask=cols < N)",
        "tl.store(Y + row * N + cols, x + 1, mask=(cols < N) & (tl.program_id(0) == 0))",
    )
    verdict = of_texts(tiles, again, max_examples=4)
    assert verdict.verdict == "identical", verdict
    assert any("too large for a GPU" in note for note in verdict.notes)
