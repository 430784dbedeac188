"""What becomes of a launch of a kernel that is divided in two: a launch of each part."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tritonopt.facts.host.launcher_code import evaluation_at
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.host.side_effects import effects_of
from tritonopt.source import Change, InsertAfter, Launch, ReplaceExpression
from tritonopt.transforms.fission.part_text import PartText
from tritonopt.transforms.tiling.launch_grids import statement_of
from tritonopt.transforms.writing import NotExpressible, comments_in


@dataclass(frozen=True)
class TwoLaunches:
    """One launch. What it gives may raise NotExpressible."""

    launch: Launch

    def changes(self, first: PartText, second: PartText) -> Iterator[Change]:
        statement = statement_of(self.launch)
        assert statement is not None
        if not self.launch.module.has_own_lines(statement):
            raise NotExpressible(f"several statements share line {statement.lineno}")
        self._check_twice()
        if len(first.parameters) < len(first.facts.kernel.parameters):
            yield ReplaceExpression(self.launch.call, self._call(first))
        head, *lines = self._call(second).split("\n")
        margin = " " * statement.col_offset
        yield InsertAfter(statement, "\n".join([head, *(x.removeprefix(margin) for x in lines)]))

    def _check_twice(self) -> None:
        """Whether all that the launch evaluates comes to the same once more."""
        launch, call = self.launch, self.launch.call
        where = f"the launch in line {call.lineno}"
        module = launch.module
        if not (isinstance(call.func, ast.Subscript) and isinstance(call.func.value, ast.Name)):
            raise NotExpressible(f"{where} does not launch the kernel by its name")
        if comments_in(module.text_of(call)) or any(isinstance(a, ast.Starred) for a in call.args):
            raise NotExpressible(f"{where} has comments inside, or hides arguments")
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

    def _call(self, part: PartText) -> str:
        """Code for the launch of one part, laid out as the launch is."""
        launch, module = self.launch, self.launch.module
        names = {p.name for p in part.parameters}
        dropped = {p.name for p in part.facts.kernel.parameters} - names
        gone = {id(argument) for name, argument in launch.arguments.items() if name in dropped}
        every: list[ast.expr | ast.keyword] = [*launch.call.args, *launch.call.keywords]
        every.sort(key=lambda node: module.lines.span(node))
        values = [node.value if isinstance(node, ast.keyword) else node for node in every]
        spans = [module.lines.span(node) for node in every]
        start, end = module.lines.span(launch.call)
        text = module.text
        if not every:
            raise NotExpressible(f"line {launch.call.lineno} passes nothing")
        found = text[start : spans[0][0]]
        kept = [place for place, value in enumerate(values) if id(value) not in gone]
        for place, following in pairwise(kept):
            gaps = [text[spans[n][1] : spans[n + 1][0]] for n in range(place, following)]
            gap = next((g for g in gaps if "\n" in g), gaps[0])
            found += text[slice(*spans[place])] + gap
        found += text[slice(*spans[kept[-1]])] + text[spans[-1][1] : end]
        called = launch.call.func
        assert isinstance(called, ast.Subscript)
        return part.name + found[len(module.text_of(called.value)) :]
