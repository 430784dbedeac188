"""`tritonopt rewrite --verify`: only what was verified is kept."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tritonopt import install_command, verification
from tritonopt.cli.main import main
from tritonopt.verification import Verdict, VerificationError
from tritonopt.verification.verdict import Algebra

# max-to-where keeps the type and the bits; fuse-stats rounds differently.
TEXT = """\
import torch
import triton
import triton.language as tl


@triton.jit
def norm_kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    tl.store(Y + row, tl.sum(squares, axis=0) / N)


@triton.jit
def relu_kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + cols, tl.maximum(x, 0.0), mask=cols < N)
"""
PASSES = "--passes=fuse-stats,max-to-where"
GOOD = Verdict("equivalent", "interpreter", 9)
BAD = Verdict("counterexample", "interpreter", 3, counterexample="y[0]", script="print('it')\n")
UNKNOWN = Verdict("unsupported", "interpreter", 0, reason="no function launches it")


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Let every verification answer by what stands in the rewritten text; gives what was asked."""
    asked: list[dict[str, Any]] = []

    def install(decide: Any) -> list[dict[str, Any]]:
        def verify(original: Path, rewritten: Path, **options: Any) -> Verdict:
            asked.append(options)
            assert original.read_text() == TEXT
            answer = decide("shifted" in options["text"], "maximum(x" not in options["text"])
            if isinstance(answer, Exception):
                raise answer
            return answer

        monkeypatch.setattr(verification, "verify", verify)
        return asked

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(TEXT)
    return install


def written() -> tuple[bool, bool]:
    """Whether the fused sweeps and the where stand in the file now."""
    text = Path("a.py").read_text()
    return "shifted" in text, "maximum(x" not in text


def run(*options: str) -> int:
    return main(["rewrite", "a.py", PASSES, "--write", *options])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("same", "equivalent, the same algebra, on 9 examples"),
        ("different", "equivalent, not the same algebra (see tritonopt verify), on 9 examples"),
        ("not-applicable", "equivalent on 9 examples"),
    ],
)
def test_the_evidence_is_said(
    judge: Any, capsys: pytest.CaptureFixture[str], answer: str, said: str
) -> None:
    judge(lambda fused, where: replace(GOOD, algebra=Algebra(answer, 4, 1e-20)))
    assert run("--verify", "--backend=interpreter") == 0
    told = capsys.readouterr().err
    assert f"a.py: verified: {said}" in told
    tiers = "same algebra, same numbers" if answer == "same" else "same numbers"
    assert told.count(f"    evidence: {tiers}\n") == 2  # one for each site that passed


def test_what_was_verified_is_written(judge: Any, capsys: pytest.CaptureFixture[str]) -> None:
    asked = judge(lambda fused, where: GOOD)
    assert run("--verify", "--backend=interpreter", "--max-examples=7") == 0
    assert written() == (True, True)
    assert "a.py: verified: equivalent on 9 examples (interpreter)" in capsys.readouterr().err
    (options,) = asked
    assert (options["backend"], options["max_examples"]) == ("interpreter", 7)
    assert options["require"] == "equivalent"


def test_nothing_is_verified_unasked(judge: Any) -> None:
    asked = judge(lambda fused, where: BAD)
    assert run() == 0
    assert not asked and written() == (True, True)


def test_identical_bits_are_asked_for_where_they_are_promised(judge: Any) -> None:
    asked = judge(lambda fused, where: Verdict("identical", "interpreter", 9))
    assert main(["rewrite", "a.py", "--passes=max-to-where", "--verify"]) == 0
    assert [options["require"] for options in asked] == ["identical"]


def test_bits_that_the_original_does_not_keep_are_not_asked_for(judge: Any) -> None:
    answers = iter([UNKNOWN, GOOD])
    asked = judge(lambda fused, where: next(answers))
    assert main(["rewrite", "a.py", "--passes=max-to-where", "--verify"]) == 0
    assert [options["require"] for options in asked] == ["identical", "equivalent"]


def test_the_pass_that_fails_is_left_out(judge: Any, capsys: pytest.CaptureFixture[str]) -> None:
    judge(lambda fused, where: BAD if fused else GOOD)
    assert run("--verify") == 1
    assert written() == (False, True)
    said = capsys.readouterr().err
    assert "a.py: fuse-stats not applied, because the result is another function" in said
    assert "a bug in tritonopt" in said and "y[0]" in said
    assert Path("counterexample_a_fuse-stats.py").read_text() == "print('it')\n"


def test_passes_that_fail_together_only(judge: Any, capsys: pytest.CaptureFixture[str]) -> None:
    judge(lambda fused, where: BAD if fused and where else GOOD)
    assert run("--verify") == 1
    assert written() == (False, False)
    assert "fuse-stats, max-to-where not applied" in capsys.readouterr().err


@pytest.mark.parametrize("answer", [UNKNOWN, VerificationError("no function launches it")])
def test_what_cannot_be_verified_is_not_written(
    judge: Any, answer: object, capsys: pytest.CaptureFixture[str]
) -> None:
    judge(lambda fused, where: answer)
    assert run("--verify") == 1
    assert written() == (False, False)
    said = capsys.readouterr().err
    assert "could not be verified: no function launches it" in said and "defect" not in said


def test_without_write_only_the_verified_diff_is_shown(
    judge: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    judge(lambda fused, where: BAD if fused else GOOD)
    assert main(["rewrite", "a.py", PASSES, "--verify"]) == 1
    assert written() == (False, False)
    shown = capsys.readouterr().out
    assert "tl.where(x" in shown and "shifted" not in shown


def test_what_has_to_be_installed_is_said(
    monkeypatch: pytest.MonkeyPatch, judge: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    class Missing:
        def __getattr__(self, name: str) -> None:
            raise ModuleNotFoundError("no numpy", name="numpy")

    monkeypatch.setitem(sys.modules, "tritonopt.verification", Missing())  # type: ignore[arg-type]
    assert run("--verify") == 2
    assert install_command("verify") in capsys.readouterr().err
    assert written() == (False, False)


LIBRARY = """\
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y + cols, tl.maximum(x, 0.0), mask=cols < N)


def relu(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y
"""


def test_a_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / "one.py").write_text(LIBRARY)
    # Nothing launches this one, so its rewrite is dropped.
    alone = LIBRARY.partition("\n\ndef relu(")[0] + "\n"
    (folder / "alone.py").write_text(alone)
    (folder / "helper.py").write_text("x = 1\n")
    command = "rewrite src --passes max-to-where --write --verify --backend interpreter"
    effort = "--max-examples 3 --engine local --jobs 1"
    assert main([*command.split(), *effort.split()]) == 1
    said = capsys.readouterr().err
    assert said.endswith("; 1 file with changes dropped by --verify\n")
    rows = said[said.index("verdict  ") :].splitlines()[1:3]
    assert [row.split()[:3] for row in rows] == [
        ["dropped", "src/alone.py", "changes"],
        ["verified", "src/one.py", "identical,"],
    ]
    assert (folder / "alone.py").read_text() == alone
    assert "tl.maximum" not in (folder / "one.py").read_text()


MISTAKE = """\
import torch
import triton
import triton.language as tl


@triton.jit
def largest_kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    top = tl.max(x, axis=0)
    tl.store(Y + row, tl.maximum(top, -1.0))


def largest(x: torch.Tensor) -> torch.Tensor:
    m, n = x.shape
    assert x.dtype == torch.float32
    y = torch.empty((m,), device=x.device, dtype=torch.float32)
    largest_kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
"""
FIX = ["rewrite", "a.py", "--passes=undefined-lanes,max-to-where", "--write", "--verify"]
VALUES = "returned[0] is 0.0 in the original and -0.5 as rewritten"


@pytest.fixture
def mistake(judge: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let the fix give another value, and the rest what is asked of what it is compared with."""
    judge(None)
    Path("a.py").write_text(MISTAKE)
    fixed = MISTAKE.replace("cols < N)", 'cols < N, other=float("-inf"))')

    def install(wrong: Verdict, rest: Verdict) -> str:
        def verify(original: Path, rewritten: Path, **options: Any) -> Verdict:
            if options["original_text"] is None:
                return wrong
            assert options["original_text"] == fixed
            return rest

        monkeypatch.setattr(verification, "verify", verify)
        return fixed

    return install


def test_a_safe_fix_is_made_and_what_it_changes_is_said(
    mistake: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fixed = mistake(replace(BAD, values=VALUES), GOOD)
    assert main(FIX) == 0
    text = Path("a.py").read_text()
    assert "-inf" in text and "tl.maximum" not in text and text != fixed
    said = " ".join(capsys.readouterr().err.split())
    script = "counterexample_a_undefined-lanes.py"
    assert f"the original is wrong: {VALUES} ({script} shows it)" in said
    assert "(interpreter), compared with the original after undefined-lanes" in said
    assert said.count("evidence: same numbers") == 1
    assert Path(script).exists()


def test_a_safe_fix_stays_where_the_rest_is_left_out(
    mistake: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fixed = mistake(replace(BAD, values=VALUES, script=None), BAD)
    assert main([*FIX, "--no-script", "--format=json"]) == 1
    assert Path("a.py").read_text() == fixed
    found = json.loads(capsys.readouterr().out)
    assert found["files"][0]["fixed"] == {"undefined-lanes": VALUES}
    (left,) = found["summary"]["left_out"]["a.py"]
    assert left.startswith("a.py: max-to-where not applied") and not found["summary"]["errors"]
    assert not list(Path().glob("counterexample*"))


def test_a_fix_that_fails_is_left_out(mistake: Any, capsys: pytest.CaptureFixture[str]) -> None:
    mistake(BAD, GOOD)  # no value differs: the rewritten version alone cannot be run
    assert main(FIX) == 1
    assert Path("a.py").read_text() == MISTAKE
    assert "apply it without --verify" in capsys.readouterr().err


def test_a_fix_is_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(MISTAKE)
    assert main([*FIX, "--backend=interpreter", "--max-examples=3", "--script=shown"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "results differ, because the original is wrong: returned[0] is 0.0 in the" in said
    assert "compared with the original after undefined-lanes" in said
    assert "-inf" in Path("a.py").read_text()
    assert [p.name for p in Path("shown").iterdir()] == ["counterexample_a_undefined-lanes.py"]


def test_a_folder_that_cannot_be_written(
    judge: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    judge(lambda fused, where: BAD)
    here, gone = Path.cwd(), Path("gone")
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone = here / "gone"
    gone.rmdir()
    monkeypatch.setattr(tempfile, "tempdir", str(here))
    assert main(["rewrite", f"{here}/a.py", "--passes=max-to-where", "--verify"]) == 1
    (script,) = here.glob("tritonopt-*/counterexample_a_max-to-where.py")
    assert str(script) in capsys.readouterr().err


def test_an_engine_has_something_to_verify(judge: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rewrite", "a.py", "--engine=local"]) == 2
    assert "--engine needs --verify" in capsys.readouterr().err


def test_an_engine_that_cannot_be_had(
    judge: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    judge(lambda fused, where: GOOD)
    assert run("--verify", "--engine=ray") == 2
    assert "[ray]'" in capsys.readouterr().err
    assert written() == (False, False)


def test_what_changes_meanwhile_is_left(judge: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def meddle(fused: bool, where: bool) -> Verdict:
        Path("a.py").write_text("# somebody else was here\n")
        return GOOD

    judge(meddle)
    assert run("--verify") == 2
    assert Path("a.py").read_text() == "# somebody else was here\n"
    assert "has changed since it was read" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["numpy", "hypothesis"])
def test_without_what_it_needs(missing: str, tmp_path: Path) -> None:
    # In a process of its own: here all of it has been imported.
    (tmp_path / "a.py").write_text(TEXT)
    program = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from tritonopt.cli.main import main\n"
        f"sys.exit(main(['rewrite', 'a.py', '--write', '--verify', {PASSES!r}]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    expected = f"tritonopt: error: --verify needs {missing}: pip install -e '{ROOT}[verify]'\n"
    assert done.stderr == expected
    assert (tmp_path / "a.py").read_text() == TEXT
