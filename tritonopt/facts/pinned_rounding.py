"""Kernels that somebody matched to the bits of another library: their rounding stays."""

from __future__ import annotations

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted
from tritonopt.facts import KernelFacts


def check_pins(attempt: Attempt, facts: KernelFacts) -> None:
    """Nobody may have matched the kernel to another library's bits."""
    claim = "rounding-is-free"
    for node, what in facts.pinned_roundings:
        detail = f"{what} in line {node.lineno}: the kernel matches another library's bits"
        raise refuted(claim, "pinned-bits", detail)
    attempt.prove(claim, "no div_rn, sqrt_rn, fdiv or round trip through a narrow type")
