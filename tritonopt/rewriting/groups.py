"""Groups: names for passes that belong together, in the order in which they are tried.

Who names a group names its passes: they act wherever they are allowed, but for what is unlikely to
be faster there. Of two that could act at
one place the earlier one does, and the later ones see what it made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tritonopt.rewriting import options
from tritonopt.rewriting.options import PassSelectionError, Selected


@dataclass(frozen=True)
class Group:
    """Passes under one name."""

    name: str
    summary: str
    """One line for the catalog."""
    passes: str
    """The passes as they are written after `--passes`."""

    @property
    def stands_for(self) -> str:
        """What it stands for, as a sentence for a person."""
        return f"stands for {self.passes}, in this order, except where a gain is unlikely"

    def members(self) -> list[Selected]:
        """The passes in their order, with options."""
        return options.parse(self.passes)


GROUPS = {
    group.name: group
    for group in (
        Group(
            "rows",
            "the usual manual optimizations of loops over a row",
            "one-tile{raise_block=32768},online-softmax,defer-reduction,row-batch",
        ),
    )
}


ENABLING = ("one-tile", "fuse-stats", "online-softmax", "defer-reduction", "row-batch")
"""Rewrites that others follow: what a kernel has after one may be what the next one looks for."""


def opened(items: list[Selected]) -> Iterator[Selected]:
    """The items, with groups replaced by their passes.

    A pass that is also named keeps the options that were given to it by name, and its place in the
    group.
    """
    names = {item.name for item in items}
    waiting = [item for item in items if item.name not in GROUPS]
    seen: set[str] = set()
    for item in items:
        group = GROUPS.get(item.name)
        if group is None:
            if item in waiting:
                waiting.remove(item)
                yield item
            continue
        if item.options:
            raise PassSelectionError(f"{item.name!r} is a group of passes and takes no options")
        for member in group.members():
            given = next((other for other in waiting if other.name == member.name), None)
            if given is not None:
                waiting.remove(given)
                yield given
            elif member.name not in names | seen:
                yield replace(member, is_of_group=True)
            seen.add(member.name)
