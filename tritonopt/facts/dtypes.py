"""Element types of values, with the evidence for them.

What the kernel itself says (a cast, `tl.zeros(..., dtype=...)`) holds at every
launch. What is loaded has the type of the tensor that is passed, which the
launches of the file may show. Types combine as Triton's own rules say; a rule
that differs between versions of Triton gives no answer.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tritonopt.facts.host.launch_evidence import below_lambda
from tritonopt.facts.host.tensor_types import passed_types
from tritonopt.facts.language import DTYPES, function
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.values import FLOAT_BITS, INTEGER_DTYPES, Value, operands_first
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.facts.effects import Effect
    from tritonopt.facts.kernel_facts import KernelFacts

SOME_FLOAT = "some float"
SOME_INTEGER = "some integer"
"""A tensor of a type of that kind, whichever it is."""

NUMBERS = ("int", "float")
"""Python's, which take on the type of a tensor that they meet."""

_ANNOTATIONS = {
    "i1": "bool",
    "fp16": "fp16",
    "bf16": "bf16",
    "fp32": "fp32",
    "fp64": "fp64",
} | DTYPES
_ANNOTATIONS |= {f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)}
_ANNOTATIONS |= {f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)}
"""Triton's names of the types, by what a parameter may be annotated with."""

_FIXED = frozenset(
    {Op.CAST, Op.FULL, Op.LANE, Op.PROGRAM_ID, Op.NUM_PROGRAMS, Op.ITERATION, Op.CDIV} | COMPARISONS
)
"""Values that carry the type they are made with."""

FLOAT_FUNCTIONS = frozenset(
    ["cos", "div_rn", "erf", "exp", "exp2", "fdiv", "log", "log2", "rsqrt", "sigmoid", "sin"]
    + ["sqrt", "sqrt_rn"]
)


@dataclass(frozen=True)
class Types:
    """The element types that a value is seen to have, at one launch or another."""

    seen: frozenset[str] = frozenset()
    complete: bool = False
    """Whether it has no other type at any launch that is seen."""
    by_launch: bool = False
    """Whether the launches show it, rather than the kernel alone."""
    where: str = ""
    """The evidence in words."""

    def all_in(self, types: frozenset[str]) -> bool:
        """Whether the type is certain to be one of these."""
        return self.complete and self.seen <= types

    def some_in(self, types: frozenset[str]) -> bool:
        """Whether it is one of these somewhere."""
        return bool(self.seen & types)


FLOATS = frozenset(FLOAT_BITS) | {SOME_FLOAT}
INTEGERS = (INTEGER_DTYPES | {SOME_INTEGER}) - {"bool", "int1"}
BOOLEANS = frozenset({"bool", "int1"})
_FLOATING = FLOATS | {"float"}
_BELOW_FLOATS = INTEGERS | BOOLEANS | frozenset(NUMBERS)


class ElementTypes:
    """Answers for one kernel, remembered."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts
        self._annotated = _annotated_types(facts)
        # A launch converts what it passes to the types that are annotated; a call does not.
        launched = facts.launches.launches and facts.launches.caller is None
        self._in_kernel = _Typing(facts, self._annotated if launched else {})

    def of(self, value: Value) -> Types:
        """What is known of a value's element type."""
        return self._gathered(lambda typing: typing.of(value))

    def behind(self, effect: Effect) -> Types:
        """What is known of the elements of the memory that an effect touches."""
        return self._gathered(lambda typing: typing.behind(effect))

    def _gathered(self, ask: Callable[[_Typing], str | None]) -> Types:
        """The answers of the kernel itself and of each launch that is seen."""
        own = ask(self._in_kernel)
        if own is not None and own not in (SOME_FLOAT, SOME_INTEGER):
            return Types(frozenset({own}), True, False, "by what the kernel says")
        shown: dict[str, str] = {}
        complete = not self._facts.launches.unknown
        for source, typing in self._evidence:
            dtype = ask(typing)
            if dtype is None:
                complete = False
            else:
                shown.setdefault(dtype, source)
        exact = {t: by for t, by in shown.items() if t not in (SOME_FLOAT, SOME_INTEGER)}
        if own is not None and (not exact or not complete):
            # What the kernel says holds at launches that are not seen, too.
            return Types(frozenset({own, *exact}), True, False, _where(exact) or "by its use")
        return Types(frozenset(shown), complete and bool(shown), True, _where(shown))

    @cached_property
    def _evidence(self) -> Sequence[tuple[str, _Typing]]:
        """What the launches show, and the annotations where nothing enforces them."""
        found = []
        for launch in self._facts.launches.launches:
            if launch.complete and not below_lambda(launch):
                types = passed_types(launch) | self._annotated
                by = f"the launch in {launch.where}"
                found.append((by, _Typing(self._facts, types)))
        if not found and self._annotated:
            found.append(("its annotation", _Typing(self._facts, self._annotated)))
        return found


def _where(shown: Mapping[str, str]) -> str:
    return " and ".join(f"{t} by {source}" for t, source in shown.items())


class _Typing:
    """The types of values, given the element types of what is passed."""

    def __init__(self, facts: KernelFacts, passed: Mapping[str, str]) -> None:
        self._facts = facts
        self._passed = passed
        self._known: dict[int, str | None] = {}

    def of(self, value: Value) -> str | None:
        for part in operands_first(value, self._known):
            self._known[part.serial] = self._find(part)
        return self._known[value.serial]

    def _find(self, value: Value) -> str | None:
        parts = [self._known[operand.serial] for operand in value.operands]
        match value.op:
            case Op.CONST:
                return value.dtype if _is_ordinary(value.constant) else None
            case Op.PARAM:
                scalar = value.name not in self._facts.pointers
                return self._passed.get(value.name) if scalar else None
            case Op.LOAD:
                return self._loaded(value)
            case Op.CAST if value.dtype is None:
                return self._named(value.target)
            case Op.CARRIED | Op.RESULT:
                loop = self._facts.loops[value.carrier.loop]
                if loop.kind.endswith("static_range"):
                    return value.dtype
                initial = self.of(loop.initial[value.carrier.name])
                return _as_tensor(initial)
            case Op.NEG | Op.POS | Op.INSERT_AXES | Op.WIDENED | Op.BROADCAST_TO | Op.IN_BRANCH:
                return parts[0]
            case Op.ADD | Op.SUB | Op.MUL:
                return _combined(parts)
            case Op.WHERE:
                return _as_tensor(_combined(parts[1:]))
            case Op.DIV:
                return _quotient(parts)
            case Op.FLOORDIV:
                return SOME_INTEGER  # of floats it does not compile
            case Op.PHI:
                # A number is one still where the compiler decides, and else a tensor.
                same = parts[1] if parts[1] == parts[2] else None
                return {"float": SOME_FLOAT, "int": None}.get(same or "", same)
            case Op.MINIMUM | Op.MAXIMUM:
                return _extremum(parts)
            case Op.FULL if value.attribute == "like":
                return parts[1]
            case Op.REDUCE:
                return _reduced(value, parts[0])
            case Op.ELEMENTWISE:
                return self._elementwise(value, parts)
        return value.dtype if value.op in _FIXED else None

    def _elementwise(self, value: Value, parts: Sequence[str | None]) -> str | None:
        if value.function in ("fma", "clamp", "abs", "floor", "ceil"):
            return _as_tensor(_combined(parts))
        if value.function.removeprefix("math.") in FLOAT_FUNCTIONS:
            # Not defined for integers, nor in all versions of Triton for narrow floats.
            combined = _combined(parts)
            return combined if combined in ("fp32", "fp64") else SOME_FLOAT
        return None

    def _loaded(self, value: Value) -> str | None:
        dtype = self.behind(self._facts.interpretation.loads[value.number])
        if dtype is None and value.number in self._facts.integers.loads:
            return SOME_INTEGER
        return dtype

    def behind(self, effect: Effect) -> str | None:
        types = {self._passed.get(base) for base in self._facts.bases(effect) or ()}
        return types.pop() if len(types) == 1 else None

    def _named(self, dtype: Value) -> str | None:
        """The type that a cast names: `Y.dtype.element_ty`, `x.dtype`."""
        if dtype.op is Op.DTYPE:
            return dtype.name
        if dtype.op is not Op.ATTRIBUTE:
            return None
        owner = dtype.operand
        if dtype.name == "element_ty" and owner.op is Op.ATTRIBUTE and owner.name == "dtype":
            pointer = owner.operand
            return self._passed.get(pointer.name) if pointer.op is Op.PARAM else None
        return self.of(owner) if dtype.name == "dtype" else None


def _is_ordinary(constant: object) -> bool:
    """Whether a number becomes fp32 or int32 where it is a tensor, as almost all do."""
    if isinstance(constant, float) and math.isfinite(constant) and constant:
        return 2.0**-126 <= abs(constant) <= (2 - 2.0**-23) * 2.0**127
    return not isinstance(constant, int) or -(2**31) <= constant < 2**31


def _combined(parts: Sequence[str | None]) -> str | None:
    """The type of a sum, a product or a choice of these."""
    result = parts[0]
    for part in parts[1:]:
        result = _pair(result, part)
    return result


def _as_tensor(dtype: str | None) -> str | None:
    """What a Python number becomes in a function, a choice or a loop."""
    return {"int": "int32", "float": "fp32"}.get(dtype or "", dtype)


def _pair(one: str | None, other: str | None) -> str | None:
    if one == other:
        return one
    pairs = ((one, other), (other, one))
    if "fp64" in (one, other):
        return "fp64"
    for mine, theirs in pairs:
        if mine in FLOATS and theirs in _BELOW_FLOATS:
            return mine
    for mine, theirs in pairs:
        if mine == "float" and theirs is not None:
            return "float" if theirs == "int" else "fp32"
        if mine == "int" and theirs in INTEGERS:
            return theirs
    if one in _FLOATING or other in _FLOATING:
        return "fp32" if "fp32" in (one, other) and {one, other} <= set(FLOAT_BITS) else SOME_FLOAT
    return SOME_INTEGER if one in INTEGERS and other in INTEGERS else None


def _quotient(parts: Sequence[str | None]) -> str | None:
    """Narrow floats are divided as fp32 by some versions of Triton."""
    combined = _combined(parts)
    if combined in ("fp32", "fp64"):
        return combined
    whole = combined in INTEGERS or combined in BOOLEANS
    return "fp32" if whole else "float" if combined in NUMBERS else SOME_FLOAT


def _extremum(parts: Sequence[str | None]) -> str | None:
    """Python numbers are tensors of their own in `tl.maximum`, and bf16 is widened."""
    combined = _combined(parts)
    return _as_tensor(combined) if combined in NUMBERS else _widened(combined)


def _reduced(value: Value, part: str | None) -> str | None:
    return "int32" if value.reduction.name in ("argmax", "argmin") else _widened(part)


def _widened(part: str | None) -> str | None:
    """Narrow types are widened, by some versions of Triton and in some reductions."""
    if part in ("fp32", "fp64", "int32", "int64"):
        return part
    if part in FLOATS:
        return SOME_FLOAT
    return SOME_INTEGER if part in INTEGERS or part in BOOLEANS else None


def is_number(facts: KernelFacts, node: ast.expr) -> bool:
    """Whether a constant expression of the kernel is a number to the compiler, and no tensor.

    A number takes on the type of the tensor that it meets. What is assigned to a name is a tensor
    of fp32 or int32, unless the name is annotated as `tl.constexpr`; so is what a helper returns.
    """
    module = facts.kernel.module
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=inside) | ast.Attribute(value=inside, attr="value"):
            return is_number(facts, inside)
        case ast.BinOp(left=left, right=right):
            return is_number(facts, left) and is_number(facts, right)
        case ast.Name(id=name):
            bindings = module.names.scopes[facts.kernel.node].bindings.get(name, [])
            return not bindings or (len(bindings) == 1 and _is_bound_as_constexpr(facts, name))
        case ast.Call(func=called):
            name = module.resolve(called) or module.builtin(called)
            return name in ("float", "triton.language.constexpr")
    return False


def _is_bound_as_constexpr(facts: KernelFacts, name: str) -> bool:
    """`EPS: tl.constexpr = 1e-5` in the kernel's body."""
    return any(
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id == name
        and facts.kernel.module.resolve(node.annotation) == "triton.language.constexpr"
        for node in walk(facts.kernel.node)
    )


def _annotated_types(facts: KernelFacts) -> dict[str, str]:
    """The types that the kernel's own parameters are annotated with: `x: "*fp16"`."""
    found = {}
    for parameter in facts.kernel.parameters:
        annotation = parameter.annotation
        if isinstance(annotation, ast.Call) and len(annotation.args) == 1:
            # tl.pointer_type(tl.float16)
            annotation = annotation.args[0]
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            name = annotation.value.removeprefix("const ").strip(" *").removeprefix("tl.")
        elif annotation is not None:
            name = function(facts.kernel.module.resolve(annotation))
        else:
            continue
        if name in _ANNOTATIONS:
            found[parameter.name] = _ANNOTATIONS[name]
    return found
