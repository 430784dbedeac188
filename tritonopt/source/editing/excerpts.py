"""Statements of a kernel as code that can be put elsewhere: unindented, with their comments.

What comes back is what `Replace` and its kin take. The lines inside a string that spans
several are part of the string and stay as they are.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Collection, Iterator, Sequence

from tritonopt.source.editing.changes import Change, Remove
from tritonopt.source.editing.comments import explaining
from tritonopt.source.editing.edits import applied, apply, indent_unit
from tritonopt.source.editing.expressions import Path
from tritonopt.source.errors import EditConflict
from tritonopt.source.module import Module

_INDENT = re.compile(r"[ \t]*")
_IN_THEIR_LINES = (ast.Assign, ast.AugAssign, ast.Expr, ast.If, ast.For, ast.While, ast.Return)
"""Statements that have all that is in them in their lines: decorators stand above a function."""
_STRING_STARTS = frozenset({"FSTRING_START", "TSTRING_START"})
_STRING_ENDS = frozenset({"FSTRING_END", "TSTRING_END"})


def block_code(module: Module, statements: Sequence[ast.stmt]) -> str:
    """A whole block: the comments above its first statement and below its last one too.

    An `elif` is a block of one statement, and comes back as an `if`.
    """
    lines = _Lines(module)
    first, last = statements[0], statements[-1]
    if not lines.begins(first):
        # `if x: a; b  # c`
        texts = [module.text_of(statement) for statement in statements]
        return "\n".join(texts) + lines.trailing_comment(last)
    column = len(lines.indent(first.lineno))
    start = lines.up_from(first.lineno, column)
    end = lines.down_from(last.end_lineno or last.lineno, column)
    code = lines.unindented(start, end, column)
    if isinstance(first, ast.If) and module.text_of(first).startswith("elif"):
        place = code.index("elif") if start == first.lineno else code.index("\nelif") + 1
        return code[:place] + code[place + len("el") :]
    return code


def statement_code(module: Module, statement: ast.stmt, *, comments_above: bool = True) -> str:
    """One statement, with the comment lines that stand in its block above it if they are wanted.

    Raises EditConflict where it shares a line with another.
    """
    lines = _Lines(module)
    if not lines.begins(statement) or not lines.ends(statement):
        raise EditConflict(f"the statement in line {statement.lineno} shares its line")
    column = len(lines.indent(statement.lineno))
    start = lines.up_from(statement.lineno, column) if comments_above else statement.lineno
    # Comments that are further in belong to the last block of the statement.
    end = lines.down_from(statement.end_lineno or statement.lineno, column + 1)
    return lines.unindented(start, end, column)


def moved_code(module: Module, statement: ast.stmt) -> str:
    """One statement with the comment lines that explain it. Raises as `statement_code`."""
    said = "".join(f"{comment}\n" for comment in said_of(module, statement))
    return said + statement_code(module, statement, comments_above=False)


def said_of(module: Module, statement: ast.stmt) -> list[str]:
    """The comment lines above a statement that explain it."""
    lines = _Lines(module)
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    column = len(lines.indent(first))
    start = lines.up_from(first, sys.maxsize)
    above = [(lines.text(n).strip(), len(lines.indent(n)) == column) for n in range(start, first)]
    own = explaining(above)
    return [text for (text, _), goes in zip(above, own, strict=True) if goes and text]


def one_line(module: Module, expression: ast.expr) -> str:
    """An expression as it is written, on one line."""
    text = module.text_of(expression)
    return ast.unparse(expression) if "\n" in text or "\r" in text else text


def changed_code(module: Module, statement: ast.stmt, changes: Sequence[Change]) -> str:
    """The code of a statement, without the comments above it, after changes inside it."""
    changed, (node,) = after(module, changes, [statement])
    assert isinstance(node, ast.stmt)
    return statement_code(changed, node, comments_above=False)


def after(
    module: Module, changes: Sequence[Change], nodes: Sequence[ast.stmt | ast.expr]
) -> tuple[Module, list[ast.AST]]:
    """The module after changes, and what nodes that they leave in their places are there."""
    paths = [_path(module.tree, node) for node in nodes]
    changed = applied(module, changes)
    return changed, [_at(changed.tree, path) for path in paths]


def indented(code: str, unit: str) -> str:
    """The code one level further in."""
    inside = _inside_strings(code)
    return "\n".join(
        line if number in inside or not line.strip() else unit + line
        for number, line in enumerate(code.split("\n"), 1)
    )


def header_comment(module: Module, node: ast.If) -> str:
    """What is said behind the colon of an `if`, with the blanks before it; "" for nothing."""
    return _Lines(module).comment_behind(node.test.end_lineno or node.test.lineno, node.body[0])


def else_comments(module: Module, node: ast.If) -> tuple[str, str]:
    """The comment lines above an `else` or `elif`, each with its newline, and what is said
    behind the colon of an `else`."""
    lines = _Lines(module)
    last, first = node.body[-1], node.orelse[0]
    column = len(lines.indent(node.lineno))
    start = lines.down_from(last.end_lineno or last.lineno, column + 1) + 1
    above = ""
    for number in range(start, first.lineno + 1):
        text = lines.text(number).strip()
        if text.startswith("#"):
            above += text + "\n"
        elif text.startswith(("else", "elif")):
            return above, lines.comment_behind(number, first)
        elif text:
            break
    return "", ""


def comments(code: str) -> list[str]:
    """Every comment of a text, in order."""
    return [token.string for token in _tokens(code) if token.type == tokenize.COMMENT]


def check_comments(module: Module, changes: Sequence[Change], gone: Collection[str] = ()) -> None:
    """Raises EditConflict where a comment of the module would get lost by the changes.

    What explains a statement that is removed may go, and what is `gone` with one already.
    """
    kept = {*comments(apply(module, changes)), *gone}
    for change in changes:
        if isinstance(change, Remove) and change.keep_comments and not change.moved:
            kept.update(said_of(module, change.anchor))
    lost = [comment for comment in comments(module.text) if comment not in kept]
    if lost:
        raise EditConflict(f"the comment {lost[0]!r} would get lost")


class _Lines:
    """The lines of a module, as the tokenizer counts them."""

    def __init__(self, module: Module) -> None:
        self._module = module

    def text(self, number: int) -> str:
        """A line without its end."""
        lines = self._module.lines
        return self._module.text[lines.start(number) : lines.start(number + 1)].rstrip("\r\n")

    def indent(self, number: int) -> str:
        match = _INDENT.match(self.text(number))
        return match.group() if match else ""

    def begins(self, statement: ast.stmt) -> bool:
        """Whether nothing stands before a statement in its line."""
        start, _ = self._module.lines.span(statement)
        return not self._module.text[self._module.lines.start(statement.lineno) : start].strip()

    def ends(self, statement: ast.stmt) -> bool:
        """Whether nothing but a comment stands behind a statement in its line."""
        return self._behind(statement).strip()[:1] in ("", "#")

    def trailing_comment(self, statement: ast.stmt) -> str:
        behind = self._behind(statement)
        return behind.rstrip() if "#" in behind else ""

    def comment_behind(self, number: int, first: ast.stmt) -> str:
        """What is said behind the colon that ends a line; `first` opens the block below it."""
        if first.lineno == number:
            return ""
        found = [t for t in _tokens(self.text(number)) if t.type == tokenize.COMMENT]
        if not found:
            return ""
        before = self.text(number)[: found[0].start[1]]
        blanks = len(before) - len(before.rstrip())
        return before[len(before) - blanks :] + found[0].string

    def up_from(self, number: int, column: int) -> int:
        """The first of the comment lines above a line, those further in left out."""
        first = number
        while number > 1:
            number -= 1
            text = self.text(number).strip()
            if text.startswith("#") and len(self.indent(number)) <= column:
                first = number
            elif text:
                break
        return first

    def down_from(self, number: int, column: int) -> int:
        """The last of the comment lines below a line that stand in this column or further in.

        What is said below a kernel is not replaced with its last statement, and stays.
        """
        last = number
        if any(kernel.node.end_lineno == number for kernel in self._module.kernels):
            return last
        while number < self._module.lines.count:
            number += 1
            text = self.text(number).strip()
            if text.startswith("#") and len(self.indent(number)) >= column:
                last = number
            elif text:
                break
        return last

    def unindented(self, start: int, end: int, column: int) -> str:
        texts = [self.text(number) for number in range(start, end + 1)]
        code = "\n".join(texts)
        inside, continued = _inside_strings(code), _inside_brackets(code)
        unit = indent_unit(self._module, self._module.tree) if continued else ""
        for number, text in enumerate(texts, 1):
            if number in continued:
                text = _with_levels_of_four(text, continued[number], unit)
            if number not in inside:
                texts[number - 1] = _without_indent(text, column)
        return "\n".join(texts)

    def _behind(self, statement: ast.stmt) -> str:
        _, end = self._module.lines.span(statement)
        lines = self._module.lines
        return self._module.text[end : lines.start((statement.end_lineno or 0) + 1)]


def _without_indent(text: str, column: int) -> str:
    blank = len(text) - len(text.lstrip(" \t"))
    return text[min(blank, column) :]


def _with_levels_of_four(text: str, base: int, unit: str) -> str:
    """A line inside brackets that is further in by whole levels, with four spaces to each."""
    own = text[base : len(text) - len(text.lstrip(" "))]
    levels, rest = divmod(len(own), len(unit))
    if rest or unit.strip(" ") or text[:base].strip():
        return text
    return text[:base] + "    " * levels + text[base + len(own) :]


def _inside_brackets(code: str) -> dict[int, int]:
    """The lines, counted from 1, that begin inside brackets, and how far in their block is."""
    found: dict[int, int] = {}
    indents = [0]
    depth = 0
    for token in _tokens(code):
        if token.type == tokenize.INDENT:
            indents.append(len(token.string))
        elif token.type == tokenize.DEDENT:
            indents.pop()
        elif token.type == tokenize.OP and token.string in "([{":
            depth += 1
        elif token.type == tokenize.OP and token.string in ")]}":
            depth -= 1
        elif token.type == tokenize.NL and depth:
            found[token.start[0] + 1] = indents[-1]
    return found


def _inside_strings(code: str) -> frozenset[int]:
    """The lines, counted from 1, that begin inside a string."""
    found: set[int] = set()
    opened: list[int] = []
    for token in _tokens(code):
        name = tokenize.tok_name[token.type]
        if name == "STRING":
            found.update(range(token.start[0] + 1, token.end[0] + 1))
        elif name in _STRING_STARTS:
            opened.append(token.start[0])
        elif name in _STRING_ENDS:
            found.update(range(opened.pop() + 1, token.end[0] + 1))
    return frozenset(found)


def _tokens(code: str) -> Iterator[tokenize.TokenInfo]:
    """The tokens of a part of a file, which may be indented, or stop in the middle."""
    try:
        yield from tokenize.generate_tokens(io.StringIO(code).readline)
    except (tokenize.TokenError, IndentationError):
        return  # what came before the end, or before a dedent out of the part, is all there is


def _path(root: ast.AST, node: ast.stmt | ast.expr) -> Path:
    todo: list[tuple[ast.AST, Path]] = [(root, ())]
    while todo:
        here, path = todo.pop()
        if here is node:
            return path
        if isinstance(here, _IN_THEIR_LINES) and not (
            here.lineno <= node.lineno <= (here.end_lineno or here.lineno)
        ):
            continue  # it is not in there
        for name, value in ast.iter_fields(here):
            if isinstance(value, ast.AST):
                todo.append((value, (*path, (name, None))))
            elif isinstance(value, list):
                todo.extend(
                    (item, (*path, (name, index)))
                    for index, item in enumerate(value)
                    if isinstance(item, ast.AST)
                )
    raise EditConflict("the place of a change is not in this module")


def _at(root: ast.AST, path: Path) -> ast.AST:
    for name, index in path:
        value = getattr(root, name)
        root = value if index is None else value[index]
    return root
