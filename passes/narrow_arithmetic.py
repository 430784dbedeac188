"""narrow-arithmetic: terms are rounded, or wrap around, before a wide accumulator gets them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.algebra.atoms import Lane
from tritonopt.facts.dtypes import FLOATS
from tritonopt.facts.effects import Loop
from tritonopt.facts.host.torch_api import letters
from tritonopt.facts.language import MATRIX
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint

_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL})
_SAME = frozenset({Op.INSERT_AXES, Op.BROADCAST_TO, Op.NEG, Op.POS})
_NARROW = frozenset({"fp16", "bf16", "fp8e4nv", "fp8e5", "int8", "int16", "uint8", "uint16"})
_HALF = frozenset({"fp16", "bf16"})
_EXTREMES, _ENDS = frozenset({Op.MAXIMUM, Op.MINIMUM}), ("max", "min")
_DECLARED = re.compile(r"\b(\w+)\s*:\s*([\w|]+)\[")
_ROUNDED = "rounded-before-the-sum", "is summed in the type of the loaded values: cast them first"
_LATE = "masked-after-the-exponential", "is NaN where the exponential is inf: mask the exponent"


class NarrowArithmetic(Lint):
    """Find sums whose addends are rounded to a narrow type before a wide accumulator adds them.

    ## What it does

    The pass reports products and sums that are computed in fp16 or bf16 and then added to a wider
    accumulator, `tl.sum` and `tl.cumsum` of an fp16 tile, 8-bit accumulators, and `tl.exp(a - b) *
    mask`, which is NaN if the exponential is inf and the mask 0. It reports as notes: accumulators
    of fp16 and bf16; a stored `tl.max` of floats, which ignores NaN, if the kernel has no
    `propagate_nan`, no test for NaN, no exponential and no logarithm.

    ## Why

    A wide accumulator shows that the author wanted the bits that the rounding of the addends loses.

    ## Conditions

    - Both operands are narrow: a launch or `# tritonopt: x: bf16[m, n]` says so, or the kernel
      casts the product, or elements of the same buffers, to fp32, which would be useless for wide
      ones.
    - For `tl.exp(a - b) * mask`: the mask compares two axes, and no load uses it.

    ## Numerics

    Nothing is changed.

    ## Example

    ```python
    x = tl.load(X + tl.arange(0, BLOCK))
    w = tl.load(W + tl.arange(0, BLOCK))
    var = tl.sum((x * w).to(tl.float32), axis=0)
    ```

    is reported, and this is not:

    ```python
    x = tl.load(X + tl.arange(0, BLOCK)).to(tl.float32)
    w = tl.load(W + tl.arange(0, BLOCK)).to(tl.float32)
    var = tl.sum(x * w, axis=0)
    ```

    ## Measured

    Nothing to measure: it is about correctness.
    """

    name: ClassVar[str] = "narrow-arithmetic"
    summary: ClassVar[str] = "find addends that are rounded before a wide accumulator adds them"
    harm: ClassVar[str] = "the result is inexact, wraps around, or is NaN"

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        known, claim = _Narrow(facts), "accumulators-are-wide"
        told = dict.fromkeys(known.masked_late(), _LATE) | dict.fromkeys(known.terms(), _ROUNDED)
        for node, value in facts.values.items():
            if value in told and not isinstance(node, ast.Name):
                reason, said = told.pop(value)
                text = " ".join(facts.kernel.module.text_of(node).split())
                yield Site.of_mistake(node, claim, reason, f"{text} {said}")
        for loop, name, terms in known.sums():
            dtype = loop.initial[name].dtype or ""
            sums = any(term.op in (Op.LOAD, *_ARITHMETIC) for term in terms)
            if sums and not loop.inlined and "int" in dtype and dtype in _NARROW:
                message = f"{name} is of {dtype}, which overflows in this loop: make it int32"
                yield Site.of_mistake(loop.node, claim, "accumulator-is-too-small", message)
            sums |= any(term.function in MATRIX for term in terms if term.op is Op.RESHAPED)
            if sums and not loop.inlined and dtype in _HALF:
                message = f"{name} is of {dtype}, which rounds each sum of this loop: make it fp32"
                site = Site.of_mistake(loop.node, claim, "accumulator-is-too-small", message)
                yield replace(site, is_note=True)
        for effect in facts.effects if not known.heeds_nan else ():
            if (
                effect.kind is EffectKind.STORE
                and effect.stored
                and known.is_extreme(effect.stored)
            ):
                message = "a NaN element is ignored, where torch returns NaN"
                harm = "a NaN in the input is lost"
                site = Site.of_mistake(effect.node, claim, "maximum-drops-nan", message, harm)
                yield replace(site, is_note=True)


class _Narrow:
    """What is narrow in one kernel."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts

    def sums(self) -> Iterator[tuple[Loop, str, list[Value]]]:
        """The accumulators of loops, and what is added to each."""
        for loop in self._facts.loops:
            for name, carried in loop.carried.items():
                yield loop, name, _added(loop.following[name], carried)

    def terms(self) -> Iterator[Value]:
        """What is added to 32 bits, and is computed in fewer."""
        for loop, name, terms in self.sums():
            initial = loop.initial[name]
            if self._facts.precision.is_wide(initial) or initial.dtype in ("int32", "float"):
                for term in terms:
                    yield from self._lost(term)
        for value in self._facts.interpretation.computed:
            if value.op is Op.REDUCE and value.reduction.name == "sum":
                yield from self._lost(value.operand)
                loads = list(_loads(value.operand))
                if len(loads) == 1 and loads[0] and self._types(loads[0]) & _HALF:
                    yield value.operand
            elif value.op is Op.RESHAPED and value.function == "cumsum":
                loads = list(_loads(value.operands[0]))
                if len(loads) == 1 and loads[0] and self._types(loads[0]) == {"fp16"}:
                    yield value.operands[0]

    def _lost(self, term: Value) -> Iterator[Value]:
        """The narrow arithmetic that a term is."""
        is_cast = term.op is Op.CAST and term.dtype in ("fp32", "int32", "int64")
        inner = _stripped(term.operand if is_cast else term)
        cast = is_cast and term.dtype == "fp32"
        if inner.op in _ARITHMETIC and not self._facts.precision.is_precise(inner):
            loads = list(_loads(inner))
            floats = cast and not any(v and v.other.dtype == "int" for v in loads)
            if len(loads) > 1 and all(v and (floats or self._types(v)) for v in loads):
                yield inner

    @cached_property
    def _widened(self) -> frozenset[str]:
        """Parameters whose elements the kernel casts to fp32."""
        computed = self._facts.interpretation.computed
        cast = [v.operand for v in computed if v.op is Op.CAST and v.dtype == "fp32"]
        return frozenset(b for v in cast if v.op is Op.LOAD for b in self._bases(v))

    def _bases(self, load: Value) -> frozenset[str]:
        return self._facts.bases(self._facts.interpretation.loads[load.number]) or frozenset()

    def _types(self, load: Value) -> frozenset[str]:
        """The narrow types that it is shown to have; "" for one of them."""
        bases = self._bases(load)
        declared = (self._declared.get(base, frozenset()) for base in bases)
        seen = self._facts.types.of(load).seen or frozenset().union(*declared)
        return (seen & _NARROW) or frozenset([""] if not seen and bases & self._widened else [])

    @cached_property
    def _declared(self) -> dict[str, frozenset[str]]:
        """What a comment above a launcher says of the tensors that it passes on."""
        found: dict[str, frozenset[str]] = {}
        for launch in self._facts.launches.launches:
            launcher = launch.launcher
            note = launch.module.lines.texts[launcher.lineno - 2] if launcher is not None else ""
            types = dict(_DECLARED.findall(note)) if "# tritonopt:" in note else {}
            for name, passed in launch.arguments.items():
                own = types.get(passed.id, "") if isinstance(passed, ast.Name) else ""
                narrow = {dtype for dtype in _NARROW if letters(dtype) in own.split("|")}
                found[name] = found.get(name, frozenset()) | narrow
        return found

    def masked_late(self) -> Iterator[Value]:
        """Products of an exponential and of a condition on two axes, which no load has."""
        for value in self._facts.interpretation.computed:
            for order in (1, -1) if value.op is Op.MUL else ():
                power, mask = map(_stripped, value.operands[::order])
                mask = _stripped(mask.operand) if mask.op is Op.CAST else mask
                if power.function.endswith(("exp", "exp2")) and mask.op in COMPARISONS:
                    loads = list(_loads(power.operands[0], Op.CAST))
                    axes = [self._axes(v.mask) if v else 2 for v in loads]
                    if len(loads) > 1 and max(axes) < 2 <= self._axes(mask):
                        yield value

    @property
    def heeds_nan(self) -> bool:
        """Whether the kernel asks for NaN, or has an exponential, which brings it back."""
        return any(
            (v.op is Op.NE and v.operands[0] is v.operands[1])
            or v.function.rpartition(".")[2] in ("isnan", "exp", "exp2", "log", "log2")
            for v in self._facts.interpretation.computed
        )

    def is_extreme(self, stored: Value) -> bool:
        """Whether a value is the greatest or the least of elements, and no other is."""
        todo, seen, loads, reduced = [stored], set[Value](), 0, False
        if not self._facts.types.of(stored).some_in(FLOATS):
            return False
        while todo:
            value = todo.pop()
            if value in seen:
                continue
            seen.add(value)
            if value.op in _EXTREMES or (value.op is Op.REDUCE and value.reduction.name in _ENDS):
                reduced |= value.op is Op.REDUCE
                todo += value.operands
            elif value.op in (Op.RESULT, Op.CARRIED):
                loop, name = self._facts.loops[value.carrier.loop], value.carrier.name
                todo += [loop.initial[name], loop.following[name]]
            elif value.op in (*_SAME, Op.CAST):
                todo.append(value.operand)
            elif value.op is Op.LOAD:
                loads += 1
            elif value.op not in (Op.CONST, Op.FULL):
                return False
        return reduced and loads > 0

    def _axes(self, mask: Value) -> int:
        leaves = () if mask.is_none else self._facts.forms.condition(mask).leaves()
        return len({leaf.axis for leaf in leaves if isinstance(leaf, Lane)})


def _stripped(value: Value) -> Value:
    return _stripped(value.operand) if value.op in _SAME else value


def _added(value: Value, carried: Value) -> list[Value]:
    """What is added to a carried value."""
    terms = []
    while value.op is Op.ADD:
        value, term = value.operands if carried in value.left.walk() else value.operands[::-1]
        terms.append(term)
    return terms if value is carried else []


def _loads(value: Value, *passed: Op) -> Iterator[Value | None]:
    """The loads that arithmetic goes back to; None for anything else."""
    while value.op in (*_SAME, *passed):
        value = value.operands[0]
    if value.op is Op.WHERE and not passed:
        yield from _loads(value.then if value.other.op is Op.CONST else value.other)
    elif value.op in _ARITHMETIC:
        for operand in value.operands:
            yield from _loads(operand, *passed)
    elif value.op is not Op.CONST:
        yield value if value.op is Op.LOAD else None
