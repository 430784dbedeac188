"""The search for arguments, with an original that is a rule instead of a process."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from tritonopt import source
from tritonopt.verification.inputs.examples import Example, PlainValue
from tritonopt.verification.process.messages import (
    Attempt,
    Blame,
    Failure,
    Outcome,
    RunOptions,
    VersionSpec,
)
from tritonopt.verification.settling.trial import NothingWorks, Trial
from tritonopt.verification.signature.argument_language import ChoiceArgument, TensorArgument
from tritonopt.verification.signature.argument_parser import parse
from tritonopt.verification.signature.inference import read
from tritonopt.verification.signature.launchers import Launchers
from tritonopt.verification.worker.attempt import judge

_HEAD = """
import triton
import triton.language as tl

@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    pass
"""


class Original:
    """Answers what a worker would: `rule` gives the level that an example reaches."""

    def __init__(self, rule: Callable[[Example], int], text: str = "") -> None:
        self.rule = rule
        self.calls = 0
        path = "kernel.py"
        self.spec = VersionSpec("original", path, text, path, "interpreter", "f", False)

    def attempt(self, example: Example) -> Attempt:
        self.calls += 1
        return Attempt(self.rule(example), lines=0, trouble="no")

    def run(self, example: Example, *options: RunOptions) -> tuple[Outcome, ...]:
        return tuple(Outcome() for _ in options)


def _trial(code: str, rule: Callable[[Example], int]) -> Trial:
    launchers = Launchers(source.read(_HEAD + code, "kernel.py"))
    reading = read(launchers, launchers.named("f"))
    return Trial(Original(rule, _HEAD + code), reading, backward=False)  # type: ignore[arg-type]  # a stand-in


_LOSS = """
def f(x, target, reduction="mean", weight=None):
    m, n = x.shape
    check(target)
    if reduction == "sum":
        pass
    if weight is not None:
        weight = weight.contiguous()
    kernel[(m,)](x, n, BLOCK=16)
"""


def _takes_a_loss(example: Example) -> int:
    tensors = example.tensors
    if "target" not in tensors or tensors["target"].dtype != "i64":
        return Attempt.FAILED
    m, n = tensors["x"].shape
    if len(tensors["target"].shape) != 1:
        return Attempt.FAILED
    if tensors["target"].shape[0] < m or tensors["target"].high >= n:
        return Attempt.OUTSIDE
    if "weight" in tensors and tensors["weight"].shape[-1:] != (n,):
        return Attempt.OUTSIDE
    return Attempt.GOOD


def test_an_index_is_found_and_what_has_a_default_varies() -> None:
    found = _trial(_LOSS, _takes_a_loss).find_signature()
    text = str(found)
    assert "target: i64[m] in 0..n" in text
    assert "reduction: 'mean'|'sum'" in text
    assert "weight: f32|f16|bf16[" in text and "| None" in text


def test_nothing_is_taken() -> None:
    trial = _trial(_LOSS, lambda example: Attempt.FAILED)
    with pytest.raises(NothingWorks, match="calls were tried; the nearest was"):
        trial.find_signature()


def test_what_takes_long_to_think_of_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10**6))
    monkeypatch.setattr("time.thread_time", lambda: float(next(clock)))
    trial = _trial(_LOSS, lambda example: Attempt.FAILED)
    with pytest.raises(NothingWorks):
        trial.find_signature()
    assert trial.tries <= 60, "two for each second, of twenty"


def test_what_leads_outside_is_not_evaded_by_another_type() -> None:
    code = "def f(x):\n    m, n = x.shape\n    kernel[(m,)](x, n, BLOCK=16)\n"

    def writes_outside(example: Example) -> int:
        return Attempt.OUTSIDE if example.tensors["x"].is_float else Attempt.GOOD

    with pytest.raises(NothingWorks):
        _trial(code, writes_outside).find_signature()


def test_types_that_are_not_taken_are_left_out() -> None:
    code = "def f(x):\n    m, n = x.shape\n    kernel[(m,)](x, n, BLOCK=16)\n"

    def single_only(example: Example) -> int:
        return Attempt.GOOD if example.tensors["x"].dtype == "f32" else Attempt.FAILED

    assert str(_trial(code, single_only).find_signature()) == "x: f32[m, n]"


def test_sizes_that_must_be_equal_are() -> None:
    code = (
        "def f(x, w):\n    m, n = x.shape\n    w = w.view(-1, w.shape[-1])\n"
        "    kernel[(m,)](x, n, BLOCK=16)\n"
    )

    def reads_the_row(example: Example) -> int:
        x, w = example.tensors["x"].shape, example.tensors["w"].shape
        return Attempt.GOOD if w[-1] >= x[-1] else Attempt.OUTSIDE

    found = _trial(code, reads_the_row).find_signature()
    assert found.tensors[0].shape[-1] == found.tensors[1].shape[-1]


def test_a_list_of_tensors_is_found_with_what_may_differ_in_it() -> None:
    code = "def f(parts: list[torch.Tensor]):\n    kernel[(1,)](parts[0], 1, BLOCK=16)\n"

    def rule(example: Example) -> int:
        rows = {t.shape[:-1] for t in example.tensors.values()}
        return Attempt.GOOD if len(example.tensors) > 1 and len(rows) == 1 else Attempt.FAILED

    assert str(_trial(code, rule).find_signature()) == (
        "parts: [f32|f16|bf16[m, n], f32|f16|bf16[m, k], ...]"
    )


def test_sizes_are_drawn_where_there_is_no_tensor() -> None:
    code = "def f(n, m):\n    x = torch.empty((n, m))\n    kernel[(n,)](x, m, BLOCK=16)\n"

    def rule(example: Example) -> int:
        return Attempt.FAILED if example.tensors else Attempt.GOOD

    assert str(_trial(code, rule).find_signature()) == "n: n, m: m"


def test_the_sizes_that_are_normalized_over_are_the_last_of_a_tensor() -> None:
    code = (
        "def f(x, normalized_shape: list[int]):\n    n = math.prod(normalized_shape)\n"
        "    m = x.numel() // n\n    kernel[(m,)](x, n, BLOCK=16)\n"
    )

    def rule(example: Example) -> int:
        sizes = next(r.value for n, r in example.arguments if n == "normalized_shape")  # type: ignore[union-attr]  # a plain value
        shape = example.tensors["x"].shape
        return Attempt.GOOD if shape[-len(sizes) :] == sizes else Attempt.FAILED

    found = str(_trial(code, rule).find_signature())
    assert found == "x: f32|f16|bf16[..., x_last], normalized_shape: (x_last,)"


def test_what_has_the_methods_of_a_number_is_no_tensor() -> None:
    code = (
        "def f(x, size):\n    m, n = x.shape\n    assert size == 2 ** (size.bit_length() - 1)\n"
        "    kernel[(m,)](x, n, BLOCK=size)\n"
    )

    def rule(example: Example) -> int:
        values = [r.value for n, r in example.arguments if isinstance(r, PlainValue)]
        return Attempt.GOOD if values and values[0] in (1, 2, 4) else Attempt.FAILED

    assert str(_trial(code, rule).find_signature()).startswith("x: f32|f16|bf16[m, n], size: 1")


def test_one_size_alone_settles_nothing() -> None:
    code = "def f(x):\n    kernel[(1,)](x, 1, BLOCK=16)\n"

    def rule(example: Example) -> int:
        elements = [x.elements for x in example.tensors.values()]
        return Attempt.GOOD if elements == [1] else Attempt.FAILED

    with pytest.raises(NothingWorks):
        _trial(code, rule).find_signature()


def test_two_vectors_are_the_sides_of_a_matrix() -> None:
    code = (
        "def f(x, v, w):\n    m = v.shape[0]\n    n = w.shape[0]\n    x = expand(x)\n"
        "    assert v.dim() == 1 and w.dim() == 1\n    kernel[(m,)](x, n, BLOCK=16)\n"
    )

    def rule(example: Example) -> int:
        shapes = [t.shape for t in example.tensors.values()]
        fits = len(shapes) == 3 and shapes[0] == shapes[1] + shapes[2]
        return Attempt.GOOD if fits else Attempt.FAILED

    assert "x: f32|f16|bf16[m, n], v: f32|f16|bf16[m], w" in str(
        _trial(code, rule).find_signature()
    )


def test_any_number_of_dimensions_is_not_taken_from_one() -> None:
    code = (
        "def f(x, y):\n    x = x.view(-1, x.shape[-1])\n    y = y.view(-1, y.shape[-1])\n"
        "    kernel[(1,)](x, x.shape[-1], BLOCK=16)\n"
    )

    def rule(example: Example) -> int:
        x, y = (t.shape for t in example.tensors.values())
        return Attempt.GOOD if len(x) == 2 and x == y else Attempt.FAILED

    found = _trial(code, rule).find_signature()
    assert len({t.shape for t in found.tensors}) == 1
    assert len(found.tensors[0].shape) == 2 and "..." not in found.tensors[0].shape


def test_a_gradient_of_another_shape_is_a_wrong_size() -> None:
    text = "Function FBackward returned an invalid gradient at index 1 - got [1] but expected [5]"
    failure = Failure("RuntimeError", text)
    assert judge(Outcome(failure=failure, launches=("kernel",)), 9, 0.0).level == Attempt.OUTSIDE
    other = replace(failure, message="no such thing")
    found = judge(Outcome(failure=other, launches=("kernel",)), 9, 0.0)
    assert found.level == Attempt.FAILED_AFTER_LAUNCH


def test_what_was_guessed_varies() -> None:
    code = "def f(x, dim):\n    m, n = x.shape\n    kernel[(m,)](x, n, dim, BLOCK=16)\n"

    def rule(example: Example) -> int:
        values = [r.value for _, r in example.arguments if isinstance(r, PlainValue)]
        return Attempt.GOOD if values in ([-1], [0], [1]) else Attempt.FAILED

    assert "dim: -1|0|1" in str(_trial(code, rule).find_signature())


def test_a_default_that_stands_elsewhere_is_one_of_a_few() -> None:
    code = """
def f(x, reduction=Reduction.MEAN.value):
    m, n = x.shape
    mode = kind(reduction)
    kernel[(m,)](x, n, BLOCK=16)

def kind(reduction):
    return reduction
"""

    def rule(example: Example) -> int:
        fits = dict(example.arguments).get("reduction") != PlainValue(2)
        return Attempt.GOOD if fits else Attempt.FAILED

    reduction = _trial(code, rule).find_signature().get("reduction")
    assert reduction == ChoiceArgument("reduction", (0, 1))


def test_a_number_that_is_refused_has_others_beside_it() -> None:
    code = """
def f(x, divisor: Optional[int] = None):
    m, n = x.shape
    if divisor is not None and divisor == 0:
        raise ValueError("by 0")
    kernel[(m,)](x, n, divisor or 1, BLOCK=16)
"""

    def rule(example: Example) -> int:
        refused = dict(example.arguments).get("divisor") == PlainValue(0)
        return Attempt.FAILED if refused else Attempt.GOOD

    divisor = _trial(code, rule).find_signature().get("divisor")
    assert divisor == ChoiceArgument("divisor", (None, 2))


def test_what_was_taken_for_a_size_is_left_out_where_the_code_asks_for_that() -> None:
    code = """
def f(x, divisor):
    m, n = x.shape
    if divisor is not None and divisor == 0:
        raise ValueError("by 0")
    kernel[(m,)](x, n, divisor or 1, BLOCK=16)
"""

    def rule(example: Example) -> int:
        divisor = dict(example.arguments).get("divisor")
        fits = isinstance(divisor, PlainValue) and divisor.value not in (0, True, False)
        return Attempt.GOOD if fits else Attempt.FAILED

    divisor = _trial(code, rule).find_signature().get("divisor")
    assert divisor == ChoiceArgument("divisor", (1.25, -0.5, 4, None))


def test_of_a_text_it_is_asked_whether_there_is_one() -> None:
    code = """
def f(x, format: Optional[str] = None):
    m, n = x.shape
    kernel[(m,)](x, n, format is not None, BLOCK=16)
"""
    found = _trial(code, lambda example: Attempt.GOOD).find_signature().get("format")
    assert found == ChoiceArgument("format", (None, "any"))


def test_what_a_text_is_compared_with_in_small_letters_varies() -> None:
    code = """
def f(x, reduction="mean"):
    m, n = x.shape
    if reduction.lower() == "sum":
        pass
    kernel[(m,)](x, n, BLOCK=16)
"""
    found = str(_trial(code, lambda example: Attempt.GOOD).find_signature())
    assert "reduction: 'mean'|'sum'" in found


_FROM_THE_END = """
def f(x, y):
    kernel[(x.numel(),)](x, x.shape[-1], y.shape[0], BLOCK=16)
"""


@pytest.mark.parametrize(("most", "shape"), [(4, "[..., x_last]"), (1, "[x_last]")])
def test_dimensions_that_are_counted_from_the_last_may_have_others_before(
    most: int, shape: str
) -> None:
    def rule(example: Example) -> int:
        fits = len(example.tensors["x"].shape) <= most
        y = example.tensors.get("y")
        return Attempt.GOOD if fits and y is not None and len(y.shape) == 1 else Attempt.OUTSIDE

    found = str(_trial(_FROM_THE_END, rule).find_signature())
    assert f"x: f32|f16|bf16{shape}, y: f32|f16|bf16[" in found, found
    assert "y: f32|f16|bf16[..." not in found


def test_what_has_nothing_for_a_default_may_be_a_tensor_to_write_to() -> None:
    def rule(example: Example) -> int:
        out = dict(example.arguments).get("out")
        fits = out is None or out == PlainValue(None) or "out" in example.tensors
        return Attempt.GOOD if fits else Attempt.FAILED

    code = """
def f(x, out=None):
    m, n = x.shape
    if out is None:
        out = x
    kernel[(m,)](x, n, BLOCK=16)
    function(x, out0=out)
"""
    assert "out: f32|f16|bf16[m, n] | None" in str(_trial(code, rule).find_signature())


def test_a_tensor_has_the_dimensions_of_another() -> None:
    code = "def f(x, y):\n    m, n = x.shape\n    kernel[(m,)](x, n, y.stride(0), BLOCK=16)\n"

    def rule(example: Example) -> int:
        shapes = [t.shape for t in example.tensors.values()]
        fits = len(shapes) == 2 and shapes[0] == shapes[1]
        return Attempt.GOOD if fits else Attempt.FAILED

    assert (
        str(_trial(code, rule).find_signature()) == "x: f32|f16|bf16[m, n], y: f32|f16|bf16[m, n]"
    )


_RANGE = """
def f(start, end, device=None, layout=None):
    n = int(end - start)
    place = device or layout
    out = torch.empty(n, device=device, layout=layout)
    kernel[(n,)](out, n, BLOCK=16)
    return out
"""


def test_a_size_is_found_among_numbers_and_not_where_a_result_lies() -> None:
    def rule(example: Example) -> int:
        values = {n: r.value for n, r in example.arguments if isinstance(r, PlainValue)}
        return Attempt.GOOD if "start" in values and "end" in values else Attempt.FAILED

    found = _trial(_RANGE, rule).find_signature()
    assert {a.name for a in found.arguments} == {"start", "end"}
    assert found.size_names


_TWO = """
def f(x, y):
    kernel[(x.shape[0],)](x, y, BLOCK=16)
"""


def test_shapes_that_overlap_are_the_last_choice() -> None:
    def rule(example: Example) -> int:
        shapes = [t.shape for t in example.tensors.values()]
        if len(shapes) < 2 or not all(shapes):
            return Attempt.FAILED
        return Attempt.GOOD if len(shapes[0]) == len(shapes[1]) == 2 else Attempt.RACING

    found = _trial(_TWO, rule).find_signature()
    assert [len(t.shape) for t in found.tensors] == [2, 2]
    alone = _trial(_TWO, lambda example: min(rule(example), Attempt.RACING)).find_signature()
    assert len(alone.tensors) == 2, "a race of its own must show, as what was drawn does"


def test_what_only_some_sizes_show_is_learned_from_them() -> None:
    """As many rows of y as of x are enough; fewer lead outside of it."""

    class Telling(Original):
        def attempt(self, example: Example) -> Attempt:
            self.calls += 1
            x, y = (example.tensors[name].shape for name in "xy")
            if len(x) != 2 or len(y) != 2 or x[1] != y[1]:
                return Attempt(Attempt.FAILED, 0, "no")
            level = Attempt.GOOD if y[0] >= x[0] else Attempt.OUTSIDE
            return Attempt(level, 0, "outside, beside argument y", blame=Blame(("y",)))

    launchers = Launchers(source.read(_HEAD + _ROWS, "kernel.py"))
    reading = read(launchers, launchers.named("f"))
    original = Telling(lambda example: 0)
    found = Trial(original, reading, backward=False).find_signature()  # type: ignore[arg-type]  # a stand-in
    assert found.tensor("x").shape == found.tensor("y").shape
    assert original.calls < 60


_ROWS = """
def f(x, y):
    m, n = x.shape
    k, l = y.shape
    assert n == l
    kernel[(m,)](x, y, n, BLOCK=16)
"""


_REDUCTION = """
def f(x, dim=None):
    m, n = x.shape
    if dim is None:
        return whole(x)
    kernel[(m,)](x, n, BLOCK=16)
"""


def test_a_reduction_along_no_dimension_is_also_one_along_some() -> None:
    def rule(example: Example) -> int:
        values = dict(example.arguments)
        dim = values["dim"].value if isinstance(values.get("dim"), PlainValue) else None
        return Attempt.GOOD if dim is None or dim in (-1, 0, 1) else Attempt.FAILED

    assert "dim: None|-1|0|1" in str(_trial(_REDUCTION, rule).find_signature())


def test_a_size_of_the_result_is_one_of_its_own() -> None:
    """The input's own sizes would hide that something is scaled."""

    def rule(example: Example) -> int:
        size = dict(example.arguments).get("output_size")
        whole = isinstance(size, PlainValue) and isinstance(size.value, tuple)
        fits = whole and len(size.value) == 2 and len(example.tensors["x"].shape) == 4
        return Attempt.GOOD if fits else Attempt.FAILED

    code = """
def f(x: torch.Tensor, output_size: Tuple[int]):
    n, c, h, w = x.shape
    kernel[(n,)](x, n, BLOCK=16)
"""
    found = _trial("import torch\n" + code, rule).find_signature()
    assert str(found) == "x: f32|f16|bf16[n, c, h, w], output_size: (p, q)"


def test_a_value_that_some_leading_dimensions_do_not_go_with_is_tried_with_others() -> None:
    """A reduction along the first dimension of which only powers of two are taken."""

    def rule(example: Example) -> int:
        given = dict(example.arguments)
        shape = example.tensors["x"].shape
        if given.get("dim") == PlainValue(0):
            return Attempt.FAILED_AFTER_LAUNCH if shape[0] & (shape[0] - 1) else Attempt.GOOD
        return Attempt.GOOD if given.get("dim") in (None, PlainValue(None), PlainValue(-1)) else 0

    code = """
def f(x: torch.Tensor, dim=None):
    n = x.shape[-1]
    kernel[(x.numel() // n,)](x, n, BLOCK=16)
"""
    found = _trial("import torch\n" + code, rule).find_signature()
    assert "dim: None|-1|0" in str(found)


@pytest.mark.parametrize("ranks", [(2, 3), (3, 4)])
def test_ranks_that_the_code_tells_apart_are_drawn(ranks: tuple[int, int]) -> None:
    def rule(example: Example) -> int:
        return Attempt.GOOD if len(example.tensors["x"].shape) in ranks else Attempt.FAILED

    code = f"""
def f(x: torch.Tensor):
    if x.dim() not in {ranks}:
        raise ValueError
    batch = x.shape[0] if x.dim() == {ranks[1]} else 1
    kernel[(batch,)](x, x.shape[-1], BLOCK=16)
"""
    found = _trial("import torch\n" + code, rule).find_signature()
    assert found.tensors[0].shape[0] == "..."
    assert len(found.tensors[0].shape) == ranks[0] + 1


def test_numbers_that_a_kernel_tells_apart_are_drawn() -> None:
    code = """
@triton.jit
def divergence(x, beta, BLOCK: tl.constexpr):
    if beta == 0.0:
        pass
    elif beta == 1.0:
        pass

def f(x: torch.Tensor, beta: float = 0.5):
    n = x.shape[-1]
    divergence[(x.numel() // n,)](x, beta, BLOCK=16)
"""
    found = _trial("import torch\n" + code, lambda example: Attempt.GOOD).find_signature()
    assert found.get("beta") == ChoiceArgument("beta", (0.5, 0.0, 1.0, 0.1, 2.0, -0.5))


def test_one_dimension_where_the_operator_takes_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    def rule(example: Example) -> int:
        dim = dict(example.arguments).get("dim", PlainValue(None))
        taken = isinstance(dim, PlainValue) and not isinstance(dim.value, tuple)
        return Attempt.GOOD if taken else Attempt.FAILED

    trial = _trial("import torch\n" + _DIM, rule)
    trial.reading = replace(trial.reading, kinds={"x": "Tensor", "dim": "Optional[List[int]]"})
    assert "dim: None|-1|0|1" in str(trial.find_signature())


_DIM = """
def f(x: torch.Tensor, dim=None):
    n = x.shape[-1]
    kernel[(x.numel() // n,)](x, n, BLOCK=16)
"""


_EITHER = """
def f(x, y, low=None, high=None):
    if isinstance(y, torch.Tensor):
        y = y.contiguous()
    check(low, high)
    n = x.numel()
    kernel[(n,)](x, n, BLOCK=16)
"""


def _takes_numbers(example: Example) -> int:
    given = dict(example.arguments)
    limits = [given.get("low", PlainValue(None)), given.get("high", PlainValue(None))]
    plain = [limit.value for limit in limits if isinstance(limit, PlainValue)]
    if len(plain) < 2 or not all(v is None or type(v) in (int, float) for v in plain):
        return Attempt.FAILED
    return Attempt.FAILED if plain == [None, None] else Attempt.GOOD


def test_numbers_are_passed_for_tensors_and_limits_left_out_by_turns() -> None:
    found = _trial("import torch\n" + _EITHER, _takes_numbers).find_signature()
    tensor = found.get("y")
    assert isinstance(tensor, TensorArgument) and len(set(tensor.numbers) - {0, 1}) == 3
    low, high = found.get("low"), found.get("high")
    assert isinstance(low, ChoiceArgument) and isinstance(high, ChoiceArgument)
    # Each alone, and between two limits that differ.
    assert None in low.values and None in high.values
    numbers = [[v for v in limit.values if v is not None] for limit in (low, high)]
    assert numbers[0][0] != numbers[1][0] and min(numbers[0]) < 0 < max(numbers[0])


_ALONG = """
def f(x: torch.Tensor, dim=None):
    check(dim)
    kernel[(1,)](x, x.shape[-1], BLOCK=16)
"""


def test_where_none_is_not_taken_other_dimensions_are() -> None:
    def rule(example: Example) -> int:
        dim = dict(example.arguments).get("dim", PlainValue(None))
        whole = isinstance(dim, PlainValue) and type(dim.value) is int
        return Attempt.GOOD if whole else Attempt.FAILED

    found = _trial("import torch\n" + _ALONG, rule).find_signature()
    dim = found.get("dim")
    assert isinstance(dim, ChoiceArgument) and {-1, 0, 1} <= set(dim.values)
    assert None not in dim.values


def test_one_number_for_each_row() -> None:
    """Rows over any leading dimensions, and as many numbers, whatever their dimensions."""
    code = (
        "def f(x, at):\n    n = x.shape[-1]\n    rows = x.view(-1, n)\n"
        "    at = at.contiguous().view(-1)\n    kernel[(rows.shape[0],)](rows, n, BLOCK=16)\n"
    )

    def as_many(example: Example) -> int:
        x, at = (example.tensors[name].shape for name in ("x", "at"))
        return Attempt.GOOD if math.prod(at) == math.prod(x[:-1]) else Attempt.FAILED

    found = _trial(code, as_many).find_signature()
    assert found.tensors[1].shape == found.tensors[0].shape[:-1], found


def test_what_a_docstring_says_is_tried_first() -> None:
    code = '''
def f(q, k, cos):
    """
    q: (bsz, n_q_head, seq_len, head_dim)
    k: (bsz, n_k_head, seq_len, head_dim)
    cos: (3, bsz, seq_len, head_dim)
    """
    check(q, k, cos)
    kernel[(1,)](q, 1, BLOCK=16)
'''

    def rotates(example: Example) -> int:
        q, k, cos = (example.tensors[name].shape for name in ("q", "k", "cos"))
        alike = len(q) == len(k) == 4 and (q[0], *q[2:]) == (k[0], *k[2:])
        return Attempt.GOOD if alike and cos == (3, q[0], *q[2:]) else Attempt.FAILED

    trial = _trial(code, rotates)
    assert "cos: f32|f16|bf16[3, bsz, seq_len, head_dim]" in str(trial.find_signature())


def test_what_a_docstring_says_is_no_more_than_a_guess() -> None:
    code = 'def f(x):\n    """x: (m, n, k)"""\n    check(x)\n    kernel[(1,)](x, 1, BLOCK=16)\n'

    def of_two(example: Example) -> int:
        return Attempt.GOOD if len(example.tensors["x"].shape) == 2 else Attempt.FAILED

    assert str(_trial(code, of_two).find_signature()) == "x: f32|f16|bf16[m, n]"


def test_nothing_is_passed_where_the_code_asks_for_that() -> None:
    code = """
def is_shared(group):
    return group is not None and group.size() > 1

def f(x, group, bias):
    m, n = x.shape
    if is_shared(group):
        share(x)
    if bias is not None:
        bias = bias.contiguous()
    kernel[(m,)](x, n, BLOCK=16)
"""

    def alone(example: Example) -> int:
        tensors = example.tensors
        fits = "bias" not in tensors or tensors["bias"].shape == (tensors["x"].shape[-1],)
        return Attempt.GOOD if "group" not in tensors and fits else Attempt.FAILED

    text = str(_trial(code, alone).find_signature())
    assert "group: None" in text and "bias: f32|f16|bf16[n] | None" in text


def test_what_a_docstring_calls_labels_are_whole_numbers() -> None:
    code = '''
def f(x, labels, places):
    """
    x: (m, n)
    labels: ``(m,)`` of the rows
    places: (m, k) int32
    """
    check(x, labels, places)
    kernel[(1,)](x, 1, BLOCK=16)
'''

    def of_rows(example: Example) -> int:
        shapes = [t.shape for t in example.tensors.values()]
        return Attempt.GOOD if shapes[1] == shapes[0][:1] == shapes[2][:1] else Attempt.FAILED

    text = str(_trial(code, of_rows).find_signature())
    assert "labels: i64[m] in 0..n, places: i32[m, k] in 0..n" in text


def _loss(code: str, rule: Callable[[Example], int]) -> Trial:
    forward = parse("x: f32[m, n], target: i64[m] in 0..n, reduction: 'mean'")
    trial = _trial(code, rule)
    trial.like = [("f_forward", forward), ("g", parse("x: f32[n], target: i64[n]"))]
    return trial


_BACKWARD = """
def f(grad, x, target, reduction):
    n = x.size(-1)
    kernel[(n,)](grad, n, BLOCK=n)
"""


def test_a_backward_pass_takes_what_the_forward_one_does() -> None:
    def rule(example: Example) -> int:
        return Attempt.GOOD if len(example.tensors["x"].shape) == 2 else Attempt.FAILED

    found = _loss(_BACKWARD, rule).find_signature()
    assert found.tensor("x").shape == ("m", "n")
    assert str(found.tensor("target")) == "target: i64[m] in 0..n"
    # What it does not take is searched for as ever.
    refusing = _loss(_BACKWARD, lambda e: Attempt.GOOD * ("target" not in e.tensors))
    assert "i64" not in str(refusing.find_signature())


def test_a_shape_is_chosen_that_goes_with_all_values() -> None:
    def rule(example: Example) -> int:
        given = dict(example.arguments)
        shapes = {name: t.shape for name, t in example.tensors.items()}
        rows = shapes.get("grad") == shapes.get("x", (0,))[:1]
        taken = given.get("reduction") == PlainValue(1) or rows
        return Attempt.GOOD if taken and len(shapes["x"]) == 2 else Attempt.FAILED

    code = _BACKWARD.replace("reduction)", "reduction=1)")
    found = _loss(code, rule).find_signature()
    assert found.tensor("grad").shape == ("m",)
    assert found.get("reduction") == ChoiceArgument("reduction", (1, 0, -1, 2))


def test_which_results_are_wanted_is_a_list_of_flags() -> None:
    code = """
def f(x, output_mask):
    n = x.numel()
    if output_mask[0] and output_mask[2]:
        kernel[(n,)](x, n, BLOCK=n)
"""
    found = _trial(code, lambda _: Attempt.GOOD).find_signature()
    flags = found.get("output_mask")
    assert isinstance(flags, ChoiceArgument)
    assert flags.values[:2] == ((True, True, True), (True, False, False))
    assert (True, True, False) in flags.values


def test_sizes_that_are_parameters_are_those_of_a_tensor() -> None:
    code = """
def f(x, weight, N, C, HxW):
    kernel[(N * C,)](x.contiguous(), HxW, BLOCK=HxW)
"""

    def rule(example: Example) -> int:
        given = dict(example.arguments)
        plain = all(isinstance(given[name], PlainValue) for name in ("N", "C", "HxW"))
        return Attempt.GOOD if plain else Attempt.FAILED

    found = _trial(code, rule).find_signature()
    assert found.tensor("x").shape == ("n", "c", "hxw")
    assert [str(found.get(n)) for n in ("N", "C", "HxW")] == ["N: n", "C: c", "HxW: hxw"]


def test_what_a_mask_bounds_is_as_long_as_that() -> None:
    """A larger tensor would do as well, and no column would be the last one of it."""
    code = """
@triton.jit
def linear_kernel(x, w, b, y, M, N, K, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + cols, tl.load(b + cols, mask=cols < N), mask=cols < N)


def f(x: Tensor, w: Tensor, bias=None):
    m, k = x.shape
    k, n = w.shape
    linear_kernel[(1,)](x, w, bias, x.new_empty(m, n), m, n, k, BLOCK=16)
"""

    def level(example: Example) -> int:
        x, w, bias = (example.tensors.get(name) for name in ("x", "w", "bias"))
        if x is None or w is None or len(x.shape) != 2 or len(w.shape) != 2:
            return Attempt.FAILED
        if x.shape[1] != w.shape[0]:
            return Attempt.FAILED
        return Attempt.OUTSIDE if bias and bias.elements < w.shape[1] else Attempt.GOOD

    found = _trial(code, level).find_signature()
    assert str(found.get("bias")) == "bias: f32|f16|bf16[n] | None", found
