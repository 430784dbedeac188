"""Every line that a remark names is one of the given text: the line of what it speaks of.

Each line of a case gets a comment of its own, which goes along with the code through all edits.
Passes are made to say beside each site which comments stand at the lines that they name, in the
text that they see; in the remarks these must stand at the lines of the given text.

TRITONOPT_EXAMPLES sets how many runs are drawn (4 times as many).
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.cases import CASES, Case
from tests.passes.test_pass_pairs import CREATING, PASSES, SOME, with_options
from tritonopt import source
from tritonopt.rewriting.model import Remark, Site
from tritonopt.rewriting.pipeline import rewrite_source
from tritonopt.rewriting.protocol import Pass
from tritonopt.rewriting.registry import select

REWRITTEN = [case for case in CASES if case.expect == "rewritten"]
MARK = re.compile(r"# (m\d+q)\b")
NAMED = re.compile(r"\blines? \d+(?:(?:, and |, or |, | and | or | to )\d+)*(?!\w)(?! of )")
NUMBER = re.compile(r"\d+( \(as rewritten\))?")
NONE = "none"


def marked(text: str) -> str:
    """The text with `# m17q` at the end of each line that a comment may stand at."""
    lines = text.split("\n")
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING:
            inside.update(range(token.start[0], token.end[0]))
    for number, line in enumerate(lines, 1):
        code = line.rstrip("\r")
        if code.strip() and number not in inside and not code.endswith("\\") and "#" not in code:
            lines[number - 1] = f"{code}  # m{number}q{line[len(code) :]}"
    return "\n".join(lines)


def mark_at(lines: list[str], number: int) -> str:
    found = MARK.search(lines[number - 1]) if 1 <= number <= len(lines) else None
    return found[1] if found else NONE


def telling(chosen: Pass) -> Pass:
    """The same pass, which adds to its words the comments at the lines that it names."""

    def sites(self: Pass, facts: Any) -> Iterator[Site]:
        lines = facts.kernel.module.text.split("\n")
        for site in type(chosen).sites(self, facts):
            assert isinstance(site.anchor, (ast.stmt, ast.expr))
            at = mark_at(lines, site.anchor.lineno)
            named = [
                mark_at(lines, int(number[0]))
                for found in NAMED.finditer(site.message)
                for number in NUMBER.finditer(found[0])
            ]
            yield replace(site, message=f"{site.message} <{' '.join([at, *named])}>")

    told = copy(chosen)
    object.__setattr__(told, "__class__", type("Telling", (type(chosen),), {"sites": sites}))
    return told


def wrong(remark: Remark, lines: list[str]) -> Iterator[str]:
    """The lines of a remark that do not have the comment that they should have."""
    told = re.fullmatch(r"(.*) <([^<>]*)>", remark.message, re.S)
    if told is None:
        return
    at, *named = told[2].split()
    if at not in (NONE, mark_at(lines, remark.line)):
        yield f"{remark.line} is not the line of {at}"
    line = lines[remark.line - 1]
    if not 1 <= remark.column <= max(len(line), 1):
        yield f"line {remark.line} has no column {remark.column}"
    numbers = [
        number
        for found in re.finditer(
            NAMED.pattern.replace(r"\d+", r"\d+(?: \(as rewritten\))?"), told[1]
        )
        for number in NUMBER.finditer(found[0])
    ]
    for mark, number in zip(named, numbers, strict=True):
        if mark != NONE and (number[1] or mark != mark_at(lines, int(number[0].split()[0]))):
            yield f"{number[0]} is not the line of {mark}"


@st.composite
def lists(draw: st.DrawFn) -> tuple[Case, tuple[str, ...]]:
    """A case, and passes of which the first one has something to do."""
    case = draw(st.sampled_from(REWRITTEN))
    options = ",".join(case.values("options"))
    first = f"{case.pass_name}{{{options}}}" if options else case.pass_name
    others = st.sampled_from([*PASSES, *CREATING]).flatmap(with_options)
    return case, (first, draw(others), draw(others))


KERNELS = """\
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    tl.store(Y + row, m)
"""
LAUNCHER = """\
import torch
from kernels import kernel


def run(x):
    y = torch.empty(x.shape[0])
    x = x.contiguous()
    kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=64)
    return y
"""


@pytest.mark.parametrize("above", [0, 3, 40])
def test_a_launch_in_another_file_has_one_line(tmp_path: Path, above: int) -> None:
    """Edits of the kernel's file, with more or fewer lines, move no line of the launcher's."""
    paths = [tmp_path / name for name in ("kernels.py", "launcher.py")]
    paths[0].write_text(KERNELS, encoding="utf-8")
    paths[1].write_text("\n" * above + LAUNCHER, encoding="utf-8")
    line = above + LAUNCHER[: LAUNCHER.index("kernel[")].count("\n") + 1
    order = "defer-reduction,row-batch,grid-stride,split-reduce,split-columns,int64-offsets"
    program = source.Program(paths)
    result = rewrite_source(KERNELS, order, path=str(paths[0]), program=program)
    assert result.changed
    texts = [t for r in result.remarks for t in (r.message, *(c.detail for c in r.conditions))]
    named = [n for text in texts for n in re.findall(r"line (\d+) of \S*launcher.py", text)]
    assert len(named) >= 4 and set(named) == {str(line)}


@SOME
@given(lists())
def test_every_line_is_one_of_the_given_text(drawn: tuple[Case, tuple[str, ...]]) -> None:
    case, order = drawn
    text = marked(case.text)
    facts = re.findall(r"^# assume: (.+?)(?:  # m\d+q)?$", text, re.M)
    result = rewrite_source(text, [telling(select(spelled)[0]) for spelled in order], assume=facts)
    lines = text.split("\n")
    found = [(remark, found) for remark in result.remarks for found in wrong(remark, lines)]
    assert not found, f"{case.name} {order}\n{found}\n{result.text}"
