"""What becomes of a launch of a kernel that is divided in two: a launch of each part."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tritonopt.facts.host.launcher_code import evaluation_at
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.host.side_effects import effects_of
from tritonopt.launches.planned_launch import PlannedLaunch
from tritonopt.source import Change, InsertAfter, Launch, ReplaceExpression
from tritonopt.transforms.new_kernel import PartText, launch_text
from tritonopt.transforms.writing import NotExpressible


@dataclass(frozen=True)
class TwoLaunches:
    """One launch. What it gives may raise NotExpressible."""

    launch: Launch

    def changes(self, first: PartText, second: PartText) -> Iterator[Change]:
        statement = PlannedLaunch(self.launch).statement
        if not self.launch.module.has_own_lines(statement):
            raise NotExpressible(f"several statements share line {statement.lineno}")
        self._check_twice()
        if len(first.parameters) < len(first.facts.kernel.parameters):
            yield ReplaceExpression(self.launch.call, launch_text(self.launch, first))
        head, *lines = launch_text(self.launch, second).split("\n")
        margin = " " * statement.col_offset
        yield InsertAfter(statement, "\n".join([head, *(x.removeprefix(margin) for x in lines)]))

    def _check_twice(self) -> None:
        """Whether all that the launch evaluates comes to the same once more."""
        launch, call = self.launch, self.launch.call
        where = f"the launch in line {call.lineno}"
        module = launch.module
        evaluation, effects = evaluation_at(launch), effects_of(module)
        assert launch.launcher is not None
        parts = [*call.args, *(keyword.value for keyword in call.keywords)]
        grids = [launch.grid]
        if isinstance(launch.grid, ast.Name):
            grids = names_of(launch.launcher).assigned.get(launch.grid.id, [])
        for grid in grids:
            match grid:
                case ast.Lambda(body=body):
                    if not effects.changes([body]).nothing:
                        raise NotExpressible(f"{where} has a grid that does more than to count")
                case ast.Tuple(elts=sizes) | ast.List(elts=sizes):
                    parts += sizes
                case _:
                    raise NotExpressible(f"{where} has a grid that is not read")
        if not grids or not all(map(evaluation.is_pure, parts)):
            raise NotExpressible(f"{where} evaluates what may be another thing the second time")
