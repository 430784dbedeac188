"""Mistakes that people make in kernels, one operator each.

An operator yields changes, each of which alone makes another program of the file. Some of what
they make computes the same all the same (an eps that is never the larger one, say): those are
*equivalent mutants*, and are written down by hand with the reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.edits import Change, Operator, Subject, without_keyword

_LOOSER = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
_REDUCTIONS = ("sum", "max", "min", "argmax", "argmin", "reduce", "xor_sum")


def _comparisons(subject: Subject) -> Iterator[ast.Compare]:
    for node in subject.nodes:
        if subject.kernel and isinstance(node, ast.Compare) and type(node.ops[0]) in _LOOSER:
            yield node


def boundary(subject: Subject) -> Iterator[Change]:
    for node in _comparisons(subject):
        left, right = subject.text(node.left), subject.text(node.comparators[0])
        yield {node: f"{left} {_LOOSER[type(node.ops[0])]} {right}"}
        if isinstance(node.ops[0], ast.Lt):
            yield {node: f"{left} < {right} - 1"}


def mask(subject: Subject) -> Iterator[Change]:
    for call in subject.calls("load", "store"):
        change = without_keyword(subject, call, "mask")
        # A load with `other` and no mask does not compile.
        if change and not any(k.arg == "other" for k in call.keywords):
            yield change
    for node in subject.nodes:
        if subject.kernel and isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
            yield {node: subject.text(node.left)}
            yield {node: subject.text(node.right)}


def other(subject: Subject) -> Iterator[Change]:
    for call in subject.calls("load"):
        value = next((k.value for k in call.keywords if k.arg == "other"), None)
        if value is None:
            continue
        zero = isinstance(value, ast.Constant) and not value.value
        yield {value: "1.0" if zero else "0.0"}


def offset(subject: Subject) -> Iterator[Change]:
    for call in subject.calls("load", "store"):
        pointer = subject.argument(call, 0, "pointer")
        if pointer is not None:
            yield {pointer: f"({subject.text(pointer)}) + 1"}
    for call in subject.calls("arange"):
        yield {call: f"({subject.text(call)} + 1)"}


def stride(subject: Subject) -> Iterator[Change]:
    for node in subject.nodes:
        if subject.kernel and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for side in (node.left, node.right):
                if isinstance(side, ast.Name) and "stride" in side.id.lower():
                    yield {side: f"({side.id} + 1)"}


def constant(subject: Subject) -> Iterator[Change]:
    for node in subject.nodes:
        if not subject.kernel or not isinstance(node, ast.BinOp):
            continue
        for side in (node.left, node.right):
            if isinstance(side, ast.Constant) and isinstance(side.value, float) and side.value:
                yield {side: repr(side.value * 1.01)}


def epsilon(subject: Subject) -> Iterator[Change]:
    for node in subject.nodes:
        if subject.kernel and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            for side in (node.left, node.right):
                if isinstance(side, ast.Name) and side.id.lower() in ("eps", "epsilon"):
                    yield {side: f"({side.id} * 10)"}
                    yield {side: f"({side.id} * 0)"}


def axis(subject: Subject) -> Iterator[Change]:
    for call in subject.calls(*_REDUCTIONS):
        value = subject.argument(call, 1, "axis")
        if isinstance(value, ast.Constant) and value.value in (0, 1):
            yield {value: str(1 - value.value)}


def narrow(subject: Subject) -> Iterator[Change]:
    """Sums and values that are kept in half precision."""
    for call in subject.calls("zeros", "full"):
        dtype = next((k.value for k in call.keywords if k.arg == "dtype"), None)
        if dtype is not None and subject.module.resolve(dtype) == "triton.language.float32":
            text = subject.text(dtype)
            yield {dtype: text.replace("float32", "float16")}
    for node in subject.nodes:
        if (
            subject.kernel
            and isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "to"
            and len(node.args) == 1
            and subject.module.resolve(node.args[0]) == "triton.language.float32"
        ):
            half = subject.text(node.args[0]).replace("float32", "float16")
            yield {
                node: f"{subject.text(node.func.value)}.to({half}).to({subject.text(node.args[0])})"
            }


def _ranges(subject: Subject) -> Iterator[ast.Call]:
    for node in subject.nodes:
        if subject.kernel and isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
            yield node.iter


def last_tile(subject: Subject) -> Iterator[Change]:
    for call in _ranges(subject):
        if len(call.args) == 3:
            stop, step = subject.text(call.args[1]), subject.text(call.args[2])
            yield {call.args[1]: f"({stop}) // ({step}) * ({step})"}
        elif call.args:
            stop = call.args[-1]
            if subject.called(stop) == "cdiv" and isinstance(stop, ast.Call):
                number, block = map(subject.text, stop.args)
                yield {stop: f"({number}) // ({block})"}
            yield {stop: f"({subject.text(stop)}) - 1"}


def first_tile(subject: Subject) -> Iterator[Change]:
    """Only the first turn of a loop is made, or all but it."""
    for call in _ranges(subject):
        if len(call.args) == 3:
            start, step = subject.text(call.args[0]), subject.text(call.args[2])
            yield {call.args[1]: f"({start}) + 1"}
            yield {call.args[0]: f"({start}) + ({step})"}
        elif len(call.args) == 1:
            yield {call.args[0]: f"1, {subject.text(call.args[0])}"}


def step(subject: Subject) -> Iterator[Change]:
    for call in _ranges(subject):
        if len(call.args) == 3:
            yield {call.args[2]: f"({subject.text(call.args[2])}) * 2"}
        elif len(call.args) == 1:
            yield {call.args[0]: f"0, {subject.text(call.args[0])}, 2"}


def swapped_stores(subject: Subject) -> Iterator[Change]:
    stores = list(subject.calls("store"))
    for one, two in zip(stores, stores[1:], strict=False):
        values = [subject.argument(call, 1, "value") for call in (one, two)]
        if all(value is not None for value in values):
            first, second = values
            assert first is not None and second is not None
            yield {first: subject.text(second), second: subject.text(first)}


def narrow_index(subject: Subject) -> Iterator[Change]:
    for node in subject.nodes:
        if (
            subject.kernel
            and isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "to"
            and len(node.args) == 1
            and subject.module.resolve(node.args[0]) == "triton.language.int64"
        ):
            yield {node: f"{subject.text(node.func.value)}.to({subject.text(node.args[0])[:-2]}32)"}


def _stored(subject: Subject) -> Iterator[ast.expr]:
    for call in subject.calls("store"):
        value = subject.argument(call, 1, "value")
        if value is not None:
            yield value


def one_size(subject: Subject) -> Iterator[Change]:
    """Wrong where a size is 33 only."""
    sizes = _sizes(subject)
    for value in _stored(subject):
        text = subject.text(value)
        for name in sizes[:2]:
            yield {value: f"tl.where({name} == 33, ({text}) * 0, {text})"}


def modulus(subject: Subject) -> Iterator[Change]:
    """Wrong where a size leaves 7 when it is divided by 32."""
    for value in _stored(subject):
        text = subject.text(value)
        for name in _sizes(subject)[:1]:
            yield {value: f"tl.where({name} % 32 == 7, ({text}) * 0, {text})"}


def _sizes(subject: Subject) -> list[str]:
    """Parameters that something is compared with, or a loop goes up to."""
    if subject.kernel is None:
        return []
    plain = [p.name for p in subject.kernel.parameters if not p.constexpr]
    bounds = [node.comparators[0] for node in _comparisons(subject)]
    bounds += [call.args[min(1, len(call.args) - 1)] for call in _ranges(subject) if call.args]
    used = {node.id for node in bounds if isinstance(node, ast.Name)}
    return [name for name in plain if name in used]


def one_program(subject: Subject) -> Iterator[Change]:
    """Wrong in the second program only."""
    for value in _stored(subject):
        text = subject.text(value)
        yield {value: f"tl.where(tl.program_id(0) == 1, ({text}) * 0, {text})"}


def nan(subject: Subject) -> Iterator[Change]:
    for value in _stored(subject):
        text = subject.text(value)
        yield {value: f"tl.where(({text}) == ({text}), {text}, 0)"}


def gradient(subject: Subject) -> Iterator[Change]:
    """What a backward kernel stores is 1 % too large."""
    if subject.kernel and any(word in subject.name.lower() for word in ("backward", "bwd")):
        for value in _stored(subject):
            yield {value: f"({subject.text(value)}) * 1.01"}


def not_contiguous(subject: Subject) -> Iterator[Change]:
    """A launcher that takes its tensors to be contiguous."""
    if subject.kernel:
        return
    for node in subject.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            value = subject.text(node.func.value)
            if node.func.attr == "contiguous" and not node.args:
                yield {node: value}
            if node.func.attr == "stride" and len(node.args) == 1:
                at = subject.text(node.args[0])
                if at in ("0", "-2"):
                    yield {node: f"{value}.shape[-1]"}
                if at in ("1", "-1"):
                    yield {node: "1"}


def operation(subject: Subject) -> Iterator[Change]:
    """Another operation than the one that is meant."""
    for call in subject.calls("exp", "max", "maximum", "sum", "sqrt", "rsqrt", "abs", "log"):
        name = subject.called(call)
        to = {
            "exp": "exp2", "max": "min", "maximum": "minimum", "sum": "max",
            "sqrt": "rsqrt", "rsqrt": "sqrt", "abs": "exp", "log": "exp",
        }[name]  # fmt: skip
        function = subject.text(call.func)
        yield {call.func: function.removesuffix(name) + to}


def accumulation(subject: Subject) -> Iterator[Change]:
    """A sum that is not carried on, or begins elsewhere; a rescaling that is left out."""
    loops = [n for n in subject.nodes if subject.kernel and isinstance(n, ast.For)]
    for loop in loops:
        for node in ast.walk(loop):
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                yield {node: f"{node.target.id} = {subject.text(node.value)}"}
                yield {node: "pass"}
    for call in subject.calls("zeros"):
        yield {call: f"({subject.text(call)} + 1)"}
    for call in subject.calls("full"):
        value = subject.argument(call, 1, "value")
        if value is not None and "inf" in subject.text(value):
            yield {value: "0.0"}
            yield {value: "-1e4" if subject.text(value).startswith("-") else "1e4"}


WRONG: dict[str, Operator] = {
    "boundary": boundary,
    "mask": mask,
    "other": other,
    "offset": offset,
    "stride": stride,
    "constant by 1 %": constant,
    "eps": epsilon,
    "reduction axis": axis,
    "narrowed accumulator": narrow,
    "lost last tile": last_tile,
    "one tile only": first_tile,
    "wrong loop step": step,
    "swapped stores": swapped_stores,
    "int64 dropped": narrow_index,
    "one size": one_size,
    "one residue of a size": modulus,
    "one program": one_program,
    "NaN": nan,
    "gradient": gradient,
    "non-contiguous": not_contiguous,
    "operation": operation,
    "accumulation": accumulation,
}
