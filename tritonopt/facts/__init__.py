"""What is true of one kernel: values, indices, memory accesses, loops and effects."""

from tritonopt.facts.algebra.forms import Forms
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.facts.assumptions import Assumption, AssumptionError, parse_assumption
from tritonopt.facts.effects import Effect, EffectKind, Guard, Loop
from tritonopt.facts.kernel_facts import KernelFacts, of
from tritonopt.facts.values import Value

__all__ = [
    "Assumption",
    "AssumptionError",
    "Atom",
    "Effect",
    "EffectKind",
    "Forms",
    "Guard",
    "KernelFacts",
    "Loop",
    "Polynomial",
    "Value",
    "of",
    "parse_assumption",
]
