"""What is asked of every file: flags of the command line, and what a configuration adds.

A flag wins over the file, but facts and what is ignored add up.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tritonopt import facts as known
from tritonopt.cli.configuration import Settings
from tritonopt.rewriting import pipeline, registry
from tritonopt.rewriting.groups import GROUPS
from tritonopt.rewriting.model import Safety
from tritonopt.rewriting.options import PassSelectionError, nearest
from tritonopt.rewriting.protocol import Pass


@dataclass(frozen=True)
class Selection:
    """The flags; the methods say what they and a file's settings come to."""

    spec: str | None
    levels: frozenset[Safety] | None
    assume: tuple[str, ...]
    careful: bool = False
    """Where nothing is said: only what is exact, and leaves the bits the same."""

    suggests: bool = False
    """Whether it is for `suggest`, for which no configuration names passes."""
    select: tuple[str, ...] = ()
    """Names, groups and beginnings of names of the passes to which a run is restricted."""
    ignore: tuple[str, ...] = ()
    """The same of passes that are left out."""

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Selection:
        return cls(
            arguments.passes,
            arguments.safety,
            tuple(arguments.assume),
            getattr(arguments, "careful", False),
            select=tuple(getattr(arguments, "select", ())),
            ignore=tuple(getattr(arguments, "ignore", ())),
        )

    def check(self) -> None:
        """Raises PassSelectionError and AssumptionError for flags that mean nothing."""
        if self.spec is not None:
            registry.select(self.spec)
        if self.select and not self.passes(Settings()):
            raise PassSelectionError(
                f"--select {','.join(self.select)}: none of these passes would run; to "
                "apply passes wherever they are legal, use --passes"
            )
        _matching(self.ignore)
        for text in self.assume:
            known.parse_assumption(text)

    def check_settings(self, settings: Iterable[Settings]) -> list[list[Pass]]:
        """The passes of each different settings. Raises the same, and says where it was written."""
        different = list(dict.fromkeys(settings))
        for one in different:
            self.facts(one)
        return [self.passes(one) for one in different]

    def is_default(self, settings: Settings) -> bool:
        """Whether nobody says which passes to run."""
        return self._spec(settings) is None

    def _spec(self, settings: Settings) -> str | None:
        return self.spec or (None if self.suggests else settings.passes)

    def passes(self, settings: Settings) -> list[Pass]:
        """The passes for a file. Raises PassSelectionError, which says where it was written."""
        spec = self._spec(settings)
        selected, ignored = self._selected(settings), self.ignored(settings)
        try:
            if spec is None:
                chosen = registry.profitable(suggests=self.suggests)
            else:
                chosen = registry.select(spec)
        except PassSelectionError as error:
            where = f"{settings.place('passes')}: " if self.spec is None else ""
            raise PassSelectionError(f"{where}{error}") from None
        return [
            found
            for found in chosen
            if found.name not in ignored and (selected is None or found.name in selected)
        ]

    def ignored(self, settings: Settings) -> frozenset[str]:
        """The passes that shall say nothing of a file. Raises PassSelectionError."""
        by_file = _matching(sorted(settings.ignore), settings, "ignore")
        return by_file | _matching(self.ignore)

    def _selected(self, settings: Settings) -> frozenset[str] | None:
        """The passes to which a run is restricted; None without such a restriction."""
        if self.select:
            return _matching(self.select)
        if settings.select is None:
            return None
        return _matching(settings.select, settings, "select")

    def suggesting(self) -> Selection:
        """The same for `suggest`: what a configuration names for rewriting is not asked for."""
        return replace(self, suggests=True)

    def named(self, settings: Settings) -> frozenset[str]:
        """The passes that were named, by themselves or by a group."""
        return registry.named_in(self._spec(settings))

    def notes(self, settings: Settings) -> list[str]:
        """What there is to say of the names of passes."""
        where = f"{settings.place('passes')}: " if self.spec is None and settings.passes else ""
        return [where + note for note in registry.notes_of(self._spec(settings))]

    def safety(self, settings: Settings) -> frozenset[Safety]:
        if self.levels is not None:
            return self.levels
        if settings.safety is not None:
            return frozenset(map(Safety, settings.safety))
        return frozenset() if self.careful else pipeline.DEFAULT_SAFETY

    def same_bits(self, settings: Settings) -> bool:
        """Whether only sites count after which compiled results stay bit for bit."""
        return self.careful and self.levels is None and settings.safety is None

    def facts(self, settings: Settings) -> list[known.Assumption]:
        """The given facts. Raises AssumptionError, which says where it was written."""
        try:
            found = [known.parse_assumption(text) for text in settings.assume]
        except known.AssumptionError as error:
            raise known.AssumptionError(f"{settings.place('assume')}: {error}") from None
        return [*found, *self.given()]

    def given(self) -> list[known.Assumption]:
        """The facts of the command line."""
        return [known.parse_assumption(text) for text in self.assume]


def unneeded(
    given: Iterable[str], parameters: Sequence[frozenset[str]], used: set[str] | None = None
) -> Iterator[str]:
    """The facts that changed nothing: their names are nobody's, or no site rests on them, where it
    is known which ones are `used`."""
    names_known = frozenset[str]().union(*parameters)
    for fact in map(known.parse_assumption, given):
        strange = sorted(fact.names - names_known)
        if strange:
            hint = " ".join(filter(None, (nearest(name, names_known) for name in strange)))
            yield (
                f"--assume {fact.text!r}: no kernel has a parameter {', '.join(strange)}"
                + (f"; {hint}" if hint else "")
            )
        elif not any(fact.names <= names for names in parameters):
            yield f"--assume {fact.text!r}: no kernel has all of its names as parameters"
        elif used is not None and fact.text not in used:
            yield f"--assume {fact.text!r}: no rewrite uses it"


def _matching(
    patterns: Iterable[str], settings: Settings | None = None, key: str = ""
) -> frozenset[str]:
    """The passes that names, groups and beginnings of names stand for.

    Raises PassSelectionError for what stands for none, with the place where settings say it.
    """
    found: set[str] = set()
    for pattern in patterns:
        passes = registry.matching(pattern)
        if not passes:
            where = f"{settings.place(key)}: " if settings is not None else ""
            raise PassSelectionError(where + registry.unknown(pattern, GROUPS))
        found |= passes
    return frozenset(found)
