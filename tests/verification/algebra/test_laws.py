"""Which formulas are the same algebra: each pair runs in the interpreter, on one drawn call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from tritonopt.verification.algebra import field
from tritonopt.verification.inputs.examples import Example, PlainValue, TensorRecipe
from tritonopt.verification.process.client import VersionWorker
from tritonopt.verification.process.messages import Outcome, RunOptions, VersionSpec

BLOCK = 16
SAME = {
    "sums in another order": ("x + (y + 1.5)", "(y + x) + 1.5"),
    "a common factor": ("x * y + x * 3.0", "x * (y + 3.0)"),
    "division and its inverse": ("x / y", "x * (1.0 / y)"),
    "division by a count": ("x / N", "x * (1.0 / N)"),
    "a constant of the host": ("x * 0.0625", "x / 16"),
    "the shifted variance": (
        "tl.sum((x - tl.sum(x) / BLOCK) * (x - tl.sum(x) / BLOCK)) / BLOCK + x * 0.0",
        "tl.sum((x - 2.0) * (x - 2.0)) / BLOCK"
        " - (tl.sum(x - 2.0) / BLOCK) * (tl.sum(x - 2.0) / BLOCK) + x * 0.0",
    ),
    "exponentials of sums": ("tl.exp(x + y)", "tl.exp(y) * tl.exp(x)"),
    "a softmax without its maximum": (
        "tl.exp(x - tl.max(x)) / tl.sum(tl.exp(x - tl.max(x)))",
        "tl.exp(x) / tl.sum(tl.exp(x))",
    ),
    "powers of two": ("tl.exp(x)", "tl.exp2(x * 1.4426950408889634)"),
    "powers of two, scaled": ("tl.exp(x * 0.125)", "tl.exp2(x * 0.18033688011112042)"),
    "logarithms to the base 2": ("tl.log(y * y)", "tl.log2(y * y) * 0.6931471805599453"),
    "the sigmoid": ("x * tl.sigmoid(x)", "x / (1.0 + tl.exp(-x))"),
    "a root in the denominator": ("x / tl.sqrt(y * y + 1)", "x * tl.rsqrt(y * y + 1)"),
    "a root of a product": ("tl.sqrt(x * x * 4)", "2.0 * tl.sqrt(x * x)"),
    "the root of a constant": ("x * 0.35355339059327373", "x / tl.sqrt(0.0 * x + 8.0)"),
    "relu": ("tl.maximum(x, 0.0)", "tl.where(x > 0, x, 0.0)"),
    "a minus outside": ("tl.abs(x)", "tl.maximum(x, -x)"),
    "masked lanes that add nothing": (
        "tl.sum(tl.exp(tl.where(cols < 9, x, -float('inf')))) + x",
        "tl.sum(tl.where(cols < 9, tl.exp(x), 0.0)) + x",
    ),
    "a finite sentinel": (
        "tl.sum(tl.exp(tl.where(cols < 9, x, -1.0e30))) + x",
        "tl.sum(tl.where(cols < 9, tl.exp(x), 0.0)) + x",
    ),
    "fma": ("tl.fma(x, y, 1.0)", "x * y + 1.0"),
    "a widening cast": ("x.to(tl.float64) + y", "(x + y).to(tl.float64)"),
    "scans and sums": (
        "tl.sum(tl.where(cols == BLOCK - 1, tl.cumsum(x), 0.0)) + y",
        "tl.sum(x) + y",
    ),
    "a product of rows": (
        "tl.sum(tl.dot(x[:, None] + 0.0 * y[None, :], y[:, None] + 0.0 * x[None, :]), 1)",
        "x * tl.sum(y) * BLOCK",
    ),
    "a function of one's own": (
        "tl.reduce(x, 0, both) + y",
        "tl.sum(x) + y",
    ),
    "arrangements": ("tl.reshape(tl.trans(tl.reshape(x, [4, 4])), [BLOCK]) * 0.0 + tl.sum(x)",
                     "tl.sum(tl.sum(tl.reshape(x, [4, 4]), -1)) + x * 0.0"),
    "block pointers": (
        "tl.load(tl.make_block_ptr(X, [N], [1], [0], [BLOCK], [0]),"
        " boundary_check=[0], padding_option='zero') + y",
        "y + x",
    ),
    "an odd function": ("tl.sin(-x) + tl.erf(y - x)", "-tl.sin(x) - tl.erf(x - y)"),
    "an even function": ("tl.cos(x - y)", "tl.cos(y - x)"),
    "sorting": ("tl.sum(tl.sort(x)) + y", "tl.sum(x) + y"),
}  # fmt: skip
DIFFERENT = {
    "a constant 0.1 % off": ("x * 0.044715", "x * 0.04476"),
    "another eps": ("x / tl.sqrt(y * y + 1e-5)", "x / tl.sqrt(y * y + 1e-6)"),
    "an eps below the last digit": ("x + 1e-12", "x + 2e-12"),
    "one more": ("tl.sum(x) / BLOCK + y", "tl.sum(x) / (BLOCK - 1) + y"),
    "an element less": ("tl.sum(x) + y", "tl.sum(tl.where(cols < BLOCK - 1, x, 0.0)) + y"),
    "an element twice": (
        "tl.sum(x) + y",
        "tl.sum(x) + tl.sum(tl.where(cols == 3, x * 1e-9, 0.0)) + y",
    ),
    "a masked lane that adds one": (
        "tl.sum(tl.exp(tl.where(cols < 9, x, -float('inf')))) + x",
        "tl.sum(tl.exp(tl.where(cols < 9, x, 0.0))) + x",
    ),
    "a rescaling left out": (
        "tl.exp(x - tl.max(x)) / tl.sum(tl.exp(x - tl.max(x)))",
        "tl.exp(x - tl.max(x)) / tl.sum(tl.exp(x))",
    ),
    "exp for exp2": ("tl.exp(x * 1e-6)", "tl.exp2(x * 1e-6)"),
    "the digits of log2(e)": ("tl.exp(x)", "tl.exp2(x * 1.4427)"),
    "a lost sign below a root": ("tl.sqrt(y * y)", "tl.sqrt(y * y + 1e-30)"),
    "rounding in between": ("x * y + x", "(x * y).to(tl.float16).to(tl.float32) + x"),
    "a sign of an odd function": ("tl.sin(-x)", "tl.sin(x)"),
    "an even function that is odd": ("tl.cos(-x)", "-tl.cos(x)"),
    "another function": ("tl.sin(x * 1e-8)", "x * 1e-8"),
    "tanh without its argument's factor": ("tl.erf(x * 1e-9)", "tl.erf(x * 1.01e-9)"),
}

_HEAD = """
import torch
import triton
import triton.language as tl

@triton.jit
def both(a, b):
    return a + b
"""
_KERNEL = """
@triton.jit
def kernel_{number}(X, Y, OUT, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols)
    y = tl.load(Y + cols)
    tl.store(OUT + cols, {formula})
"""
_LAUNCHER = """
def run(number, x, y):
    out = torch.empty_like(x)
    globals()[f"kernel_{number}"][(1,)](x, y, out, x.numel(), BLOCK=x.numel())
    return out
"""

FORMULAS = [f for pair in (*SAME.values(), *DIFFERENT.values()) for f in pair]


@dataclass
class Formulas:
    worker: VersionWorker

    def outcome(self, formula: str, seed: int) -> Outcome:
        arguments = (
            ("number", PlainValue(FORMULAS.index(formula))),
            ("x", TensorRecipe("f32", (BLOCK,), seed=1)),
            ("y", TensorRecipe("f32", (BLOCK,), seed=2)),
        )
        (found,) = self.worker.run(Example(arguments), RunOptions(algebra=seed))
        assert found.failure is None, f"{formula}: {found.failure}"
        assert found.followed is not None and not found.followed.lost, (formula, found.followed)
        return found

    def agree(self, left: str, right: str, seed: int) -> bool:
        ours, theirs = (self.outcome(f, seed).output("returned") for f in (left, right))
        assert ours is not None and theirs is not None
        assert ours.residues is not None and theirs.residues is not None
        return bool((ours.residues == theirs.residues).all())


@pytest.fixture(scope="module")
def formulas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Formulas]:
    text = _HEAD + "".join(_KERNEL.format(number=n, formula=f) for n, f in enumerate(FORMULAS))
    path = tmp_path_factory.mktemp("algebra") / "formulas.py"
    path.write_text(text + _LAUNCHER)
    spec = VersionSpec(
        "original", str(path), path.read_text(), str(path), "interpreter", "run", False
    )
    worker = VersionWorker(spec, 60.0)
    yield Formulas(worker)
    worker.close()


@pytest.mark.parametrize("name", SAME)
def test_identities_hold_in_every_draw(formulas: Formulas, name: str) -> None:
    left, right = SAME[name]
    assert [formulas.agree(left, right, seed) for seed in (1, 2)] == [True, True]


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_tolerance_hides_is_told_apart(formulas: Formulas, name: str) -> None:
    left, right = DIFFERENT[name]
    assert not formulas.agree(left, right, 1)


def test_a_draw_depends_on_its_seed_alone(formulas: Formulas) -> None:
    first, again, other = (formulas.outcome("x + (y + 1.5)", seed) for seed in (1, 1, 2))
    residues = [outcome.outputs[-1].residues for outcome in (first, again, other)]
    assert np.array_equal(residues[0], residues[1])
    assert not np.array_equal(residues[0], residues[2])


def test_a_degree_beyond_every_float_is_no_evidence() -> None:
    assert field.by_chance(10**400) == field.by_chance(field.Q) == 1.0
    assert 0 < field.by_chance(2) < 1e-8
