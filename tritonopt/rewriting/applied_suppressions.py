"""Which sites the suppressions of a file cover, and which suppressions cover none."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tritonopt.rewriting import registry
from tritonopt.rewriting.model import Remark, RemarkKind
from tritonopt.source import Module
from tritonopt.source.suppressions import Suppression, find_suppressions

NAME = "ignore"
"""Stands where the name of a pass stands in a remark on a suppression."""


class AppliedSuppressions:
    """The suppressions of one file, and how often they were of use."""

    def __init__(self, module: Module) -> None:
        self._suppressions = find_suppressions(module)
        self._used: set[Suppression] = set()

    @property
    def is_empty(self) -> bool:
        """Whether there is no suppression at all."""
        return not self._suppressions

    def covers(self, name: str, line: int) -> bool:
        """Whether a pass shall say nothing of a line of the text as it was given."""
        found = [s for s in self._suppressions if s.covers(name, line)]
        self._used.update(found)
        return bool(found)

    def unused(self, ran: Collection[str], *, everything: bool) -> Iterator[Remark]:
        """Suppressions that met nothing, as far as it can be told from the passes that ran.

        `everything` says that all were asked that a suppression without names may be meant for.
        """
        known = registry.names() if self._suppressions else []
        for suppression in self._suppressions:
            strange = sorted(suppression.names - set(known))
            if strange:
                yield _remark(suppression, registry.unknown(strange[0]), "no-pass")
            elif suppression not in self._used and (
                suppression.names <= set(ran) if suppression.names else everything
            ):
                nowhere = suppression.last < suppression.first
                why = "it is not at a statement" if nowhere else "nothing is found there"
                message = f"# tritonopt: {suppression.text} suppresses nothing: {why}; remove it"
                yield _remark(suppression, message, "suppresses-nothing")


def _remark(suppression: Suppression, message: str, reason: str) -> Remark:
    return Remark(
        NAME,
        RemarkKind.ANALYSIS,
        "",
        suppression.line,
        suppression.column,
        message,
        reason=reason,
    )
