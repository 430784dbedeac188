"""Finding the passes: nothing imports a pass by name.

Passes announce themselves through the entry-point group `tritonopt.passes`,
those of this package and those of anyone else's.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import metadata

from tritonopt.rewriting import groups, options
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.protocol import Lint, Pass

GROUP = "tritonopt.passes"
ALIASES = {
    "all": "`all` means every pass, wherever it is legal, profitable or not",
    "default": (
        "`default` means what runs without --passes: safe fixes of mistakes, and "
        "profitable rewrites"
    ),
}
"""Names of no pass and no group, with a note on each."""
SETS = (*ALIASES, *groups.GROUPS)
"""What may stand after `--passes` and is no pass."""


@cache
def catalog() -> dict[str, type[Pass]]:
    """Every installed pass by name, sorted."""
    return {name: load(name) for name in _entries()}


def names() -> list[str]:
    """The names of the installed passes, sorted; none of them is loaded."""
    return list(_entries())


def profitable(*, suggests: bool = False) -> list[Pass]:
    """The passes where none is named: those that fix mistakes, then rewrites with a measured gain,
    in an order in which they enable each other. With `suggests` also those that only report."""
    every = catalog().values()
    found = (k for k in every if k.fixes or k.gain or (suggests and k.finds_mistakes))
    built = [options.build(kind, _measured(kind)).where_profitable() for kind in found]
    return sorted(built, key=_place)


def _measured(kind: type[Pass]) -> tuple[tuple[str, str], ...]:
    """The options with which a pass was measured to gain."""
    return options.parse(kind.name + (kind.gain.options if kind.gain else ""))[0].options


def _place(chosen: Pass) -> tuple[bool, bool, int]:
    """Mistakes first: what is fixed is seen by rewrites that decline the mistake."""
    order = groups.ENABLING
    rank = order.index(chosen.name) if chosen.name in order else len(order)
    return not chosen.fixes, not chosen.finds_mistakes, rank


def select(spec: str) -> list[Pass]:
    """The passes that a selection names: they act wherever it is legal.

    Lints come first, for other passes decline what they fix; then the order of the selection. A
    group stands for its passes, `all` for every pass, `default` for what runs where nothing is
    named; a pass that is also named keeps the options that were given to it by name.
    """
    chosen: dict[str, Pass] = {}
    named: set[str] = set()
    for item in groups.opened(options.parse(spec)):
        if item.name in ALIASES:
            if item.options:
                raise PassSelectionError(f"{item.name!r} is a set of passes and takes no options")
            for one in profitable() if item.name == "default" else _every():
                if item.name == "all" and not chosen.get(one.name, one).is_named:
                    chosen.pop(one.name, None)
                chosen.setdefault(one.name, one)
            continue
        if item.name in named:
            raise PassSelectionError(f"the pass {item.name!r} is given twice")
        named.add(item.name)
        built = options.build(load(item.name), item.options)
        chosen[item.name] = built.of_group() if item.is_of_group else built
    return sorted(chosen.values(), key=lambda one: not isinstance(one, Lint))


def _every() -> list[Pass]:
    """Every pass, wherever it is legal. One that runs the file does so only by its own name."""
    built = (kind() for kind in catalog().values())
    return sorted((p.where_profitable() if p.runs_file else p for p in built), key=_place)


def named_in(spec: str | None) -> frozenset[str]:
    """The passes that a selection names, by themselves or by a group."""
    items = groups.opened(options.parse(spec)) if spec else ()
    return frozenset(item.name for item in items if item.name not in ALIASES)


def matching(pattern: str) -> frozenset[str]:
    """The passes that a name, a group or the beginning of names stands for; empty for none."""
    if pattern in _entries():
        return frozenset([pattern])
    if pattern in groups.GROUPS:
        return named_in(pattern)
    return frozenset(name for name in _entries() if pattern and name.startswith(pattern))


def notes_of(spec: str | None) -> list[str]:
    """What the aliases in a selection stand for."""
    given = {item.name for item in options.parse(spec)} if spec else set()
    return [note for name, note in ALIASES.items() if name in given]


def resolve(passes: str | Iterable[Pass | str] | None) -> list[Pass]:
    """A selection as the API takes it: a text, or passes and texts in any mixture; None names
    nothing."""
    if passes is None:
        return profitable()
    if isinstance(passes, str):
        return select(passes)
    return [
        one
        for chosen in passes
        for one in (select(chosen) if isinstance(chosen, str) else [chosen])
    ]


@cache
def _entries() -> dict[str, metadata.EntryPoint]:
    found: dict[str, metadata.EntryPoint] = {}
    for entry in metadata.entry_points(group=GROUP):
        if entry.name in SETS:
            raise PassSelectionError(
                f"{entry.value} cannot be a pass {entry.name!r}: that name stands for several"
            )
        first = found.setdefault(entry.name, entry)
        # The same one twice is a package that is installed twice; another one is a quarrel.
        if first.value != entry.value:
            raise PassSelectionError(
                f"two packages bring a pass {entry.name!r}: {first.value} and {entry.value}"
            )
    return dict(sorted(found.items()))


def unknown(name: str, sets: Iterable[str] = ()) -> str:
    """What to say of a name that no installed pass has; `sets` could be meant as well."""
    from tritonopt.rewriting.uninstalled import what_to_do  # only for messages

    known = [*_entries(), *sets]
    others = options.why_removed(name) or options.nearest(name, known)
    others = others or f"there are {', '.join(known)}"
    return f"there is no pass {name!r}; {what_to_do(name) or others}"


def load(name: str) -> type[Pass]:
    """The class behind a name; only that one is imported."""
    entry = _entries().get(name)
    if entry is None:
        raise PassSelectionError(unknown(name, SETS))
    try:
        found = entry.load()
    except Exception as error:
        raise PassSelectionError(
            f"the pass {name!r} ({entry.value}) cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not (isinstance(found, type) and issubclass(found, Pass) and found.name == name):
        raise PassSelectionError(
            f"the entry point {name!r} ({entry.value}) is not a pass of that name"
        )
    return found
