"""What a launcher has to be called with, read from its annotations and its code.

The launcher's statements are walked once, calls of functions of the same file
included, with a small set of abstract values: tensors that came in, their
sizes, plain numbers. Asserts and guards that raise are equations. What a
kernel does with a bare pointer (`w + cols` under `cols < N`) is used where the
launcher itself says nothing. Nothing is guessed: what cannot be told is asked
for, with the line to write.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tritonopt.verification.signature.argument_language import (
    LONG_NAMES,
    Argument,
    ChoiceArgument,
    Dimension,
    SequenceArgument,
    Signature,
    SizeArgument,
    TensorArgument,
    TorchType,
)
from tritonopt.verification.signature.launcher_walk import (
    DEFAULT_DTYPES,
    Count,
    Evidence,
    Findings,
    Number,
    Size,
    Sum,
    Tensor,
    Value,
    findings,
)
from tritonopt.verification.signature.launchers import Launcher, Launchers

_OF_LAUNCHES: Mapping[str, tuple[int, ...]] = {
    "num_warps": (4, 8),
    "num_stages": (2, 3),
    "num_ctas": (1,),
    "maxnreg": (128,),
}
"""What an option of a launch can be; anything else is refused on a GPU, and not interpreted."""


@dataclass(frozen=True)
class InferredSignature:
    """What the code says of the arguments, and what it leaves open."""

    launcher: Launcher
    known: tuple[Argument, ...]
    """What could be told, in the order of the parameters."""
    unknown: Mapping[str, str]
    """The other parameters that a call needs, with the beginning of a line to write."""
    evidence: Mapping[str, Evidence]
    ranked: frozenset[str]
    """Tensors whose number of dimensions the code fixes; others have at least as many."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Types of parameters without an annotation, where something else tells them."""
    documents_bind: bool = False
    """Comments and docstrings come before what code shows: they are a reference's."""

    def kind(self, parameter: ast.arg) -> str:
        """The type of a parameter as it is, or might be, annotated; nothing if unknown."""
        if parameter.annotation is None:
            return self.kinds.get(parameter.arg, "")
        return ast.unparse(parameter.annotation)

    def question(self) -> str:
        """The error that asks for what could not be told."""
        name = self.launcher.name
        known = [str(a) for a in self.known if a.name not in self.unknown]
        asked = [f"{name}: {text}" for name, text in self.unknown.items()]
        line = ", ".join([*known, *asked])
        return (
            f"the arguments of `{name}` cannot all be read from its code: "
            f"{', '.join(f'`{n}`' for n in self.unknown)}. Give them, for example:\n"
            f"  --launcher {name} --args '{line}'\n"
            f"or write the same as a comment above the launcher:\n"
            f"  # tritonopt: {line}"
        )


def read(launchers: Launchers, launcher: Launcher) -> InferredSignature:
    """What can be told of the arguments from the code alone."""
    return _Solution(launcher, findings(launchers, launcher)).reading()


def with_layouts(launchers: Launchers, launcher: Launcher, given: Signature) -> Signature:
    """The arguments as given, each tensor with the layouts that the code has an eye on."""
    said = findings(launchers, launcher).evidence

    def laid_out(argument: Argument) -> Argument:
        evidence = said.get(argument.name)
        if evidence is None:
            return argument

        def with_layout(tensor: TensorArgument) -> TensorArgument:
            strided, rows_only = layouts(evidence, len(tensor.shape))
            return replace(tensor, strided=strided, rows_only=rows_only)

        if isinstance(argument, SequenceArgument):
            return argument.with_parts(with_layout)
        return with_layout(argument) if isinstance(argument, TensorArgument) else argument

    return replace(given, arguments=tuple(map(laid_out, given.arguments)))


def layouts(evidence: Evidence, rank: int) -> tuple[bool, bool]:
    """Whether a tensor may be strided, and if so whether its rows must stay as they are."""
    strided = evidence.strided and not evidence.contiguous
    last = bool(evidence.stride_axes & {-1, rank - 1})
    return strided, not (evidence.any_strides or last)


@dataclass
class _Solution:
    """From evidence and equations to a signature."""

    launcher: Launcher
    found: Findings
    parents: dict[object, object] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    """Parameters that cannot be told, with a line to write for each."""

    def reading(self) -> InferredSignature:
        self._merge_shapes()
        ranks = {name: self._rank(name) for name in self.found.evidence}
        self._merge_sizes(ranks)
        found = [self._argument(parameter, ranks) for parameter in self.launcher.parameters]
        known = [a for a in found if a is not None and a.name not in self.launcher.options]
        while known and isinstance(known[-1], ChoiceArgument) and known[-1].values == (None,):
            # Called by position, what comes last may be left out; some count what they are given.
            known.pop()
        known += [a for a in found if a is not None and a.name in self.launcher.options]
        for name, said in self.found.evidence.items():
            if name in self.found.hints and ranks[name] == 1:
                said.bound = self._dimension(name, -1)
        ranked = frozenset(n for n in ranks if self._ranked(n))
        return InferredSignature(
            self.launcher, tuple(known), self.unknown, self.found.evidence, ranked
        )

    # Equations

    def find(self, item: object) -> object:
        while item in self.parents:
            item = self.parents[item]
        return item

    def union(self, one: object, other: object) -> None:
        one, other = self.find(one), self.find(other)
        if one == other or self._made_of(one, other) or self._made_of(other, one):
            return
        # Numbers stay roots, so that a size that must be 128 is 128, and then sums.
        if isinstance(one, Number) or (isinstance(one, Sum) and not isinstance(other, Number)):
            one, other = other, one
        self.parents[one] = other

    def _made_of(self, item: object, other: object) -> bool:
        """Whether a size is computed from another: the two are never one."""
        while isinstance(item, Sum):
            item = self.find(item.size)
            if item == other:
                return True
        return False

    def alike(self, name: str) -> str:
        found = self.find(("shape", name))
        assert isinstance(found, tuple)
        return str(found[1])

    def _merge_shapes(self) -> None:
        evidence = self.found.evidence
        for one, other in self.found.alike:
            self.union(("shape", one), ("shape", other))
        for left, right in self.found.equations:
            if isinstance(left, Count) and isinstance(right, Count):
                self.union(("shape", left.name), ("shape", right.name))
        for name, sizes in self.found.hints.items():
            e = evidence[name]
            if e.rank is not None or e.least_rank > 1 or e.ragged or e.annotated:
                continue
            for value in sizes:
                if isinstance(value, Count) and value.name != name:
                    self.union(("shape", name), ("shape", value.name))
                elif isinstance(value, Size):
                    e.rank = 1
                    self.found.equations.append((Size(name, 0), value))

    def _family(self, name: str) -> list[Evidence]:
        root = self.alike(name)
        return [e for other, e in self.found.evidence.items() if self.alike(other) == root]

    def _rank(self, name: str) -> int | None:
        family = self._family(name)
        ranks = [e.rank for e in family if e.rank is not None]
        annotated = [len(e.annotated) for e in family if e.annotated is not None]
        if ranks or annotated:
            return [*ranks, *annotated][0]
        if any(e.ragged for e in family):
            return None
        return max(e.least_rank for e in family) or None

    def _ranked(self, name: str) -> bool:
        family = self._family(name)
        return any(e.rank is not None or e.annotated is not None for e in family)

    def _merge_sizes(self, ranks: Mapping[str, int | None]) -> None:
        for left, right in self.found.equations:
            one, other = self._key(left, ranks), self._key(right, ranks)
            if one is not None and other is not None:
                self.union(one, other)

    def _key(self, value: Value, ranks: Mapping[str, int | None]) -> object:
        if isinstance(value, Number):
            return value
        if isinstance(value, Tensor):
            return ("plain", value.name)
        if isinstance(value, Count):
            # Of a vector that is its only size; of anything else no single one.
            return Size(self.alike(value.name), -1) if ranks.get(value.name) == 1 else None
        if isinstance(value, Sum):
            size = self._key(value.size, ranks)
            return Sum(size, value.by) if isinstance(size, Size) else None
        if not isinstance(value, Size):
            return None
        rank = ranks.get(value.name)
        axis = value.axis
        if rank is not None and axis >= 0:
            axis -= rank
        return Size(self.alike(value.name), axis)

    # Arguments

    def _argument(self, parameter: ast.arg, ranks: Mapping[str, int | None]) -> Argument | None:
        name = parameter.arg
        evidence = self.found.evidence[name]
        default = self._named(self.launcher.defaults.get(name))
        if default is not None and is_none(default):
            return ChoiceArgument(name, (None,)) if self.launcher.by_position else None
        if evidence.several:
            self.unknown[name] = "[f32[m, n], f32[m, n]]"
            return None
        value = None if default is None else _literal(default)
        # What torch is passed is mostly a tensor, but not where the default is a number.
        plain = isinstance(value, (bool, int, float, str)) and not evidence.shaped
        if evidence.tensor and not plain:
            return self._tensor(name, evidence, ranks)
        if default is not None:
            if isinstance(value, bool):
                return ChoiceArgument(name, (value, not value))
            kind = self.found.module.resolve(default).removeprefix("torch.")
            if kind in LONG_NAMES:
                return ChoiceArgument(name, (TorchType(LONG_NAMES[kind]),))
            if isinstance(value, (int, float, str)):
                return ChoiceArgument(name, (value,))
            return None
        return self._plain(parameter, ranks)

    def _named(self, default: ast.expr | None) -> ast.expr | None:
        """A default, or the number that it is the module's name of."""
        if not isinstance(default, ast.Name):
            return default
        body = self.found.module.tree.body
        bound = [
            n
            for n in body
            if isinstance(n, ast.Assign) and default.id in map(ast.unparse, n.targets)
        ]
        single = bound[0].value if len(bound) == 1 else None
        return single if single is not None and _literal(single) is not None else default

    def _plain(self, parameter: ast.arg, ranks: Mapping[str, int | None]) -> Argument | None:
        name = parameter.arg
        size = self.find(("plain", name))
        if isinstance(size, (Size, Sum)):
            return SizeArgument(name, (self._size_name(size),))
        if isinstance(size, Number):
            return ChoiceArgument(name, (size.value,))
        kind = "" if parameter.annotation is None else ast.unparse(parameter.annotation)
        if re.search(r"(^|_)eps(ilon)?(_|\d|$)", name.lower()):
            return ChoiceArgument(name, (1e-5,))
        if kind == "bool":
            return ChoiceArgument(name, (False, True))
        if kind == "float":
            return ChoiceArgument(name, (0.5, 1.0, 2.0))
        option = self.found.evidence[name].option
        if option in _OF_LAUNCHES:
            return ChoiceArgument(name, _OF_LAUNCHES[option])
        if not self.found.evidence[name].used:
            return ChoiceArgument(name, (None,))
        self.unknown[name] = "int in 1..8" if kind == "int" else "f32[n]"
        return None

    def _tensor(
        self, name: str, evidence: Evidence, ranks: Mapping[str, int | None]
    ) -> TensorArgument | None:
        family = self._family(name)
        rank = ranks[name]
        dtypes = evidence.dtypes or DEFAULT_DTYPES
        annotated = next((e.annotated for e in family if e.annotated is not None), None)
        shape: tuple[Dimension, ...]
        if annotated is not None:
            shape = annotated
        elif rank is not None:
            shape = tuple(self._dimension(name, axis - rank) for axis in range(rank))
        elif any(e.ragged for e in family) or self._counted(name):
            shape = ("...", self._dimension(name, -1))
        else:
            self.unknown[name] = "f32[m, n]"
            return None
        strided, rows_only = layouts(evidence, len(shape))
        return TensorArgument(name, dtypes, shape, strided=strided, rows_only=rows_only)

    def _counted(self, name: str) -> bool:
        """Whether only the number of elements matters: all that the code asks is `numel`."""
        root = self.alike(name)
        counts = [v for values in self.found.hints.values() for v in values if isinstance(v, Count)]
        return any(self.alike(c.name) == root for c in counts)

    def _dimension(self, name: str, axis: int) -> Dimension:
        root = self.find(Size(self.alike(name), axis))
        if isinstance(root, Number):
            return root.value
        assert isinstance(root, (Size, Sum, tuple))
        return self._size_name(root)

    def _size_name(self, root: object) -> str:
        """The name that the code gives to a size, else one made of where it was first met."""
        if isinstance(root, Sum):
            size = self.find(root.size)
            if isinstance(size, Number):
                return str(size.value + root.by)
            return f"{self._size_name(size)} {'-' if root.by < 0 else '+'} {abs(root.by)}"
        ranks = {name: self._rank(name) for name in self.found.evidence}
        taken: dict[str, object] = {}
        for size, name in self.found.names.items():
            key = self._key(size, ranks)
            found = self.find(key)
            if found == root and taken.get(name, root) == root:
                return name
            taken.setdefault(name, found)
        if isinstance(root, Size):
            return f"{root.name.lower()}_{'last' if root.axis == -1 else f'size{-root.axis}'}"
        return "n"


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _literal(node: ast.expr) -> object:
    try:
        value: object = ast.literal_eval(node)
    except ValueError:
        return None
    return value
