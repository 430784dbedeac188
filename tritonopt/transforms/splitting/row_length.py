"""Numbers of a kernel as its launcher computes them: how often a loop turns, how long a tile is."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from tritonopt.checks.condition import unknown
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.operations import Op
from tritonopt.launches.launch_grids import Extent
from tritonopt.transforms.code_edits import in_parentheses

_OPERATORS: Mapping[Op, str] = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.FLOORDIV: "//"}


@dataclass(frozen=True)
class NumbersAtLaunch:
    """What the arguments of one launch make of the kernel's scalars."""

    facts: KernelFacts
    extent: Extent
    """Of the launch, along any axis."""

    def code(self, value: Value) -> str:
        """Code for a number, in the place of the launch. Raises Declined."""
        if value.op is Op.CONST and type(value.constant) is int:
            return str(value.constant)
        if value.op in (Op.PARAM, Op.CONSTEXPR):
            return self.argument(value.name)
        if value.op in _OPERATORS:
            left, right = self.code(value.left), self.code(value.right)
            if value.op not in (Op.ADD, Op.SUB):
                left = in_parentheses(left)
            if value.op is not Op.ADD:
                right = in_parentheses(right)
            return f"{left} {_OPERATORS[value.op]} {right}"
        if value.op is Op.CDIV:
            return f"triton.cdiv({self.code(value.left)}, {self.code(value.right)})"
        text = f"the launch in {self._where} does not pass how long the row is"
        raise unknown("length-is-known-at-the-launch", "length-is-computed", text)

    def argument(self, name: str) -> str:
        """Code for what is passed for a parameter. Raises Declined."""
        passed = self.extent.given.get(name)
        if passed is None:
            passed = self.default(name)
        elif not self.extent.gives_the_same(passed):
            passed = None
        if passed is None:
            text = f"what the launch in {self._where} passes for {name} is not seen"
            raise unknown("length-is-known-at-the-launch", "arguments-are-not-seen", text)
        return self.extent.launch.module.text_of(passed)

    def default(self, name: str) -> ast.Constant | None:
        """The constant that a parameter is where a launch leaves it out; None where it is none.

        A tuner or a heuristic may choose it instead.
        """
        launch = self.extent.launch
        chosen = len(self.facts.kernel.decorators) > 1 or launch.chosen_by is not None
        parameter = next(p for p in self.facts.kernel.parameters if p.name == name)
        if name in launch.arguments or not launch.complete or chosen:
            return None
        return parameter.default if isinstance(parameter.default, ast.Constant) else None

    @property
    def _where(self) -> str:
        return self.extent.launch.where
