"""The little language of `--passes`: `a,b{option=value,flag=true}`.

Options are the fields of the pass's dataclass; their annotations say what a
value may be.
"""

from __future__ import annotations

import dataclasses
import itertools
import typing
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, ClassVar, Literal, Protocol, TypeVar


class Configurable(Protocol):
    """A dataclass whose fields are options: a pass."""

    name: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]


_Chosen = TypeVar("_Chosen", bound=Configurable)


REMOVED = {
    "drop_redundant_where": "it was measured to gain nothing",
    "grid_stride.unseen_launches": "each launch took longer, and gained nothing",
    "licm.masked": "it was not measured, and acts in 9 loops of 870 library files",
    "block_pointer.write": "no library launches a kernel that meets the conditions of a descriptor",
}
"""Why there is no such pass any more, or no such option (`pass.option`), with `_` for `-`."""


def why_removed(name: str) -> str:
    """What to say of a pass or an option that was there; "" of what never was."""
    reason = REMOVED.get(name.replace("-", "_"))
    return f"it was removed before 0.1.0, because {reason}" if reason else ""


class PassSelectionError(ValueError):
    """What was written after `--passes` is not a selection of passes; the message says why."""


@dataclass(frozen=True)
class Selected:
    """One item of a selection: a name, and the options written behind it."""

    name: str
    options: tuple[tuple[str, str], ...] = ()
    is_of_group: bool = False
    """Whether a group stands there, and not the name."""

    def __str__(self) -> str:
        given = ",".join(f"{name}={value}" for name, value in self.options)
        return f"{self.name}{{{given}}}" if given else self.name


@dataclass(frozen=True)
class Option:
    """One option of a pass."""

    name: str
    type: Any
    default: Any

    @property
    def choices(self) -> tuple[Any, ...]:
        """All its values, or nothing where they cannot be listed."""
        if self.type is bool:
            return (False, True)
        if typing.get_origin(self.type) is Literal:
            return typing.get_args(self.type)
        if isinstance(self.type, type) and issubclass(self.type, Enum):
            return tuple(self.type)
        return ()

    @property
    def legal(self) -> str:
        """The legal values, for a message."""
        if self.choices:
            return ", ".join(spell(value) for value in self.choices)
        return {int: "an integer", str: "any text"}[self.type]

    def parse(self, text: str) -> Any:
        """The value that `text` stands for; ValueError when it stands for none."""
        if self.choices:
            return {spell(value): value for value in self.choices}[text]
        return self.type(text)


def spell(value: Any) -> str:
    """A value as it is written in a selection."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum):
        return str(value.value)
    return str(value)


def spelled(chosen: Configurable) -> str:
    """A pass as a selection names it, with the options that are not its default."""
    given = [
        f"{option.name}={spell(value)}"
        for option in of(type(chosen)).values()
        if (value := getattr(chosen, option.name)) != option.default
    ]
    return chosen.name + (f"{{{','.join(given)}}}" if given else "")


def nearest(name: str, names: Iterable[str]) -> str:
    """`did you mean a or b?`, or nothing where no name is near."""
    import difflib  # only for messages

    close = difflib.get_close_matches(name, dict.fromkeys(names), n=3, cutoff=0.5)
    likeness = [difflib.SequenceMatcher(None, other, name).ratio() for other in close]
    # Beside one that is near, one that is far is no help.
    close = [n for n, like in zip(close, likeness, strict=True) if like > likeness[0] - 0.15]
    return f"did you mean {' or '.join(close)}?" if close else ""


def parse(spec: str) -> list[Selected]:
    """The items of a selection. Names are not looked up here."""
    items = []
    for text in _split(spec):
        name, brace, rest = text.partition("{")
        name = name.strip()
        if not name:
            raise PassSelectionError(f"a name is missing in the passes {spec!r}")
        if brace and not rest.endswith("}"):
            raise PassSelectionError(f"{text!r}: nothing may follow the closing brace")
        items.append(Selected(name, _pairs(name, rest[:-1])))
    return items


@cache
def of(chosen: type[Configurable]) -> dict[str, Option]:
    """The options of a pass by name."""
    types = typing.get_type_hints(chosen)
    found = {}
    for field in dataclasses.fields(chosen):
        option = Option(field.name, types[field.name], _default(field))
        if option.type not in (int, str) and not option.choices:
            raise TypeError(f"{chosen.__name__}.{field.name}: {option.type} cannot be an option")
        found[field.name] = option
    return found


def build(chosen: type[_Chosen], texts: Sequence[tuple[str, str]]) -> _Chosen:
    """The pass with these options; PassSelectionError says what is legal."""
    if not texts:
        return chosen()  # reading the types of its fields takes longer
    known = of(chosen)
    values: dict[str, Any] = {}
    for written, text in texts:
        option = known.get(written.replace("-", "_"))
        if option is None:
            raise PassSelectionError(_unknown_option(chosen.name, written, known))
        if option.name in values:
            raise PassSelectionError(f"{chosen.name}: the option {written!r} is given twice")
        try:
            values[option.name] = option.parse(text)
        except (KeyError, ValueError):
            hint = nearest(text, map(spell, option.choices))
            raise PassSelectionError(
                f"{chosen.name}: {written} cannot be {text!r}; legal: {option.legal}"
                + (f" ({hint})" if hint else "")
            ) from None
    return chosen(**values)


def combinations(chosen: type[Configurable]) -> Iterator[dict[str, Any]]:
    """Every combination of the values that can be listed."""
    listed = {name: option.choices for name, option in of(chosen).items() if option.choices}
    for values in itertools.product(*listed.values()):
        yield dict(zip(listed, values, strict=True))


def _split(spec: str) -> Iterator[str]:
    """Split at the commas that stand outside of braces."""
    depth, start = 0, 0
    for place, character in enumerate(spec):
        depth += (character == "{") - (character == "}")
        if depth not in (0, 1):
            raise PassSelectionError(f"the braces do not match in the passes {spec!r}")
        if character == "," and depth == 0:
            yield spec[start:place].strip()
            start = place + 1
    if depth:
        raise PassSelectionError(f"a brace is not closed in the passes {spec!r}")
    yield spec[start:].strip()


def _pairs(name: str, text: str) -> tuple[tuple[str, str], ...]:
    if not text.strip():
        return ()
    pairs = []
    for pair in text.split(","):
        option, equals, value = (part.strip() for part in pair.partition("="))
        if not (option and equals and value):
            raise PassSelectionError(f"{name}: {pair.strip()!r} is not of the form option=value")
        pairs.append((option, value))
    return tuple(pairs)


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    if field.default is dataclasses.MISSING:
        raise TypeError(f"the option {field.name!r} of a pass has no default")
    return field.default


def _unknown_option(name: str, written: str, known: dict[str, Option]) -> str:
    if removed := why_removed(f"{name}.{written}"):
        return f"{name} has no option {written!r}; {removed}"
    if not known:
        return f"{name} takes no options, so not {written!r}"
    hint = nearest(written, known)
    names = ", ".join(known)
    return f"{name} has no option {written!r}; it has {names}" + (f" ({hint})" if hint else "")
