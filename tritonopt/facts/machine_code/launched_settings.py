"""What the launches of a kernel show of it, in numbers, for the largest tiles that they ask for.

A tile is as long as a launch says (`BLOCK=4096`), or follows a size as far as the launcher lets it:
`min(8192, triton.next_power_of_2(n))`, or a check that raises. Where nothing ends it, or something
else decides that is not followed, nothing is known.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import Param, TensorSize
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.facts.host.launcher_code import forms_at
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.machine_code import compiler
from tritonopt.facts.machine_code.compiler import (
    Constant,
    Need,
    NotCompiled,
    Setting,
    is_there,
    needs,
)
from tritonopt.facts.memory.circumstances import inputs_of
from tritonopt.facts.memory.offsets import number_of
from tritonopt.facts.operations import Op
from tritonopt.source import Launch
from tritonopt.source.decorators import AUTOTUNE
from tritonopt.source.kernels import Parameter

_LONGEST = 1 << 20
"""What Triton allows a tile to have."""
_USUAL_WARPS = 4
USUAL_TYPE = "fp16"
"""Of tensors whose type nothing shows: what is computed with them is fp32 as a rule."""


@dataclass(frozen=True)
class LaunchedSetting:
    """The largest tiles of one launch."""

    launch: Launch
    setting: Setting
    size: str
    """The size that decides how long they are, in words, as `n is 4096`; empty where none does."""
    tile: str
    """The parameter that says how long the longest tile is; empty where none does."""
    elements: int
    """Of the largest tile."""
    taken: tuple[str, ...]
    """Tensors whose type nothing shows."""


class _NotShown(Exception):
    """Something that the compiler asks for is not known."""


def launched_settings(
    facts: KernelFacts, usual_length: int | None = None
) -> Iterator[LaunchedSetting]:
    """One for each launch and configuration of which all is known that the compiler asks for.

    With a usual length what tiles follow is no longer than that, and need not end.
    """
    for binding in facts.launches.bindings:
        try:
            yield _Shown(facts, binding, usual_length).setting()
        except _NotShown:
            continue


class _Shown:
    def __init__(
        self, facts: KernelFacts, binding: LaunchBinding, usual_length: int | None
    ) -> None:
        self._facts = facts
        self._usual_length = usual_length
        self._binding = binding
        self._launch = binding.launch
        self._form_at = forms_at(binding.launch)
        self._numbers: dict[Atom, int] = {}
        """The size on which the tiles depend."""
        self._taken: list[str] = []
        self._returned = self._ask_launcher()

    def setting(self) -> LaunchedSetting:
        deciding = {a for form in self._deciding() for a in inputs_of(form)} | self._numbers.keys()
        if len(deciding) > 1:
            raise _NotShown
        size = next(iter(deciding), None)
        if size is not None and size not in self._numbers:
            self._numbers = {size: self._longest(size)}
        constants: list[tuple[str, Constant]] = []
        tensors: list[tuple[str, str]] = []
        numbers: list[tuple[str, Constant]] = []
        for parameter in self._facts.kernel.parameters:
            if parameter.constexpr:
                constants.append((parameter.name, self._constant(parameter)))
            elif parameter.name in self._facts.pointers:
                tensors.append((parameter.name, self._element_type(parameter.name)))
            else:
                numbers.append((parameter.name, self._number(parameter)))
        setting = Setting(
            tuple(constants), tuple(tensors), tuple(numbers), self._warps(), self._stages()
        )
        tile, elements = self._largest_tile(dict(constants))
        name = self._named(size) if size is not None else ""
        text = f"{name} is {self._numbers[size]}" if size is not None and name else ""
        return LaunchedSetting(self._launch, setting, text, tile, elements, tuple(self._taken))

    # What a function of the launcher's file returns

    def _ask_launcher(self) -> dict[str, int]:
        """`block, num_warps = settings(n)`, by name, for the longest row that it takes.

        Only where the launch passes what it is asked for, and nothing else is computed from a size.
        """
        launcher, passed = self._launch.launcher, self._launch.arguments.values()
        names = {n.id for n in (*passed, *self._launch.options.values()) if isinstance(n, ast.Name)}
        for statement in launcher.body if launcher is not None and compiler.is_there() else ():
            match statement:
                case ast.Assign(
                    targets=[ast.Tuple(elts=targets)],
                    value=ast.Call(func=ast.Name(id=function), args=[size], keywords=[]),
                ) if names & {t.id for t in targets if isinstance(t, ast.Name)}:
                    return self._settings(function, size, targets)
        return {}

    def _settings(
        self, function: str, size: ast.expr, targets: Sequence[ast.expr]
    ) -> dict[str, int]:
        assert self._launch.launcher is not None
        names = [t.id for t in targets if isinstance(t, ast.Name)]
        lines = names_of(self._launch.launcher).lines
        atom = self._form_at(size).sole_atom
        if atom is None or any(len(lines.get(name, ())) != 1 for name in names):
            raise _NotShown
        try:
            length, numbers = compiler.settings_for(self._launch.module, function)
        except compiler.NotCompiled:
            raise _NotShown from None
        if len(numbers) != len(targets) or len(names) != len(targets):
            raise _NotShown
        self._numbers[atom] = length
        return dict(zip(names, numbers, strict=True))

    def _by_launcher(self, node: ast.expr | None) -> int | None:
        return self._returned.get(node.id) if isinstance(node, ast.Name) else None

    # The size that tiles follow

    def _deciding(self) -> Iterator[Polynomial]:
        """What constants are computed from, but for those that the launch gives as they are."""
        for parameter in self._facts.kernel.parameters:
            if parameter.constexpr and not isinstance(self._given(parameter), ast.Constant):
                form = self._binding.values[Param(parameter.name)]
                known = self._flag(parameter), self._by_launcher(self._given(parameter))
                if form.constant_value is None and known == (None, None):
                    yield form
        warps = self._option("num_warps")
        if warps is not None and self._by_launcher(warps) is None:
            yield self._form_at(warps)

    def _longest(self, size: Atom) -> int:
        """The largest power of two that the launcher's checks let through."""
        checks = [f for f in self._binding.nonnegative if size in set(inputs_of(f))]
        if any(size in set(inputs_of(form)) for form in self._binding.unread):
            raise _NotShown
        if any(set(inputs_of(form)) != {size} for form in checks):
            raise _NotShown
        number = self._usual_length or _LONGEST
        while number > 1:
            values = [number_of(form, {size: number}) for form in checks]
            if None in values:
                raise _NotShown
            if all(value is not None and value >= 0 for value in values):
                break
            number //= 2
        for form in self._deciding():
            end = number_of(form, {size: number})
            is_limited = (
                self._usual_length
                or number < _LONGEST
                or end == number_of(form, {size: number // 2})
            )
            if end is None or not is_limited:
                raise _NotShown
        return number

    def _named(self, size: Atom) -> str:
        """What the launcher calls it; empty where it passes no such argument."""
        for name, argument in self._launch.arguments.items():
            if self._binding.values.get(Param(name)) == Polynomial.of(size):
                return ast.unparse(argument)
        return ""

    # Parameters

    def _given(self, parameter: Parameter) -> ast.expr | None:
        return self._launch.arguments.get(parameter.name) or parameter.default

    def _flag(self, parameter: Parameter) -> bool | None:
        """`bias is not None` of a tensor that may be passed: then it is."""
        match self._launch.arguments.get(parameter.name):
            case ast.Compare(left=ast.Name(), ops=[ast.IsNot()], comparators=[ast.Constant(None)]):
                return True
        return None

    def _constant(self, parameter: Parameter) -> Constant:
        given, module = self._given(parameter), self._launch.module
        flag = self._flag(parameter)
        if flag is not None:
            return flag
        if isinstance(given, ast.Constant) and isinstance(given.value, Constant):
            return given.value
        returned = self._by_launcher(given)
        if returned is not None:
            return returned
        name = module.resolve(given) if given is not None else ""
        if name.startswith("triton.language."):
            return f"tl.{name.removeprefix('triton.language.')}"
        return self._known(self._binding.values[Param(parameter.name)])

    def _known(self, form: Polynomial) -> int:
        number = number_of(form, self._numbers)
        if number is None:
            raise _NotShown
        return number

    def _element_type(self, name: str) -> str:
        facts = self._facts
        for effect in facts.effects:
            if facts.bases(effect) == frozenset({name}):
                types = facts.types.behind(effect).seen
                exact = sorted(t for t in types if not t.startswith("some "))
                if exact:
                    return exact[0]
        self._taken.append(name)
        return USUAL_TYPE

    def _number(self, parameter: Parameter) -> Constant:
        given = self._given(parameter)
        if isinstance(given, ast.Constant) and isinstance(given.value, Constant):
            return given.value
        form = self._binding.values[Param(parameter.name)]
        number = number_of(form, self._numbers)
        if number is not None:
            return number
        if self._is_last_stride(form):
            return 1
        # Of a number the compiler is told whether 16 divides it, and no more.
        return 1 << 12 if self._is_whole(parameter.name) else 0.5

    def _is_last_stride(self, form: Polynomial) -> bool:
        """Whether it is the stride along the last axis, which is 1 in most tensors."""
        stride = form.sole_atom
        if not isinstance(stride, TensorSize) or stride.method != "stride":
            return False
        passed = (value.sole_atom for value in self._binding.values.values())
        axes = {
            other.which
            for other in passed
            if isinstance(other, TensorSize)
            and (other.method, other.tensor) == ("stride", stride.tensor)
        }
        return stride.which == (-1,) or (len(axes) > 1 and stride.which == max(axes))

    def _is_whole(self, name: str) -> bool:
        """Whether it is a size, or a part of an index, a mask or the length of a loop."""
        facts = self._facts
        if isinstance(self._binding.values[Param(name)].sole_atom, TensorSize):
            return True
        forms = [facts.forms.condition(e.mask) for e in facts.effects if e.mask is not None]
        forms += [facts.forms.address(e.pointer)[1] for e in facts.effects if e.pointer is not None]
        forms += [facts.forms.of(bound) for loop in facts.loops for bound in loop.bounds]
        return any(Param(name) in set(form.leaves()) for form in forms)

    # Options, tiles

    def _option(self, name: str) -> ast.expr | None:
        option = self._launch.options.get(name)
        if option is None and self._launch.hides_options:
            raise _NotShown
        return option

    def _warps(self) -> int:
        option = self._option("num_warps")
        if option is None:
            return _USUAL_WARPS
        return self._by_launcher(option) or self._known(self._form_at(option))

    def _stages(self) -> int | None:
        option = self._option("num_stages")
        return None if option is None else self._known(self._form_at(option))

    def _largest_tile(self, constants: Mapping[str, Constant]) -> tuple[str, int]:
        """The parameter that is the longest axis of a tile; the elements of the largest tile."""
        known: dict[Atom, int] = {Param(n): c for n, c in constants.items() if type(c) is int}
        largest, names = 0, {}
        for value in self._facts.interpretation.computed:
            if not value.shape or value.op in (Op.TUPLE, Op.DTYPE, Op.BLOCK_POINTER):
                continue
            axes = [self._facts.forms.of(axis) for axis in value.shape]
            lengths = [number_of(axis, known) for axis in axes]
            if None not in lengths:
                largest = max(largest, math.prod(n for n in lengths if n is not None))
            for axis, length in zip(axes, lengths, strict=True):
                if isinstance(axis.sole_atom, Param) and length is not None:
                    names[axis.sole_atom.name] = length
        return max(names, key=names.__getitem__, default=""), largest


_USUAL_LENGTH = 4096
"""Of rows, where the launches do not say how long they are."""


def told_in_figures(facts: KernelFacts, names: Sequence[str], *, one: bool) -> str | None:
    """The loads and stores of a thread with these numbers told and untold, in words.

    None where they are as wide at every launch. Empty where that is not known: nothing is
    compiled, a tuner chooses or a launch does not show what for, or none is seen to pass 1 where
    that is to be told.
    """
    is_tuned = AUTOTUNE in facts.kernel.decorators  # with how many warps, its tuner decides
    asks = is_there() and not is_tuned
    launched = list(launched_settings(facts, _USUAL_LENGTH)) if asks else []
    for shown in launched:
        setting = shown.setting
        if one and not any(number == 1 for n, number in setting.numbers if n in names):
            return ""
        try:
            untold, told = needs(facts.kernel, [setting, setting.telling(names)])
        except NotCompiled:
            return ""
        if untold is None or told is None:
            return ""
        if _width(told) > _width(untold):
            return _said(shown, untold, told)
    return None if launched and len(launched) == len(facts.launches.bindings) else ""


_ALIGNED, _OTHER = 1 << 12, (1 << 12) + 1
"""A multiple of 16, and neither that nor 1."""


def specialization_lines(facts: KernelFacts) -> Iterator[str]:
    """Of each integer, which accesses are wider where the compiler is told that 16 divides it, or
    that it is 1: what a version of the kernel for each buys. All others are as launched."""
    if AUTOTUNE in facts.kernel.decorators:
        yield "not compiled: its tuner chooses the warps"
        return
    shown = next(launched_settings(facts, _USUAL_LENGTH), None) if is_there() else None
    if shown is None:
        why = "no launch shows all that it needs" if is_there() else "install triton and torch"
        yield f"not compiled: {why}"
        return
    setting = shown.setting
    names = [name for name, number in setting.numbers if type(number) is int]
    kinds = (_ALIGNED, 1, _OTHER)
    asked = [setting.with_number(name, number) for name in names for number in kinds]
    try:
        found = needs(facts.kernel, asked)
    except NotCompiled as why_not:
        yield f"not compiled: {why_not}"
        return
    yield f"as {shown.launch.where} launches it, {_compiled(shown)}"
    width = max(map(len, names), default=0)
    for place, name in enumerate(names):
        aligned, one, other = found[3 * place : 3 * place + 3]
        yield f"{name:{width}}  {_bought(aligned, one, other)}"


def _bought(aligned: Need | None, one: Need | None, other: Need | None) -> str:
    if other is None:
        return "not compiled: the compiler refuses it"
    told = {"a multiple of 16": aligned, "1": one}
    wider = {said: n for said, n in told.items() if n is not None and _width(n) > _width(other)}
    if wider:
        gains = "; ".join(f"where it is {said}, {_accesses(need)}" for said, need in wider.items())
        rest = "" if len(wider) == 2 else f"; no wider where it is {min(told.keys() - wider)}"
        return f"{_accesses(other)}; {gains}{rest}"
    versions = sum(need is not None for need in (aligned, one, other))
    return f"{versions} versions, no access of which is wider: {_accesses(other)}"


def _width(need: Need) -> float:
    """In bits, of one access; how many there are may follow how often a loop is unrolled."""
    bits = sum(number * int(kind.split()[-2]) for kind, number in need.accesses.items())
    return bits / max(sum(need.accesses.values()), 1)


def _said(shown: LaunchedSetting, untold: Need, told: Need) -> str:
    return f"a thread has {_accesses(untold)}; told, {_accesses(told)} ({_compiled(shown)})"


def _compiled(shown: LaunchedSetting) -> str:
    setting = shown.setting
    tile = f"{shown.tile}={dict(setting.constants)[shown.tile]}, " if shown.tile else ""
    types = f", {' and '.join(shown.taken)} in {USUAL_TYPE}" if shown.taken else ""
    return f"compiled for sm_90 with {tile}{setting.warps} warps{types}"


def _accesses(need: Need) -> str:
    found = [
        f"{number} {kind if number > 1 else kind.replace('s of', ' of')}"
        for kind, number in sorted(need.accesses.items())
    ]
    *first, last = found or ["none"]
    return f"{', '.join(first)} and {last}" if first else last
