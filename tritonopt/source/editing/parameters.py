"""One more parameter for a function, or argument for a call, laid out as those before it."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

_SILENT = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
)
_NAME = re.compile(r"def(?:\s|\\)+(\w+)")
_BREAK = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class _Parentheses:
    """Offsets of what matters in a parameter list."""

    opening: int
    """Behind the opening parenthesis."""
    closing: int
    items: tuple[tuple[int, int], ...]
    """From the first token of each parameter to behind its last one that is no comment."""
    commas: tuple[int | None, ...]
    """Behind the comma that follows each, if one does."""

    @property
    def trailing_comma(self) -> int | None:
        return self.commas[-1] if self.commas else None


Places = Mapping[int | None, Sequence[str]]
"""New parameters, by the number of the one that they stand before; None: last."""


def insertions(text: str, start: int, codes: Places, indent: str) -> list[tuple[int, str]]:
    """Where to put what, so that the `def` at an offset has more parameters.

    What comes last stands before `**kwargs`. Comments stay on their lines.
    """
    place = _parentheses(text, start)
    found = [
        _inserted(text, place, number, new) for number, new in codes.items() if number is not None
    ]
    return [*found, *_last(text, place, codes.get(None, ()), start, indent)]


def _inserted(text: str, place: _Parentheses, number: int, codes: Sequence[str]) -> tuple[int, str]:
    """What goes before a parameter: in a line of its own where that one has one."""
    item, _ = place.items[number]
    line_start, comma = _line_start(text, item), place.commas[number - 1] if number else None
    beside = (begin for begin, _ in place.items[number + 1 : number + 2])
    is_alone = not text[line_start:item].strip() and all(
        begin > _line_end(text, item) for begin in beside
    )
    if is_alone and comma is not None and comma <= line_start:
        # Below what is said behind the one before, above what is said of this one.
        line_end = _line_end(text, comma)
        lead = _newline_at(text, line_end) + _margin(text, line_start)
        return line_end, "".join(f"{lead}{code}," for code in codes)
    if is_alone and comma is None:
        lead = _newline_before(text, line_start) + _margin(text, line_start)
        return item, "".join(f"{code},{lead}" for code in codes)
    return item, "".join(f"{code}, " for code in codes)


def _last(
    text: str, place: _Parentheses, codes: Sequence[str], start: int, indent: str
) -> list[tuple[int, str]]:
    if not codes:
        return []
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
    in_one_line = _line_start(text, place.items[0][0]) == line_start and len(place.items) > 1
    beside = in_one_line and "#" not in text[end:line_end]
    if place.closing < line_end or beside:  # `b):` or `b,):`, or all of them in a line of their own
        return [(end, missing + gap + f",{gap}".join(codes) + closing)]
    newline = _newline_at(text, line_end)
    below = "".join(f"{newline}{lead}{code}," for code in codes)
    return [(end, missing), (line_end, below if closing else below[:-1])]


def renamed(text: str, start: int, name: str) -> str:
    """The text with another name for the function whose `def` is at an offset."""
    found = _NAME.search(text, start)
    return text if found is None else text[: found.start(1)] + name + text[found.end(1) :]


def _removals(text: str, place: _Parentheses, gone: Collection[int]) -> list[tuple[int, int, str]]:
    """What takes some out, with their comments, and leaves a comma between those that stay."""
    if len(gone) == len(place.items):
        return [(place.opening, place.closing, "")] if gone else []
    found: list[tuple[int, int, str]] = []
    for is_gone, run in groupby(range(len(place.items)), gone.__contains__):
        if is_gone:
            first, *rest = run
            found += _removal(text, place, first, [first, *rest][-1] + 1)
    return sorted(found)


def _removal(
    text: str, place: _Parentheses, first: int, behind: int
) -> Iterator[tuple[int, int, str]]:
    """What takes out those from one to the one before another."""
    items, commas = place.items, place.commas
    is_end = behind == len(items)
    last = commas[behind - 1] or items[behind - 1][1]
    since, to = _border(text, place, first), _border(text, place, behind)
    begins_line = first == 0 or text[since : since + 1] in ("\n", "\r")
    if begins_line and to == last and not is_end:
        since, to = items[first][0], items[behind][0]  # another one takes its place in the line
    elif not begins_line and not _BREAK.search(text, items[first][0], last):
        to = last  # what is said behind it is said of the whole line
    said = "#" in text[items[first - 1][1] if first else place.opening : since]
    needs_a_line = is_end and said and not _BREAK.search(text, last, place.closing)
    yield since, to, _newline_at(text, since) if needs_a_line else ""
    before, after = commas[first - 1] if first else None, commas[behind - 1]
    stays_before = before is not None and before <= since
    stays_after = after is not None and after > to
    if after is not None and stays_after and (first == 0 or stays_before):
        blanks = len(text[after:]) - len(text[after:].lstrip(" \t"))
        yield after - 1, after + blanks, ""
    elif before is not None and stays_before and is_end and after is None:
        yield before - 1, before, ""
    elif first and not (is_end or stays_before or stays_after):
        yield items[first - 1][1], items[first - 1][1], ","


def _border(text: str, place: _Parentheses, number: int) -> int:
    """Where what belongs to a parameter begins: below what is said behind the one before it."""
    items = place.items
    end = items[number - 1][1] if number else place.opening
    next_one = items[number][0] if number < len(items) else place.closing
    found = _BREAK.search(text, end, next_one)
    if found is not None:
        return found.start()
    return (place.commas[number - 1] or end) if number else next_one


def broken(
    text: str,
    start: int,
    codes: Places,
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
    longer = sum(len(f", {code}") for new in codes.values() for code in new)
    length = line_end - line_start + grows(line_start, line_end) + longer
    if "#" in text[start:line_end] or length <= width:
        return []
    line_start = _line_start(text, start)
    newline, margin = _newline_before(text, line_start), _margin(text, line_start)
    lead = newline + margin + indent
    within = len(margin + indent) + end - first + grows(first, end) + longer <= width
    gap, closing = (", ", "") if within else (f",{lead}", ",")
    before = _by_number(text, place, codes)
    found = [(place.opening, first, lead + "".join(code + gap for code in before.get(0, ())))]
    for number, ((_, since), (to, _)) in enumerate(pairwise(place.items), 1):
        found.append((since, to, gap + "".join(code + gap for code in before.get(number, ()))))
    last = "".join(gap + code for code in before.get(len(place.items), ()))
    return [*found, (end, place.closing, last + closing + newline + margin)]


def _by_number(text: str, place: _Parentheses, codes: Places) -> dict[int, list[str]]:
    """New parameters by the number of the one that they stand before, also of the last ones."""
    stars = text.startswith("**", place.items[-1][0])
    last = len(place.items) - stars
    found = {number: list(new) for number, new in codes.items() if number is not None}
    return found | {last: [*found.get(last, ()), *codes.get(None, ())]}


def exchanged(
    text: str, start: int, codes: Mapping[int, Sequence[str]], width: int
) -> list[tuple[int, int, str]]:
    """What comes in the place of some parameters of a `def`, or arguments of a call, at an offset.

    By where they are among all. One on a line of its own is followed by others on their own; in a
    line that would be too long they begin another one.
    """
    place = _parentheses(text, start)
    items, gone = place.items, {number for number, parts in codes.items() if not parts}
    found = _removals(text, place, gone)
    by_line: dict[int, list[int]] = {}
    for number in sorted(codes):
        by_line.setdefault(_line_start(text, items[number][0]), []).append(number)
    for line_start, places in by_line.items():
        line_end = _line_end(text, line_start)
        beside = [i for i, (begin, _) in enumerate(items) if line_start <= begin < line_end]
        column = items[beside[0]][0] - line_start
        lead = _newline_before(text, line_start) + " " * column
        if line_start > start:
            lead = _newline_before(text, line_start) + _margin(text, line_start)
        is_alone = beside == places[:1] and not text[line_start : items[places[0]][0]].strip()
        gap = f",{lead}" if is_alone else ", "
        new = {number: gap.join(codes[number]) for number in places if number not in gone}
        found += [(*items[number], code) for number, code in new.items()]
        longer = sum(len(code) - (items[i][1] - items[i][0]) for i, code in new.items())
        if is_alone or not gone.isdisjoint(places) or line_end - line_start + longer <= width:
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
    commas: list[int | None] = []
    fresh = True
    for token in tokenize.generate_tokens(readline):
        if token.type in _SILENT:
            continue
        begin = starts[token.start[0] - 1] + token.start[1]
        end = starts[token.end[0] - 1] + token.end[1]
        if opening is not None and depth == 1 and token.string == ")":
            return _Parentheses(opening, begin, tuple(items), tuple(commas))
        if opening is not None and depth == 1 and token.string == ",":
            fresh, commas[-1] = True, end
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
            commas += [None] if fresh else []
            fresh = False
    raise ValueError("a def without parentheses")


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _line_end(text: str, offset: int) -> int:
    """Before the line break."""
    ends = [text.find(mark, offset) for mark in ("\n", "\r")]
    return min((end for end in ends if end >= 0), default=len(text))


def _newline_at(text: str, offset: int) -> str:
    return "\r\n" if text.startswith("\r\n", offset) else text[offset]


def _newline_before(text: str, line_start: int) -> str:
    if text[max(line_start - 2, 0) : line_start] == "\r\n":
        return "\r\n"
    return text[line_start - 1 : line_start] or "\n"


def _margin(text: str, line_start: int) -> str:
    line = text[line_start : _line_end(text, line_start)]
    return line[: len(line) - len(line.lstrip())]
