"""Unnamed, a pass runs where profitable; named, wherever it is legal."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.passes import cases
from tritonopt import source
from tritonopt.rewriting.dry_run import dry_run
from tritonopt.rewriting.model import RemarkKind
from tritonopt.rewriting.pipeline import DEFAULT_SAFETY, RewriteResult, rewrite_source
from tritonopt.rewriting.registry import select

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def outcome(result: RewriteResult, name: str) -> set[tuple[str, str]]:
    return {(r.kind.value, r.reason) for r in result.remarks if r.pass_name == name}


def unnamed(text: str, name: str) -> set[tuple[str, str]]:
    """What a pass says where it is not named; it does the same."""
    chosen = [one.where_profitable() for one in select(name) if one.name == name]
    found = dry_run(source.read(text), chosen, DEFAULT_SAFETY).found
    said = {(each.remark.kind.value, each.remark.reason) for each in found}
    done = outcome(rewrite_source(text, chosen), name)
    assert (("passed", "") in said) == (("passed", "") in done)
    return said


@pytest.mark.parametrize(
    "case",
    [
        "grid-stride/grid_of_meta",
        "grid-stride/row_kernel",
        "grid-stride/sum_of_a_tensor",
        "fuse-stats/batch_norm_flat",
        "fuse-stats/counted_blocks",
        "max-to-where/constant_first",
        "loop-unswitch/elif_chain",
        "loop-unswitch/while_loop",
        "licm/a_row_for_each_program",
        "licm/runs_for_sure",
        "contiguity-hints/checked_by_assert",
    ],
)
def test_what_is_not_known_to_be_faster_is_done_where_it_is_named(case: str) -> None:
    text = cases.case(case).text
    name = case.partition("/")[0]
    for spec in (name, f"default,{name}"):
        assert outcome(rewrite_source(text, spec), name) == {("passed", "")}
    assert unnamed(text, name) == {("missed", "not-profitable")}


def test_nothing_named_writes_for_one_tile_what_one_tile_holds() -> None:
    """Merging sweeps would be a loss there; without loops nothing is left to merge."""
    result = rewrite_source(cases.case("fuse-stats/one_tile_for_a_row").text)
    assert outcome(result, "one-tile") == {("passed", "")}
    assert outcome(result, "fuse-stats") == set()


def test_nothing_named_sums_what_every_tile_adds() -> None:
    text = cases.case("grid-stride/weight_gradient").text
    assert outcome(rewrite_source(text), "grid-stride") == {("passed", "")}


def test_a_branch_moves_by_itself_where_a_product_waits_for_its_load() -> None:
    text = (EXAMPLES / "gated_matmul.py").read_text()
    assert outcome(rewrite_source(text), "loop-unswitch") == {("passed", "")}
    # The same loop without the load under the branch: nothing was measured to be gained.
    loaded = "gate = tl.load(gate_ptr + inner, mask=inner < K, other=0.0)"
    plain = text.replace(loaded, "gate = inner * 0.5")
    assert plain != text
    assert unnamed(plain, "loop-unswitch") == {("missed", "not-profitable")}
    assert outcome(rewrite_source(plain, "loop-unswitch"), "loop-unswitch") == {("passed", "")}


def test_a_branch_under_another_one_leaves_the_load_under_that() -> None:
    text = (EXAMPLES / "gated_matmul.py").read_text()
    start, end = text.index("        if gated > 0:"), text.index("        acc = tl.dot")
    branch = textwrap.indent(text[start:end], "    ")
    nested = f"{text[:start]}        if start > M:\n{branch}{text[end:]}"
    assert outcome(rewrite_source(nested, "loop-unswitch"), "loop-unswitch") == {("passed", "")}
    assert unnamed(nested, "loop-unswitch") == {("missed", "not-profitable")}


def test_a_long_loop_is_copied_where_that_is_asked_for() -> None:
    text = (EXAMPLES / "gated_matmul.py").read_text()
    more = "".join(f"        tl.store(c_ptr + {n}, 0.0)\n" for n in range(9))
    start = text.index("        if gated > 0:")
    long = text[:start] + more + text[start:]
    asked = "loop-unswitch{max_statements=60}"
    assert outcome(rewrite_source(long, asked), "loop-unswitch") == {("passed", "")}
    assert unnamed(long, "loop-unswitch") == {("missed", "too-many-statements")}


BLOCKED_MATMUL = """
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, gate_ptr, c_ptr, K, turns, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tile = lanes[:, None] * BLOCK + lanes[None, :]
    for turn in range(turns):
        acc = tl.zeros([BLOCK, BLOCK], dtype=tl.float32)
        for k in range(0, K):
            a = tl.load(a_ptr + k * BLOCK * BLOCK + tile)
            if turn == 0:
                a *= tl.load(gate_ptr + k)
            weights = tl.load(gate_ptr + turn * BLOCK + lanes)
            acc = tl.dot(a * weights[None, :], a, acc)
            tl.store(c_ptr + turn * BLOCK * BLOCK + tile, acc)


def run(a: torch.Tensor, gate: torch.Tensor):
    assert a.shape[0] > 0
    c = torch.empty_like(a)
    kernel[(1,)](a, gate, c, a.shape[0], a.shape[0], BLOCK=16)
    return c
"""


@pytest.mark.parametrize("name", ["licm", "loop-unswitch"])
def test_out_of_an_inner_loop_nothing_moves_by_itself(name: str) -> None:
    """What moves is waited for before each run of the loop: measured to be a loss."""
    assert ("passed", "") in outcome(rewrite_source(BLOCKED_MATMUL, name), name)
    found = unnamed(BLOCKED_MATMUL, name)
    assert ("missed", "not-profitable") in found and ("passed", "") not in found


def test_what_would_let_an_atomic_be_summed_is_said() -> None:
    text = cases.case("grid-stride/mask_of_the_whole_tile").text
    (remark,) = rewrite_source(text, "grid-stride").remarks
    assert "the atomic in line 15 stays, its mask depends on the tile (if it is" in remark.message
    guarded = text.replace("(row < M) & (cols < N)", "cols < N").replace(
        "    cols = tl.arange", "    if row >= M:\n        return\n    cols = tl.arange"
    )
    (remark,) = rewrite_source(guarded, "grid-stride").remarks
    assert "the atomic in line 17 executed once" in remark.message


def test_what_is_to_be_expected_is_said() -> None:
    said = {}
    for case in ("weight_gradient", "row_kernel", "grid_of_meta"):
        text = cases.case(f"grid-stride/{case}").text
        (remark,) = rewrite_source(text, "grid-stride{programs=2}").remarks
        assert remark.kind is RemarkKind.PASSED
        said[case] = remark.message
    assert "faster is expected, because there are fewer atomics" in said["weight_gradient"]
    assert "faster or slower: loads before the loop run once" in said["row_kernel"]
    assert "slower is expected, because no load leaves the loop" in said["grid_of_meta"]


@pytest.mark.parametrize(
    ("case", "before", "after", "expected"),
    [
        ("one-tile/layer_norm", "", "", ("passed", "")),
        ("one-tile/rows_may_be_longer", "", "", ("missed", "row-may-be-longer")),
        ("online-softmax/columns", "", "", ("passed", "")),
        # No launch is seen.
        ("online-softmax/columns", "kernel[(", "launch[(", ("missed", "profitable-at-some-sizes")),
        ("defer-reduction/sum_of_squares", "", "", ("missed", "not-profitable")),
        # Many programs hide each other's barriers.
        (
            "defer-reduction/sum_of_squares",
            "n, BLOCK=16",
            "512, BLOCK=16",
            ("missed", "profitable-at-some-sizes"),
        ),
        ("defer-reduction/sum_of_squares", "m,)](x, y, n", "64,)](x, y, 512", ("passed", "")),
        (
            "defer-reduction/sum_of_squares",
            "n, BLOCK=16",
            "48, BLOCK=16",
            ("missed", "not-profitable"),
        ),
        ("row-batch/softmax", "", "", ("missed", "profitable-at-some-sizes")),
        ("row-batch/softmax", "triton.next_power_of_2(n)", "64", ("passed", "")),
        ("row-batch/softmax", "triton.next_power_of_2(n)", "1024", ("missed", "tile-is-long")),
        ("split-reduce/mean_of_rows", "", "", ("missed", "not-profitable")),
        (
            "split-reduce/mean_of_rows",
            "    y = torch.empty",
            "    if n > 2048:\n        raise ValueError\n    y = torch.empty",
            ("missed", "not-profitable"),
        ),
        ("split-reduce/columns_one_by_one", "", "", ("missed", "not-profitable")),
        # One number for each tile that another kernel has gone through.
        (
            "split-reduce/mean_of_rows",
            "x.stride(0), n,",
            "n, triton.cdiv(n, 64),",
            ("missed", "not-profitable"),
        ),
        (
            "defer-reduction/sum_of_squares",
            "y, n, B",
            "y, triton.cdiv(n, 64), B",
            ("missed", "not-profitable"),
        ),
        # A number that the kernel is compiled for, of experts or taps.
        (
            "split-reduce/columns_one_by_one",
            "stride, M, N",
            "stride, M: tl.constexpr, N",
            ("missed", "not-profitable"),
        ),
        # A row may go on for many short tiles, which was not measured.
        ("row-batch/tile_carried", "", "", ("missed", "not-profitable")),
    ],
)
def test_rewrites_of_rows(case: str, before: str, after: str, expected: tuple[str, str]) -> None:
    text = cases.case(case).text
    assert before in text
    text = text.replace(before, after) if before else text
    name = case.partition("/")[0]
    assert unnamed(text, name) == {expected}


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("", "", ""),
        ("BLOCK=triton.next_power_of_2(n)", "BLOCK=128", ""),
        ("next_power_of_2(n))", "next_power_of_2(n), num_warps=2)", ""),
        # Whoever passes many warps, or as many as the row takes, has long rows.
        ("next_power_of_2(n))", "next_power_of_2(n), num_warps=8)", "profitable-at-some-sizes"),
        (
            "next_power_of_2(n))",
            "next_power_of_2(n), num_warps=min(max(n // 256, 1), 8))",
            "profitable-at-some-sizes",
        ),
        # How long the tile is has nothing to do with the row.
        ("BLOCK=triton.next_power_of_2(n)", "BLOCK=2 * m", "profitable-at-some-sizes"),
        # The launches are those of another device, of which nothing is known.
        ("import torch", "import torch, torch_npu", "not-profitable"),
    ],
)
def test_a_group_leaves_rows_that_are_hardly_short(before: str, after: str, reason: str) -> None:
    text = cases.case("row-batch/softmax").text
    assert before in text
    text = text.replace(before, after, 1) if before else text
    grouped = rewrite_source(text, "rows")
    assert outcome(grouped, "row-batch") == {("missed" if reason else "passed", reason)}
    for spec in ("row-batch", "rows,row-batch"):
        assert outcome(rewrite_source(text, spec), "row-batch") == {("passed", "")}
    if reason == "profitable-at-some-sizes":
        (said,) = (r.message for r in grouped.remarks if r.pass_name == "row-batch")
        assert "unless --assume 'BLOCK <= 256'; with --passes row-batch would have" in said
        sure = rewrite_source(text, "rows", assume=["BLOCK <= 256"])
        assert outcome(sure, "row-batch") == {("passed", "")}


def test_a_group_leaves_what_gains_at_no_size() -> None:
    text = cases.case("defer-reduction/largest").text.replace("BLOCK=16", "BLOCK=1024")
    assert outcome(rewrite_source(text, "rows"), "defer-reduction") == {("passed", "")}
    update = "m = tl.maximum(m, tl.max(tl.abs(x), axis=0))"
    text = text.replace(update, f"tl.store(Y + row, tl.sum(x, axis=0))\n        {update}")
    grouped = rewrite_source(text, "rows")
    assert outcome(grouped, "defer-reduction") == {("missed", "not-profitable")}
    (said,) = (r.message for r in grouped.remarks if r.pass_name == "defer-reduction")
    assert "stays in the loop, and every iteration waits for it" in said
    for spec in ("defer-reduction", "rows,defer-reduction"):
        assert outcome(rewrite_source(text, spec), "defer-reduction") == {("passed", "")}


def test_exponentials_of_rows_stay_where_those_of_the_scores_do() -> None:
    for name in ("attention", "added_by_the_product"):
        text = cases.case(f"exp-to-exp2/{name}").text
        assert outcome(rewrite_source(text), "exp-to-exp2") == {("passed", "")}
    stays = rewrite_source(text.replace("tl.exp(s - new[:, None])", "tl.exp(s - new[:, None] - 1)"))
    assert outcome(stays, "exp-to-exp2") == {
        ("missed", "maximum-is-not-subtracted"),
        ("missed", "tiny-results-count"),
    }


def test_masks_of_tiles_of_rows_up_to_which_the_loop_goes() -> None:
    name = "mask-partial-tiles"
    text = cases.case(f"{name}/causal").text
    assert unnamed(text, name) == {("passed", "")}
    end, rows = "(tl.program_id(0) + 1) * BM, BN", "s = tl.where(rows[:, None] >= "
    assert text.count(end) == text.count(rows) == 1
    others = [
        text.replace(end, "N, BN"),  # tiles without a kept element were not measured
        text.replace(f"(0, {end}", f"(tl.program_id(0) * BM, {end}"),  # each tile is partial
        text.replace(rows, "s = tl.where(N > "),  # the last tile alone
        text.replace(rows, "s = tl.where(tl.program_id(0) * BM >= "),  # one row
        text.replace(rows, "s = tl.where(rows[:, None] - 48 <= "),  # a window
        cases.case(f"{name}/mask_is_read_again").text,
    ]
    for other in others:
        assert unnamed(other, name) == {("missed", "not-profitable")}
