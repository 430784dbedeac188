"""Notebooks as one text: their code cells one after another, and that text as cells again.

Cells run in any order and again. So the text ends with a line after which any name of it may have
any value: what rests on how a kernel is launched is declined, and what rests on the kernel is not.
A line that IPython runs and Python does not stands as a call that nobody knows. Of the JSON only
the sources of cells that change are written anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tritonopt.source.parsing import parsed

_CELL = "_ipython_cell({})"
_LINE = "_ipython_line({})"
_ANY_ORDER = "globals().update(globals())  # cells run in any order"
_KNOWN_LINE = re.compile(r"^([ \t]*)_ipython_line\((\d+)\)(\r?\n|\Z)", re.MULTILINE)
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"[ \t]*")
_MAGIC = re.compile(r"[ \t]*(?:[%!?]|.*\?\s*$|[\w., ]+=\s*[%!])")


class NotebookError(ValueError):
    """What is wrong with a notebook, and what to do."""


class _Cell(NamedTuple):
    start: int
    """Where its source begins in the JSON ..."""
    end: int
    """... and ends."""
    source: str


class Notebook:
    """The JSON of a notebook. Raises NotebookError for what is none."""

    def __init__(self, text: str) -> None:
        self._json = text
        self._magics: list[str] = []
        try:
            self._cells = list(_code_cells(text))
        except (ValueError, IndexError, RecursionError) as error:
            raise NotebookError(f"is no notebook: {error}") from error
        self._heads = [_CELL.format(number) for number in range(1, len(self._cells) + 1)]
        cells = zip(self._heads, self._cells, strict=True)
        self.text = "".join(f"{head}\n{self._shown(cell.source)}\n" for head, cell in cells)
        self.text += f"{_ANY_ORDER}\n"

    def changed(self, text: str) -> str:
        """The JSON with the cells of a text that `text` became. Raises NotebookError where code
        went from one cell to another, or a line of IPython is lost."""
        marks = "".join(f"{re.escape(head)}\n(.*)\n" for head in self._heads)
        found = re.fullmatch(f"{marks}{re.escape(_ANY_ORDER)}\n", text, re.DOTALL)
        if found is None or len(_KNOWN_LINE.findall(text)) != len(self._magics):
            raise NotebookError("has cells that cannot be separated in the new text")
        pieces, done = [], 0
        for cell, shown in zip(self._cells, found.groups(), strict=True):
            source = _KNOWN_LINE.sub(lambda m: m[1] + self._magics[int(m[2])] + m[3], shown)
            if source != cell.source:
                old = self._json[cell.start : cell.end]
                pieces += [self._json[done : cell.start], _written(source, old)]
                done = cell.end
        return "".join([*pieces, self._json[done:]])

    def _shown(self, source: str) -> str:
        """A cell as Python, in as many lines. What does not parse is shown as it is."""
        lines = _LINES.findall(source)
        if source.lstrip().startswith("%%"):
            return "".join(map(self._hidden, lines))
        while True:
            try:
                parsed("".join(lines))
            except SyntaxError as error:
                at = (error.lineno or 0) - 1
                if not 0 <= at < len(lines) or not _MAGIC.match(lines[at]):
                    return "".join(lines)
                lines[at] = self._hidden(lines[at], _INDENT.findall(lines[at])[0])
                continue
            return "".join(lines)

    def _hidden(self, line: str, indent: str = "") -> str:
        code = line.rstrip("\r\n")
        self._magics.append(code.removeprefix(indent))
        return f"{indent}{_LINE.format(len(self._magics) - 1)}{line[len(code) :]}"


def _code_cells(text: str) -> Iterator[_Cell]:
    top = {name: start for name, start, _ in _members(text, _after(text, 0))}
    at = _after(text, top["cells"] + 1) if text[top.get("cells", 0)] == "[" else len(text)
    if "nbformat" not in top or at == len(text):
        raise ValueError("it has no nbformat, or no cells")
    while text[at] != "]":
        kind, source = "", None
        for name, start, value in _members(text, at):
            kind = value[0] if name == "cell_type" else kind
            if name == "source":
                source = start, value[1], value[0]
        if kind == "code" and source is not None:
            lines = source[2] if isinstance(source[2], list) else [source[2]]
            yield _Cell(source[0], source[1], "".join(lines))
        at = _after(text, _DECODER.raw_decode(text, at)[1])
        at = _after(text, at + 1) if text[at] == "," else at


_DECODER = json.JSONDecoder()


def _after(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _members(text: str, at: int) -> Iterator[tuple[str, int, tuple[Any, int]]]:
    """Of an object each name, where its value begins, the value, and where that ends."""
    if text[at] != "{":
        raise ValueError("an object is missing")
    at = _after(text, at + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        start = _after(text, _after(text, at) + 1)
        value, end = _DECODER.raw_decode(text, start)
        yield name, start, (value, end)
        at = _after(text, end)
        at = _after(text, at + 1) if text[at] == "," else at


def _written(source: str, old: str) -> str:
    """A source as JSON, in the layout of the old one: a text, or a list of lines."""
    ascii_only = old.isascii()
    if not old.startswith("["):
        return json.dumps(source, ensure_ascii=ascii_only)
    gaps = re.match(r"\[(\s*)\"(?:[^\"\\]|\\.)*\"(?:(,\s*)\")?.*?(\s*)\]\Z", old, re.DOTALL)
    first, between, last = gaps.groups() if gaps else ("", None, "")
    between = between or ("," + first if first else ", ")
    lines = [json.dumps(line, ensure_ascii=ascii_only) for line in _LINES.findall(source)]
    return f"[{first}{between.join(lines)}{last}]"
