"""Tiles that were one element long in every example show nothing of what differs there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import everything, few
from tritonopt import source
from tritonopt.verification import Verdict
from tritonopt.verification.coverage.demands import demands
from tritonopt.verification.worker.probes import Probe

_HEAD = """
import torch
import triton
import triton.language as tl
"""

ONE_ROW = f"""{_HEAD}
@triton.jit
def normed(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    size = tl.sum(x * x, axis=0)
    tl.store(y_ptr + row * n + cols, x / (size + 1), mask=cols < n)

def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    normed[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""

SEVERAL_ROWS = f"""{_HEAD}
@triton.jit
def normed(x_ptr, y_ptr, m, n, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < m)[:, None] & (cols < n)[None, :]
    at = rows[:, None] * n + cols[None, :]
    x = tl.load(x_ptr + at, mask=mask, other=0.0)
    size = tl.sum(x * x, axis=1)
    tl.store(y_ptr + at, x / (size + 1)[:, None], mask=mask)

def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    most = triton.next_power_of_2(triton.cdiv(m, 64))
    rows = max(1, min(2048 // block, most))
    normed[(triton.cdiv(m, rows),)](x, y, m, n, BLOCK=block, ROWS=rows)
    return y
"""

ANSWERS = {
    "right": ("", "", "identical"),
    "over the other axis": ("(size + 1)[:, None]", "(size + 1)[None, :]", "counterexample"),
    "rows beyond the last": ("(rows < m)", "(rows >= 0)", "counterexample"),
    "every row the first one's size": (
        "(size + 1)[:, None]", "(tl.min(size, axis=0) + 1)", "counterexample"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", few(ANSWERS, 1))
def test_sizes_are_drawn_for_which_a_program_has_several_rows(
    name: str, of_texts: Callable[..., Verdict]
) -> None:
    old, new, answer = ANSWERS[name]
    verdict = of_texts(ONE_ROW, SEVERAL_ROWS.replace(old, new))
    assert verdict.verdict == answer, verdict.reason or verdict.counterexample


def test_one_row_per_program_alone_is_no_yes(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(ONE_ROW, SEVERAL_ROWS, args="x: f32[m, n], m <= 50")
    assert verdict.verdict == "unsupported"
    assert "`ROWS` in line 8 of the rewritten version was never more than 1" in verdict.reason


def _extents(old: str, new: str) -> set[tuple[str, str]]:
    reached = {"normed", "launch"}
    modules = source.read(old, "a.py"), source.read(new, "b.py")
    found = demands(*modules, (reached, reached))
    return {(d.title, d.extent) for d in found if d.kind == "lanes"}


def test_which_tiles_have_to_be_long() -> None:
    both = {("original", "BLOCK"), ("rewritten", "BLOCK")}
    assert _extents(ONE_ROW, SEVERAL_ROWS) == {*both, ("rewritten", "ROWS")}
    assert not _extents(ONE_ROW, ONE_ROW)
    # One that is written as 1, and one that every launch makes 1, cannot be longer.
    literal = SEVERAL_ROWS.replace("tl.arange(0, ROWS)", "tl.arange(0, 1)")
    assert _extents(ONE_ROW, literal) == both
    passed = SEVERAL_ROWS.replace("rows = max(1, min(2048 // block, most))", "rows = 1")
    assert _extents(ONE_ROW, passed) == both
    # What the tile of columns has no part in says nothing of its length.
    apart = ONE_ROW.replace("tl.store(y_ptr + row", "tl.debug_barrier()\n    tl.store(y_ptr + row")
    assert not _extents(ONE_ROW, apart)


def test_shapes_of_tiles_count_as_well() -> None:
    tile = "tl.zeros([ROWS, BLOCK], dtype=tl.float32) + tl.load(x_ptr + at"
    assert ("rewritten", "ROWS") in _extents(
        ONE_ROW,
        SEVERAL_ROWS.replace("tl.load(x_ptr + at", tile).replace("tl.arange(0, ROWS)", "0"),
    )


_PLUS_ONE = f"""{_HEAD}
@triton.jit
def plus_one(x_ptr, y_ptr, n, tiles, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)

def launch(x: torch.Tensor):
    (n,) = x.shape
    y = torch.empty_like(x)
    tiles = triton.cdiv(max(n, 1), 256)
    plus_one[(tiles,)](x, y, n, tiles, BLOCK=256)
    return y
"""

_IN_A_LOOP = (
    _PLUS_ONE.replace(
        "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        "    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)\n",
        "    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):\n"
        "        at = tile * BLOCK + tl.arange(0, BLOCK)\n"
        "        tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)\n",
    )
    .replace(
        "    plus_one[(tiles,)]",
        "    here = torch.cuda.current_device()\n"
        "    count = torch.cuda.get_device_properties(here).multi_processor_count\n"
        "    plus_one[(min(tiles, 8 * count),)]",
    )
)  # fmt: skip


def test_more_tiles_than_programs_are_drawn(of_texts: Callable[..., Verdict]) -> None:
    if everything():
        assert of_texts(_PLUS_ONE, _IN_A_LOOP).verdict == "identical"
    wrong = _IN_A_LOOP.replace("tl.num_programs(0)):", "tl.num_programs(0) + 1):")
    assert of_texts(_PLUS_ONE, wrong).verdict == "counterexample"


class LanguageTuple:
    """As Triton 3.6 has it: a name that it lacks is no AttributeError."""

    def __init__(self, values: list[object]) -> None:
        self.values = values

    def __getattr__(self, name: str) -> object:
        return self.values[["only"].index(name)]


class Held:
    def __init__(self, value: object) -> None:
        self.value = value


@pytest.mark.parametrize(
    ("extent", "known"),
    [(4, 4), (Held(8), 8), (LanguageTuple([Held(2), 16]), 16), ((1, 1), 1), (2.5, None)],
    ids=["number", "constant", "tuple of the language", "tuple", "none"],
)
def test_a_length_or_a_whole_shape(extent: object, known: int | None) -> None:
    probe = Probe()
    assert probe.extent(3, 5, extent) is extent
    assert probe.sheet.extents.get((3, 5)) == known


def test_the_shape_of_another_tile(of_texts: Callable[..., Verdict]) -> None:
    text = ONE_ROW.replace("x * x, axis", "x * tl.full(x.shape, 2.0, tl.float32), axis")
    verdict = of_texts(text, text.replace("2.0", "2"), args="x: f32[m, n]", max_examples=2)
    assert verdict.verdict == "identical", verdict


TILES_OF_TILES = f"""{_HEAD}
@triton.jit
def of_tiles(x_ptr, parts_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=-float("inf"))
    tl.store(parts_ptr + tl.program_id(0), tl.max(x, axis=0))

@triton.jit
def of_all(parts_ptr, y_ptr, tiles, BLOCK: tl.constexpr):
    largest = tl.full([BLOCK], -float("inf"), tl.float32)
    for start in range(0, tiles, BLOCK):
        at = start + tl.arange(0, BLOCK)
        part = tl.load(parts_ptr + at, mask=at < tiles, other=-float("inf"))
        largest = tl.maximum(largest, part)
    tl.store(y_ptr, tl.max(largest, axis=0))

def launch(x: torch.Tensor):
    n = x.numel()
    tiles = triton.cdiv(max(n, 1), 256)
    parts = torch.empty(tiles, device=x.device)
    y = torch.empty(1, device=x.device)
    of_tiles[(tiles,)](x, parts, n, BLOCK=256)
    of_all[(1,)](parts, y, tiles, BLOCK=256)
    return y
"""


@pytest.mark.parametrize(
    "new, verdict",
    few(
        [
            ("tl.maximum(part, largest)", "identical"),
            ("tl.where(start > 0, largest, part)", "counterexample"),
        ],
        1,
    ),
)
def test_a_loop_over_tiles_takes_a_second_turn(
    new: str, verdict: str, of_texts: Callable[..., Verdict]
) -> None:
    """A row has 65537 elements then, which no smaller one shows."""
    changed = TILES_OF_TILES.replace("tl.maximum(largest, part)", new)
    found = of_texts(TILES_OF_TILES, changed, args="x: f32[n]")
    assert found.verdict == verdict, found
