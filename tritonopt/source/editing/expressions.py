"""How a new expression must be written to mean itself in its place."""

from __future__ import annotations

import ast
import copy
import re
import warnings
from collections.abc import Sequence

from tritonopt.source.errors import EditConflict
from tritonopt.source.parsing import parsed

Path = tuple[tuple[str, int | None], ...]
"""From a node to one below it: fields, and indices into those that are lists."""

ATOMIC = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant)
"""What stands inside of another expression without parentheses."""


def spelling(
    text: str, start: int, end: int, code: str, node: ast.FunctionDef | ast.Module, path: Path
) -> tuple[int, int, str]:
    """`code` for text[start:end], with parentheses only where it needs them: start, end, code.

    `text` is that of `node`; `path` leads to the expression that goes. Precedence is left to
    the parser: what is right is what parses to the tree with the new expression in it.
    """
    code = code.strip()
    if not code:
        raise EditConflict("no new expression is given")
    new = _parse_expression(code, subscript=path[-1][0] == "slice")
    wanted = _exchanged(node, path, new)
    candidates = [(start, end, code), (start, end, f"({code})")]
    around, bare = text[start - 1 : start] + text[end : end + 1], text[start:end]
    if around == "()" and isinstance(new, ATOMIC) and in_parentheses(bare) != bare:
        # They held the parts of the old one together.
        candidates.insert(0, (start - 1, end + 1, code))
    for first, last, candidate in candidates:
        if _meaning(text[:first] + candidate + text[last:]) == wanted:
            return first, last, candidate
    raise EditConflict(f"{code!r} cannot stand here")


def in_parentheses(text: str) -> str:
    """The code of an expression, in parentheses where it could fall apart inside of another."""
    node = parsed(f"({text}\n)", mode="eval").body
    has_its_own = (node.lineno, node.col_offset) > (1, 1)
    return text if has_its_own or isinstance(node, ATOMIC) else f"({text})"


def parse(text: str, what: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parsed(text)
    except (SyntaxError, ValueError) as error:
        raise EditConflict(f"{what} does not parse: {error}") from error


def _parse_expression(code: str, subscript: bool) -> ast.expr:
    # `:, None` is an expression only between brackets.
    text = f"_[{code}\n]" if subscript else f"({code}\n)"
    body = parse(text, f"the new expression {code!r}").body
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        raise EditConflict(f"{code!r} is no expression")
    value = body[0].value
    return value.slice if subscript and isinstance(value, ast.Subscript) else value


def _exchanged(node: ast.FunctionDef | ast.Module, path: Path, expression: ast.expr) -> str:
    """The meaning of a node with another expression at a place."""
    whole = _with(node, path, expression)
    return _dump(whole.body if isinstance(whole, ast.Module) else [whole])


def _with(node: ast.AST, path: Path, expression: ast.expr) -> ast.AST:
    """A copy of a node, as far as it is another one with the expression at the end of a path."""
    if not path:
        return expression
    (name, index), *below = path
    value = getattr(node, name)
    new = copy.copy(node)
    if index is None:
        setattr(new, name, _with(value, tuple(below), expression))
    else:
        inner = _with(value[index], tuple(below), expression)
        setattr(new, name, [*value[:index], inner, *value[index + 1 :]])
    return new


def _meaning(text: str) -> str:
    """What the text of a node says, however it is written; "" where it does not parse."""
    indented = text[:1] in (" ", "\t")
    try:
        body = parse("if 1:\n" + text if indented else text, "").body
    except EditConflict:
        return ""
    if indented:
        block = body[0]
        body = block.body if isinstance(block, ast.If) and len(body) == 1 else []
    return _dump(body)


def _dump(body: Sequence[ast.AST]) -> str:
    text = "\n".join(ast.dump(node) for node in body)
    # Whether a name is read or bound follows from where it stands.
    return re.sub(r", ctx=(Load|Store|Del)\(\)", "", text)
