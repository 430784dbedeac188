"""What a failed call teaches about the next one, and what it says of the line that failed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from tritonopt import source  # noqa: E402
from tritonopt.verification import Verdict  # noqa: E402
from tritonopt.verification.process.messages import Attempt, Blame  # noqa: E402
from tritonopt.verification.settling.repairs import repairs  # noqa: E402
from tritonopt.verification.signature.argument_parser import parse  # noqa: E402
from tritonopt.verification.signature.inference import read  # noqa: E402
from tritonopt.verification.signature.launchers import Launchers  # noqa: E402
from tritonopt.verification.worker.attempt import Blaming  # noqa: E402
from tritonopt.verification.worker.server import types_of  # noqa: E402


def _suggested(
    text: str,
    trouble: str,
    sizes: Mapping[str, int],
    blame: Blame = Blame(),  # noqa: B008  # it is frozen
    level: int = Attempt.FAILED,
) -> list[str]:
    signature = parse(text)
    attempt = Attempt(level, 0, trouble, blame=blame)
    return [str(repair(signature)) for repair in repairs(signature, sizes, attempt)]


_SIZES = {"m": 2, "k": 3, "p": 4, "n": 5}


def test_sizes_in_a_message_become_equal() -> None:
    found = _suggested(
        "x: f32[m, k], y: f32[p, n]",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5) (f.py:7)",
        _SIZES,
    )
    found += _suggested("x: f32[m, k], y: f32[p, n]", "ValueError: 3 is not 4", _SIZES)
    assert "x: f32[m, p], y: f32[p, n]" in found


def test_leading_dimensions_become_a_size_and_no_size_becomes_them() -> None:
    found = _suggested(
        "x: f32[..., n], y: f32[m, n], count: 6",
        "ValueError: 6 is not 2",
        {**_SIZES, "...": 6},
    )
    assert "x: f32[m, n], y: f32[m, n], count: 6" in found
    assert not any("count: ..." in text or "[..., n], count" in text for text in found)


def test_a_number_in_a_message_may_be_a_size() -> None:
    found = _suggested(
        "x: f32[m, n], count: 1",
        "RuntimeError: got [1] but expected shape compatible with [5]",
        _SIZES,
    )
    assert "x: f32[m, n], count: n" in found


@pytest.mark.parametrize(
    ("trouble", "rank"),
    [
        ("ValueError: not enough values to unpack (expected 4, got 2)", 4),
        ("IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)", 3),
        ("IndexError: tuple index out of range", 3),
        ("RuntimeError: weight should have at least three dimensions", 3),
        ("RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d", 3),
        ("ValueError: x must be a 4-D tensor", 4),
        ("ValueError: too many values to unpack (expected 1)", 1),
    ],
)
def test_a_tensor_gets_the_dimensions_that_are_asked_for(trouble: str, rank: int) -> None:
    blame = Blame(("x",), (("x", 2),))
    found = _suggested("x: f32[m, n], y: f32[m, n]", trouble, _SIZES, blame)
    shapes = [parse(text).tensor("x").shape for text in found]
    assert shapes and all(len(shape) == rank for shape in shapes)
    assert all("y: f32[m, n]" in text for text in found), "the other one is not to blame"


def test_a_view_of_more_dimensions_counts_from_what_it_has() -> None:
    blame = Blame(("x",), (("x", 3),))
    trouble = "ValueError: not enough values to unpack (expected 4, got 3)"
    found = _suggested("x: f32[m, n]", trouble, _SIZES, blame)
    assert [len(parse(text).tensor("x").shape) for text in found] == [3]


def test_a_view_that_does_not_fit_asks_for_a_dimension_of_the_longest_tensor() -> None:
    blame = Blame(("w", "x"), (("w", 1), ("x", 2)))
    trouble = "RuntimeError: shape '[2, 5]' is invalid for input of size 50 (f.py:9)"
    found = _suggested("x: f32[m, n], w: f32[n]", trouble, _SIZES, blame)
    assert "x: f32[m, n, b], w: f32[n]" in found
    assert not any("w: f32[n, " in text for text in found)


def test_a_view_with_a_size_twice_makes_two_sizes_equal() -> None:
    blame = Blame(("x",), (("x", 3),))
    trouble = "RuntimeError: shape '[2, 4, 4]' is invalid for input of size 40 (f.py:9)"
    found = _suggested("x: f32[m, p, n]", trouble, _SIZES, blame)
    assert found[0] == "x: f32[m, p, p]"


def test_a_view_of_halves_asks_for_an_even_size() -> None:
    trouble = "RuntimeError: shape '[2, 4]' is invalid for input of size 10 (f.py:9)"
    found = _suggested("x: f32[m, n]", trouble, _SIZES, Blame(("x",), (("x", 2),)))
    assert "x: f32[m, n], n % 2 == 0" in found


def test_a_view_of_halves_asks_for_a_tensor_of_twice_the_length() -> None:
    trouble = "RuntimeError: shape '[2, 2]' is invalid for input of size 10 (f.py:9)"
    blame = Blame(("grad", "x"), (("grad", 2), ("x", 2)))
    found = _suggested("grad: f32[m, n], x: f32[m, n]", trouble, _SIZES, blame)
    assert "grad: f32[m, n], x: f32[m, 2 * n]" in found


def test_another_value_may_lead_to_a_kernel() -> None:
    found = _suggested("x: f32[n], flag: False|True, mode: 1", "", _SIZES, level=Attempt.NO_LAUNCH)
    assert found[0] == "x: f32[n], flag: True|False, mode: 1"


def test_complex_numbers_may_lead_to_a_kernel() -> None:
    found = _suggested("x: f32[m, n], at: i64[n]", "", _SIZES, level=Attempt.NO_LAUNCH)
    assert found == ["x: c64[m, n], at: i64[n]"]


def test_a_message_names_the_tensor_that_lacks_dimensions() -> None:
    blame = Blame(("x", "weight"), (("x", 4), ("weight", 1)))
    text = "x: f32[m, k, p, n], weight: f32[n]"
    found = _suggested(
        text, "RuntimeError: weight should have at least three dimensions", _SIZES, blame
    )
    assert found and all(t.startswith("x: f32[m, k, p, n], weight: f32[") for t in found)
    assert len(parse(found[0]).tensor("weight").shape) == 3


def test_a_filter_has_a_dimension_for_each_of_its_steps() -> None:
    blame = Blame(("x", "weight"), (("x", 4), ("weight", 3)))
    trouble = (
        "RuntimeError: expected stride to be a single integer value or a list of 1 values to match "
        "the convolution dimensions, but got stride=[1, 1]"
    )
    found = _suggested("x: f32[m, k, p, n], weight: f32[m, k, n]", trouble, _SIZES, blame)
    assert "x: f32[m, k, p, n], weight: f32[m, k, p, n]" in found


def test_a_multiple_that_is_asked_for_is_a_fact() -> None:
    blame = Blame(("x",), (("x", 2),), (("%", 5, 16),))
    assert "x: f32[m, n], n % 16 == 0" in _suggested("x: f32[m, n]", "no", _SIZES, blame)


def test_two_sides_of_a_condition_become_equal() -> None:
    blame = Blame(("x", "y"), (), (("==", (2, 3), (4, 5)),))
    found = _suggested("x: f32[m, k], y: f32[p, n]", "AssertionError", _SIZES, blame)
    assert any(len(set(parse(t).size_names)) == 2 for t in found)


def test_a_size_may_be_some_times_another() -> None:
    blame = Blame(("w",), (), (("==", 3, 8),))
    found = _suggested("x: f32[m, p], w: f32[k, n]", "AssertionError: packed", _SIZES, blame)
    assert "x: f32[m, p], w: f32[2 * p, n]" in found and "x: f32[m, p], w: f32[4 * m, n]" in found


def test_numbers_of_elements_that_are_to_be_the_same() -> None:
    sizes = {"...": 6, "n": 5, "p": 7, "q": 8}
    view = Blame(("size",), compared=(("!=", 56, 30),))
    found = _suggested("x: f32[..., n], size: (p, q)", "ValueError", sizes, view)
    assert "x: f32[b, n], size: (b, n)" in found
    row = Blame(("bias",), compared=(("!=", 30, 7),))
    found = _suggested("x: f32[m, p], bias: f32[..., n]", "ValueError", {**sizes, "m": 4}, row)
    assert "x: f32[m, p], bias: f32[p]" in found


def test_a_type_that_is_asked_for() -> None:
    blame = Blame(("x",), (("x", 1),), (("==", "f32", "i32"),))
    assert "x: i32[n]" in _suggested("x: f32[n]", "AssertionError", _SIZES, blame)
    for message in (
        "IndexError: tensors used as indices must be long, int, byte or bool tensors",
        "IncompatibleTypeErrorImpl('invalid operands of type pointer<fp32> and fp32')",
    ):
        by = Blame(("at",), (("at", 1),))
        index = _suggested("x: f32[m, n], at: f32[k]", message, _SIZES, by)
        assert "x: f32[m, n], at: i64[k] in 0..n" in index


def test_a_list_gets_the_length_that_is_asked_for() -> None:
    blame = Blame(("size",), (), (("==", 2, 4),))
    signature = parse("x: f32[n], size: 1")
    attempt = Attempt(0, 0, "TypeError: 'int' object is not subscriptable", blame=blame)
    two = repairs(signature, _SIZES, attempt)[0](signature)
    assert [a.name for a in two.arguments] == ["x", "size"] and "(1, 1)" in str(two)
    attempt = Attempt(0, 0, "AssertionError", blame=blame)
    longer = [str(repair(two)) for repair in repairs(two, _SIZES, attempt)]
    assert any("(1, 1, 1, 1)" in text for text in longer)


def test_what_came_through_teaches_nothing() -> None:
    assert _suggested("x: f32[m, n]", "", _SIZES, level=Attempt.GOOD) == []


_FAILING = """
def launch(x, w, size):
    y = x.transpose(0, 1)
    return inner(y, w, size)

def inner(y, weights, size):
    z = y.contiguous() + 1
    a, b = z.shape
    if a % 8 != 0 and weights.dtype != z.dtype:
        raise ValueError("sizes")
"""


_PACKED = """
def launch(*args, **kwargs):
    x, w = args[0], args[1]
    size = args[2]
    return inner(x.transpose(0, 1), w, size)
""" + _FAILING[_FAILING.index("\ndef inner") :]


@pytest.mark.parametrize(("text", "given"), [(_FAILING, ()), (_PACKED, ("x", "w", "size"))])
def test_a_condition_that_refuses_is_looked_at_through_views_and_copies(
    text: str, given: tuple[str, ...]
) -> None:
    arguments = torch.zeros(3, 5), torch.zeros(2, dtype=torch.int32), 1
    blame = _blamed(text, {}, *arguments, given=given)
    assert set(blame.names) == {"w", "x"}
    assert dict(blame.ranks) == {"w": 1, "x": 2}
    assert blame.compared == (("%", 5, 8), ("!=", "i32", "f32"))


_BOUNDED = """
def launch(n, m, k):
    if {test}:
        raise ValueError(n)
"""


@pytest.mark.parametrize(
    ("test", "suggested"),
    [
        ("n < 2 or n > 4", ["n <= 4"]),
        ("not 2 <= n <= 4", ["n <= 2", "n <= 4"]),
        ("n not in (16, 32)", ["n == 16 or n == 32"]),
        ("n > k", ["n <= k", "k >= n"]),
        ("n & (n - 1) != 0", ["n == next_power_of_2(n)"]),
        ("n % m != 0", ["n % 2 == 0"]),
    ],
)
def test_a_bound_that_a_size_did_not_keep(test: str, suggested: list[str]) -> None:
    blame = _blamed(_BOUNDED.format(test=test), {}, 5, 2, 3)
    found = _suggested("x: f32[m, k, n]", "ValueError: 5", {"m": 2, "k": 3, "n": 5}, blame)
    assert [text.split("], ")[1] for text in found if "], " in text] == suggested
    assert ("x: f32[m, k, m * b]" in found) == ("%" in test)


def _blamed(
    text: str, scope: dict[str, Any], *arguments: object, given: tuple[str, ...] = ()
) -> Blame:
    """What is to blame for the failure of `launch`."""
    exec(compile(text, "failing.py", "exec"), scope)
    blaming = Blaming(text, given)

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "exception":
            blaming.failed(frame, argument[1])
        return line

    def call(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != "failing.py":
            return None
        blaming.entered(frame)
        return line

    before = sys.gettrace()
    sys.settrace(call)
    try:
        with pytest.raises((ValueError, RuntimeError)):
            scope["launch"](*arguments)
    finally:
        sys.settrace(before)
    return blaming.blame


def test_types_are_those_of_the_operator_of_that_name() -> None:
    assert types_of("adaptive_avg_pool2d", ("input", "output_size")) == (
        "Tensor",
        "Tuple[int, int]",
    )
    assert types_of("norm_scalaropt_dim", ("x", "p", "dim"))[1] == "Optional[number]"
    assert types_of("clamp_min", ("A", "mini")) == ("Tensor", "number")
    assert types_of("my_own_norm", ("x",)) == ()
    assert types_of("softmax", tuple("abcdefgh")) == (), "it has fewer parameters"


_ROTATED = """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(q, cos, out, seq, heads, dim, BLOCK: tl.constexpr):
    at = tl.program_id(0)
    row = at // heads % seq
    o = tl.arange(0, BLOCK)
    x = tl.load(q + at * dim + o, mask=o < dim, other=0.0)
    c = tl.load(cos + row * dim + o, mask=o < dim, other=0.0)
    tl.store(out + at * dim + o, x * c, mask=o < dim)

def rotate(q, cos):
    q = q.transpose(1, 2).contiguous()
    batch, seq, heads, dim = q.shape
    cos = cos.contiguous()
    out = torch.empty_like(q)
    kernel[(batch * seq * heads,)](
        q, cos, out, seq, heads, dim, BLOCK=triton.next_power_of_2(dim)
    )
    return out
"""


@pytest.mark.thorough(instead="test_a_tensor_gets_the_dimensions_that_are_asked_for")
def test_four_dimensions_and_a_table_that_goes_with_them(
    of_texts: Callable[..., Verdict],
) -> None:
    right = _ROTATED.replace("x * c", "c * x")
    verdict = of_texts(_ROTATED, right, max_examples=10)
    assert verdict.verdict == "identical", verdict.reason
    assert any("found by calling the original" in note for note in verdict.notes)


_STEPS = """
import torch
import triton
import triton.language as tl
from torch.nn.modules.utils import _pair

@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    pass

def f(x, steps=1, weight=2.0):
    m, n = x.shape
    a, b = _pair(steps)
    torch.abs(x)
    kernel[(m,)](x, n, BLOCK=16)
"""


def test_what_has_a_number_for_a_default_is_none_of_the_tensors() -> None:
    launchers = Launchers(source.read(_STEPS, "kernel.py"))
    known = read(launchers, launchers.named("f")).known
    assert [str(a) for a in known] == ["x: f32|f16|bf16[m, n]", "steps: 1", "weight: 2.0"]


def test_no_size_is_below_one() -> None:
    """A size that was taken for a dimension's number is out of a range that begins below 0."""
    blame = Blame(("y",), compared=(("<", 2, -3),))
    found = _suggested("x: f32[m, n], y: m", "IndexError: [-3, 2], but got 2", _SIZES, blame)
    assert not any("-3" in text for text in found), found
    known = Blame(("y",), compared=(("%", 2, 16),))
    text = "x: f32[m, n], m % 16 == 0"
    assert not _suggested(text, "AssertionError", _SIZES, known)


def test_what_a_size_is_made_of_is_a_multiple() -> None:
    found = _suggested(
        "a: f32[m, 4 * k], b: f32[k, n]",
        "InterpreterError: AssertionError('K is divisible by 4 * BLOCK')",
        _SIZES,
        Blame(compared=(("%", 12, 256),)),
    )
    assert found[0] == "a: f32[m, 4 * k], b: f32[k, n], k % 64 == 0"


def test_the_smallest_multiple_comes_first() -> None:
    found = _suggested(
        "a: f32[m, k], b: f32[p, n]",
        "AssertionError: packed",
        _SIZES,
        Blame(("a", "b"), compared=(("==", 3, 16),)),
    )
    assert found[:2] == ["a: f32[m, 4 * p], b: f32[p, n]", "a: f32[m, 8 * m], b: f32[p, n]"]


@pytest.mark.parametrize(
    ("given", "trouble", "expected"),
    [
        ("f32", "Both operands must be same dtype. Got fp32 and int8", "i8"),
        ("i64", "Unsupported lhs dtype int64", "i8"),
        ("f32", "invalid operands of type triton.language.float32 and triton.language.float32",
         "i64"),
    ],
)  # fmt: skip
def test_whole_numbers_of_the_type_that_a_product_takes(
    given: str, trouble: str, expected: str
) -> None:
    message = f"InterpreterError: AssertionError('{trouble}') (f.py:7)"
    found = _suggested(f"a: {given}[m, k], b: f16[k, n]", message, _SIZES, Blame(("a",)))
    assert any(text.startswith(f"a: {expected}[m, k]") for text in found)


STATIC = """
def kernel(K, BLOCK):
    tl.static_assert(
        K % (4 * BLOCK) == 0,
        "K is divisible by 4 * BLOCK",
    )

def launch(a):
    try:
        kernel(12, 16)
    except AssertionError as error:
        raise RuntimeError("interpreted") from error
"""


def test_what_a_kernel_asserts_when_it_is_compiled() -> None:
    class Language:
        @staticmethod
        def static_assert(condition: bool, message: str) -> None:
            assert condition, message

    blame = _blamed(STATIC, {"tl": Language}, torch.ones(3))
    assert blame.compared == (("%", 12, 64),)
