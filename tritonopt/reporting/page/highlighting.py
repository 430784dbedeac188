"""Lines of Python as HTML, with their syntax colored; everything in them is escaped."""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

LONGEST = 400
"""Characters of a line that are shown."""

_CLASSES = {
    tokenize.COMMENT: "c",
    tokenize.STRING: "s",
    tokenize.NUMBER: "n",
    getattr(tokenize, "FSTRING_START", -1): "s",
    getattr(tokenize, "FSTRING_MIDDLE", -1): "s",
    getattr(tokenize, "FSTRING_END", -1): "s",
}


@dataclass(frozen=True)
class Span:
    """Columns of a line, from `first` up to but not with `behind`, and the class they have."""

    first: int
    behind: int
    name: str


def lines_of(text: str, *, ends: bool = False) -> list[str]:
    """The lines of a text, divided where Python divides them; with their `ends` if asked."""
    lines = list(io.StringIO(text, newline=""))
    return lines if ends else [line.rstrip("\r\n") for line in lines]


def spans_of(text: str) -> dict[int, list[Span]]:
    """What is colored in each line, counted from 0; what cannot be read to its end, up to there."""
    found: dict[int, list[Span]] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            name = _CLASSES.get(token.type, "")
            if token.type == tokenize.NAME and keyword.iskeyword(token.string):
                name = "k"
            if name:
                for line, span in _by_line(token, name):
                    found.setdefault(line, []).append(span)
    except (tokenize.TokenError, SyntaxError):
        pass  # it is shown without colors from here on
    return found


def _by_line(token: tokenize.TokenInfo, name: str) -> Iterator[tuple[int, Span]]:
    """A token may go over several lines."""
    (first, start), (last, end) = token.start, token.end
    for line in range(first, last + 1):
        span = Span(start if line == first else 0, end if line == last else 1 << 30, name)
        yield line - 1, span


def colored(line: str, spans: Sequence[Span], changed: Sequence[tuple[int, int]] = ()) -> Markup:
    """A line as HTML; `changed` are the columns that are marked."""
    cut = len(line) - LONGEST
    line = line[:LONGEST]
    ends = {0, len(line)}
    ends |= {at for span in spans for at in (span.first, span.behind) if at < len(line)}
    ends |= {at for pair in changed for at in pair if at < len(line)}
    places = sorted(ends)
    parts = []
    for first, behind in zip(places, places[1:], strict=False):
        text: Markup = escape(line[first:behind])
        name = next((s.name for s in spans if s.first <= first < s.behind), "")
        if name:
            text = Markup('<i class="{}">{}</i>').format(name, text)
        if any(begin <= first < end for begin, end in changed):
            text = Markup("<b>{}</b>").format(text)
        parts.append(text)
    if cut > 0:
        parts.append(Markup(' <span class="cut">({} more characters)</span>').format(cut))
    return Markup("").join(parts)
