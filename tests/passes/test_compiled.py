"""What the passes write compiles wherever the original did, for GPUs that need not be here.

Every run compiles every fifth case; `make test-all` compiles all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.cases import Case, rewritten
from tests.passes.compiling import check_compiles_where_the_original_did, compiled, resources

SIZES = {"ROWS": 4, "ROWS_PER_PROGRAM": 4, "BM": 16, "BN": 16, "BK": 16}
INTEGERS = ("row-batch/atomics_of_rows", "row-batch/gathered", "row-batch/long_tile_at_one_launch")
"""Cases whose pointers must be to integers, as all are then."""
OTHERS = ("defer-reduction/bits", "defer-reduction/type_of_the_code")
"""Cases that compile for integers alone, or with a constant that no flag is."""
TYPES = {"online-softmax/double_precision": "fp64", "online-softmax/temperature": "fp16"}


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


def cases(*passes: str, without: tuple[str, ...] = ()) -> pytest.MarkDecorator:
    found = [case for name in passes for case in rewritten(name) if case.name not in without]
    chosen = [
        pytest.param(case, marks=pytest.mark.thorough if place % 5 else (), id=case.name)
        for place, case in enumerate(found)
    ]
    return pytest.mark.parametrize("case", chosen)


@cases(
    "collapse-loops",
    "defer-reduction",
    "one-tile",
    "online-softmax",
    "pipeline-loads",
    "split-columns",
    without=OTHERS,
)
def test_compiles_where_the_original_did(case: Case, tmp_path: Path) -> None:
    dtype = TYPES.get(case.name, "fp32")
    check_compiles_where_the_original_did(case, tmp_path, "i32", flag=True, dtype=dtype)


@cases("licm", "loop-unswitch")
@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("number", ["i64", 1])
def test_compiles_for_each_branch(
    case: Case, number: str | int, flag: bool, tmp_path: Path
) -> None:
    check_compiles_where_the_original_did(case, tmp_path, number, flag)


# In one of them a parameter is called ROWS, and is no size.
@cases("block-pointer", "row-batch", without=("row-batch/id_bound_again",))
def test_compiles(case: Case, tmp_path: Path) -> None:
    """Also with more than one element of a row to a thread, and a Triton without block pointers."""
    _, after = case.written(tmp_path)
    dtype = "i32" if case.name in INTEGERS else "fp32"
    block = 64 if case.pass_name == "row-batch" else 32
    assert ".entry" in compiled(after, dtype, block=block, others=SIZES)


@cases("scalar-loop")
def test_compiles_for_floats_or_integers(case: Case, tmp_path: Path) -> None:
    """Each for buffers of floats and of integers; some take only one of these."""
    before, after = case.written(tmp_path)
    either = False
    for dtype in ("fp32", "i32"):
        try:
            compiled(before, dtype, number="i32")
        except Exception:  # whatever a compiler raises
            continue
        compiled(after, dtype, number="i32")
        either = True
    assert either, "the original compiles for neither"


@cases("grid-stride")
def test_needs_no_more_shared_memory_and_spills_no_more(case: Case, tmp_path: Path) -> None:
    """A loop that needs more may not launch at all, and one that spills is slow."""
    before, after = case.written(tmp_path)
    try:
        shared, spilled = resources(before)
    except Exception as error:  # whatever a compiler raises
        pytest.skip(f"the original does not compile: {error}")
    now_shared, now_spilled = resources(after)
    assert now_shared <= shared
    assert now_spilled <= spilled
