"""How long a row is, in the words of a launch, and the tile that holds it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import Polynomial
from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.host.launcher_code import evaluation_at
from tritonopt.launches.launch_grids import scope_at
from tritonopt.source.launches import Launch
from tritonopt.transforms.one_tile.question import spelled
from tritonopt.transforms.writing import NotExpressible

LEAST = 16
"""Elements of the shortest tile that is written: an empty row has one too."""
NEXT = "triton.next_power_of_2"


@dataclass(frozen=True)
class RowLength:
    """The length of a row at one launch."""

    launch: Launch
    extent: Polynomial
    """In parameters of the kernel."""

    @cached_property
    def text(self) -> str:
        """The length as the launch passes it. Raises NotExpressible."""
        texts: dict[str, str] = {}
        evaluation = evaluation_at(self.launch)
        for name, argument in self.arguments.items():
            if argument is None or not evaluation.is_pure(argument):
                line = self.launch.call.lineno
                raise NotExpressible(f"line {line} computes what it passes for {name}")
            text = ast.unparse(argument)
            alone = self.extent == Polynomial.of(Param(name))
            whole = isinstance(argument, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
            texts[name] = text if whole or alone else f"({text})"
        return spelled(self.extent, texts)

    @property
    def arguments(self) -> Mapping[str, ast.expr | None]:
        """What the length is made of."""
        names = [str(atom.arguments[0]) for atom in self.extent.atoms]
        return {name: self.launch.arguments.get(name) for name in names}

    @property
    def next_power(self) -> str:
        """What the file calls `triton.next_power_of_2`. Raises NotExpressible."""
        names, scope = self.launch.module.names, scope_at(self.launch)
        for name in names.module.bindings:
            resolved = names.resolve_name(name, scope)
            if resolved == "triton":
                return f"{name}.next_power_of_2"
            if resolved == NEXT:
                return name
        line = self.launch.call.lineno
        raise NotExpressible(f"line {line} has no name for {NEXT}")
