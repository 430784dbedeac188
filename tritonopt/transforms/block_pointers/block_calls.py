"""What is written in the calls that make, move and read block pointers."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tritonopt.facts import KernelFacts
from tritonopt.facts.language import function
from tritonopt.facts.operations import Op
from tritonopt.facts.program_ids import sure_callee
from tritonopt.source import Kernel, Module
from tritonopt.source.trees import walk
from tritonopt.transforms.block_pointers.block_accesses import lost

MAKES = "make_block_ptr"
MAKE = ("base", "shape", "strides", "offsets", "block_shape", "order")
LOAD = (
    *("pointer", "mask", "other", "boundary_check", "padding_option"),
    *("cache_modifier", "eviction_policy", "volatile"),
)
_OF_NUMBERS = (ast.Mult, ast.Sub, ast.FloorDiv, ast.Mod)
"""Operators that a sequence on their left does not have, or only makes longer."""
STORE = ("pointer", "value", "mask", "boundary_check", "cache_modifier", "eviction_policy")


def first_mention(facts: KernelFacts) -> ast.Call | None:
    """The first call of the kernel that is about a block pointer; None where there is none."""
    calls = (n for n in facts.kernel.nodes if isinstance(n, ast.Call))
    about = [call for call in calls if is_about_blocks(facts, call)]
    return min(about, key=lambda call: (call.lineno, call.col_offset), default=None)


@lru_cache(maxsize=4)
def returning(module: Module) -> Mapping[Kernel, int]:
    """The jit functions of a file that return a block pointer, and its number of axes."""
    found: dict[Kernel, int] = {}
    for kernel in module.kernels:
        for node in kernel.nodes:
            made = _made_for(kernel, node.value) if isinstance(node, ast.Return) else None
            given = dict(zip(MAKE, made.args, strict=False)) if made is not None else {}
            given |= {k.arg: k.value for k in made.keywords if k.arg} if made is not None else {}
            shape = given.get("shape")
            if isinstance(shape, (ast.Tuple, ast.List)):
                found[kernel] = len(shape.elts)
    return found


def _made_for(kernel: Kernel, value: ast.expr | None) -> ast.Call | None:
    """The call that makes what is returned: itself, or bound to the name that is returned."""
    if isinstance(value, ast.Name):
        name = value.id
        for node in kernel.nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=bound)], value=given) if bound == name:
                    value = given
    if isinstance(value, ast.Call) and function(kernel.module.resolve(value.func)) == MAKES:
        return value
    return None


def is_about_blocks(facts: KernelFacts, call: ast.Call) -> bool:
    name = function(facts.kernel.module.resolve(call.func))
    if name in (MAKES, "advance"):
        return True
    return name in ("load", "store") and any(
        k.arg in ("boundary_check", "padding_option") for k in call.keywords
    )


@dataclass(frozen=True)
class BlockCalls:
    """Of one kernel."""

    facts: KernelFacts

    def called(self, node: ast.expr) -> str:
        """The function of the language that an expression is a call of; empty of all else."""
        if not isinstance(node, ast.Call):
            return ""
        return function(self.facts.kernel.module.resolve(node.func))

    def helper(self, node: ast.expr) -> Kernel | None:
        """The helper that an expression is a call of, where that returns a block pointer."""
        known = returning(self.facts.kernel.module)
        if not known or not isinstance(node, ast.Call):
            return None
        helper = sure_callee(self.facts.kernel, node)
        return helper if helper in known else None

    def makes_block(self, node: ast.expr) -> bool:
        return self.called(node) == MAKES or self.helper(node) is not None

    def gives_block(self, node: ast.expr) -> bool:
        """The same, or moves one."""
        return self.makes_block(node) or self.called(node) == "advance" or self.is_method(node)

    def is_block_or_none(self, node: ast.expr) -> bool:
        """`tl.make_block_ptr(...) if FLAG else None`."""
        return isinstance(node, ast.IfExp) and (
            self.called(node.body) == MAKES
            and isinstance(node.orelse, ast.Constant)
            and node.orelse.value is None
        )

    @staticmethod
    def is_method(node: ast.expr) -> bool:
        """`p.advance(...)`."""
        return isinstance(node, ast.Call) and (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "advance"
            and isinstance(node.func.value, ast.Name)
        )

    def arguments(self, call: ast.Call, names: Sequence[str]) -> dict[str, ast.expr]:
        """The arguments of a call by their names."""
        given = dict(zip(names, call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg is not None and k.arg in names}
        spread = any(isinstance(a, ast.Starred) for a in call.args)
        if spread or len(given) != len(call.args) + len(call.keywords):
            raise lost(f"the arguments of line {call.lineno} are not all seen")
        return given

    def parts(
        self, given: Mapping[str, ast.expr], part: str, call: ast.Call
    ) -> tuple[ast.expr, ...]:
        node = given.get(part)
        if node is not None and self.is_number(node):
            return (node,)  # `(B)`, where `(B,)` is meant: Triton takes either
        if not isinstance(node, (ast.Tuple, ast.List)) or any(
            isinstance(e, ast.Starred) for e in node.elts
        ):
            raise lost(
                f"the {part} in line {call.lineno} are not written out axis by axis",
                "block-pointer-is-lost",
            )
        return tuple(node.elts)

    def is_number(self, node: ast.expr) -> bool:
        """Whether it is surely a number, and no sequence of them."""
        if isinstance(node, ast.Constant):
            return type(node.value) is int
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, _OF_NUMBERS):
            return False
        value = self.facts.values.get(node)
        return value is not None and value.op is not Op.OPAQUE and value.shape == ()

    def check_pure(self, call: ast.expr) -> None:
        """Its arguments may be written in another order, and where it is read."""
        inside = set(walk(call)) - {call}
        if any(isinstance(n, ast.NamedExpr) for n in inside) or not (
            self.facts.effect_nodes.isdisjoint(inside)
        ):
            raise lost(f"an argument in line {call.lineno} does more than give a number")

    def checked(self, node: ast.expr | None, rank: int, call: ast.Call) -> tuple[int, ...]:
        if node is None:
            return ()
        parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
        values = [self.facts.values.get(part) for part in parts]
        if parts == [node] and values[0] is not None and values[0].constant == 0:
            return ()  # Triton asks whether it is true
        axes = {v.constant for v in values if v is not None and type(v.constant) is int}
        if len(axes) != len(parts) or not axes <= set(range(rank)):
            raise lost(
                f"the axes that line {call.lineno} checks are not seen", "block-pointer-is-lost"
            )
        return tuple(sorted(axes))

    def padding(self, node: ast.expr | None, call: ast.Call) -> str:
        value = self.facts.values.get(node) if node is not None else None
        padding = "" if node is None else value.constant if value is not None else None
        if padding not in ("", "zero", "nan"):
            raise lost(f"the padding of line {call.lineno} is not seen")
        return str(padding)
