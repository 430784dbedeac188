"""What holds of changes to any kernel, in whatever layout it is written."""

from __future__ import annotations

import ast
import copy
import io
import tokenize
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.layers import number
from tritonopt import source
from tritonopt.source import (
    Change,
    InsertAfter,
    InsertBefore,
    Remove,
    Replace,
    ReplaceExpression,
    apply,
)

unhurried = settings(
    deadline=None, max_examples=number(25, 50)
)  # libcst is imported by the first example

NAMES = ["a", "bé", "tl", "x1"]
TEXTS = ["# é ü", "#tight", "#   wide  ", "# x = 1; y", "# noqa: E501"]


@dataclass(frozen=True)
class Layout:
    """How the lines of a kernel are written."""

    indent: str
    newline: str
    margin: str


@st.composite
def expressions(draw: st.DrawFn, depth: int = 0) -> str:
    kinds = ["name", "string", "sum", "call", "wrapped", "index"] if depth < 2 else ["name"]
    kind = draw(st.sampled_from(kinds))
    if kind == "name":
        return draw(st.sampled_from(NAMES))
    if kind == "string":
        return draw(st.sampled_from(["'é'", '"#"', "'''a\nb'''", "'\\\n'"]))
    left, right = draw(expressions(depth + 1)), draw(expressions(depth + 1))
    return {
        "sum": f"{left}+  {right}",
        "call": f"f({left}, k={right})",
        "wrapped": f"(\n {left}  # in\n\n  * {right}\n)",
        "index": f"{left}[{right}, :]",
    }[kind]


@st.composite
def simple_statements(draw: st.DrawFn) -> str:
    value = draw(expressions())
    return draw(st.sampled_from([value, f"a = {value}", f"a+={value}", "pass"]))


@st.composite
def blocks(draw: st.DrawFn, margin: str, layout: Layout, depth: int = 0) -> list[str]:
    """The lines of a block; a line may hold line breaks inside brackets and strings."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(st.sampled_from([[], [], [""], [f"{margin}{TEXTS[0]}"], ["  "]]))
        lines += draw(statements(margin, layout, depth))
    if draw(st.booleans()):
        lines.append(f"{margin}# foot")
    return lines


@st.composite
def statements(draw: st.DrawFn, margin: str, layout: Layout, depth: int) -> list[str]:
    tail = draw(st.sampled_from(["", *(f"  {text}" for text in TEXTS)]))
    kinds = ["simple", "several", "suite"] + ["for", "if", "elif"] * (depth < 2)
    kind = draw(st.sampled_from(kinds))
    if kind == "simple":
        return [margin + draw(simple_statements()) + tail]
    if kind == "several":
        parts = draw(st.lists(simple_statements(), min_size=2, max_size=3))
        return [margin + "; ".join(parts) + draw(st.sampled_from(["", ";"])) + tail]
    if kind == "suite":
        return [f"{margin}if {draw(expressions())}: {draw(simple_statements())}{tail}"]
    inner = margin + layout.indent
    body = draw(blocks(inner, layout, depth + 1))
    if kind == "for":
        return [f"{margin}for i in {draw(expressions())}:{tail}", *body]
    lines = [f"{margin}if {draw(expressions())}:{tail}", *body]
    if kind == "elif":
        lines += [f"{margin}elif {draw(expressions())}:", *draw(blocks(inner, layout, depth + 1))]
    if draw(st.booleans()):
        lines += [f"{margin}else :{tail}", *draw(blocks(inner, layout, depth + 1))]
    return lines


@st.composite
def modules(draw: st.DrawFn) -> source.Module:
    layout = Layout(
        draw(st.sampled_from(["    ", "\t", "  ", "   "])),
        draw(st.sampled_from(["\n", "\r\n"])),
        draw(st.sampled_from(["", "    ", "\t"])),
    )
    margin = layout.margin
    lines = ["import triton", "t = 'é' ; u = 1  # ü", *(["if t:"] if margin else [])]
    lines += [f"{margin}@f(", "  'é',  # why", ")", f"{margin}@triton.jit"]
    lines += [f"{margin}def k(x, é):  # header", *draw(blocks(margin + layout.indent, layout))]
    lines += draw(st.sampled_from([[], [f"{margin}# behind", "v = 1;"], ["", "", "v = 1"]]))
    text = "\n".join(lines) + draw(st.sampled_from(["", "\n"]))
    return source.read(text.replace("\n", layout.newline))


def kernel_of(module: source.Module) -> ast.FunctionDef:
    (kernel,) = module.kernels
    return kernel.node


def inner_statements(module: source.Module) -> list[ast.stmt]:
    kernel = kernel_of(module)
    return [n for n in ast.walk(kernel) if isinstance(n, ast.stmt) and n is not kernel]


def alone(module: source.Module, anchor: ast.stmt) -> bool:
    """Whether a statement has its lines for itself: what comes beside it moves nothing."""
    if module.text_of(anchor).startswith("elif"):
        return False
    start, end = module.lines.span(anchor)
    first = module.lines.start(anchor.lineno)
    rest = module.text[end : module.lines.start((anchor.end_lineno or 0) + 1)]
    return not module.text[first:start].strip() and not rest.lstrip().startswith(";")


CODES = [
    "n = 0",
    "n = f(\n    1)",
    "for j in n:\n    if j:\n        m\n    else:\n        o",
    "n; m",
]


@given(modules(), st.data())
@unhurried
def test_an_insertion_and_its_removal_leave_nothing(
    module: source.Module, data: st.DataObject
) -> None:
    anchors = [s for s in inner_statements(module) if alone(module, s)]
    anchor = data.draw(st.sampled_from(anchors or [kernel_of(module)]))
    if anchor is kernel_of(module):
        return
    code = "n_ = f(\n    1)"
    first = data.draw(st.booleans())
    change: Change = InsertBefore(anchor, code) if first else InsertAfter(anchor, code)
    changed = source.read(apply(module, [change]))
    (new,) = (s for s in inner_statements(changed) if changed.text_of(s).startswith("n_ ="))
    assert changed.text != module.text
    assert apply(changed, [Remove(new)]) == module.text


@given(modules(), st.data())
@unhurried
def test_an_expression_exchanged_for_itself_is_no_change(
    module: source.Module, data: st.DataObject
) -> None:
    found = [
        node
        for node in ast.walk(kernel_of(module))
        if isinstance(node, ast.expr) and not isinstance(node, ast.Slice)
    ]
    anchor = data.draw(st.sampled_from(found))
    assert apply(module, [ReplaceExpression(anchor, module.text_of(anchor))]) == module.text


@given(modules(), st.data())
@settings(unhurried, max_examples=number(50, 100))
def test_the_result_is_what_the_changes_say_and_no_comment_is_lost(
    module: source.Module, data: st.DataObject
) -> None:
    changes: list[Change] = []
    gone: set[ast.AST] = set()
    for anchor in inner_statements(module):
        kind = data.draw(st.sampled_from(["none"] * 6 + ["before", "after", "replace", "remove"]))
        if anchor in gone or kind == "none":
            continue
        code = data.draw(st.sampled_from(CODES))
        if kind == "before":
            changes.append(InsertBefore(anchor, code))
        elif kind == "after":
            changes.append(InsertAfter(anchor, code))
        elif isinstance(anchor, (ast.If, ast.For)):
            continue  # their comments go with them
        elif kind == "replace":
            changes.append(Replace(anchor, code))
        else:
            changes += [InsertBefore(anchor, code), Remove(anchor)]
        if kind in ("replace", "remove"):
            gone |= set(ast.walk(anchor))
    result = apply(module, changes)
    expected = changed_tree(module.tree, changes)
    assert ast.dump(ast.parse(result)) == ast.dump(expected)
    if not any(isinstance(change, (Replace, Remove)) for change in changes):
        assert comments(result) == comments(module.text)
    assert ("\r\n" in result) == ("\r\n" in module.text)
    assert result.count("\r\n") in (0, result.count("\n"))


def changed_tree(tree: ast.Module, changes: list[Change]) -> ast.Module:
    """The changes made on the syntax tree alone."""
    by_anchor: dict[ast.AST, list[Change]] = {}
    for change in changes:
        assert isinstance(change, (InsertBefore, InsertAfter, Replace, Remove))
        by_anchor.setdefault(change.anchor, []).append(change)
    return _changed(tree, by_anchor)


def _changed(node: ast.Module, changes: dict[ast.AST, list[Change]]) -> ast.Module:
    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for stmt in body:
            mine = changes.get(stmt, [])
            for change in mine:
                if isinstance(change, InsertBefore):
                    result += ast.parse(change.code).body
            kept: list[ast.stmt] = [visit(stmt)]
            for change in mine:
                if isinstance(change, Replace):
                    kept = ast.parse(change.code).body
                if isinstance(change, Remove):
                    kept = []
            result += kept
            for change in mine:
                if isinstance(change, InsertAfter):
                    result += ast.parse(change.code).body
        return result

    def visit(stmt: ast.stmt) -> ast.stmt:
        twin = copy.copy(stmt)
        for name in ("body", "orelse"):
            if hasattr(stmt, name):
                setattr(twin, name, block(getattr(stmt, name)))
        return twin

    return ast.Module(block(node.body), [])


def comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string.rstrip() for token in tokens if token.type == tokenize.COMMENT]
