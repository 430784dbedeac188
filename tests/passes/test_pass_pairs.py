"""Several passes on one kernel: in any order they come to an end, and the answer stays the same.

Kernels are drawn that have something for every pass, often in the same statement. Every pair
of passes is run in both orders, and all of them together; triples with options of any value
begin with a pass that may create a kernel, which the others then find.

To verify one takes tens of seconds, so `make test` does it for some small kernels, on which passes
meet, and `make test-all` for random ones: TRITONOPT_EXAMPLES sets how many (8; a long run takes
hundreds).
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, fields
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from tests.layers import few, number
from tests.passes.cases import BACKEND, case, difference, said
from tritonopt.rewriting import options
from tritonopt.rewriting.options import PassSelectionError, Selected
from tritonopt.rewriting.pipeline import rewrite_source
from tritonopt.rewriting.registry import catalog, select

EXAMPLES = int(os.environ.get("TRITONOPT_EXAMPLES", number(2, 8)))

# Options with which a pass has something to do here.
SPELLED = {
    "grid-stride": "grid-stride{programs=2}",
    "one-tile": "one-tile{longer_rows=branch}",
    "row-batch": "row-batch{elements=64}",
    "split-columns": "split-columns{longest=16,block=16}",
    "split-reduce": "split-reduce{turns=1}",
}
PASSES = [SPELLED.get(name, name) for name in sorted(catalog())]
CREATING = [
    SPELLED.get(name, name) for name in ("split-columns", "split-reduce", "autotune-configs")
]
NUMBERS = {
    ("contiguity-hints", "least"): (2, 16),
    ("grid-stride", "programs"): ("", "2", "sm*4"),
    ("loop-unswitch", "max_statements"): (1, 40),
    ("one-tile", "raise_block"): (0, 32, 32768),
    ("row-batch", "elements"): (64, 2048),
    ("split-columns", "block"): (16, 4096),
    ("split-columns", "longest"): (16, 65536),
    ("split-reduce", "programs"): ("4", "sm*8"),
    ("split-reduce", "turns"): (1, 8),
    ("unknown-names", "triton"): ("", "3.9.0"),
}
UNEQUAL = ("moments",)
"""Documented to lose digits that the original keeps."""
ORDERS = [*permutations(PASSES, 2), tuple(PASSES), tuple(reversed(PASSES))]

LOOK = settings(
    max_examples=8 * EXAMPLES,
    deadline=None,
    derandomize="TRITONOPT_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.nested_given],
)
RUN = settings(LOOK, max_examples=EXAMPLES, phases=[Phase.explicit, Phase.reuse, Phase.generate])
SOME = settings(LOOK, max_examples=4 * EXAMPLES)
FEW = settings(RUN, max_examples=(EXAMPLES + 1) // 2)


WHOLE = """\
@triton.jit
def whole(Parts, Total, M, BLOCK: tl.constexpr):
    total = 0.0
    for start in range(0, M, BLOCK):
        rows = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(Parts + rows, mask=rows < M, other=0.0), axis=0)
    tl.store(Total, total)


"""
NORMS = """\
@triton.jit
def norms(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    norm = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        norm += tl.sum(x * x, axis=0)
    tl.store(Y + row * N, tl.sqrt(norm / N), mask=N > 0)


"""


SHARES = """\
@triton.jit
def shares(X, Z, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Z + row * N + cols, x / (1.0 + tl.sum(x * x, axis=0)), mask=cols < N)


"""


@dataclass(frozen=True)
class Drawn:
    """What a kernel has; each field is something that a pass looks for."""

    statistics: bool
    rebound: bool
    guard: bool
    cleared: bool
    positive: str
    branch: bool
    scale: bool
    wrapped: bool
    counted: str
    reduced: bool
    exponentials: bool
    serial: bool
    blocked: bool
    paired: bool
    nested: bool
    apart: bool
    held: bool
    summed: bool
    handed: bool
    lowered: bool


def kernels() -> st.SearchStrategy[Drawn]:
    positive = st.sampled_from(("", "named", "in the store"))
    counted = st.sampled_from(("", "by all", "by row"))
    having = ("statistics", "rebound", "guard", "cleared", "branch", "scale", "wrapped")
    having += ("reduced", "exponentials", "serial", "blocked", "paired", "nested", "apart")
    having += ("summed", "held", "handed", "lowered")
    return st.builds(
        Drawn, positive=positive, counted=counted, **dict.fromkeys(having, st.booleans())
    )


@st.composite
def with_options(draw: st.DrawFn, spelled: str, *, seen: bool = False) -> str:
    """A pass with any value for each of its options; those of `SPELLED` may stay.

    `seen` says that they stay, and so do other numbers: on small inputs all that is written runs.
    """
    (item,) = options.parse(spelled)
    given = dict(item.options if seen or draw(st.booleans()) else ())
    for option in options.of(catalog()[item.name]).values():
        values = option.choices or (() if seen else NUMBERS[item.name, option.name])
        values = [value for value in values if not (seen and value in UNEQUAL)]
        if values and option.name not in given and draw(st.booleans()):
            given[option.name] = options.spell(draw(st.sampled_from(values)))
    found = str(Selected(item.name, tuple((name, text) for name, text in given.items() if text)))
    try:
        select(found)
    except PassSelectionError:  # of values that exclude each other
        return spelled
    return found


def triples(*, seen: bool = False) -> st.SearchStrategy[tuple[str, ...]]:
    """Three passes; the first one creates a kernel more often than chance would have it."""
    any_pass = st.sampled_from(PASSES)
    three = st.tuples(st.sampled_from(CREATING) | any_pass, any_pass, any_pass)
    return three.filter(lambda names: len({name.partition("{")[0] for name in names}) == 3).flatmap(
        lambda names: st.tuples(*(with_options(name, seen=seen) for name in names))
    )


def render(drawn: Drawn) -> str:
    """A file with a kernel and its launcher."""
    row = "X" if drawn.rebound else "X + row * N"
    lines = ["row = tl.program_id(0)"]
    if drawn.guard:
        lines += ["if row >= M:", "    return"]
    if drawn.rebound:
        lines.append("X += row * N")
    sweep = [
        "for start in range(0, N, BLOCK):",
        "    cols = start + tl.arange(0, BLOCK)",
        "    mask = cols < N",
        f"    x = tl.load({row} + cols, mask=mask, other=0.0).to(tl.float32)",
    ]
    if drawn.reduced:
        lines += ["norm = 0.0", *sweep, "    norm += tl.sum(x * x, axis=0)"]
    if drawn.serial:
        lines += ["above = 0", "for i in range(N):", f"    if tl.load({row} + i) > 0:"]
        lines += ["        above += 1"]
    if drawn.paired:
        lines += ["half = tl.arange(0, BLOCK)"]
        lines += ["even = tl.load(W + 2 * half, mask=2 * half < N, other=0.0)"]
        lines += ["odd = tl.load(W + 2 * half + 1, mask=2 * half + 1 < N, other=0.0)"]
        lines += ["duo = tl.max(even * odd, axis=0)"]
    if drawn.nested:
        lines += ["area = 0.0", "for i in range(3):", *(f"    {line}" for line in sweep)]
        lines += ["        area += tl.sum(x * (i + 1), axis=0)"]
    if drawn.statistics and drawn.reduced:
        lines += ["total = 0.0", *sweep, "    total += tl.sum(x, axis=0)", "mean = total / N"]
        lines += ["squares = 0.0", *sweep, "    d = tl.where(mask, x - mean, 0.0)"]
        lines += ["    squares += tl.sum(d * d, axis=0)", "rstd = 1 / tl.sqrt(squares / N + 1e-3)"]
    elif drawn.statistics:
        lines += ["total = tl.zeros([BLOCK], dtype=tl.float32)", *sweep, "    total += x"]
        lines += ["mean = tl.sum(total, axis=0) / N"]
        lines += ["squares = tl.zeros([BLOCK], dtype=tl.float32)", *sweep]
        lines += ["    d = tl.where(mask, x - mean, 0.0)", "    squares += d * d"]
        lines += ["rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-3)"]
    if drawn.exponentials:
        highest = [line.replace("other=0.0", 'other=-float("inf")') for line in sweep]
        lines += ['top = -float("inf")', *highest, "    top = tl.maximum(top, tl.max(x, axis=0))"]
        lines += ["powers = 0.0", *sweep]
        lines.append("    powers += tl.sum(tl.where(mask, tl.exp(x - top), 0.0), axis=0)")
    weights = "W + cols, mask=mask, other=0.0"
    if drawn.blocked:
        weights = "tl.make_block_ptr(W, (N,), (1,), (start,), (BLOCK,), (0,))"
        weights += ', boundary_check=(0,), padding_option="zero"'
    lines += [*sweep, f"    w = tl.load({weights})"]
    product = "tl.where(mask, x * w, 0.0)" if drawn.cleared else "x * w"
    lines.append(f"    y = {product}")
    if drawn.wrapped:
        lines += ["    around = (start + tl.arange(0, BLOCK)) % N", "    y += tl.load(W + around)"]
    if drawn.scale:
        lines.append("    y = y * tl.load(S)")
    if drawn.branch:
        lines += ["    if shift > 0:", "        y = y + shift", "    else:", "        y = -y"]
    if drawn.statistics:
        lines.append("    y = (y - mean) * rstd")
    if drawn.reduced:
        lines.append("    y = y + norm")
    if drawn.exponentials:
        lines.append("    y = y + (top + tl.log(powers))")
    if drawn.serial:
        lines.append("    y = y + above")
    if drawn.paired:
        lines.append("    y = y + duo")
    if drawn.nested:
        lines.append("    y = y + area")
    if drawn.lowered:
        lines += ["    tile = tl.broadcast_to(y[None, :], (BLOCK, BLOCK))"]
        lines += ["    tile = tl.dot(tile, tile)", "    below = tl.arange(0, BLOCK)[:, None] + row"]
        lines += ["    tile = tl.where(below >= cols[None, :], tile, 0.0)"]
        lines += ["    top = tl.max(tile, axis=1)"]
        lines += ["    y = y + tl.sum(tl.exp(tile - top[:, None]), axis=1)"]
    if drawn.positive == "named":
        lines.append("    y = tl.maximum(y, 0.0)")
    stored = "tl.maximum(y, 0.5)" if drawn.positive == "in the store" else "y"
    lines.append(f"    tl.store(Y + row * N + cols, {stored}, mask=mask)")
    if drawn.handed:
        lines += ["at = tl.arange(0, BLOCK)", "near = at + 1 < N"]
        lines += ["after = tl.load(Y + row * N + at + 1, mask=near, other=0.0)"]
        lines += ["tl.store(Y + row * N + at, after, mask=near)"]
    if drawn.counted:
        lines.append(f"tl.atomic_add(Count{' + row' if drawn.counted == 'by row' else ''}, 1)")
    if drawn.summed:
        lines.append(f"tl.store(Parts + row, tl.load({row}, mask=N > 0, other=0.0))")
    body = "".join(f"    {line}\n" for line in lines)
    apart, norms = ("norms[(m,)](x, y, n, BLOCK=16)", NORMS) if drawn.apart else ("", "")
    held, shares = ("", "")
    if drawn.held:
        held, shares = ("shares[(m,)](x, z, n, BLOCK=triton.next_power_of_2(n))", SHARES)
    summed, whole = "", ""
    if drawn.summed:
        summed, whole = "whole[(1,)](parts, total, m, BLOCK=16)", WHOLE
    return f"""\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, S, Y, Count, Parts, M, N, shift, BLOCK: tl.constexpr):
{body}

{norms}{whole}{shares}# tritonopt: x: f32[m, n], w: f32[n], s: f32[1], shift: int in -1..1
def run(x: torch.Tensor, w: torch.Tensor, s: torch.Tensor, shift: int):
    x, w = x.contiguous(), w.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    count = torch.zeros(m + 1, dtype=torch.int32, device=x.device)
    parts = torch.empty(m, dtype=torch.float32, device=x.device)
    total = torch.{"empty" if drawn.summed else "zeros"}(1, dtype=torch.float32, device=x.device)
    kernel[({"m + 1" if drawn.guard else "m"},)](
        x, w, s, y, count, parts, m, n, shift, BLOCK=16
    )
    {summed}
    {apart}
    z = torch.zeros_like(x)
    {held}
    return y, count, total, z
"""


CREATED = {
    "autotune-configs,split-reduce": ("split-reduce/added_behind", "autotune-configs"),
    "split-columns{longest=16,block=16},online-softmax,fuse-stats": (
        "split-columns/layer_norm",
        "fuse-stats",
    ),
    "split-columns{longest=16,block=16},online-softmax": (
        "split-columns/softmax",
        "online-softmax",
    ),
    "split-columns{longest=16,block=16},row-batch,grid-stride": (
        "split-columns/documented",
        "row-batch",
    ),
}


@pytest.mark.parametrize("order", CREATED)
def test_kernels_that_a_pass_created_are_found_by_the_others(order: str) -> None:
    name, later = CREATED[order]
    text = case(name).text
    result = rewrite_source(text, order)
    assert not result.failed, said(result)
    assert any("which is new" in r.message for r in result.remarks if r.pass_name == later)
    again = rewrite_source(result.text, order)
    assert again.text == result.text, difference(result.text, again.text)


@LOOK
@given(kernels(), st.sampled_from(ORDERS))
def test_every_order_comes_to_an_end(drawn: Drawn, order: tuple[str, ...]) -> None:
    check_end(drawn, order)


@SOME
@given(kernels(), triples())
def test_every_triple_comes_to_an_end(drawn: Drawn, order: tuple[str, ...]) -> None:
    check_end(drawn, order)


def check_end(drawn: Drawn, order: tuple[str, ...]) -> None:
    text = render(drawn)
    result = rewrite_source(text, order)
    assert not result.failed, f"{order}\n{said(result)}\n{text}"
    again = rewrite_source(result.text, order)
    assert again.text == result.text, f"{order}: a second run changed it again:\n" + difference(
        result.text, again.text
    )


TOGETHER: dict[tuple[str, ...], dict[str, bool | str]] = {
    ("fuse-stats", "max-to-where"): {"statistics": True, "positive": "in the store"},
    ("int64-offsets", "block-pointer"): {"blocked": True, "wrapped": True},
    ("split-columns{longest=16,block=16}", "grid-stride{programs=2}"): {"held": True},
}
"""Passes that all act on a kernel, by what it has."""


@pytest.mark.parametrize("order", few([(order,) for order in TOGETHER], 0, 2), ids=" ".join)
def test_passes_that_meet_give_the_same_answer(order: tuple[str, ...]) -> None:
    plain = {field.name: False for field in fields(Drawn)} | {"positive": "", "counted": ""}
    applied = check_answer(Drawn(**{**plain, **TOGETHER[order]}), order, 0)
    assert applied == {spelled.partition("{")[0] for spelled in order}


@pytest.mark.thorough(instead="test_passes_that_meet_give_the_same_answer")
@RUN
@given(kernels(), st.sampled_from(ORDERS), st.integers(0, 2**16))
def test_every_order_gives_the_same_answer(drawn: Drawn, order: tuple[str, ...], seed: int) -> None:
    event(f"{len(check_answer(drawn, order, seed))} passes applied")


@pytest.mark.thorough(instead="test_passes_that_meet_give_the_same_answer")
@FEW
@given(kernels(), triples(seen=True), st.integers(0, 2**16))
def test_triples_give_the_same_answer(drawn: Drawn, order: tuple[str, ...], seed: int) -> None:
    event(f"{len(check_answer(drawn, order, seed))} passes applied")


def check_answer(drawn: Drawn, order: tuple[str, ...], seed: int) -> set[str]:
    """The passes that were applied."""
    text = render(drawn)
    result = rewrite_source(text, order)
    applied = {remark.pass_name for remark in result.remarks if remark.kind.value == "passed"}
    if not result.changed:
        return applied
    from tritonopt.verification import verify

    with tempfile.TemporaryDirectory() as folder:
        original, rewritten = Path(folder, "original.py"), Path(folder, "rewritten.py")
        original.write_text(text, encoding="utf-8")
        rewritten.write_text(result.text, encoding="utf-8")
        verdict = verify(original, rewritten, backend=BACKEND, max_examples=3, seed=seed)
    assert verdict.verdict in ("identical", "equivalent"), (
        f"{order}: {verdict.verdict}: {verdict.counterexample or verdict.reason}\n"
        f"{difference(text, result.text)}"
    )
    if BACKEND == "interpreter":
        assert verdict.algebra is not None
        # Residues are not followed through every block pointer.
        agrees = verdict.algebra.is_same or (drawn.blocked and not verdict.algebra.is_different)
        assert agrees, f"{order}: {verdict.algebra}\n{difference(text, result.text)}"
    return applied
