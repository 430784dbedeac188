"""Float64 copies of a file's kernels, as source text. Neither torch nor triton is needed.

Casts to float32 and accumulators of float32 become float64; the buffers are
cloned as float64 at launch (see `oracle`). A cast to a narrower type rounds to it,
for that is what the kernel says, and what follows is float64 again. A kernel for
which the copy would be another function, not a more exact one, is named with the
reason: the comparison then falls back on the original itself.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tritonopt import source
from tritonopt.source.trees import names_in
from tritonopt.verification.signature.launchers import statements

_LANGUAGE = "_tritonopt_language"
_TL = "triton.language."
_NARROW = {
    f"{_TL}{name}"
    for name in ("float16", "bfloat16", "float8e5", "float8e4nv", "float8e4b8", "float8e5b16")
}
_NOT_MORE_EXACT = {
    "dot": "calls tl.dot, whose precision is the hardware's",
    "dot_scaled": "calls tl.dot_scaled, whose precision is the hardware's",
    "rand": "draws random numbers",
    "randn": "draws random numbers",
    "randint": "draws random numbers",
    "rand4x": "draws random numbers",
    "randn4x": "draws random numbers",
    "randint4x": "draws random numbers",
    "philox": "draws random numbers",
    "inline_asm_elementwise": "holds inline assembly",
    "argmax": "chooses an index by comparing values",
    "argmin": "chooses an index by comparing values",
    "sort": "sorts values",
    "topk": "sorts values",
    "make_tensor_descriptor": "uses tensor descriptors",
}


@dataclass(frozen=True)
class Widened:
    source: str
    names: tuple[str, ...]
    obstacles: Mapping[str, str]
    """Kernel name to the reason why its copy cannot serve; helpers' reasons included."""


def widen(module: source.Module) -> Widened:
    texts = [f"import triton.language as {_LANGUAGE}"]
    names: list[str] = []
    reasons: dict[str, str] = {}
    calls: dict[str, set[str]] = {}
    top = {id(node) for node in statements(module.tree.body)}
    defined = Counter(kernel.name for kernel in module.kernels)
    for kernel in module.kernels:
        if id(kernel.node) not in top:
            reasons[kernel.name] = "is defined inside of a function or class"
            continue
        if defined[kernel.name] > 1:
            reasons[kernel.name] = "is defined more than once"
            continue
        study = _Study(module, kernel)
        calls[kernel.name] = study.callees
        if study.obstacle:
            reasons[kernel.name] = study.obstacle
        texts.append(ast.unparse(_widen_kernel(module, kernel)))
        names.append(kernel.name)
    obstacles = {}
    for name in [*names, *reasons]:
        reason = _reason(name, reasons, calls, set())
        if reason:
            obstacles[name] = reason
    return Widened("\n\n".join(texts) + "\n", tuple(names), obstacles)


def _reason(
    name: str, reasons: Mapping[str, str], calls: Mapping[str, set[str]], seen: set[str]
) -> str:
    if name in reasons:
        return f"kernel `{name}` {reasons[name]}"
    seen.add(name)
    for callee in sorted(calls.get(name, set()) - seen):
        reason = _reason(callee, reasons, calls, seen)
        if reason:
            return reason
    return ""


class _Study:
    """Whether a kernel's float64 copy computes the same function, only more exactly."""

    def __init__(self, module: source.Module, kernel: source.Kernel) -> None:
        self.module = module
        self.kernel = kernel
        self.callees: set[str] = set()
        self.parents = {
            id(child): parent
            for parent in ast.walk(kernel.node)
            for child in ast.iter_child_nodes(parent)
        }
        self.tainted = self._from_memory()
        self.obstacle = next(self._obstacles(), "")

    def _obstacles(self) -> Iterator[str]:
        for statement in self.kernel.node.body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Call):
                    yield from self._call(node)
                elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
                    if self._depends_on_memory(node.test):
                        yield "branches on a loaded value"
                elif isinstance(node, (ast.Attribute, ast.Name)):
                    yield from self._type(node)

    def _type(self, node: ast.expr) -> Iterator[str]:
        name = self.module.resolve(node)
        if name in _NARROW and not self._is_cast_to(node):
            yield f"rounds to {name.removeprefix(_TL)} on the way"
        if name in _NARROW or name == f"{_TL}float32":
            parent = self.parents.get(id(node))
            if isinstance(parent, ast.Compare):
                yield "chooses by the type of its operands"

    def _is_cast_to(self, node: ast.expr) -> bool:
        cast = self.parents.get(id(node))
        return isinstance(cast, ast.Call) and _cast_type(self.module, cast) is node

    def _call(self, call: ast.Call) -> Iterator[str]:
        if any(k.arg == "bitcast" and not _is_false(k.value) for k in call.keywords):
            yield "reinterprets bits"
        name = self.module.resolve(call.func)
        if name.startswith("triton."):
            reason = _NOT_MORE_EXACT.get(name.rpartition(".")[2])
            if reason:
                yield reason
            if name.startswith((f"{_TL}extra", f"{_TL}inline")):
                yield f"calls {name}, which may not exist for float64"
            return
        if isinstance(call.func, ast.Name):
            called = call.func.id
            if self.module.kernel(called) is not None:
                self.callees.add(called)
            elif not hasattr(builtins, called):
                yield f"calls `{called}`, which is not defined in this file"
        elif name:
            yield f"calls `{name}`, which is not defined in this file"

    def _from_memory(self) -> set[str]:
        """Names whose value was computed from a load."""
        tainted: set[str] = set()
        before = -1
        self.tainted = tainted
        while before != len(tainted):
            before = len(tainted)
            for node in ast.walk(self.kernel.node):
                if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
                    if node.value is None or not self._depends_on_memory(node.value):
                        continue
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    for target in targets:
                        tainted |= names_in(target)
        return tainted

    def _depends_on_memory(self, expr: ast.expr) -> bool:
        for node in ast.walk(expr):
            if isinstance(node, ast.Name) and node.id in self.tainted:
                # `x is None` and `x.dtype` ask about the name, not about what was loaded.
                parent = self.parents.get(id(node))
                if isinstance(parent, ast.Attribute) and parent.attr in ("dtype", "shape", "type"):
                    continue
                return True
            if isinstance(node, ast.Call) and self.module.resolve(node.func) == f"{_TL}load":
                return True
        return False


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _cast_type(module: source.Module, call: ast.Call) -> ast.expr | None:
    """The type that a value is cast to, where the call is a cast: `x.to(T)`, `tl.cast(x, T)`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "to" and len(call.args) == 1:
        return call.args[0]
    if module.resolve(call.func) == f"{_TL}cast" and len(call.args) == 2:
        return call.args[1]
    return None


def _widen_kernel(module: source.Module, kernel: source.Kernel) -> ast.FunctionDef:
    node = copy.deepcopy(kernel.node)
    pairs = zip(ast.walk(node), ast.walk(kernel.node), strict=True)
    original = {id(new): old for new, old in pairs}
    node.decorator_list = []
    widener = _Widener(module, original, _reassigned(kernel.node))
    widened = widener.visit(node)
    assert isinstance(widened, ast.FunctionDef)
    return ast.fix_missing_locations(widened)


def _reassigned(function: ast.FunctionDef) -> set[str]:
    """Names that are bound more than once, so that their type is carried on."""
    count: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            count[node.id] = count.get(node.id, 0) + 1
    return {name for name, times in count.items() if times > 1}


class _Widener(ast.NodeTransformer):
    def __init__(
        self, module: source.Module, original: Mapping[int, ast.AST], reassigned: set[str]
    ) -> None:
        self.module = module
        self.original = original
        self.reassigned = reassigned

    def resolved(self, node: ast.expr) -> str:
        old = self.original.get(id(node))
        return self.module.resolve(old) if isinstance(old, ast.expr) else ""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self._type(node) or self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._type(node) or node

    def _type(self, node: ast.expr) -> ast.expr | None:
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            return None
        name = self.resolved(node)
        if name != f"{_TL}float32" and name not in _NARROW:
            return None
        return _of_language("float64")

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        target = node.targets[0]
        if (
            isinstance(target, ast.Name)
            and target.id in self.reassigned
            and _is_float_constant(node.value)
        ):
            # A plain float starts a loop as float32; its carried value is float64 now.
            cast = _of_language("cast")
            node.value = ast.Call(cast, [node.value, _of_language("float64")], [])
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name, narrow = self.resolved(node.func), self._narrow_type(node)
        self.generic_visit(node)
        if narrow:
            return _rounded(node, narrow)
        # The variants that promise IEEE rounding of float32 take nothing wider;
        # in float64 the plain operations round as well.
        if name in (f"{_TL}div_rn", f"{_TL}fdiv", f"{_TL}math.div_rn", f"{_TL}math.fdiv"):
            if len(node.args) == 2:
                return ast.BinOp(node.args[0], ast.Div(), node.args[1])
        elif name in (f"{_TL}sqrt_rn", f"{_TL}math.sqrt_rn"):
            node.func = _of_language("sqrt")
        return node

    def _narrow_type(self, node: ast.Call) -> str:
        """The narrow type that a call casts a value to, or nothing."""
        old = self.original.get(id(node))
        cast = _cast_type(self.module, old) if isinstance(old, ast.Call) else None
        name = "" if cast is None else self.module.resolve(cast)
        return name.removeprefix(_TL) if name in _NARROW else ""


def _rounded(cast: ast.Call, narrow: str) -> ast.Call:
    """A value rounded to a narrow type as a cast does, and float64 again.

    By way of float32, from which alone some types are made.
    """
    value = cast.func.value if isinstance(cast.func, ast.Attribute) and len(cast.args) == 1 else (
        cast.args[0]
    )  # fmt: skip
    single = ast.Call(_of_language("cast"), [value, _of_language("float32")], [])
    rounded = ast.Call(_of_language("cast"), [single, _of_language(narrow)], cast.keywords)
    return ast.Call(_of_language("cast"), [rounded, _of_language("float64")], [])


def _of_language(name: str) -> ast.Attribute:
    return ast.Attribute(ast.Name(_LANGUAGE, ast.Load()), name, ast.Load())


def _is_float_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_float_constant(node.operand)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "float"
    return isinstance(node, ast.Constant) and isinstance(node.value, float)
