"""`tritonopt verify`: what is asked of the verification, and how its answer is told."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tritonopt import reporting, verification
from tritonopt.cli.main import main
from tritonopt.verification import Progress, Verdict, VerificationError, run
from tritonopt.verification.verdict import Algebra, Cheat, Speed

SCALE = """\
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    x = tl.load(X + offsets, mask=mask, other=0.0)
    tl.store(Y + offsets, x * 2, mask=mask)


def scale(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    scale_kernel[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y
"""


class Asked:
    """Stands for the verification: keeps what it was asked, and gives a made-up answer."""

    def __init__(self, answer: Verdict | Exception) -> None:
        self.answer = answer
        self.arguments: tuple[Any, ...] = ()
        self.options: dict[str, Any] = {}

    def __call__(self, *arguments: Any, progress: Any, **options: Any) -> Verdict:
        self.arguments, self.options = arguments, options
        progress(Progress("scale", 1, 2, "examples", "interpreter", 0.1))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Decide what the verification answers."""

    def decide(given: Verdict | Exception) -> Asked:
        asked = Asked(given)
        monkeypatch.setattr(verification, "verify", asked)
        return asked

    return decide


EQUIVALENT = Verdict("equivalent", "interpreter", 9, 1, 2.5e-7, 1e-7, notes=("a note",))
DIFFERENT = Verdict("counterexample", "cuda", 3, counterexample="import torch\n", reason="y[0]")
UNKNOWN = Verdict("unsupported", "interpreter", 0, reason="bf16 arithmetic")


def test_what_is_asked(answer: Any) -> None:
    asked = answer(EQUIVALENT)
    assert main(["verify", "a.py", "b.py"]) == 0
    assert asked.arguments == ("a.py", "b.py")
    assert asked.options == {
        "launcher": None,
        "kernel": None,
        "grid": None,
        "args": None,
        "about": None,
        "assume": [],
        "assume_covered": False,
        "algebra": True,
        "backend": "auto",
        "require": "equivalent",
        "max_examples": 100,
        "seed": 0,
        "budget": None,
        "text": None,
        "command": [],
        "untrusted": False,
    }
    command = "verify a.py b.py --launcher scale --args x:f32[n] --backend cuda --require identical"
    main([*command.split(), "--max-examples", "7", "--seed", "5"])
    assert asked.options == {
        "launcher": "scale",
        "kernel": None,
        "grid": None,
        "args": "x:f32[n]",
        "about": None,
        "assume": [],
        "assume_covered": False,
        "algebra": True,
        "backend": "cuda",
        "require": "identical",
        "max_examples": 7,
        "seed": 5,
        "budget": None,
        "text": None,
        "command": [],
        "untrusted": False,
    }
    main(["verify", "a.py", "b.py", "--quick"])
    assert asked.options["max_examples"] == 10
    command = "verify a.py b.py --kernel k --grid cdiv(n,64) --args x:f32[n]"
    main([*command.split(), "--", "pytest", "--", "-k", "x"])
    assert (asked.options["kernel"], asked.options["grid"]) == ("k", "cdiv(n,64)")
    assert asked.options["command"] == ["pytest", "--", "-k", "x"]


def test_a_candidate_from_stdin(answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answer(EQUIVALENT)
    monkeypatch.setattr("sys.stdin", io.StringIO(SCALE))
    assert main(["verify", "a.py", "-", "--budget", "1m", "--require", "kernel"]) == 0
    assert asked.options["text"] == SCALE and asked.arguments == ("a.py", "stdin.py")
    assert asked.options["budget"] == 60.0 and asked.options["require"] == "kernel"


def test_the_schema_says_what_the_report_has(
    answer: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every field is in the schema, with its type; and the schema names no other."""
    schema = json.loads(Path(reporting.__file__).with_name("verdict.schema.json").read_text())
    types = {"string": str, "integer": int, "array": list, "object": dict, "null": type(None)}
    types["number"] = (int, float)
    cheating = replace(EQUIVALENT, cheats=(Cheat("no-kernel", "none"),), algebra=None)
    timed = replace(EQUIVALENT, speeds=(Speed("x f32[9]", 2.0, 1.0, 2.0, 1.9, 2.1, 0.5),))
    for verdict in (EQUIVALENT, DIFFERENT, UNKNOWN, cheating, timed, VerificationError("no file")):
        answer(verdict)
        main(["verify", "a.py", "b.py", "--format", "json", "--no-script"])
        said = json.loads(capsys.readouterr().out)
        assert set(schema["required"]) <= said.keys() <= schema["properties"].keys()
        for name, value in said.items():
            known = schema["properties"][name]
            assert value in known.get("enum", [value]), name
            kinds = [known["type"]] if isinstance(known["type"], str) else known["type"]
            assert isinstance(value, tuple(types[k] for k in kinds)), name


def test_nothing_is_timed_without_a_gpu(
    answer: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = answer(EQUIVALENT)
    monkeypatch.setattr(run, "choose_backend", lambda _: "interpreter")
    assert main(["verify", "a.py", "b.py", "--bench"]) == 3
    assert "no GPU here" in capsys.readouterr().err and not asked.arguments


@pytest.mark.parametrize(
    ("verdict", "fault"),
    [
        (EQUIVALENT, None),
        (DIFFERENT, "candidate"),
        (UNKNOWN, "tool"),
        (replace(UNKNOWN, reason="the original cannot be imported"), "reference"),
        (VerificationError("--launcher: no such function"), "environment"),
    ],
)
def test_whose_fault_it_is(
    answer: Any, verdict: Any, fault: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(verdict)
    main(["verify", "a.py", "b.py", "--format", "json", "--no-script"])
    assert json.loads(capsys.readouterr().out)["fault"] == fault


def test_quick_is_a_number_of_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["verify", "a.py", "b.py", "--quick", "--max-examples", "7"])
    assert "not allowed with argument --quick" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", ["--backend=gpu", "--require=close", "--max-examples=0", "--budget=soon"]
)
def test_choices(answer: Any, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer(EQUIVALENT)
    with pytest.raises(SystemExit) as left:
        main(["verify", "a.py", "b.py", option])
    assert left.value.code == 2
    assert option.partition("=")[0] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        (Verdict("identical", "interpreter", 5), 0),
        (EQUIVALENT, 0),
        (DIFFERENT, 1),
        (UNKNOWN, 3),
        (Verdict("a word of later", "interpreter", 5), 3),
    ],
)
def test_exit_codes(answer: Any, verdict: Verdict, code: int) -> None:
    answer(verdict)
    for form in ("text", "json"):
        assert main(["verify", "a.py", "b.py", "--format", form]) == code


def test_text(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answer(EQUIVALENT)
    main(["verify", "a.py", "b.py"])
    assert capsys.readouterr().out.splitlines() == [
        "equivalent: 9 examples",
        "  backend: interpreter",
        "  discarded: 1 example that the original cannot run",
        "  largest error of the rewritten kernel: 2.5e-07",
        "  largest error of the original: 1e-07",
        "  evidence: same numbers",
        "  note: a note",
    ]
    answer(DIFFERENT)
    main(["verify", "a.py", "b.py"])
    assert capsys.readouterr().out.splitlines() == [
        "counterexample: 3 examples",
        "  backend: cuda",
        "  reason: y[0]",
        "  counterexample:",
        "    import torch",
    ]


def test_json(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answer(EQUIVALENT)
    main(["verify", "a.py", "b.py", "--format", "json"])
    assert json.loads(capsys.readouterr().out) == {
        "version": 1,
        "verdict": "equivalent",
        "backend": "interpreter",
        "examples": 9,
        "discarded": 1,
        "written": 0,
        "compared": 0,
        "worst_error": 2.5e-7,
        "oracle_error": 1e-7,
        "counterexample": None,
        "script": None,
        "reason": None,
        "fault": None,
        "coverage": {"arguments": "", "required": 0, "uncovered": []},
        "cheats": [],
        "layouts": [],
        "seconds": 0.0,
        "notes": ["a note"],
        "evidence": ["same numbers"],
        "algebra": None,
    }


def test_algebra_stands_beside_the_verdict(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answer(replace(EQUIVALENT, algebra=Algebra("same", 4, 2.5e-30)))
    main(["verify", "a.py", "b.py", "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert (report["algebra"], report["algebra_draws"]) == ("same", 4)
    assert report["algebra_bound"] == 2.5e-30
    assert report["evidence"] == ["same algebra", "same numbers"]
    main(["verify", "a.py", "b.py"])
    assert (
        "  algebra: same (4 draws, false with probability at most 1e-29)"
    ) in capsys.readouterr().out


def test_json_knows_no_infinity(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answer(Verdict("counterexample", "cuda", 3, worst_error=math.inf, oracle_error=math.nan))
    main(["verify", "a.py", "b.py", "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert (report["worst_error"], report["oracle_error"]) == ("inf", "nan")


def test_what_stood_in_the_way(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answer(VerificationError("write --args 'x: f32[m, n]'"))
    assert main(["verify", "a.py", "b.py"]) == 2
    assert capsys.readouterr() == ("", "tritonopt: error: write --args 'x: f32[m, n]'\n")
    assert main(["verify", "a.py", "b.py", "--format", "json"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert (report["verdict"], report["reason"]) == ("unsupported", "write --args 'x: f32[m, n]'")


@pytest.mark.parametrize("missing", ["torch", "triton.language", "numpy"])
def test_without_what_it_needs(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Missing:
        def __getattr__(self, name: str) -> None:
            raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)

    monkeypatch.setitem(__import__("sys").modules, "tritonopt.verification", Missing())
    assert main(["verify", "a.py", "b.py"]) == 2
    assert f"verifying needs {missing}: pip install" in capsys.readouterr().err


def test_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    original = tmp_path / "original.py"
    original.write_text(SCALE)
    quick = ["--backend", "interpreter", "--max-examples", "5"]

    same = tmp_path / "same.py"
    same.write_text(SCALE.replace("x * 2", "x + x"))
    assert main(["verify", str(original), str(same), *quick]) == 0
    assert capsys.readouterr().out.startswith("identical: ")

    other = tmp_path / "other.py"
    other.write_text(SCALE.replace("x * 2", "x * 3"))
    assert main(["verify", str(original), str(other), "--no-script", *quick]) == 1
    assert capsys.readouterr().out.startswith("counterexample: ")


def test_a_counterexample_is_written_as_a_script(
    answer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    answer(replace(DIFFERENT, script="print('again')\n"))
    assert main(["verify", "a.py", "some/b.py", "--no-script"]) == 1
    assert not list(tmp_path.iterdir())
    assert main(["verify", "a.py", "some/b.py"]) == 1
    assert "python counterexample_b.py" in capsys.readouterr().out
    assert (tmp_path / "counterexample_b.py").read_text() == "print('again')\n"
    assert main(["verify", "a.py", "b.py", "--script", "shown.py", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["script"] == "shown.py"
    assert (tmp_path / "shown.py").exists()


TWO_CALLED_ALIKE = (
    SCALE.replace("scale", "twice").replace("@triton.jit", "import torch\n\n\n@triton.jit")
    + """

class Thrice:
    @triton.jit
    def twice_kernel(X, Y, N, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < N
        tl.store(Y + offsets, tl.load(X + offsets, mask=mask) * 3, mask=mask)


def thrice(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    Thrice.twice_kernel[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y


def outer(x: torch.Tensor) -> torch.Tensor:
    return thrice(x)
"""
)
_ALONE = ["--grid", "cdiv(n, BLOCK)", "--args", "X: f32[n], Y: f32[n], N: n, BLOCK: 16"]


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`a.py` with a kernel, `b.py` with the same, `two.py` with two of one name, `none.py`."""
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(SCALE)
    Path("b.py").write_text(SCALE)
    Path("two.py").write_text(TWO_CALLED_ALIKE)
    Path("none.py").write_text(SCALE.partition("\n\ndef scale(")[0])


@pytest.mark.parametrize(
    ("given", "about"),
    [
        ("a.py:scale_kernel b.py", "scale_kernel"),
        ("a.py b.py:scale_kernel", "scale_kernel"),
        ("a.py:scale_kernel b.py:scale_kernel", "scale_kernel"),
        ("a.py:10 b.py", "scale_kernel"),
        ("a.py:10 b.py:8", "scale_kernel"),
        ("a.py b.py:9:5", "scale_kernel"),
        ("two.py:Thrice.twice_kernel two.py", "Thrice.twice_kernel"),
        ("two.py two.py:12", "twice_kernel"),
    ],
)
@pytest.mark.usefixtures("places")
def test_a_kernel_behind_a_path(given: str, about: str, answer: Any) -> None:
    asked = answer(EQUIVALENT)
    assert main(["verify", *given.split()]) == 0
    assert asked.arguments == tuple(part.partition(":")[0] for part in given.split())
    assert (asked.options["about"], asked.options["kernel"]) == (about, None)
    assert main(["verify", *given.split(), *_ALONE]) == 0
    assert (asked.options["about"], asked.options["kernel"]) == (None, about)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("a.py:scal_kernel b.py", "a.py: no kernel 'scal_kernel'"),
        ("a.py b.py:scal_kernel", "b.py: no kernel 'scal_kernel'"),
        ("a.py:scale_kernel two.py", "two.py: no kernel 'scale_kernel'"),
        ("a.py:3 b.py", "a.py:3:1: is in no kernel"),
        ("a.py:1000 b.py", "has no line 1000"),
        ("a.py: b.py", "give a kernel or line"),
        ("two.py:twice_kernel two.py", "write one of twice_kernel (line"),
        ("a.py:scale_kernel two.py:12", "name one kernel, which both versions have"),
        ("a.py:scale_kernel b.py --launcher scale", "not both"),
        ("a.py:scale_kernel none.py:scale_kernel --kernel scale_kernel", "not both"),
    ],
)
@pytest.mark.usefixtures("places")
def test_no_such_place(
    given: str, message: str, answer: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = answer(EQUIVALENT)
    assert main(["verify", *given.split()]) == 2
    assert message in capsys.readouterr().err
    assert not asked.arguments


@pytest.mark.usefixtures("places")
def test_what_runs_a_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    """By whatever launches it; a kernel that nothing launches has to be launched from here."""
    quick = ["--backend", "interpreter", "--max-examples", "2", "--no-script"]
    text = Path("two.py").read_text()
    Path("other.py").write_text(text.replace("mask=mask) * 3", "mask=mask) * 4"))
    # What the other kernel computes is not asked.
    assert main(["verify", "two.py:12", "other.py", *quick]) == 0
    assert "changed code that no verified call runs" in capsys.readouterr().out
    assert main(["verify", "two.py:Thrice.twice_kernel", "other.py", *quick]) == 1
    assert "outer is called with" in capsys.readouterr().out
    assert main(["verify", "none.py:scale_kernel", "none.py", *quick]) == 2
    assert "--kernel scale_kernel --grid" in capsys.readouterr().err
    assert main(["verify", "none.py:scale_kernel", "none.py", *quick, *_ALONE]) == 0
