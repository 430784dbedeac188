"""One more parameter for a function, or argument for a call, laid out as those before it."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

_SILENT = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
)


@dataclass(frozen=True)
class _Parentheses:
    """Offsets of what matters in a parameter list."""

    opening: int
    """Behind the opening parenthesis."""
    closing: int
    items: tuple[tuple[int, int], ...]
    """From the first token of each parameter to behind its last one that is no comment."""
    trailing_comma: int | None
    """Behind it."""


def insertions(text: str, start: int, codes: Sequence[str], indent: str) -> list[tuple[int, str]]:
    """Where to put what, so that the `def` at an offset has more parameters.

    They come last, but before `**kwargs`. Comments stay on their lines.
    """
    place = _parentheses(text, start)
    if not place.items:
        return [(place.opening, ", ".join(codes))]
    last, last_end = place.items[-1]
    line_start = _line_start(text, last)
    own_line = not text[line_start:last].strip()
    newline = _newline_before(text, line_start)
    lead = _margin(text, line_start) + (indent if line_start <= start else "")
    gap = newline + lead if own_line else " "
    if text.startswith("**", last):
        return [(last, "".join(f"{code},{gap}" for code in codes))]
    end = place.trailing_comma or last_end
    missing, closing = ("", ",") if place.trailing_comma else (",", "")
    line_end = _line_end(text, end)
    if place.closing < line_end:  # `b):` or `b,):`
        return [(end, missing + gap + f",{gap}".join(codes) + closing)]
    newline = "\r\n" if text.startswith("\r\n", line_end) else text[line_end]
    below = "".join(f"{newline}{lead}{code}," for code in codes)
    return [(end, missing), (line_end, below if closing else below[:-1])]


def without(text: str, start: int, name: str) -> str:
    """The text without a parameter of the `def` at an offset.

    It is left there where it is the first one, and where a comment stands at it.
    """
    for (_, before), (begin, end) in pairwise(_parentheses(text, start).items):
        is_it = re.match(r"\w+", text[begin:end])
        if is_it and is_it.group() == name and "#" not in text[before:end]:
            return text[:before] + text[end:]
    return text


def broken(
    text: str,
    start: int,
    codes: Sequence[str],
    indent: str,
    width: int,
    grows: Callable[[int, int], int],
) -> list[tuple[int, int, str]]:
    """What goes between the parameters of the `def` at an offset, where one line has them all.

    With more of them they go on a line of their own, or on one each, as formatters do. Nothing
    where that line still is long enough, and where they are laid out in another way. `grows` says
    how much longer other changes make the text between two offsets.
    """
    place = _parentheses(text, start)
    inside = text[place.opening : place.closing]
    if not place.items or "#" in inside or len(inside.strip().splitlines()) > 1:
        return []
    first, end = place.items[0][0], place.items[-1][1]
    line_start, line_end = _line_start(text, first), _line_end(text, first)
    longer = sum(len(f", {code}") for code in codes)
    length = line_end - line_start + grows(line_start, line_end) + longer
    if "#" in text[start:line_end] or length <= width:
        return []
    line_start = _line_start(text, start)
    newline, margin = _newline_before(text, line_start), _margin(text, line_start)
    lead = newline + margin + indent
    within = len(margin + indent) + end - first + grows(first, end) + longer <= width
    gap, closing = (", ", "") if within else (f",{lead}", ",")
    stars = place.items[-1][0] if text.startswith("**", place.items[-1][0]) else None
    added = gap.join(codes)
    found = [(place.opening, first, lead)]
    for (_, before), (after, _) in pairwise(place.items):
        found.append((before, after, gap + (added + gap if after == stars else "")))
    if first == stars:
        found[0] = (place.opening, first, lead + added + gap)
    last = closing if stars is not None else gap + added + closing
    return [*found, (end, place.closing, last + newline + margin)]


def exchanged(
    text: str, start: int, codes: Mapping[int, Sequence[str]], width: int
) -> list[tuple[int, int, str]]:
    """What comes in the place of some parameters of a `def`, or arguments of a call, at an offset.

    By where they are among all. One on a line of its own is followed by others on their own; in a
    line that would be too long they begin another one.
    """
    items = _parentheses(text, start).items
    found: list[tuple[int, int, str]] = []
    by_line: dict[int, list[int]] = {}
    for place in sorted(codes):
        by_line.setdefault(_line_start(text, items[place][0]), []).append(place)
    for line_start, places in by_line.items():
        line_end = _line_end(text, line_start)
        beside = [i for i, (begin, _) in enumerate(items) if line_start <= begin < line_end]
        column = items[beside[0]][0] - line_start
        lead = _newline_before(text, line_start) + " " * column
        if line_start > start:
            lead = _newline_before(text, line_start) + _margin(text, line_start)
        is_alone = beside == places[:1] and not text[line_start : items[places[0]][0]].strip()
        gap = f",{lead}" if is_alone else ", "
        new = {place: gap.join(codes[place]) for place in places}
        for place, code in new.items():
            first, end = items[place]
            if not code and place:
                first = items[place - 1][1]
            elif not code and len(items) > 1:
                end = items[1][0]
            found.append((first, end, code))
        longer = sum(len(code) - (items[i][1] - items[i][0]) for i, code in new.items())
        if is_alone or "" in new.values() or line_end - line_start + longer <= width:
            continue
        for one, other in pairwise(beside):
            if one in codes or other in codes:
                found.append((items[one][1], items[other][0], f",{lead}"))
    return found


def _parentheses(text: str, start: int) -> _Parentheses:
    stream = io.StringIO(text[start:], newline="")
    starts = [start]

    def readline() -> str:
        # As far as the parentheses go, and not to the end of the file.
        line = stream.readline()
        starts.append(starts[-1] + len(line))
        return line

    depth = 0
    opening: int | None = None
    items: list[tuple[int, int]] = []
    trailing_comma: int | None = None
    fresh = True
    for token in tokenize.generate_tokens(readline):
        if token.type in _SILENT:
            continue
        begin = starts[token.start[0] - 1] + token.start[1]
        end = starts[token.end[0] - 1] + token.end[1]
        if opening is not None and depth == 1 and token.string == ")":
            return _Parentheses(opening, begin, tuple(items), trailing_comma)
        if opening is not None and depth == 1 and token.string == ",":
            fresh, trailing_comma = True, end
            continue
        if token.string in ("(", "[", "{"):
            depth += 1
            if depth == 1 and token.string == "(" and opening is None:
                opening = end
                continue
        elif token.string in (")", "]", "}"):
            depth -= 1
        if opening is not None:
            items = [*items, (begin, end)] if fresh else [*items[:-1], (items[-1][0], end)]
            fresh, trailing_comma = False, None
    raise ValueError("a def without parentheses")


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _line_end(text: str, offset: int) -> int:
    """Before the line break."""
    ends = [text.find(mark, offset) for mark in ("\n", "\r")]
    return min((end for end in ends if end >= 0), default=len(text))


def _newline_before(text: str, line_start: int) -> str:
    if text[max(line_start - 2, 0) : line_start] == "\r\n":
        return "\r\n"
    return text[line_start - 1 : line_start] or "\n"


def _margin(text: str, line_start: int) -> str:
    line = text[line_start : _line_end(text, line_start)]
    return line[: len(line) - len(line.lstrip())]
