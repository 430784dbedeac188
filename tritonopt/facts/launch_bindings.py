"""What one launch passes to the parameters of its kernel, as forms of the launcher's values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tritonopt.facts.algebra.atoms import ProgramId
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.source import Launch

Multiple = tuple[Polynomial, Polynomial]
"""(dividend, divisor) of `dividend % divisor == 0`."""


@dataclass(frozen=True)
class LaunchBinding:
    """What one launch passes under one configuration, in terms of its launcher."""

    launch: Launch
    values: Mapping[Atom, Polynomial]
    """By the kernel's parameters, as the atoms that they are in its forms."""
    multiples: tuple[Multiple, ...] = ()
    """What the launcher has checked: `dividend % divisor == 0`, ..."""
    nonnegative: tuple[Polynomial, ...] = ()
    """... and forms that are >= 0."""
    unread: tuple[Polynomial, ...] = ()
    """What it has checked otherwise, in a way that is not understood."""
    holding: tuple[Polynomial, ...] = ()
    """All that it has checked, each as a form that is 1 where the launcher goes on."""
    grid: tuple[Polynomial | None, ...] = ()
    """The number of programs by axis, as far as it is known."""

    def number(self, parameter: Atom) -> int | None:
        """What is passed for a parameter, where that is one number."""
        passed = self.values.get(parameter)
        constant = passed.constant_value if passed is not None else None
        return int(constant) if constant is not None and constant.denominator == 1 else None

    def programs(self, program_id: ProgramId) -> Polynomial | None:
        """How many values a program id takes."""
        number = program_id.axis.constant_value
        if number is None or number not in range(len(self.grid)):
            return None
        return self.grid[int(number)]
