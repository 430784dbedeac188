"""A file taken apart into excerpts that have nothing to do with each other, kernel by kernel.

What is done to a kernel costs as much as the text around it is long: after each edit that text is
read again. Where a file holds many kernels, each is looked at in an excerpt: the definitions that
it may have to do with, and the statements that stand for all (imports, constants). Empty lines are
in the place of the rest, so that every line has the number that it has in the file.

Two definitions may have to do with each other where the text of one has a name that the other
defines, be it in a comment or a string, and through others, in both directions. So nothing outside
of an excerpt calls, launches, binds or reads what is in it by a name, nor is read by it. Files that
reach for names in other ways (`globals()`, `setattr`, `helper.fn = ...`) are not taken apart.
Buffers that a tuner puts back are named in texts, so these join what they may name. What rests on
a file as a whole, such as its longest line, is asked of `Module.whole`.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from tritonopt.source.editing.edits import Rewritten
from tritonopt.source.module import Module, read
from tritonopt.source.mutation import SETTERS, WHOLE
from tritonopt.source.reflection import ANY_WAY
from tritonopt.source.trees import walk

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_WORDS = re.compile(r"\w+")
_FURTHER_IN = re.compile(r"[ \t]+#[^\n]*\n|[ \t]*\n(?=(?:[ \t]*\n)*[ \t]+#)")
_FOR_ALL = frozenset(
    {"set_allocator", "int64", "graph", "make_graphed_callables", "global", *SETTERS, *WHOLE}
    - {"__init__"}
)
"""Words of files in which a definition may have to do with another whose names it does not have.

Where one kernel is written for tensors of billions of elements, so may others be; an allocator is
set, and a graph captured, for every launch.
"""


Spans = tuple[tuple[int, int], ...]
"""Parts of a text, by where they begin and end."""


class Crossed(Exception):
    """An edit goes beyond the part of the file that an excerpt shows, or stands for all."""


@dataclass(frozen=True)
class Excerpt:
    """A part of a file, with empty lines in the place of the rest."""

    module: Module
    own: Spans
    """The parts of the file that it shows and no other excerpt does, by offsets there ..."""
    shown: Spans
    """... and here."""


def excerpts(module: Module) -> Iterator[Excerpt]:
    """The excerpts of a file, each with a kernel; none where the file is one whole."""
    if len(module.kernels) < 2 or not _is_plain(module):
        return
    chunks = list(_chunks(module))
    homes: dict[str, list[int]] = {}
    for place, chunk in enumerate(chunks):
        for name in chunk.defined:
            homes.setdefault(name, []).append(place)
    mentioned = [
        {home for word in _WORDS.findall(chunk.text) for home in homes.get(word, ())}
        for chunk in chunks
    ]
    apart = _apart(chunks, mentioned)
    ends = [chunk.last_line for chunk in chunks]
    kernels = [bisect_left(ends, kernel.node.lineno) for kernel in module.kernels]
    joined = _Groups(len(chunks))
    pairs = [(place, home) for place in apart for home in mentioned[place] & apart]
    for one, other in (*pairs, *_named_in_texts(module, ends)):
        joined.join(one, other)
    with_kernel = {joined.of(place) for place in kernels}
    if len(with_kernel) < 2:
        return
    groups: dict[int, list[int]] = {}
    for place in sorted(apart):
        groups.setdefault(joined.of(place), []).append(place)
    common = [place for place in range(len(chunks)) if place not in apart]
    for group in sorted(with_kernel, key=lambda g: groups[g][0]):
        yield _excerpt(module, chunks, groups[group], common)


def _apart(chunks: Sequence[_Chunk], mentioned: Sequence[Set[int]]) -> set[int]:
    """The chunks that do not stand for all: definitions, and statements that mention these.

    What mentions such a statement does not stand for all either.
    """
    found = {place for place, chunk in enumerate(chunks) if chunk.defines}
    rest = {place for place in range(len(chunks)) if place not in found}
    while more := {place for place in rest if not found.isdisjoint(mentioned[place])}:
        found |= more
        rest -= more
    return found


def _named_in_texts(module: Module, ends: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Definitions and the kernels below other decorators, of which a text names a parameter."""
    tuned: dict[str, list[int]] = {}
    for kernel in module.kernels:
        for parameter in kernel.parameters if len(kernel.decorators) > 1 else ():
            place = bisect_left(ends, kernel.node.lineno)
            tuned.setdefault(parameter.name, []).append(place)
    for node in walk(module.tree) if tuned else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for home in tuned.get(node.value, ()):
                yield bisect_left(ends, node.lineno), home


def _is_plain(module: Module) -> bool:
    """Whether parts of a file have to do with each other by names alone."""
    text = module.text
    if module.program is not None or module.whole is not None:
        return False
    if "\r" in text or "\f" in text or ANY_WAY.search(text):
        return False
    if not _FOR_ALL.isdisjoint(_WORDS.findall(text)):
        return False
    if module.patched or module.changed_names or module.hidden_names:
        return False
    for kernel in module.kernels:
        for node in kernel.nodes:
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                return False
        for decorator in kernel.node.decorator_list:
            if isinstance(decorator, ast.Call) and any(k.arg is None for k in decorator.keywords):
                return False
    return True


@dataclass(frozen=True)
class _Chunk:
    """A statement of a file, with the lines above it."""

    start: int
    end: int
    first_line: int
    last_line: int
    text: str
    defines: bool
    """Whether it is a function or a class."""
    defined: frozenset[str]
    """The names by which others may mean something of it."""


def _chunks(module: Module) -> Iterator[_Chunk]:
    body = module.tree.body
    start, first = 0, 1
    for index, statement in enumerate(body):
        last = statement.end_lineno or statement.lineno
        if index + 1 < len(body) and body[index + 1].lineno <= last:
            continue  # `a = 1; b = 2`
        end = module.lines.start(last + 1)
        while found := _FURTHER_IN.match(module.text, end):
            end, last = found.end(), last + 1
        if index + 1 == len(body):
            end, last = len(module.text), module.lines.count
        yield _chunk(module, _between(body, index, first), (start, end), (first, last))
        start, first = end, last + 1


def _between(body: Sequence[ast.stmt], index: int, first: int) -> list[ast.stmt]:
    """The statements that end with one of them, down from a line."""
    found = [body[index]]
    while index > 0 and body[index - 1].lineno >= first:
        index -= 1
        found.append(body[index])
    return found


def _chunk(
    module: Module,
    statements: Sequence[ast.stmt],
    span: tuple[int, int],
    lines: tuple[int, int],
) -> _Chunk:
    names: set[str] = set()
    defines = False
    for statement in statements:
        for node in walk(statement):
            if isinstance(node, _DEFINITIONS):
                names.add(node.name)
                defines = True
        if not isinstance(statement, _DEFINITIONS):
            names |= {
                node.id
                for node in walk(statement)
                if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
            }
    return _Chunk(*span, *lines, module.text[slice(*span)], defines, frozenset(names))


class _Groups:
    """Which chunks belong together."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def of(self, place: int) -> int:
        while self._above[place] != place:
            self._above[place] = self._above[self._above[place]]
            place = self._above[place]
        return place

    def join(self, one: int, other: int) -> None:
        self._above[self.of(one)] = self.of(other)


def _excerpt(
    module: Module, chunks: Sequence[_Chunk], own: Sequence[int], common: Sequence[int]
) -> Excerpt:
    text: list[str] = []
    length, line = 0, 1
    shown: dict[int, tuple[int, int]] = {}
    for place in sorted((*own, *common)):
        chunk = chunks[place]
        text += ["\n" * (chunk.first_line - line), chunk.text]
        start = length + chunk.first_line - line
        length = start + len(chunk.text)
        shown[place] = start, length
        line = chunk.last_line + 1
    text.append("\n" * (chunks[-1].last_line - line))
    return Excerpt(
        read("".join(text), module.path, whole=module),
        tuple((chunks[place].start, chunks[place].end) for place in own),
        tuple(shown[place] for place in own),
    )


def moved(shown: Spans, parts: Sequence[Rewritten]) -> Spans:
    """Where the own parts of an excerpt are after an edit. Raises Crossed where others change."""
    for part in parts if shown else ():
        if not any(start <= part.start and part.end <= end for start, end in shown):
            raise Crossed

    def place_of(place: int) -> int:
        before = (part for part in parts if part.end <= place)
        return place + sum(len(p.text) - (p.end - p.start) for p in before)

    return tuple((place_of(start), place_of(end)) for start, end in shown)


def put_together(text: str, replaced: Iterable[tuple[tuple[int, int], str]]) -> str:
    """A text after other texts were put in the place of parts of it."""
    pieces: list[str] = []
    done = 0
    for (start, end), new in sorted(replaced):
        pieces += [text[done:start], new]
        done = end
    return "".join([*pieces, text[done:]])
