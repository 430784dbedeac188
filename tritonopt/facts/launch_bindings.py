"""What one launch passes to the parameters of its kernel: forms of the launcher's values, or the
numbers of a launch that a run of the user's made."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

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


@dataclass(frozen=True)
class RecordedLaunch:
    """One launch of a run, under one configuration."""

    numbers: Mapping[str, int]
    """The integers that it passes, by parameter."""
    grid: tuple[int, ...] = ()
    """The number of programs by axis; empty where it is not known."""
    storages: Mapping[str, int] = field(default_factory=dict)
    """By parameter, a number for the memory of the tensor that it passes."""


@dataclass(frozen=True)
class Recorded:
    """The launches of one kernel that a run made: evidence for the sizes that no source shows."""

    launches: tuple[RecordedLaunch, ...]
    command: str = ""
    """What made them, as messages name it."""
    digest: str = ""
    """Of the text of the kernel that ran; "" for the text at hand."""
    proves: bool = False
    """Whether the user allows a rewrite to be legal at these launches only."""

    @property
    def told(self) -> str:
        """As messages name them."""
        number = f"{len(self.launches)} recorded launch" + "es" * (len(self.launches) != 1)
        return f"{number} of `{self.command}`" if self.command else number

    def where_known(self, parameters: Collection[str], *, grid: bool) -> Recorded:
        """The same without what is passed for other parameters."""
        return replace(
            self,
            launches=tuple(
                RecordedLaunch(
                    {name: n for name, n in launch.numbers.items() if name in parameters},
                    launch.grid if grid else (),
                    {name: n for name, n in launch.storages.items() if name in parameters},
                )
                for launch in self.launches
            ),
        )
