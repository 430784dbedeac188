"""Passes that were a part of another one, whose name goes on meaning both for now.

Who names the whole and not the part gets both, and is told so where the part had something to say.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tritonopt.rewriting.model import Remark
    from tritonopt.rewriting.protocol import Pass

_PARTS = {"licm": "loop-unswitch"}
"""By the whole. What they do is told apart in the manual pages."""

_WHOLES = {part: whole for whole, part in _PARTS.items()}


def part_of(whole: str) -> str:
    """The pass that was a part of this one; "" where there is none."""
    return _PARTS.get(whole, "")


def meant(names: Collection[str]) -> frozenset[str]:
    """The passes that are meant where these are named."""
    return frozenset(names) | {_PARTS[name] for name in names if name in _PARTS}


def whole_of(part: str) -> str:
    """The pass that another one was a part of; "" for all others."""
    return _WHOLES.get(part, "")


def wholes_alone(names: Collection[str]) -> list[str]:
    """Those of the names that stand for a part too, which is not named itself."""
    return sorted(name for name in names if name in _PARTS and _PARTS[name] not in names)


def note(whole: str) -> str:
    """What is to be said to who named a whole and got its part too."""
    part = _PARTS[whole]
    return (
        f"{whole} means {part} too for now, which was a part of it (`tritonopt explain {part}`): "
        f"name {whole},{part} for both"
    )


def notes(
    chosen: Sequence[Pass], remarks: Collection[Remark], others: Sequence[str] = ()
) -> tuple[str, ...]:
    """Of the parts that came with their whole, and had something to say; and others, all once."""
    said = {remark.pass_name for remark in remarks}
    own = (note(one.part_of) for one in chosen if one.part_of and one.name in said)
    return tuple(dict.fromkeys((*own, *others)))
