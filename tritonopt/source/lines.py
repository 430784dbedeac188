"""Where a place of the syntax tree lies in the text.

`ast` counts columns in UTF-8 bytes and ends lines as the tokenizer does: at a
newline, a carriage return or both, and at nothing else (`str.splitlines` also
splits at form feeds and a handful of Unicode separators).
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right

from tritonopt.source.parsing import GAP

Placed = ast.stmt | ast.expr | ast.arg | ast.keyword | ast.alias

_LINE_END = re.compile(r"\r\n|\r|\n")


class Lines:
    """Character offsets for the `(line, column)` places of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0]
        """Where lines begin; of empty lines in a row that are many, the first and the last."""
        self._ascii = text.isascii()
        numbers: list[int] = [1]
        done = 0
        for gap in GAP.finditer(text) if "\r" not in text else ():
            self._follow(done, gap.start() + 1, numbers)
            done = gap.end()
            self._starts.append(done)
            numbers.append(numbers[-1] + len(gap[0]) - 1)
        self._follow(done, len(text), numbers)
        self._numbers = numbers
        self._is_whole = not done

    def _follow(self, start: int, end: int, numbers: list[int]) -> None:
        """Take in the lines that begin behind the ends of lines of a part."""
        found = [match.end() for match in _LINE_END.finditer(self.text, start, end)]
        numbers += range(numbers[-1] + 1, numbers[-1] + len(found) + 1)
        self._starts += found

    @property
    def count(self) -> int:
        """The number of the last line."""
        return self._numbers[-1]

    @property
    def texts(self) -> list[str]:
        """Every line, without its end."""
        return _LINE_END.split(self.text)

    def start(self, line: int) -> int:
        """Offset of the first character of a line; lines count from 1, past the last is the end."""
        if line > self._numbers[-1]:
            return len(self.text)
        if self._is_whole:
            return self._starts[line - 1]
        index = bisect_right(self._numbers, line) - 1
        return self._starts[index] + line - self._numbers[index]

    def line(self, offset: int) -> int:
        """The line that a character is in."""
        index = bisect_right(self._starts, offset) - 1
        number = self._numbers[index]
        if self._is_whole or index + 1 == len(self._numbers):
            return number
        return min(number + offset - self._starts[index], self._numbers[index + 1] - 1)

    def offset(self, line: int, column: int) -> int:
        """Offset of a place as `ast` gives it: line from 1, column in UTF-8 bytes."""
        start = self.start(line)
        if self._ascii:
            return start + column
        head = self.text[start : start + column]
        if head.isascii():
            return start + column
        return start + len(head.encode()[:column].decode(errors="ignore"))

    def place(self, node: ast.AST) -> tuple[int, int]:
        """The line of a node, and its column in characters; both count from 1."""
        line: int = getattr(node, "lineno", 1)
        column = self.offset(line, getattr(node, "col_offset", 0)) - self.start(line) + 1
        return line, column

    def span(self, node: Placed) -> tuple[int, int]:
        """Offsets of the first character of a node and of the one behind its last."""
        if node.end_lineno is None or node.end_col_offset is None:
            raise ValueError("the node has no place in the text")
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )
