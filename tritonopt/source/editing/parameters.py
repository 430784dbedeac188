"""One more parameter for a function, laid out as those before it."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass

_SILENT = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
)


@dataclass(frozen=True)
class _Parentheses:
    """Offsets of what matters in a parameter list."""

    opening: int
    """Behind the opening parenthesis."""
    closing: int
    last: int | None
    """The first character of the last parameter."""
    last_end: int
    """Behind the last token that is neither a comment nor a trailing comma."""
    trailing_comma: int | None
    """Behind it."""


def insertions(text: str, start: int, codes: Sequence[str], indent: str) -> list[tuple[int, str]]:
    """Where to put what, so that the `def` at an offset has more parameters.

    They come last, but before `**kwargs`. Comments stay on their lines.
    """
    place = _parentheses(text, start)
    if place.last is None:
        return [(place.opening, ", ".join(codes))]
    line_start = _line_start(text, place.last)
    own_line = not text[line_start : place.last].strip()
    newline = _newline_before(text, line_start)
    lead = _margin(text, line_start) + (indent if line_start <= start else "")
    gap = newline + lead if own_line else " "
    if text.startswith("**", place.last):
        return [(place.last, "".join(f"{code},{gap}" for code in codes))]
    end = place.trailing_comma or place.last_end
    missing, closing = ("", ",") if place.trailing_comma else (",", "")
    line_end = _line_end(text, end)
    if place.closing < line_end:  # `b):` or `b,):`
        return [(end, missing + gap + f",{gap}".join(codes) + closing)]
    newline = "\r\n" if text.startswith("\r\n", line_end) else text[line_end]
    below = "".join(f"{newline}{lead}{code}," for code in codes)
    return [(end, missing), (line_end, below if closing else below[:-1])]


def broken(
    text: str, start: int, codes: Sequence[str], indent: str, width: int
) -> tuple[int, int, str] | None:
    """The parameters of a `def` in one line, with more of them, on lines of their own.

    None where the line stays within the width, or is not all of the head.
    """
    place = _parentheses(text, start)
    line_start, line_end = _line_start(text, start), _line_end(text, start)
    inside = text[place.opening : place.closing]
    if place.closing > line_end or place.last is None or "#" in text[start:line_end]:
        return None
    added = "".join(f", {code}" for code in codes)
    if line_end - line_start + len(added) <= width or text.startswith("**", place.last):
        return None
    newline = _newline_before(text, line_start)
    margin = _margin(text, line_start)
    whole = inside.rstrip().removesuffix(",") + added
    return place.opening, place.closing, f"{newline}{margin}{indent}{whole}{newline}{margin}"


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
    last: int | None = None
    last_end, trailing_comma = 0, None
    fresh = True
    for token in tokenize.generate_tokens(readline):
        if token.type in _SILENT:
            continue
        begin = starts[token.start[0] - 1] + token.start[1]
        end = starts[token.end[0] - 1] + token.end[1]
        if opening is not None and depth == 1 and token.string == ")":
            return _Parentheses(opening, begin, last, last_end, trailing_comma)
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
            if fresh:
                last, fresh = begin, False
            last_end, trailing_comma = end, None
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
