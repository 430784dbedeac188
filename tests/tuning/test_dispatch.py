"""Choices between the original and new code: what decides, and how the text comes out."""

from __future__ import annotations

import ast
import math

import pytest

from tritonopt import source
from tritonopt.tuning.dispatch.conditions import best, conditions, lowered
from tritonopt.tuning.dispatch.places import NoDispatch, difference, shared
from tritonopt.tuning.dispatch.texts import dispatched

FILE = """\
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + cols, 2 * tl.load(x + cols, mask=cols < n), mask=cols < n)


def scale(x):
    n = x.numel()
    with torch.cuda.device(x.device):
        # as many as a program takes
        block = 1024
        scale_kernel[(triton.cdiv(n, block),)](x, n, BLOCK=block)
    return x


def also(x):
    scale_kernel[(1,)](x, x.numel(), BLOCK=64)
"""

END = FILE[FILE.index("    return x") :]


REGISTERED = FILE.replace("@triton.jit", '@register("scale")\n@triton.jit')


def parts(changed: str, launcher: str = "scale"):  # type: ignore[no-untyped-def]
    return difference(source.read(FILE), source.read(changed), launcher)


def test_only_what_differs_is_chosen_and_the_rest_is_untouched() -> None:
    changed = FILE.replace("block = 1024", "block = 4096").replace("2 * tl.load", "tl.load")
    found = parts(changed)
    (place,) = found.places
    assert place.names >= {"x", "n"} and "block" not in place.names
    text = dispatched(found, ["n >= 4096"], ["Measured: 2x."], "fast")
    assert FILE.split("\n\n\n")[1] in text  # the original kernel
    assert "def scale_kernel_fast(x, n, BLOCK: tl.constexpr):" in text
    assert (
        """\
        # Measured: 2x.
        if n >= 4096:
            # as many as a program takes
            block = 4096
            scale_kernel_fast[(triton.cdiv(n, block),)](x, n, BLOCK=block)
        else:
"""
        in text
    )
    assert (
        "            scale_kernel[(triton.cdiv(n, block),)](x, n, BLOCK=block)\n    return" in text
    )
    ast.parse(text)


@pytest.mark.parametrize(
    "parameters, before, decides",
    [
        ("x, k=8", "pass", True),
        ("x, *, k: int = 8", "pass", True),
        ("x, k=None", "pass", False),
        ("x, *, k='all'", "pass", False),
        ("x, k: int | None", "pass", False),
        ("x, k", "k = 64 if k is None else k", False),
        ("x, k", "l = len(k) if isinstance(k, str) else k", False),
        ("x", "k = x.shape[1] if x.dim() > 1 else None", False),
        ("x, wide=True", "y = wide and (k := x.shape[1]) > 0", False),
        ("x", "k: int", False),
        ("x", "k: int = x.shape[0]", True),
        ("x", "y = [k for k in x.shape]", False),
    ],
)
def test_what_may_be_unbound_or_no_number_decides_nothing(
    parameters: str, before: str, decides: bool
) -> None:
    old = FILE.replace("scale(x)", f"scale({parameters})")
    old = old.replace("    n = x.numel()\n", f"    n = x.numel()\n    {before}\n", 1)
    new = source.read(old.replace("= 1024", "= 512"))
    (place,) = difference(source.read(old), new, "scale").places
    assert ("k" in place.names) == decides


def test_other_launchers_keep_the_original() -> None:
    changed = FILE.replace("2 * tl.load", "tl.load")
    assert shared(source.read(FILE), source.read(changed), "scale") == {"scale_kernel"}
    text = dispatched(parts(changed), [""], (), "fast")
    assert "if " not in text
    assert "scale_kernel_fast[(triton.cdiv(n, block),)]" in text
    assert "    scale_kernel[(1,)](x, x.numel(), BLOCK=64)" in text


def test_launch_parameters_need_no_new_kernel() -> None:
    text = dispatched(parts(FILE.replace("= 1024", "= 512")), ["n <= 512"], (), "fast")
    assert text.count("@triton.jit") == 1
    assert "block = 512" in text and "block = 1024" in text


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("import triton\n", "import triton\nimport os\n", "outside its functions"),
        ("def scale(x):", "def scale(x, y=1):", "other parameters"),
        ("2 * tl.load", "tl.load", "may keep the copy"),
        ("        block = 1024", '        block = len("""a\nb""")', "several lines"),
    ],
)
def test_what_cannot_be_chosen_is_said(old: str, new: str, said: str) -> None:
    with pytest.raises(NoDispatch, match=said):
        file = REGISTERED if "copy" in said else FILE
        found = difference(source.read(file), source.read(file.replace(old, new)), "scale")
        dispatched(found, ["n >= 1"], (), "fast")


@pytest.mark.parametrize("condition", ["", "n >= 1"])
@pytest.mark.parametrize("inside", ['"""a\n  \n b"""', "'a\u2028b'"])
def test_a_text_of_several_lines_stays_what_it_is(inside: str, condition: str) -> None:
    old = FILE.replace("(x, n, BLOCK=block)", f"(x, n, BLOCK=block, note={inside})")
    found = difference(source.read(old), source.read(old.replace("2 *", "3 *")), "scale")
    with pytest.raises(NoDispatch, match="several lines"):
        dispatched(found, [condition], (), "fast")


def test_the_end_of_a_text_is_no_comment_above_a_statement() -> None:
    old = FILE.replace("        # as many", '        s = """\n        # told"""\n        # as many')
    found = difference(source.read(old), source.read(old.replace("= 1024", "= 512")), "scale")
    text = dispatched(found, ["n >= 1"], (), "fast")
    assert text.count("# told") == 1 and text.count("# as many") == 2


NUMBERS = [{"m": m, "n": n, "block": 16} for m in (64, 4096) for n in (128, 1024, 8192)]


def chosen(gains: dict[int, float], never: set[int]) -> str:
    found = best(conditions(NUMBERS, ["n", "m"]), lambda at: gains.get(at, 0.0), frozenset(never))
    return "" if found is None else found.text


def test_a_bound_is_a_size_that_won() -> None:
    assert chosen({2: 0.3, 5: 0.3}, {0, 1, 3, 4}) == "n >= 8192"
    assert chosen({0: 0.3, 3: 0.3}, {1, 2, 4, 5}) == "n <= 128"
    assert chosen({1: 0.3, 4: 0.3}, {0, 2, 3, 5}) == "n == 1024"
    assert chosen({5: 0.5}, {0, 1, 2, 3, 4}) in (
        "n >= 8192 and m >= 4096",
        "m >= 4096 and n >= 8192",
    )


def test_a_bound_is_no_size_at_which_both_are_as_fast() -> None:
    assert chosen({2: 0.3, 5: 0.3}, {0, 3}) == "n >= 8192"
    assert chosen({0: 0.3, 3: 0.3}, {2, 5}) == "n <= 128"
    assert chosen({5: 0.3}, {0, 1, 2}) == "m >= 4096"


def test_where_no_bound_leaves_out_what_loses_there_is_no_choice() -> None:
    assert chosen({0: 0.3, 2: 0.3}, {1, 3, 4, 5}) in (
        "n <= 128 and m <= 64",
        "n >= 8192 and m <= 64",
    )
    assert not chosen({}, {0})
    same = [{"n": 16}, {"n": 16}]
    assert best(conditions(same, ["n"]), lambda at: math.log(2), frozenset({1})) is None


def test_small_bounds_leave_both_sides_to_be_run() -> None:
    assert lowered("n >= 8192") == "n >= 33"
    assert lowered("n <= 65536") == "n <= 200"
    assert lowered("4096 <= n <= 16384") == "33 <= n <= 200"
    assert lowered("n == 1024 and m >= 64") == "n <= 200 and m >= 33"


def test_of_what_decides_alike_the_clearer_one_is_taken() -> None:
    batches, pixels = [4, 16, 16, 20], [256, 384, 704, 65536]
    numbers = [{"N": n, "HxW": p} for n, p in zip(batches, pixels, strict=True)]
    found = best(conditions(numbers, ["N", "HxW"]), lambda at: float(at == 3), frozenset({0, 1, 2}))
    assert found is not None and found.text == "HxW >= 65536"
    # Twice as much is clear: of such the preferred one is taken, whatever is beyond that.
    rows = [{"n": n, "count": n * n} for n in (64, 1024, 4096)]
    found = best(conditions(rows, ["n"]), lambda at: float(at == 2), frozenset({0, 1}))
    assert found is not None and found.text == "n >= 4096"
