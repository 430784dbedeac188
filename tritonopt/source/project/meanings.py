"""What a name that one file imports from another may stand for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outside:
    """Something in no file that was given, by its dotted name."""

    dotted: str


@dataclass(frozen=True)
class Part:
    """A module or package that was given."""

    place: str


@dataclass(frozen=True)
class Missing:
    """A name that a given package gets from a file that was not given, or in a way not followed."""

    place: str
    name: str


@dataclass(frozen=True)
class Defined:
    """What the text of a file binds to a name, other than by importing it."""

    path: str
    name: str


Target = Outside | Part | Missing | Defined


@dataclass(frozen=True)
class Meaning:
    """What a name may stand for; `sure` where it is one thing and surely that."""

    targets: tuple[Target, ...] = ()
    sure: bool = False

    @property
    def only(self) -> Target | None:
        return self.targets[0] if self.sure and len(self.targets) == 1 else None
