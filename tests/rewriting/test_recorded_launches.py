"""Launches of a run as evidence: what rests on them, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonopt import source
from tritonopt.facts.assumptions import assumptions_of
from tritonopt.facts.launch_bindings import Recorded, RecordedLaunch
from tritonopt.rewriting import recorded_launches
from tritonopt.rewriting.model import Remark, RemarkKind, Safety
from tritonopt.rewriting.pipeline import RewriteResult, rewrite_source
from tritonopt.rewriting.recorded_launches import KernelLaunches, RecordingError

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
SOFTMAX = f"""{HEAD}@triton.jit
def soft(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    x_ptr += tl.program_id(0).to(tl.int64) * n
    y_ptr += tl.program_id(0).to(tl.int64) * n
    top = -float("inf")
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n, other=-float("inf"))
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
CENTER = f"""{HEAD}@triton.jit
def center(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    tl.store(y_ptr + row * n + cols, x - tl.max(x, axis=0), mask=cols < n)


def centered(x):
    m, n = x.shape
    y = torch.empty_like(x)
    center[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""
TOTAL = f"""{HEAD}@triton.jit
def total(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    sum = 0.0
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        sum += tl.sum(tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0), axis=0)
    tl.store(y_ptr + row, sum)


def totals(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    total[(m,)](x, y, n, BLOCK=128)
    return y
"""
RESTING = (Safety.ROUNDING, Safety.CONTRACT, Safety.ASSUMPTION)


def launch(m: int, n: int, block: int) -> RecordedLaunch:
    return RecordedLaunch({"n": n, "BLOCK": block}, (m,), {"x_ptr": 0, "y_ptr": 1})


def rewrite(
    text: str,
    *launches: RecordedLaunch,
    passes: str | None = None,
    proves: bool = False,
    digest: str = "",
) -> RewriteResult:
    (kernel,) = source.read(text).kernels
    recorded = {kernel.name: Recorded(launches, "python run.py", digest, proves)}
    safety = RESTING if proves else RESTING[:2]
    return rewrite_source(text, passes, safety=safety, recorded=recorded if launches else None)


def passed(result: RewriteResult) -> dict[str, Remark]:
    return {r.pass_name: r for r in result.remarks if r.kind is RemarkKind.PASSED}


def resting(remark: Remark) -> str:
    return "; ".join(c.detail for c in remark.conditions if c.claim == "recorded-launches")


# What is profitable


def test_many_tiles_that_only_the_run_shows_are_worth_several_programs() -> None:
    assert not rewrite(TOTAL).changed
    result = rewrite(TOTAL, launch(4, 20000, 128), launch(2, 9000, 128))
    remark = passed(result)["split-reduce"]
    assert "2 recorded launches of `python run.py`" in resting(remark)
    assert Safety.ASSUMPTION not in remark.safety


@pytest.mark.parametrize(
    ("launches", "why"),
    [
        (
            [launch(4, 200, 128)],
            "needs at least 64 iterations: not the case in 1 recorded launch of",
        ),
        (
            [launch(4, 20000, 128), launch(4, 200, 128)],
            "not the case in all of 2 recorded launches of",
        ),
        ([RecordedLaunch({"n": 20000}, (4,))], "not the case in all of 1 recorded launch of"),
    ],
    ids=["few tiles", "few tiles at one of them", "a tile that is not known"],
)
def test_what_the_run_does_not_show_is_not_profitable(
    launches: list[RecordedLaunch], why: str
) -> None:
    result = rewrite(TOTAL, *launches)
    assert not result.changed
    assert any(why in remark.message for remark in result.remarks)


def test_what_the_source_shows_is_not_overruled() -> None:
    """Another launcher has so many rows that one program for each is enough."""
    many = TOTAL + "\n\ndef all(x, y):\n    total[(100000,)](x, y, 10000, BLOCK=128)\n"
    assert not rewrite(many, launch(4, 20000, 128)).changed


def test_what_the_source_shows_does_not_rest_on_the_run() -> None:
    text = TOTAL.replace("total[(m,)](x, y, n,", "total[(4,)](x, y, 20000,")
    remark = passed(rewrite(text, launch(4, 20000, 128)))["split-reduce"]
    assert not resting(remark)


def test_online_softmax_is_left_out_where_the_run_has_one_tile() -> None:
    assert passed(rewrite(SOFTMAX)).keys() == {"online-softmax"}
    assert not rewrite(SOFTMAX, launch(4, 64, 1024)).changed
    both = rewrite(SOFTMAX, launch(4, 64, 1024), launch(4, 5000, 1024))
    assert passed(both).keys() == {"online-softmax"}


def test_launches_of_another_text_are_no_evidence() -> None:
    (kernel,) = source.read(TOTAL).kernels
    seen = launch(4, 20000, 128)
    assert rewrite(TOTAL, seen, digest=kernel.digest).changed
    assert not rewrite(TOTAL.replace("sum = 0.0", "sum = 1.0"), seen, digest=kernel.digest).changed
    moved = TOTAL.replace("\n\n\n@triton", "\n\nEPSILON = 1\n\n\n@triton")
    assert rewrite(moved, seen, digest=kernel.digest).changed


# What is legal


def test_rows_that_one_tile_holds_at_every_recorded_launch() -> None:
    result = rewrite(SOFTMAX, launch(4, 64, 1024), launch(8, 100, 1024), proves=True)
    remark = passed(result)["one-tile"]
    assert "for start" not in result.text
    assert Safety.ASSUMPTION in remark.safety and "n <= BLOCK" in resting(remark)


@pytest.mark.parametrize(
    ("launches", "proves"),
    [
        ([launch(4, 64, 1024)], False),
        ([launch(4, 64, 1024), launch(4, 3000, 1024)], True),
        ([RecordedLaunch({"BLOCK": 1024}, (4,), {"x_ptr": 0, "y_ptr": 1})], True),
    ],
    ids=["level not allowed", "a longer row", "no length"],
)
def test_the_loops_stay(launches: list[RecordedLaunch], proves: bool) -> None:
    result = rewrite(SOFTMAX, *launches, proves=proves)
    assert "for start" in result.text and "one-tile" not in passed(result)


def test_tensors_of_one_memory_are_not_disjoint() -> None:
    numbers = {"n": 64, "BLOCK": 1024}
    apart, in_place = (RecordedLaunch(numbers, (), {"x_ptr": 0, "y_ptr": b}) for b in (1, 0))
    texts = [
        [fact.text for fact in assumptions_of(Recorded(every), {"BLOCK"})]
        for every in ((apart,), (apart, in_place))
    ]
    assert texts[0] == [*texts[1], "disjoint(x_ptr, y_ptr)"]
    assert texts[1] == ["n == 64", "BLOCK == 1024", "n <= BLOCK"]


def test_short_rows_share_a_program() -> None:
    assert not rewrite(CENTER).changed
    result = rewrite(CENTER, launch(100000, 64, 64), launch(100000, 100, 128), proves=True)
    remark = passed(result)["row-batch"]
    assert "recorded launches" in resting(remark) and Safety.ASSUMPTION in remark.safety


def test_longer_rows_cost_nothing_beside_short_ones() -> None:
    """A program takes one of them, and is compiled to the same code."""
    for proves in (False, True):
        mixed = rewrite(CENTER, launch(100000, 64, 64), launch(10, 4000, 4096), proves=proves)
        assert "max(512 // block, 1)" in mixed.text
    # None of these launches has both short rows and many.
    assert not rewrite(CENTER, launch(10, 64, 64), launch(100000, 4000, 4096)).changed
    assert not rewrite(CENTER, launch(10, 4000, 4096)).changed


def test_a_rewrite_that_the_source_proves_needs_no_assumption() -> None:
    text = SOFTMAX.replace("BLOCK=1024", "BLOCK=triton.next_power_of_2(n)")
    alone = rewrite(text, passes="one-tile")
    beside = rewrite(text, launch(4, 64, 64), passes="one-tile", proves=True)
    assert alone.text == beside.text
    assert not resting(passed(beside)["one-tile"])


def test_evidence_is_kept_through_edits_as_far_as_launches_stay() -> None:
    (before,) = source.read(TOTAL).kernels
    shown = Recorded((launch(4, 20000, 128),))
    edits = {
        "sum = 0.0": ("sum = 1.0", {"n", "BLOCK"}, (4,)),
        "total[(m,)]": ("total[(triton.cdiv(m, 8),)]", {"n", "BLOCK"}, ()),
        "BLOCK=128": ("BLOCK=256", {"n"}, (4,)),
        "import torch": ("import os\nimport torch", {"n", "BLOCK"}, (4,)),
    }
    for old, (new, names, grid) in edits.items():
        (after,) = source.read(TOTAL.replace(old, new)).kernels
        left = recorded_launches.still_shown(shown, before, after)
        assert left is not None
        assert (left.launches[0].numbers.keys(), left.launches[0].grid) == (names, grid)


def test_a_number_of_the_source_refutes_what_was_recorded_elsewhere() -> None:
    """The launcher of another file passed a shorter row than the only one of this file does."""
    text = SOFTMAX.replace("x, y, n, BLOCK", "x, y, 4096, BLOCK")
    assert "for start" in rewrite(text, launch(4, 64, 1024), proves=True).text


# The file


def described(n: int) -> dict[str, object]:
    tensor = {"dtype": "float32", "shape": [4, n], "strides": [n, 1], "memory": [1 << 40, 0]}
    return {"arguments": {"x_ptr": tensor, "n": {"value": n}}, "grid": [4]}


def test_the_file_keeps_each_different_launch_once(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(TOTAL)
    module = source.read(TOTAL, str(path))
    again = {**described(64), "arguments": {**described(64)["arguments"]}}  # type: ignore[dict-item]
    made = recorded_launches.made_by("run", module, {"total": [described(64), again, described(9)]})
    (tmp_path / "out").mkdir()
    file = tmp_path / "out" / "launches.json"
    recorded_launches.write(file, {str(path): made})
    assert recorded_launches.read(file) == {str(path.resolve()): made}
    evidence = made[0].evidence(proves=False)
    assert [one.numbers for one in evidence.launches] == [{"n": 64}, {"n": 9}]
    assert str(1 << 40) not in file.read_text() and "../k.py" in file.read_text()


def test_each_configuration_of_a_tuner_is_a_launch() -> None:
    tuned = [{"constants": {"BLOCK": {"value": b}}, "grid": [8 // b]} for b in (2, 4)]
    one = {"arguments": {"n": {"value": 8}, "flag": {"value": True}}, "grid": None, "tuned": tuned}
    seen = KernelLaunches("k", "", "run", (one,)).evidence(proves=False).launches
    assert [(each.numbers, each.grid) for each in seen] == [
        ({"n": 8, "BLOCK": 2}, (4,)),
        ({"n": 8, "BLOCK": 4}, (2,)),
    ]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"version": 1, "kernels": [{}]}', '{"version": 1, "kernels": 3}', '"text"'],
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "l.json"
    file.write_text(text)
    with pytest.raises(RecordingError, match=r"l\.json: is not a file of recorded launches"):
        recorded_launches.read(file)


def test_a_file_of_another_version_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "l.json"
    file.write_text('{"version": 2, "kernels": []}')
    with pytest.raises(RecordingError, match="version 2, and this tritonopt reads 1"):
        recorded_launches.read(file)
