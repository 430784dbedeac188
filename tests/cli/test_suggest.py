"""`tritonopt suggest`: what it says, in which form, and what it keeps quiet about."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from tests.passes.cases import case
from tritonopt import source
from tritonopt.cli import scanning
from tritonopt.cli.main import main
from tritonopt.rewriting.measured import figure
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.pipeline import rewrite_source

HEAD = """\
import torch
import triton
import triton.language as tl


"""
MAXIMUM = """\
@triton.jit
def top(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N)
    tl.store(Y, tl.max(x, axis=0))


"""
RING = """\
@triton.jit
def ring(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    source = offs % N
    tl.store(Y + offs, tl.load(X + source))


def repeat(x, y):
    n = x.numel()
    assert n % 128 == 0
    ring[(y.numel() // 128,)](x, y, n, BLOCK=128)
"""
WORTHLESS = """\
@triton.jit
def relu(X, Y, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols).to(tl.float32)
    tl.store(Y + cols, tl.maximum(x, 0.0))
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Any:
    def command(*arguments: str) -> tuple[int, str, str]:
        code = main(["suggest", *arguments])
        return code, *capfd.readouterr()

    return command


def write(name: str, *parts: str) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = HEAD + "".join(parts)
    path.write_text(text, encoding="utf-8")
    return text


def test_a_mistake_may_have_a_harm_of_its_own(run: Any) -> None:
    seeded = (
        "\n@triton.jit\ndef noise(Y, seed, BLOCK: tl.constexpr):\n"
        "    cols = tl.arange(0, BLOCK)\n    tl.store(Y + cols, tl.rand(seed, cols))\n"
    )
    write("k.py", seeded)
    _, out, _ = run("k.py")
    assert "seed is a seed" in out and "waits for a compilation" in out and "aligned" not in out


IMPORTED = """
import pathlib
import torch
import triton
import triton.language as tl

pathlib.Path("imported").touch()


@triton.jit
def softmax_rows(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(Y + row * N + cols, e / tl.sum(e, axis=0), mask=cols < N)


def softmax(x):
    m, n = x.shape
    assert n <= 32768
    y = torch.empty_like(x)
    softmax_rows[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""


def test_no_file_is_imported_to_compile_it(run: Any) -> None:
    Path("k.py").write_text(IMPORTED)
    assert run("k.py")[0] == 0
    assert not Path("imported").exists()


SOFTMAX = """\
@triton.jit
def soft(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0).to(tl.int64) * N
    top = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        top = tl.maximum(top, tl.max(x, axis=0))
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        total += tl.sum(tl.exp(x - top), axis=0)
    tl.store(Y + tl.program_id(0), tl.log(total) + top)


def logsumexp(x: torch.Tensor):
    assert x.dtype == torch.float32
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    soft[(m,)](x, y, n, BLOCK=1024)
    return y


"""
"""A kernel of which two loops become one, at line 15 where it stands first."""
_LESS = "each row is read from memory one time less"


def test_what_why_worth_and_the_command(run: Any) -> None:
    text = write("k.py", SOFTMAX, MAXIMUM)
    code, out, err = run("k.py")
    assert code == 1
    mistake, code_of_it, carets, harm, mend, *rewrite = out.splitlines()
    assert code_of_it == "    33 |     x = tl.load(X + cols, mask=cols < N)"
    assert carets == "       |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"
    assert mend == "    apply: tritonopt rewrite k.py:top --passes undefined-lanes --write"
    assert harm.startswith(
        "    why:   a masked load without other= gives the lanes outside its mask"
    )
    assert mistake.startswith(
        "k.py:33:9: undefined-lanes [mistake]: the max in line 34 includes lanes where `cols < "
    )
    assert mistake.endswith('which changes the result: add other=float("-inf")')
    assert rewrite[0].startswith("k.py:15:5: online-softmax [rounding]: merge the loop in line 15")
    where = "on one H200, for rows that take several tiles; noise where one tile holds the row"
    worth = f"{figure('online-softmax, several tiles')} {where}"
    assert rewrite[1:] == [
        "    15 |     for start in range(0, N, BLOCK):",
        "       |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f"    why:   {_LESS}",
        f"    worth: {worth}",
        "    apply: tritonopt rewrite k.py:soft --passes online-softmax --write",
    ]
    assert err == (
        "1 file, 2 kernels: 1 mistake, 1 rewrite available "
        "(1 fixable with --fix, 1 fixable with the command shown)\n"
    )
    assert Path("k.py").read_text() == text


LARGE = """\
@triton.jit
def large(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x, mask=cols < N)


def run_large(x):
    m, n = x.shape
    y = torch.empty_like(x)
    large[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
"""


def test_offsets_of_32_bits_are_shown(run: Any) -> None:
    text = "import torch\n" + write("k.py", LARGE)
    Path("k.py").write_text(text, encoding="utf-8")
    code, out, _ = run("k.py")
    assert code == 1 and out.count("int64-offsets [mistake]") == 1
    asked = ("k.py", "--passes", "int64-offsets")
    assert run(*asked, "--statistics")[1] == "1  int64-offsets  offset-is-too-large\n"


def test_of_indices_nobody_has_billions(run: Any) -> None:
    """They are loaded and stored as they are; in floats nothing is computed from them."""
    indices = LARGE.replace(", other=0.0", "")
    careful = indices.replace("large", "other").replace(
        "program_id(0)", "program_id(0).to(tl.int64)"
    )
    text = "import torch\n" + write("k.py", indices + "\n\n" + careful)
    Path("k.py").write_text(text, encoding="utf-8")
    assert run("k.py")[:2] == (0, "")
    Path("k.py").write_text(text.replace("cols, x,", "cols, x / 2,"), encoding="utf-8")
    assert run("k.py")[1].count("int64-offsets [mistake]") == 1


def test_what_is_listed_is_left_to_who_listed_it(run: Any) -> None:
    """A list spares compilations, mostly on purpose; an annotation is for readers."""
    large = LARGE.replace("program_id(0)", "program_id(0).to(tl.int64)")
    listed = large.replace("@triton.jit", '@triton.jit(do_not_specialize=["stride"])')
    write("k.py", listed)
    assert run("k.py")[:2] == (0, "")
    assert run("k.py", "--passes", "specialization")[0] == 1
    annotated = large.replace("stride, N", "stride: int, N").replace(
        "row * stride + cols", "cols * stride"
    )
    write("k.py", annotated)
    assert "specialization [mistake]: stride is annotated int" in run("k.py")[1]


def test_parameters_that_one_cause_hides_are_one_finding(run: Any, root: Path) -> None:
    text = case("specialization/strides_of_a_tile").text
    write("k.py", text)
    out = run("k.py")[1]
    assert out.count("[mistake]") == 1
    assert "stride_m and stride_n are annotated int, so the compiler does not know which" in out


COPY = """
import torch
import triton
import triton.language as tl


@triton.jit
def copy(X, Slots, Y, N, BLOCK: tl.constexpr):
    slot = tl.load(Slots + tl.program_id(0))
    cols = AT + tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * N + cols, mask=cols < N)
    tl.store(Y + slot * N + cols, x, mask=cols < N)


def launch(x, slots):
    m, n = x.shape
    y = torch.zeros_like(x)
    copy[(m, triton.cdiv(n, 128))](x, slots, y, n, BLOCK=128)
    return y
"""


@pytest.mark.parametrize(("place", "suggested"), [("0", True), ("tl.program_id(1) * BLOCK", False)])
def test_a_row_that_several_programs_share_is_not_short(
    run: Any, place: str, suggested: bool
) -> None:
    write("k.py", COPY.replace("AT", place))
    assert ("row-batch" in run("k.py")[1]) == suggested


LARGEST = """
import torch
import triton
import triton.language as tl


@triton.jit
def largest(X, Y, n):
    top = 0.0
    for i in range(n):
        top = tl.maximum(top, tl.load(X + i))
    tl.store(Y, top)


def launch(x):
    y = torch.zeros(1)
    largest[(1,)](x, y, x.numel())
    return y
"""


def test_a_loop_over_elements_gets_tiles_before_programs(run: Any) -> None:
    write("k.py", LARGEST.replace("x.numel())", "100000)"))
    out = run("k.py")[1]
    assert "scalar-loop" in out and "split-reduce" not in out


def test_a_hint_is_suggested_where_it_is_named(run: Any) -> None:
    write("k.py", RING)
    assert run("k.py")[0] == 0
    code, out, _ = run("k.py", "--passes", "contiguity-hints")
    assert (code, "worth:" in out) == (1, False)


def test_the_command_does_what_was_suggested(run: Any, capfd: pytest.CaptureFixture[str]) -> None:
    write("k.py", SOFTMAX)
    (suggested,) = json.loads(run("k.py", "--format", "json")[1])["files"][0]["suggestions"]
    lines = Path("k.py").read_text().splitlines(keepends=True)
    for part in reversed(suggested["fix"]):
        lines[part["first"] - 1 : part["behind"] - 1] = [part["text"]]
    program, *arguments = suggested["apply"].split()
    assert program == "tritonopt"
    assert main(arguments) == 0
    assert Path("k.py").read_text() == "".join(lines)
    capfd.readouterr()
    assert run("k.py") == (0, "", "1 file, 1 kernel: 0 mistakes, 0 rewrites available\n")


def test_nothing_is_said_of_what_was_never_seen_to_gain(run: Any) -> None:
    write("k.py", WORTHLESS)
    assert run("k.py")[:2] == (0, "")
    code, out, _ = run("k.py", "--passes", "max-to-where")
    assert code == 1
    assert "replaced tl.maximum(x, 0.0) by tl.where(x > 0.0, x, 0.0)" in out
    assert "worth:" not in out


SUM = MAXIMUM.replace("tl.max(", "tl.sum(")


def test_what_is_right_on_the_hardware_of_today_is_said_when_asked_for(run: Any) -> None:
    """A helper's load may have other callers: there is no fix. A load of the kernel has one."""
    helper = "@triton.jit\ndef row(X, cols, N):\n    return tl.load(X + cols, mask=cols < N)\n\n\n"
    write("k.py", helper + SUM.replace("tl.load(X + cols, mask=cols < N)", "row(X, cols, N)"))
    mistakes = "0 mistakes (1 doubtful: see --passes undefined-lanes)"
    assert run("k.py") == (0, "", f"1 file, 2 kernels: {mistakes}, 0 rewrites available\n")
    assert run("k.py", "--passes", "undefined-lanes")[0] == 1
    write("k.py", SUM)
    code, out, _ = run("k.py", "--format", "concise")
    assert code == 1 and out.endswith("which does not change the result: add other=0.0\n")


def test_a_fact_about_nothing_is_told(run: Any) -> None:
    write("k.py", SUM)
    err = run("k.py", "--assume", "M == 4096")[2]
    assert "note: --assume 'M == 4096': no kernel has a parameter M" in err
    assert "--assume" not in run("k.py", "--assume", "N <= 512")[2]


SWEEPS = """\
@triton.jit
def var(X, Y, stride, N, BLOCK: tl.constexpr):
    X += tl.program_id(0).to(tl.int64) * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    tl.store(Y + tl.program_id(0), tl.sum(squares, axis=0) / N)


def launch(x):
    rows, n = x.shape
    y = torch.empty(rows, device=x.device)
    block = BLOCK_OF(n)
    var[(rows,)](x, y, x.stride(0), n, BLOCK=block)
    return y
"""


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        ("triton.next_power_of_2(n)", ["one-tile"]),
        ("min(triton.next_power_of_2(n), 8192)", []),
        ("1024", []),
        ("choose(n)", []),
    ],
)
@pytest.mark.parametrize("counts", [False, True])
def test_a_rewrite_is_shown_where_its_case_applies(
    run: Any, block: str, shown: list[str], counts: bool
) -> None:
    text = SWEEPS.replace("BLOCK_OF(n)", block)
    if counts:
        text = text.replace("range(0, N, BLOCK)", "range(tl.cdiv(N, BLOCK))")
        text = text.replace("start + tl", "start * BLOCK + tl")
    write("k.py", text)
    found = r"^k.py:\d+:\d+: ([a-z-]+)"
    assert re.findall(found, run("k.py")[1], re.MULTILINE) == shown
    named, out, _ = run("k.py", "--passes", "fuse-stats")
    # What it is worth is not said where it is not known to be worth that.
    assert (named, "fuse-stats" in out, "worth:" in out) == (1, True, False)
    sizes = text.replace(block, "1024").replace("rows,)]", "4096,)]").replace("y(rows", "y(4096")
    write("k.py", sizes.replace("x.stride(0), n", "x.stride(0), 65536"))
    assert re.findall(found, run("k.py")[1], re.MULTILINE) == ["fuse-stats"]


def test_files_without_kernels_cost_no_import(here: Path, root: Path) -> None:
    write("k.py")
    script = (
        "import sys; from tritonopt.cli.main import main; code = main(['suggest', 'k.py']); "
        "seen = sorted({'libcst', 'rich', 'tritonopt.facts', 'tritonopt.rewriting', 'pathspec'} "
        "& set(sys.modules)); assert not seen, seen; sys.exit(code)"
    )
    environment = {"PYTHONPATH": str(root), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=here, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_errors_are_exit_2_and_the_other_files_are_done(run: Any) -> None:
    write("k.py", MAXIMUM)
    write("bad.py", "@triton.jit\ndef f(:\n")
    code, out, err = run("bad.py", "missing.py", "k.py")
    assert code == 2
    assert "undefined-lanes" in out
    assert "bad.py:7:7: invalid syntax" in err and "missing.py: does not exist" in err
    line = "available (1 fixable with the command shown); 2 errors\n"
    assert err.endswith(line)


@pytest.mark.parametrize(
    ("kernel", "flags", "expected"),
    [
        (MAXIMUM, "--fail-on mistakes", 1),
        (SOFTMAX, "--fail-on mistakes", 0),
        (SOFTMAX, "--fail-on any", 1),
        (MAXIMUM, "--fail-on nothing", 0),
        (MAXIMUM, "--exit-zero", 0),
    ],
)
def test_what_fails(kernel: str, flags: str, expected: int, run: Any) -> None:
    write("k.py", kernel)
    code, out, _ = run("k.py", *flags.split())
    assert code == expected and "k.py:" in out


def test_carets_stand_where_a_terminal_shows_the_code(run: Any) -> None:
    tabs = MAXIMUM.replace("    x = tl.load", "\tx = tl.load").replace("    cols", "\tcols")
    write("k.py", tabs.replace("    tl.store", "\ttl.store"))
    _, out, _ = run("k.py")
    assert "    9 | \tx = tl.load(X + cols, mask=cols < N)\n      | \t    ^^^" in out


def test_the_command_agrees_with_the_run(run: Any) -> None:
    write("k.py", RING)
    flags = ["--isolated", "--safety", "exact", "--assume", "N % BLOCK == 0"]
    flags += ["--passes", "contiguity-hints"]
    (applied,) = (line for line in run("k.py", *flags)[1].splitlines() if "apply:" in line)
    assert applied.endswith("hints --isolated --safety exact --assume 'N % BLOCK == 0' --write")


def test_a_pass_that_is_none_is_told_without_kernels_too(run: Any) -> None:
    write("k.py")
    code, out, err = run("k.py", "--passes", "lcim")
    assert (code, out) == (2, "")
    assert "there is no pass 'lcim'; did you mean licm?" in err


def test_settings_of_the_configuration(run: Any) -> None:
    write("k.py", MAXIMUM, SOFTMAX)
    write("skipped/k.py", MAXIMUM)
    Path("pyproject.toml").write_text(
        "[tool.tritonopt]\nexclude = ['skipped/']\nignore = ['undefined-lanes']\n"
    )
    assert run(".", "--format", "concise")[1].splitlines() == [
        "k.py:22:5: online-softmax [rounding]: merge the loop in line 22 into the one in line 17, "
        "with a running maximum"
    ]


# Forms of the report


def test_concise_and_statistics(run: Any) -> None:
    write("k.py", MAXIMUM, MAXIMUM.replace("top", "other"), SOFTMAX)
    code, out, _ = run("k.py", "--format", "concise")
    assert code == 1 and [line.split(":")[1] for line in out.splitlines()] == ["9", "16", "29"]
    code, out, _ = run("k.py", "--statistics")
    assert (code, out) == (
        1,
        "2  undefined-lanes  zero-changes-the-result\n1  online-softmax   passed\n",
    )


def test_statistics_and_nothing_else(run: Any) -> None:
    write("k.py", MAXIMUM, SOFTMAX)
    counts = "1  online-softmax   passed\n1  undefined-lanes  zero-changes-the-result\n"
    for form in ("text", "concise", "github"):
        assert run("k.py", "--statistics", "--format", form) == (1, counts, "")


def test_annotations_for_github(run: Any) -> None:
    write("k,1.py", MAXIMUM, SOFTMAX)
    _, out, _ = run("k,1.py", "--format", "github")
    mistake, rewrite = out.splitlines()
    place = (
        "::warning file=k%2C1.py,line=9,col=9,endLine=9,endColumn=40,"
        "title=undefined-lanes [mistake]::the max in line 10"
    )
    assert mistake.startswith(place)
    assert rewrite.startswith(
        "::notice file=k%2C1.py,line=22,col=5,endLine=25,title=online-softmax [rounding]"
    )
    assert f"%0A{_LESS}%0A{figure('online-softmax, several tiles')}" in rewrite


@pytest.mark.parametrize("command", ["suggest", "rewrite"])
def test_sarif(command: str, capfd: pytest.CaptureFixture[str], root: Path) -> None:
    text = write("a b/k.py", MAXIMUM, RING)
    write("bad.py", "@triton.jit\ndef f(:\n")
    passes = ("--passes", "undefined-lanes,contiguity-hints")
    assert main([command, "a b", "bad.py", *passes, "--format", "sarif"]) == 2
    report = json.loads(capfd.readouterr().out)
    schema = json.loads((root / "tests/reporting/data/sarif_2_1_0_part.json").read_text())
    Draft7Validator.check_schema(schema)
    Draft7Validator(schema).validate(report)
    (ran,) = report["runs"]
    assert ran["invocations"][0]["executionSuccessful"] is False
    rules = {rule["id"] for rule in ran["tool"]["driver"]["rules"]}
    assert rules == {result["ruleId"] for result in ran["results"]}
    (hint,) = (r for r in ran["results"] if r["ruleId"] == "contiguity-hints")
    place = hint["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%20b/k.py"}
    end = {"endLine": 16, "endColumn": 22} if command == "suggest" else {}
    assert place["region"] == {"startLine": 16, "startColumn": 14} | end
    if command == "suggest":
        (change,) = hint["fixes"][0]["artifactChanges"]
        lines = text.splitlines(keepends=True)
        for part in reversed(change["replacements"]):
            region = part["deletedRegion"]
            new = part["insertedContent"]["text"]
            lines[region["startLine"] - 1 : region["endLine"] - 1] = [new]
        assert "tl.max_contiguous(tl.multiple_of(source, BLOCK), BLOCK)" in "".join(lines)
        source.read("".join(lines))


def test_what_the_schema_forbids(root: Path) -> None:
    # A check that cannot fail would be none.
    schema = json.loads((root / "tests/reporting/data/sarif_2_1_0_part.json").read_text())
    wrong = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x", "rule": []}}}]}
    assert not Draft7Validator(schema).is_valid(wrong)
    shown = {"kind": "notApplicable", "level": "note", "message": {"text": ""}}
    run = {"tool": {"driver": {"name": "x"}}, "results": [shown]}
    assert not Draft7Validator(schema).is_valid({"version": "2.1.0", "runs": [run]})


# Suppressions


def suppressed(run: Any, text: str) -> list[str]:
    Path("k.py").write_text(text)
    return [line.split(": ", 1)[1] for line in run("k.py", "--format", "concise")[1].splitlines()]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mask=cols < N)", "mask=cols < N)  # tritonopt: ignore[undefined-lanes]"),
        ("mask=cols < N)", "mask=cols < N)  # tritonopt: ignore -- zeros are fine here"),
        ("    x = tl.load", "    # tritonopt: ignore[licm, undefined-lanes]\n    x = tl.load"),
        ("tl.load(X + cols,", "tl.load(\n        X + cols,  # tritonopt: ignore\n       "),
        ("@triton.jit\n", "# tritonopt: ignore[undefined-lanes]\n# and more\n@triton.jit\n"),
        ("@triton.jit\n", "@triton.jit  # tritonopt: ignore[undefined-lanes]\n"),
        ("constexpr):", "constexpr):  # tritonopt: ignore"),
        ("import torch\n", "# tritonopt: ignore[undefined-lanes]\nimport torch\n"),
        ("import torch\n", '"""A file."""\n\n# tritonopt:ignore\nimport torch\n'),
    ],
)
def test_a_suppression(run: Any, old: str, new: str) -> None:
    assert old in HEAD + MAXIMUM
    assert suppressed(run, (HEAD + MAXIMUM).replace(old, new, 1)) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("tl.max(x, axis=0))", "tl.max(x, axis=0))  # tritonopt: ignore", "suppresses nothing"),
        ("cols < N)", "cols < N)  # tritonopt: ignore[unbounded-store]", "suppresses nothing"),
        ("cols < N)", "cols < N)  # tritonopt: ignore[undefined]", "there is no pass 'undefined'"),
        (
            "tl.arange(0, BLOCK)",
            "tl.arange(0, BLOCK)\n\n\n# tritonopt: ignore",
            "not at a statement",
        ),
    ],
)
def test_a_suppression_of_nothing_is_reported(run: Any, old: str, new: str, said: str) -> None:
    text = HEAD + (MAXIMUM if "arange" not in old else WORTHLESS.partition("    x = ")[0])
    assert old in text
    found = suppressed(run, text.replace(old, new, 1))
    assert any(line.startswith("ignore [mistake]: ") and said in line for line in found), found


def test_the_arguments_of_a_launcher_are_no_suppression(run: Any) -> None:
    for comment in ("ignore: f32[m, n]", "x: f32[m], ignore: 3", "ignored"):
        text = HEAD + f"# tritonopt: {comment}\n" + MAXIMUM
        assert len(suppressed(run, text)) == 1
        assert not any(line.startswith("ignore ") for line in suppressed(run, text))


def test_what_is_suppressed_is_not_rewritten_either(capfd: pytest.CaptureFixture[str]) -> None:
    write("k.py", RING.replace("offs % N", "offs % N  # tritonopt: ignore[contiguity-hints]"))
    assert main(["rewrite", "k.py", "--passes", "contiguity-hints", "--check"]) == 0
    out, err = capfd.readouterr()
    assert (out, err) == (
        "",
        "1 file, 1 kernel: 0 rewrites applied, 0 not applied; 0 files would change\n",
    )


# Processes


@pytest.mark.parametrize(
    "command", [["suggest"], ["rewrite", "--passes", "undefined-lanes,contiguity-hints"]]
)
def test_several_processes_say_the_same(
    command: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    for number in range(6):
        write(f"k{number}.py", RING if number % 2 else MAXIMUM)
    alone = main([*command, ".", "--jobs", "1"]), *capfd.readouterr()
    together = main([*command, ".", "--jobs", "2"]), *capfd.readouterr()
    assert alone == together
    assert alone[1]


def test_a_few_files_are_done_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    write("k.py", MAXIMUM)

    def no_pool(*_: object, **__: object) -> None:
        raise AssertionError("a pool for one file")

    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", no_pool)
    assert main(["suggest", "k.py"]) == 1
    monkeypatch.setattr(scanning, "WORTH_A_POOL", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    write("other.py", MAXIMUM)
    assert main(["suggest", "k.py"]) == 1
    with pytest.raises(AssertionError, match="a pool"):
        files = scanning.find(_arguments(["k.py", "other.py"])).files
        list(scanning.work(lambda _, target: str(target), files, 0))


def _arguments(paths: list[str]) -> Any:
    import argparse

    return argparse.Namespace(
        paths=paths, config=None, isolated=True, context=[], stdin_filename=None
    )


WRAPS = """\
@triton.jit
def kernel(X, Y, N, S, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    source = tl.max_contiguous(tl.multiple_of(offs % N, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + source)MASK)
"""


def test_a_hint_is_false_only_for_lanes_that_are_not_stored(run: Any) -> None:
    write("k.py", WRAPS.replace("MASK", ", mask=offs < N"))
    assert run("k.py")[0] == 0
    code, out, _ = run("k.py", "--passes", "contiguity-hints")
    assert code == 1 and "masked off at the store in line 10, and do no harm there" in out
    write("k.py", WRAPS.replace("MASK", ""))
    code, out, _ = run("k.py")
    assert code == 1 and "masked off" not in out


@pytest.mark.parametrize(
    ("stride", "advice"), [("2", ""), ("S", "--assume 'S == 1'"), ("S * S", ""), ("W", "")]
)
def test_advice_is_a_fact_that_helps(stride: str, advice: str) -> None:
    text = HEAD + WRAPS.replace(
        "tl.max_contiguous(tl.multiple_of(offs % N, BLOCK), BLOCK)", "offs % N"
    )
    text = text.replace("X + source", f"X + source * {stride}").replace("MASK", "")
    text = text.replace("offs % N", "offs % N\n    tl.static_assert(N % BLOCK == 0)\n    W = 3")
    (remark,) = rewrite_source(text, "contiguity-hints").remarks
    assert remark.reason == "not-shown"
    assert ("--assume" in remark.message, advice in remark.message) == (bool(advice), True)


def test_no_fact_is_advised_that_the_launches_refute() -> None:
    kernel = """\
@triton.jit
def scale(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for start in range(0, N, BLOCK):
        x = tl.load(X + cols)
        tl.store(Y + start + cols, x)


def launch(x, y):
    scale[(1,)](x, OTHER, x.numel(), BLOCK=64)
"""
    for other, advised in (("y", True), ("x", False)):
        (remark,) = rewrite_source(HEAD + kernel.replace("OTHER", other), "licm").remarks
        assert remark.reason == "data-may-change"
        assert ("--assume 'disjoint(Y, X)'" in remark.message) == advised


def test_nothing_is_suggested_that_rewrite_would_not_do(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tritonopt.passes.contiguity_hints import ContiguityHints

    sites = ContiguityHints.sites

    def with_an_edit_that_cannot_be_made(*given: Any) -> Iterator[Site]:
        return (replace(site, changes=()) for site in sites(*given))

    write("k.py", RING)
    named = ("--passes", "contiguity-hints")
    assert run("k.py", *named)[0] == 1
    monkeypatch.setattr(ContiguityHints, "sites", with_an_edit_that_cannot_be_made)
    assert run("k.py", *named)[:2] == (0, "")
    assert main(["rewrite", "k.py", *named, "--check"]) == 2


TWO = (Path(__file__).parents[2] / "examples" / "softmax.py").read_text() + f"\n\n{MAXIMUM}"
"""A rewrite of online-softmax, and a mistake of undefined-lanes."""


@pytest.mark.parametrize(
    ("flags", "table", "expected"),
    [
        (["--select", "undefined-lanes"], "", {"undefined-lanes"}),
        (["--select", "undef,hint"], "", None),
        (["--select", "undef", "--select", "onl"], "", {"undefined-lanes", "online-softmax"}),
        (["--ignore", "undef"], "", {"online-softmax"}),
        (["--ignore", "undef", "--ignore", "online-"], "", set()),
        (["--select", "undef,onl", "--ignore", "onl"], "", {"undefined-lanes"}),
        ([], "ignore = ['onl']", {"undefined-lanes"}),
        (["--ignore", "undef"], "ignore = ['onl']", set()),
        ([], "select = ['onl']", {"online-softmax"}),
        (["--select", "undef"], "select = ['onl']", {"undefined-lanes"}),
        (["--select", "rows"], "", {"online-softmax"}),
    ],
)
def test_select_and_ignore(
    run: Any, flags: list[str], table: str, expected: set[str] | None
) -> None:
    Path("k.py").write_text(TWO)
    Path("pyproject.toml").write_text(f"[tool.tritonopt]\n{table}\n")
    code, out, err = run("k.py", "--format", "concise", *flags)
    if expected is None:
        assert (code, out) == (2, "")
        assert "there is no pass 'hint'" in err
        return
    assert set(re.findall(r"^k\.py:\d+:\d+: ([\w-]+) ", out, re.M)) == expected


def test_quiet_prints_findings_and_errors_alone(run: Any) -> None:
    Path("k.py").write_text(TWO)
    shown = run("k.py")[1]
    assert run("k.py", "--quiet") == (1, shown, "")
    assert run("k.py", "-q", "--output-format", "full") == (1, shown, "")
    Path("broken.py").write_text(HEAD + "@triton.jit\ndef (:\n")
    code, out, err = run("k.py", "broken.py", "-q")
    assert (code, out) == (2, shown)
    assert err.startswith("broken.py:7:") and err.count("\n") == 1


def test_force_color_and_no_color(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("k.py").write_text(TWO)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[33mundefined-lanes\x1b[0m" in run("k.py")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in "".join(run("k.py")[1:])
    monkeypatch.setenv("NO_COLOR", "")
    monkeypatch.setenv("FORCE_COLOR", "")
    assert "\x1b" not in "".join(run("k.py")[1:])


def test_what_gains_at_a_length_that_no_launch_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sums.py"
    text = (
        "import torch\nimport triton\nimport triton.language as tl\n\n\n"
        "@triton.jit\ndef sums(X, Y, N, BLOCK: tl.constexpr):\n"
        "    row = tl.program_id(0).to(tl.int64)\n    cols = tl.arange(0, BLOCK)\n"
        "    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)\n"
        "    tl.store(Y + row, tl.sum(x, axis=0))\n\n\n"
        "def run(x):\n    m, n = x.shape\n    y = torch.empty(m, device=x.device)\n"
        "    BLOCK = triton.next_power_of_2(n)\n"
        "    sums[(m,)](x, y, n, BLOCK=BLOCK)\n    return y\n"
    )
    file.write_text(text)
    assert main(["suggest", str(file), "--isolated"]) == 0
    said = capsys.readouterr().err
    assert f"{file}:8:11: row-batch is profitable where BLOCK <= 256 (" in said
    command = said[said.index("tritonopt rewrite ") :].partition("\n")[0]
    assert main(shlex.split(command)[1:]) == 0
    assert "ROWS = max(512 // BLOCK, 1)" in file.read_text()
    # A length that is shown leaves nothing to say.
    file.write_text(text.replace("    y = torch", "    assert n <= 4096\n    y = torch"))
    assert main(["suggest", str(file), "--isolated", "--assume", "BLOCK >= 512"]) == 0
    assert "is profitable where" not in capsys.readouterr().err


def test_mistakes_of_all_files_come_before_rewrites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(HEAD + SOFTMAX)
    Path("b.py").write_text(HEAD + MAXIMUM + SOFTMAX)
    assert main(["suggest", "--output-format", "concise", "."]) == 1
    lines = capsys.readouterr().out.splitlines()
    found = [line.split(":")[0] for line in lines]
    assert found[0] == "b.py" and "a.py" in found
    kinds = ["[mistake]" in line for line in lines]
    assert kinds == sorted(kinds, reverse=True)


ROWS_OF_OTHERS = """
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row * stride + cols, x * 2, mask=cols < N)
"""


def test_a_note_is_no_mistake(run: Any) -> None:
    write("k.py", ROWS_OF_OTHERS)
    before = Path("k.py").read_text()
    code, out, said = run("k.py", "--format", "concise", "--fail-on", "mistakes")
    assert code == 0
    assert "int64-offsets [note]: row * stride is computed in 32 bits" in out
    assert said.endswith("0 mistakes, 1 note, 0 rewrites available\n")
    assert run("k.py", "--fix", "--fail-on", "mistakes")[0] == 0
    assert Path("k.py").read_text() == before
    (found,) = json.loads(run("k.py", "--format", "json")[1])["files"][0]["suggestions"]
    assert (found["mistake"], found["note"]) == (False, True)
    sarif = json.loads(run("k.py", "--format", "sarif")[1])
    assert [result["level"] for result in sarif["runs"][0]["results"]] == ["note"]
    assert run("k.py", "--format", "github")[1].startswith("::notice ")
