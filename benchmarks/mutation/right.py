"""Changes that leave a kernel the function that it is, of kinds that no pass makes.

The first group changes no bit. The second re-associates, and may differ in rounding.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.edits import Change, Operator, Subject

_COMMUTATIVE = {ast.Mult: "*", ast.BitAnd: "&"}
_MIRRORED = {ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<=", ast.Eq: "=="}


def mirrored_comparison(subject: Subject) -> Iterator[Change]:
    for node in subject.nodes:
        if not (subject.kernel and isinstance(node, ast.Compare) and len(node.ops) == 1):
            continue
        if type(node.ops[0]) in _MIRRORED:
            left, right = subject.text(node.left), subject.text(node.comparators[0])
            yield {node: f"({right}) {_MIRRORED[type(node.ops[0])]} ({left})"}


def commuted(subject: Subject) -> Iterator[Change]:
    for node in subject.nodes:
        if not (subject.kernel and isinstance(node, ast.BinOp)):
            continue
        sign = _COMMUTATIVE.get(type(node.op))
        if sign is not None:
            yield {node: f"(({subject.text(node.right)}) {sign} ({subject.text(node.left)}))"}


def chosen_otherwise(subject: Subject) -> Iterator[Change]:
    """`where(c, a, b)` as `where(c == 0, b, a)`."""
    for call in subject.calls("where"):
        if len(call.args) == 3 and not call.keywords:
            condition, one, two = map(subject.text, call.args)
            yield {call: f"{subject.text(call.func)}(({condition}) == 0, {two}, {one})"}


def other_by_where(subject: Subject) -> Iterator[Change]:
    for call in subject.calls("load"):
        keywords = {k.arg: k.value for k in call.keywords}
        if len(call.args) != 1 or not {"mask", "other"} <= set(keywords):
            continue
        if not isinstance(keywords["mask"], ast.Name):
            continue  # its shape may be narrower
        where = subject.text(call.func).removesuffix("load") + "where"
        mask, other = subject.text(keywords["mask"]), subject.text(keywords["other"])
        load = f"{subject.text(call.func)}({subject.text(call.args[0])}, mask={mask}, other=7)"
        yield {call: f"{where}({mask}, {load}, {load.replace('other=7', f'other={other}')})"}


def stored_twice(subject: Subject) -> Iterator[Change]:
    for node in subject.nodes:
        if isinstance(node, ast.Expr) and subject.called(node.value) == "store":
            if any(_reads_memory(subject, inner) for inner in ast.walk(node)):
                continue  # the second time it may read what the first has written
            text = " ".join(subject.text(node).split())
            if "#" not in text:
                yield {node: f"{text}; {text}"}


def _reads_memory(subject: Subject, node: ast.AST) -> bool:
    """Whether it is a load, an atomic operation, or a call of which that is not known."""
    return subject.called(node).startswith(("load", "atomic")) or _of_anybody(subject, node)


def _of_anybody(subject: Subject, node: ast.AST) -> bool:
    """Whether it calls a function that is no method, and neither the language's nor Python's."""
    if not isinstance(node, ast.Call) or subject.called(node):
        return False
    if isinstance(node.func, ast.Name):
        return not subject.module.names.builtin(node.func)
    return bool(subject.module.resolve(node.func))


def programs_backward(subject: Subject) -> Iterator[Change]:
    """The programs change places; where each is only asked for its id once, on axis 0."""
    if any(subject.calls("num_programs", "atomic_add", "atomic_cas", "atomic_xchg")):
        return
    if any(_of_anybody(subject, node) for node in subject.nodes):
        return  # it may ask for the id as well
    ids = list(subject.calls("program_id"))
    if len(ids) == 1 and subject.text(ids[0].args[0] if ids[0].args else ids[0]) == "0":
        count = subject.text(ids[0]).replace("program_id", "num_programs")
        yield {ids[0]: f"({count} - 1 - {subject.text(ids[0])})"}


def zeros_for_empty(subject: Subject) -> Iterator[Change]:
    for node in subject.nodes:
        if subject.kernel is None and isinstance(node, ast.Call):
            name = subject.module.resolve(node.func)
            function = subject.text(node.func)
            keywords = {k.arg for k in node.keywords}
            if name in ("torch.empty", "torch.empty_like") and function == name:
                if name == "torch.empty" and "memory_format" in keywords:
                    continue  # zeros does not have it
                yield {node.func: function.replace("empty", "zeros")}


def counted_loop(subject: Subject) -> Iterator[Change]:
    """`range(0, n, b)` as the number of its turns."""
    for node in subject.nodes:
        match node:
            case ast.For(
                target=ast.Name(id=name) as target,
                iter=ast.Call(
                    func=ast.Name(id="range"), args=[ast.Constant(value=0), stop, step]
                ) as call,
                body=[ast.Assign() | ast.AugAssign() as first, *_],
            ) if subject.kernel:
                end, block = subject.text(stop), subject.text(step)
                yield {
                    target: f"{name}_turn",
                    call: f"range(0, (({end}) + ({block}) - 1) // ({block}))",
                    first: f"{name} = {name}_turn * ({block}); {subject.text(first)}",
                }


def maximum_commuted(subject: Subject) -> Iterator[Change]:
    for call in subject.calls("maximum", "minimum"):
        if len(call.args) == 2 and not call.keywords:
            one, two = map(subject.text, call.args)
            yield {call: f"{subject.text(call.func)}({two}, {one})"}


def exp_as_exp2(subject: Subject) -> Iterator[Change]:
    for call in subject.calls("exp"):
        if len(call.args) == 1:
            function = subject.text(call.func)
            yield {call: f"{function}2(({subject.text(call.args[0])}) * 1.4426950408889634)"}


def product_with_reciprocal(subject: Subject) -> Iterator[Change]:
    for node in subject.nodes:
        if subject.kernel and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            left, right = subject.text(node.left), subject.text(node.right)
            yield {node: f"(({left}) * (1.0 / ({right})))"}


def negated_twice(subject: Subject) -> Iterator[Change]:
    for call in subject.calls("sum"):
        if call.args:
            value = subject.text(call.args[0])
            rest = [subject.text(part) for part in (*call.args[1:], *call.keywords)]
            yield {call: f"(-{subject.text(call.func)}({', '.join([f'-({value})', *rest])}))"}


RIGHT: dict[str, Operator] = {
    "comparison mirrored": mirrored_comparison,
    "operands commuted": commuted,
    "choice turned around": chosen_otherwise,
    "other by where": other_by_where,
    "stored twice": stored_twice,
    "programs backward": programs_backward,
    "zeros for empty": zeros_for_empty,
    "loop counted": counted_loop,
    "maximum commuted": maximum_commuted,
    "exp as exp2": exp_as_exp2,
    "product with a reciprocal": product_with_reciprocal,
    "sum negated twice": negated_twice,
}
