"""One rule for what runs: nothing named, named, `default`, `all`, and what `suggest` shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tritonopt.cli.main import main
from tritonopt.rewriting.pipeline import rewrite_source

Run = Callable[..., tuple[int, str, str]]

SOFTMAX = """\
import torch
import triton
import triton.language as tl


@triton.jit
def soft(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    x_ptr += tl.program_id(0).to(tl.int64) * n
    y_ptr += tl.program_id(0).to(tl.int64) * n
    top = -float("inf")
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n)
        top = tl.maximum(top, tl.max(x, axis=0))
    total = 0.0
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n, other=-float("inf"))
        total += tl.sum(tl.exp(x - top), axis=0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n, other=-float("inf"))
        tl.store(y_ptr + cols, tl.exp(x - top) / total, mask=cols < n)


def softmax(x: torch.Tensor):
    assert x.dtype == torch.float32
    m, n = x.shape
    y = torch.empty_like(x)
    soft[(m,)](x, y, n, BLOCK=1024)
    return y
"""
RELU = """\


@triton.jit
def relu(x_ptr, y_ptr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols).to(tl.float32)
    tl.store(y_ptr + cols, tl.maximum(x, 0.0))
"""
PLAIN = SOFTMAX[: SOFTMAX.index("    top =")] + RELU
"""Correct, and without a profitable site."""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        return main(list(arguments)), *capfd.readouterr()

    return call


def said(text: str) -> list[str]:
    """The passes of remarks and suggestions, in order."""
    return re.findall(r"^k\.py:\d+:\d+: ([a-z0-9-]+) \[", text, re.MULTILINE)


def test_nothing_named_fixes_a_mistake_and_then_does_what_the_mistake_forbade(run: Run) -> None:
    Path("k.py").write_text(SOFTMAX)
    code, out, err = run("rewrite", "k.py")
    assert code == 0 and said(err) == ["undefined-lanes", "online-softmax"]
    assert "+        new_top = tl.maximum(top, tl.max(x, axis=0))" in out
    assert rewrite_source(SOFTMAX, None).text == rewrite_source(SOFTMAX).text != SOFTMAX


def test_a_named_list_fixes_first_whatever_its_order() -> None:
    orders = ("online-softmax,undefined-lanes", "undefined-lanes,online-softmax")
    one, other = (rewrite_source(SOFTMAX, order).text for order in orders)
    assert one == other and "new_top" in one


@pytest.mark.parametrize("command", [(), ("--careful",), ("--write",), ("--check",)])
def test_without_a_profitable_site_it_is_silent(run: Run, command: tuple[str, ...]) -> None:
    Path("k.py").write_text(PLAIN)
    done = "2 kernels: 0 rewrites applied, 0 not applied"
    code, out, err = run("rewrite", "k.py", *command)
    assert (code, out) == (0, "") and re.fullmatch(rf"1 file, {done}; 0 files .*\n", err)
    assert run("suggest", "k.py")[:2] == (0, "")


def test_remarks_on_what_was_not_applied_are_asked_for(run: Run) -> None:
    Path("k.py").write_text(SOFTMAX + RELU)
    every = run("rewrite", "k.py", "--explain-missed")[2]
    assert "not-profitable" in every and len(said(every)) > len(said(run("rewrite", "k.py")[2]))
    assert "missed" not in run("rewrite", "k.py", "--passes", "all")[2].partition("1 file, ")[0]
    assert "not-profitable" in run("rewrite", "k.py", "--statistics")[1]
    assert said(run("rewrite", "k.py", "--passes", "row-batch")[2]) == ["row-batch"]


def test_one_missing_condition_is_told(run: Run) -> None:
    """The bound on the row is all that row-batch lacks in a kernel that loads it at once."""
    Path("k.py").write_text(SOFTMAX.replace("soft[(m,)](x, y, n", "soft[(64,)](x, y, n"))
    assert "profitable-at-some-sizes" in run("rewrite", "k.py")[2]
    assert "missed" not in run("rewrite", "k.py", "--careful")[2].partition("1 file, ")[0]


@pytest.mark.parametrize(("spec", "acts"), [("default", False), ("all", True)])
def test_the_aliases_and_their_notes(run: Run, spec: str, acts: bool) -> None:
    Path("k.py").write_text(PLAIN)
    code, out, err = run("rewrite", "k.py", "--passes", spec)
    assert (code, "tl.where" in out) == (0, acts)
    assert len(re.findall(rf"^note: `{spec}` means ", err, re.MULTILINE)) == 1
    Path("pyproject.toml").write_text(f"[tool.tritonopt]\npasses = ['{spec}', 'max-to-where']\n")
    code, out, err = run("rewrite", "k.py")
    assert (code, "tl.where" in out) == (0, True)
    assert f"note: pyproject.toml:2:1: `{spec}` means " in err
    assert "note: " not in run("suggest", "k.py")[2]


@pytest.mark.parametrize("named", ["max-to-where", "default", "fuse-stats"])
def test_suggest_does_not_ask_what_is_configured_for_rewriting(run: Run, named: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.tritonopt]\npasses = ['{named}']\n")
    Path("k.py").write_text(PLAIN.replace("import torch\n", "import torch\n\n") + SOFTMAX)
    code, out, _ = run("suggest", "k.py")
    assert code == 1 and said(out)[0] == "undefined-lanes"


LOAD = "x = tl.load(x_ptr + cols, mask=cols < n"
FIXED = SOFTMAX.replace(f"{LOAD})", f'{LOAD}, other=float("-inf"))')


def test_mistakes_stand_before_rewrites(run: Run) -> None:
    second = SOFTMAX[SOFTMAX.index("@triton.jit") :].replace("soft", "other")
    Path("k.py").write_text(f"{FIXED}\n\n{second}")
    _, out, _ = run("suggest", "k.py")
    assert said(out) == ["undefined-lanes", "online-softmax"]


def test_fix_does_what_is_shown_and_nothing_else(run: Run) -> None:
    Path("k.py").write_text(SOFTMAX + RELU)
    _, shown, _ = run("suggest", "k.py")
    code, out, _ = run("suggest", "k.py", "--fix")
    assert (code, out) == (1, shown) and said(shown) == ["undefined-lanes"]
    assert Path("k.py").read_text() == FIXED + RELU
    assert said(run("suggest", "k.py", "--fix")[1]) == ["online-softmax"]
    assert Path("k.py").read_text() == rewrite_source(SOFTMAX + RELU).text
    assert run("suggest", "k.py", "--fix")[:2] == (0, "")


def test_a_command_stays_right_after_another_one(run: Run) -> None:
    second = FIXED[FIXED.index("@triton.jit") :].replace("soft", "other")
    Path("k.py").write_text(f"{FIXED}\n\n{second}")
    _, out, _ = run("suggest", "k.py")
    commands = re.findall(r"apply: tritonopt (.+)", out)
    assert [command.split()[1] for command in commands] == ["k.py:soft", "k.py:other"]
    for command in commands:
        assert run(*command.split())[0] == 0
    assert run("suggest", "k.py")[:2] == (0, "")


def test_a_command_names_the_line_where_the_kernel_has_more_than_is_shown(run: Run) -> None:
    """A kernel of two softmaxes, of which one holds its row in a tile."""
    body = FIXED[FIXED.index("    top =") : FIXED.index("\n\n\ndef softmax")]
    whole = body.replace("BLOCK)", "W)")
    text = FIXED.replace(body, f"{body}\n{whole}").replace(
        "BLOCK: tl", "W: tl.constexpr, BLOCK: tl"
    )
    text = text.replace("BLOCK=1024", "W=triton.next_power_of_2(n), BLOCK=1024")
    Path("k.py").write_text(text)
    _, out, _ = run("suggest", "k.py")
    online = [part for part in out.split("k.py:") if ": online-softmax [" in part]
    assert len(online) == 1 and re.search(r"rewrite k\.py:16 --passes online-softmax", out), out


def test_stdin_cannot_be_fixed(run: Run) -> None:
    assert "stdin" in run("suggest", "-", "--fix")[2]


def test_what_is_not_listed_is_counted(run: Run) -> None:
    Path("k.py").write_text(SOFTMAX + RELU)
    every = run("rewrite", "k.py", "--explain-missed")[2]
    number = every.count(": not applied, ")
    assert number and f"{number} not applied; " in every
    said = f"{number} not applied (--explain-missed lists them); "
    assert said in run("rewrite", "k.py")[2]
    assert "0 not applied; " in run("rewrite", "k.py", "--careful")[2]


ROW = """\
import torch
import triton
import triton.language as tl


@triton.jit
def k(X, Slots, Y, s, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    BODY


def launch(x: torch.Tensor, slots: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    k[(m,)](x, slots.to(torch.int32), y, x.stride(0), n, BLOCK=1024)
    return y
"""
COPIED = "tl.store(Y + row * s + cols, tl.load(X + row * s + cols, mask=cols < n), mask=cols < n)"
GATHERED = """\
for start in range(0, n, BLOCK):
        slots = tl.load(Slots + start + cols, mask=start + cols < n, other=0)
        x = tl.load(X + slots[:, None] * s + cols[None, :] % 64)
        tl.store(Y + row * 64 + tl.arange(0, 64), tl.sum(x / n, axis=0))"""


@pytest.mark.parametrize(
    ("body", "written"),
    [
        (COPIED.replace("mask=cols < n),", "mask=cols < n) / n,"), "tl.program_id(0).to(tl.int64)"),
        (COPIED, ""),
        (GATHERED, ""),
        ("tl.store(Y + row, tl.sum(tl.load(X + cols, mask=cols < n)))", "mask=cols < n, other=0.0"),
        ("tl.store(Y + row, tl.max(tl.load(X + cols, mask=cols < n)))", ""),
        (
            "x = tl.load(X + cols, mask=cols < n).to(tl.float32)\n    tl.store(Y + row, tl.max(x))",
            'tl.max(tl.where(cols < n, x, float("-inf")))',
        ),
    ],
    ids=["a row", "indices", "a tile of a loop", "a sum", "any type", "floats"],
)
def test_safe_fixes_are_made_with_nothing_named(run: Run, body: str, written: str) -> None:
    Path("k.py").write_text(ROW.replace("BODY", body))
    code, out, err = run("rewrite", "k.py")
    assert code == 0 and (written in out if written else not out), out + err


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (GATHERED, "tiles of a loop become 64-bit, which may be slower"),
        (
            "tl.store(Y + row, tl.max(tl.load(X + cols, mask=cols < n)))",
            "we assume that floats are loaded",
        ),
    ],
)
def test_why_a_mistake_is_not_fixed_is_told(run: Run, body: str, why: str) -> None:
    Path("k.py").write_text(ROW.replace("BODY", body))
    _, out, err = run("rewrite", "k.py")
    assert not out and f"{why})" in err, err
    named = ("--passes", "int64-offsets,undefined-lanes")
    assert run("rewrite", "k.py", *named)[1]


@pytest.mark.parametrize("between", [False, True])
def test_no_tile_is_kept_through_another_loop(run: Run, *, between: bool) -> None:
    loop = "for start in range(0, n, BLOCK):\n        "
    load = "x = tl.load(X + row * s + start + cols, mask=start + cols < n, other=0.0)\n        "
    body = f"top = 0.0\n    {loop}{load}top += tl.sum(x)\n    "
    body += "for i in range(n):\n        top += tl.load(Y + i)\n    " if between else ""
    body += f"{loop}{load}tl.store(Y + row * s + start + cols, x - top, mask=start + cols < n)"
    text = ROW.replace("BODY", body).replace("id(0)", "id(0).to(tl.int64)")
    Path("k.py").write_text(text.replace("BLOCK=1024", "BLOCK=triton.next_power_of_2(n)"))
    _, out, err = run("rewrite", "k.py")
    assert bool(out) is not between, err
    assert run("rewrite", "k.py", "--passes", "one-tile")[1]
