"""Finding the passes: nothing imports a pass by name.

Passes announce themselves through the entry-point group `tritonopt.passes`,
those of this package and those of anyone else's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import metadata

from tritonopt.rewriting import groups, options, parts
from tritonopt.rewriting.options import PassSelectionError, Selected
from tritonopt.rewriting.protocol import Pass

GROUP = "tritonopt.passes"
SETS = ("all", "default", *groups.GROUPS)
"""What may stand after `--passes` and is no pass."""


@cache
def catalog() -> dict[str, type[Pass]]:
    """Every installed pass by name, sorted."""
    return {name: load(name) for name in _entries()}


def names() -> list[str]:
    """The names of the installed passes, sorted; none of them is loaded."""
    return list(_entries())


def select(spec: str) -> list[Pass]:
    """The passes that a selection names, in its order.

    `all` and `default` stand for sets; a pass that is also named keeps the
    options that were given to it by name. One that comes with a set alone acts only where it pays.
    A group stands for its passes, as if they were named.
    """
    chosen: dict[str, Pass] = {}
    named: set[str] = set()
    for item, whole in _with_parts(list(groups.opened(options.parse(spec)))):
        if item.name in ("all", "default"):
            if item.options:
                raise PassSelectionError(f"{item.name!r} stands for a set and takes no options")
            for name, found in catalog().items():
                if item.name == "all" or found.default:
                    chosen.setdefault(name, found().where_it_pays())
            continue
        if item.name in named:
            raise PassSelectionError(f"the pass {item.name!r} is given twice")
        named.add(item.name)
        built = options.build(load(item.name), item.options)
        chosen[item.name] = built.as_part_of(whole) if whole else built
    return list(chosen.values())


def _with_parts(items: Sequence[Selected]) -> Iterator[tuple[Selected, str]]:
    """Every item; behind one that stands for a part of it too, that part, which gets the options
    that it knows, and the name of the whole.
    """
    alone = parts.wholes_alone([item.name for item in items])
    for item in items:
        if item.name not in alone:
            yield item, ""
            continue
        part = parts.part_of(item.name)
        known = options.of(load(part))
        taken = tuple(pair for pair in item.options if pair[0].replace("-", "_") in known)
        left = tuple(pair for pair in item.options if pair not in taken)
        yield Selected(item.name, left), ""
        yield Selected(part, taken), item.name


def resolve(passes: str | Iterable[Pass | str]) -> list[Pass]:
    """A selection as the API takes it: a text, or passes and texts in any mixture."""
    if isinstance(passes, str):
        return select(passes)
    found = [
        one
        for chosen in passes
        for one in (select(chosen) if isinstance(chosen, str) else [chosen])
    ]
    named = {one.name for one in found if not one.part_of}
    return [one for one in found if not (one.part_of and one.name in named)]


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
    others = options.nearest(name, known) or f"there are {', '.join(known)}"
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
