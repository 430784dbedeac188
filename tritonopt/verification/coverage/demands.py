"""What must have run for a yes: lines, both outcomes of tests, further turns of loops."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from tritonopt import facts, source
from tritonopt.facts.algebra.turns import is_at_most, takes_one_turn
from tritonopt.facts.host.settings_functions import with_results
from tritonopt.source.single_numbers import limit_of, named_numbers, number_asked_for
from tritonopt.source.tile_extents import extents_of
from tritonopt.source.trees import blocks_of, bound_in, names_in
from tritonopt.verification.coverage.never_chosen import always_run, never_chosen
from tritonopt.verification.coverage.text_differences import (
    Body,
    Comparison,
    Statement,
    Version,
    asks_for_none,
)
from tritonopt.verification.host_values import HostValue, have_differed, host_values, reads_tensors
from tritonopt.verification.process.messages import Coverage, Place, Span

_MASKED = {"load": 1, "store": 2}
"""The place of the mask among the arguments of functions that access memory."""
_OPTIONS = ("num_warps", "num_stages", "num_ctas")
"""What a launch says of how it is made, on which no result depends."""
LOOPS = ("turns", "ragged")
"""What is asked of the turns of loops."""
NUMBERS = ("holds", "fails")
"""What is asked of comparisons with a number, of any lane: calls are made for the number."""
VARIES = "varies"
"""What is asked of the values of an expression of a launcher."""
_FAR = 4096
"""Beyond that, sizes are made for the number alone, as for single numbers."""
_KINDS = (VARIES, "line", "true", "false", "programs", "lanes", *LOOPS, *NUMBERS)


@dataclass(frozen=True)
class Demand:
    """Something of one version that has to be seen before the two may be called the same."""

    title: str
    """`original` or `rewritten`."""
    line: int
    kind: str
    """One of `_KINDS`."""
    text: str
    column: int = 0
    always: frozenset[str] = frozenset()
    """Kernels of which every program runs the line."""
    impossible: bool = False
    """Whether the text shows that no call can meet it."""
    axis: int = 0
    """Of a kernel's grid, along which there have to be two programs; the kernel is the `text`."""
    extent: str = ""
    """The length of a tile, of which there have to be two elements."""
    within: range = range(0)
    """The lines of the function that it is asked of."""
    number: int | None = None
    """What is compared, or limited, with."""
    span: Span | None = None
    """Of an expression of a launcher, where it stands."""
    parts: tuple[Span, ...] = ()
    """What it is computed from."""
    truth: bool = False
    """Whether it counts only whether it is true."""
    of_values: bool = False
    """Whether it asks what tensors hold: one without elements does not tell."""
    skips: bool = False
    """Whether all that is asked is that nothing is done, where an index is none."""

    @property
    def side(self) -> int:
        """The place of its version in what both ran."""
        return ("original", "rewritten").index(self.title)

    def entered(self, both: Sequence[Coverage]) -> bool:
        """Whether a call ran anything of the function that it is asked of."""
        return bool(both[self.side].lines & set(self.within))

    @property
    def is_far(self) -> bool:
        """Whether hardly a call comes to it: larger sizes than are run, or another device."""
        of_device = self.span is not None and self.span in self.parts
        return self.kind == VARIES and (of_device or (self.number or 0) > _FAR)

    def met_by(self, seen: Coverage) -> bool:
        if self.kind == "line":
            return self.line in seen.lines or bool(self.always & seen.writers)
        if self.kind in ("true", "false", *NUMBERS):
            return ((self.line, self.column), self.kind in ("true", "holds")) in seen.tests
        if self.span is not None:
            return have_differed(seen.values, self.span, self.parts)
        if self.kind == "programs":
            grids = (grid for name, grid in seen.grids if name == self.text)
            return any(len(grid) > self.axis and grid[self.axis] > 1 for grid in grids)
        if self.kind == "lanes":
            return seen.extents.get((self.line, self.column), 0) > 1
        loop = seen.loops.get(self.line)
        if loop is None:
            return False
        return loop.ragged if self.kind == "ragged" else loop.turns >= 2

    def __str__(self) -> str:
        where = f"{self.line} of the {self.title} version"
        return {
            VARIES: (
                f"`{self.text}` (line {where}) had the same value in every call, so "
                "other values were not tested"
            ),
            "line": f"line {where} never ran: `{self.text}`",
            "true": f"the condition in line {where} was never true: `{self.text}`",
            "false": f"the condition in line {where} was always true: `{self.text}`",
            "holds": f"the comparison in line {where} was false everywhere: `{self.text}`",
            "fails": f"the comparison in line {where} was true everywhere: `{self.text}`",
            "programs": f"of `{self.text}` (line {where}) only one program ran along axis "
            f"{self.axis} of its grid",
            "lanes": (
                f"`{self.extent}` in line {where} was never more than 1, so several "
                f"elements along that axis were not tested: `{self.text}`"
            ),
            "turns": f"the loop in line {where} never had a second iteration: `{self.text}`",
            "ragged": (
                f"the loop in line {where} never had a last iteration with a partial "
                f"tile: `{self.text}`"
            ),
        }[self.kind]


def demands(
    old: source.Module, new: source.Module, reached: tuple[set[str], set[str]]
) -> list[Demand]:
    """What has to run of both versions; `reached` names what the launcher of each reaches."""
    compared = Comparison.of(old, new)
    found: list[Demand] = []
    for title, version, names in (
        ("original", compared.old, reached[0]),
        ("rewritten", compared.new, reached[1]),
    ):
        asked = dict.fromkeys(_of_version(compared, title, names))
        always, single = always_run(version), _single_turns(version.module, asked, old.path)
        dead = _never_chosen(version.module, asked)
        for demand in asked:
            kernels = always.get(demand.line, frozenset())
            impossible = demand.kind in LOOPS and demand.line in single
            impossible |= demand.kind != "programs" and demand.line in dead
            found.append(replace(demand, always=kernels, impossible=impossible))
    return sorted(found, key=lambda d: (d.title, d.line, d.column, _KINDS.index(d.kind)))


def _of_version(compared: Comparison, title: str, names: set[str]) -> Iterator[Demand]:
    """What has to run of the functions of one version that are reached."""
    version, other = compared.old, compared.new
    if title == "rewritten":
        version, other = other, version
    reached = [b for b in version.bodies.values() if b.name.partition(".")[0] in names]
    for body in reached:
        counterpart = other.bodies.get(body.name)
        suspects = compared.suspects | compared.local[body.name]
        known = set() if counterpart is None else _choices(counterpart.node, suspects)
        within = range(body.node.lineno, (body.node.end_lineno or body.node.lineno) + 1)
        kernel = _kernel_of(version.module, body)
        yield from _limits(title, body, counterpart, kernel is None, (version, other), within)
        if kernel is None:
            known |= _of_availability(body.node)
            settled = _in_launch_options(version.module, body)
            known |= {ast.dump(n) for n in settled if isinstance(n, ast.IfExp)}
            for value in host_values(body, counterpart, suspects, settled):
                yield _varying(title, value, within)
        if kernel is not None:
            known |= _of_launches(body.node)
            yield from _single_numbers(title, body, counterpart, within)
            if any(statement.concerned for statement in body.statements):
                axes = _axes_of_many(version.module, kernel, reached, compared.old.module.path)
                for axis, line in axes.items():
                    yield Demand(title, line, "programs", kernel.name, axis=axis, within=within)
        concerned = (s for s in body.statements if s.concerned)
        asked = chain.from_iterable(_demanded(title, version, s, known) for s in concerned)
        asked = chain(asked, _launching(title, version, body))
        reading = _reading_tests(body) if kernel is None else set()
        for demand in chain(asked, _lanes(title, version.module, body)):
            of_values = demand.kind in ("true", "false") and (
                (demand.line, demand.column) in reading
            )
            yield replace(demand, within=within, of_values=of_values)


def _reading_tests(body: Body) -> set[Place]:
    """Where the tests of a launcher stand that ask what tensors hold."""
    nodes = (n for s in body.statements for part in (s.node, *s.head) for n in ast.walk(part))
    tests = {n.test for n in nodes if isinstance(n, (ast.If, ast.IfExp, ast.While))}
    return {(t.lineno, t.col_offset) for t in tests if reads_tensors(t, body)}


def _varying(title: str, value: HostValue, within: range) -> Demand:
    """An expression of a launcher has to come to more than one value, if it can."""
    return Demand(
        title,
        value.node.lineno,
        VARIES,
        ast.unparse(value.node),
        value.node.col_offset,
        within=within,
        span=value.span,
        parts=value.parts,
        truth=value.truth,
        of_values=value.of_values,
        number=value.number,
    )


def watched(demands: Iterable[Demand], title: str) -> dict[Span, bool]:
    """What has to be noted of a version, and whether only that it is true."""
    asked = [d for d in demands if d.title == title and d.span is not None]
    found = {part: False for d in asked for part in d.parts}
    return found | {d.span: d.truth for d in asked if d.span is not None}


def _launching(title: str, version: Version, body: Body) -> Iterator[Demand]:
    """Every launch of a kernel in which something is concerned has to run.

    Another one may pass it what shows that the versions differ.
    """
    kernels = [b.node for b in version.bodies.values() if any(s.concerned for s in b.statements)]
    launches = (n for n in version.module.launches if n.kernel.node in kernels)
    calls = {n.call for n in launches if not n.is_elsewhere}
    for statement in body.statements:
        if not statement.concerned and not calls.isdisjoint(statement.nodes):
            asked = _demanded(title, version, statement, set())
            yield from (demand for demand in asked if demand.kind == "line")


def _axes_of_many(
    module: source.Module, kernel: source.Kernel, reached: list[Body], place: str
) -> dict[int, int]:
    """Axes along which a kernel has several programs, and the lines where it asks which it is.

    `place` is where the file is imported.
    """
    axes = axes_of_many(module, kernel, [b.node for b in reached])
    read = with_results(module, place) if axes else None
    again = None if read is None else read.kernel(kernel.name)
    if read is None or again is None:
        return axes
    starts = {(b.node.name, b.node.lineno) for b in reached}
    functions = (n for n in ast.walk(read.tree) if isinstance(n, ast.FunctionDef))
    launchers = [n for n in functions if (n.name, n.lineno) in starts]
    known = axes_of_many(read, again, launchers)
    return {axis: line for axis, line in axes.items() if axis in known}


def _kernel_of(module: source.Module, body: Body) -> source.Kernel | None:
    return next((k for k in module.kernels if k.node is body.node), None)


def _single_numbers(
    title: str, body: Body, counterpart: Body | None, within: range
) -> Iterator[Demand]:
    """Both outcomes of comparisons with a number that this version of a kernel alone asks for."""
    asked = () if counterpart is None else map(number_asked_for, ast.walk(counterpart.node))
    known = {None, *asked}
    differing = (s for s in body.statements if s.differs)
    for statement, node in ((s, n) for s in differing for n in s.nodes):
        number = number_asked_for(node)
        if isinstance(node, ast.Compare) and number not in known:
            text, place = ast.unparse(node), (node.lineno, node.col_offset)
            # Where an assertion fails there is no result: a call that is accepted shows none.
            for kind in NUMBERS[:1] if _asserts(statement.node) else NUMBERS:
                yield Demand(title, place[0], kind, text, place[1], within=within, number=number)


def _asserts(node: ast.stmt) -> bool:
    """Whether a statement of a kernel only stops it where a condition does not hold."""
    match node:
        case ast.Assert():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))):
            return name in ("static_assert", "device_assert")
    return False


def _limits(
    title: str,
    body: Body,
    counterpart: Body | None,
    on_host: bool,
    versions: tuple[Version, Version],
    within: range,
) -> Iterator[Demand]:
    """Limits that this version of a function alone has were in force, and were not, elsewhere.

    `versions` are this one and the other. No result depends on the limits of a number of warps,
    and what the test around a limit asks itself is met by the outcomes of the test.
    """
    named, others = (named_numbers(v.module.tree) if on_host else {} for v in versions)
    asked = () if counterpart is None else ast.walk(counterpart.node)
    known = {limit[0] for node in asked if (limit := limit_of(node, others)) is not None}
    settled = _in_launch_options(versions[0].module, body) if on_host else set()
    for statement in (s for s in body.statements if s.differs):
        tests = [getattr(parent.node, "test", None) for parent in statement.parents]
        around = {ast.dump(n) for test in tests if test is not None for n in ast.walk(test)}
        for node in statement.nodes:
            limit = limit_of(node, named)
            if limit is None or limit[0] in known or not isinstance(node, ast.expr):
                continue
            if node in settled or ast.dump(node) in around:
                continue
            number, side = limit
            text = f"{ast.unparse(node)} is {ast.unparse(side)}"
            place = node.lineno, node.col_offset
            for kind in NUMBERS:
                yield Demand(title, place[0], kind, text, place[1], within=within, number=number)


def _in_launch_options(module: source.Module, body: Body) -> set[ast.AST]:
    """What says how many warps, stages and blocks of a cluster a launch has, and nothing else."""
    found = (launch.options.get(name) for launch in module.launches for name in _OPTIONS)
    options = {n for option in found if option is not None for n in ast.walk(option)}
    loaded = [n for n in ast.walk(body.node) if isinstance(n, ast.Name)]
    elsewhere = {n.id for n in loaded if isinstance(n.ctx, ast.Load) and n not in options}
    for statement in body.statements:
        match statement.node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name not in elsewhere:
                options.update(ast.walk(value))
    return options


def _lanes(title: str, module: source.Module, body: Body) -> Iterator[Demand]:
    """The lengths of the tiles that what differs is computed from: there have to be two elements.

    But for one of which the text shows that it is always 1.
    """
    kernel = _kernel_of(module, body)
    known = facts.of(kernel) if kernel is not None else None
    for statement in _sources(body):
        text = ast.unparse(statement.node).partition("\n")[0]
        calls = (n for n in statement.nodes if isinstance(n, ast.Call))
        for call in calls:
            if not module.resolve(call.func).startswith("triton.language."):
                continue
            for extent in extents_of(call):
                value = None if known is None else known.values.get(extent)
                if known is None or value is None or not is_at_most(known, value, 1):
                    line, column = extent.lineno, extent.col_offset
                    name = ast.unparse(extent)
                    yield Demand(title, line, "lanes", text, column, extent=name)


def _sources(body: Body) -> list[Statement]:
    """The statements of a function that are concerned, and those that these are computed from."""
    read = set().union(*(s.reads for s in body.statements if s.concerned))
    needed = body.computed_from(read)
    return [s for s in body.statements if s.concerned or s.binds & needed]


def _single_turns(module: source.Module, asked: Iterable[Demand], place: str) -> set[int]:
    """The lines of loops of which more than one turn is asked, and which never take it.

    `place` is where the file is imported.
    """
    lines = {d.line for d in asked if d.kind in LOOPS}
    found = _of_one_turn(module, lines)
    read = with_results(module, place) if lines - found else None
    return found if read is None else found | _of_one_turn(read, lines - found)


def _of_one_turn(module: source.Module, lines: set[int]) -> set[int]:
    found = set()
    for kernel in module.kernels:
        if any(kernel.node.lineno <= n <= (kernel.node.end_lineno or 0) for n in lines):
            known = facts.of(kernel)
            own = [x for x in known.loops if not x.inlined and x.line in lines]
            found |= {loop.line for loop in own if takes_one_turn(known, loop)}
    return found


def _never_chosen(module: source.Module, asked: Iterable[Demand]) -> set[int]:
    """The lines in branches of kernels to which no launch leads, where something is asked there."""
    lines = {d.line for d in asked}
    found: set[int] = set()
    for kernel in module.kernels:
        inside = range(kernel.node.lineno, (kernel.node.end_lineno or 0) + 1)
        if not lines.isdisjoint(inside):
            found |= never_chosen(kernel)
    return found


def _demanded(
    title: str, version: Version, statement: Statement, known: set[str]
) -> Iterator[Demand]:
    """What one statement asks for; `known` are choices with nothing new in them."""
    chain = (*statement.parents, statement)
    if any(_gives_up(s.node) for s in chain) or _within_refusal(chain):
        # What it does there is an error: no example that is accepted comes to it.
        return
    if isinstance(statement.node, ast.Return) and chain[:-1] and _by_absence(chain[-2].node):
        return
    text = ast.unparse(statement.node).partition("\n")[0]
    yield Demand(title, statement.line, "line", text)
    if statement.differs:
        yield from _outcomes(title, statement, known)
    for loop in chain:
        if isinstance(loop.node, (ast.For, ast.While)) and not _idle(loop.node):
            head = ast.unparse(loop.node).partition("\n")[0]
            if _takes_one_turn(loop.node):
                continue
            if not _fixed(loop.node):
                yield Demand(title, loop.line, "turns", head)
            if _is_masked(version.module, loop.node):
                yield Demand(title, loop.line, "ragged", head)


def _by_absence(node: ast.AST) -> bool:
    """Whether a branch or a choice asks if there is an argument: `bias is None`."""
    test = getattr(node, "test", None)
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot))


def _of_launches(node: ast.AST) -> set[str]:
    """Choices by whether a kernel is given an argument, which its launches in the file settle."""
    return {ast.dump(n) for n in ast.walk(node) if isinstance(n, ast.IfExp) and _by_absence(n)}


def _choices(node: ast.AST, suspects: set[str]) -> set[str]:
    """Conditional expressions, and the tests of branches, that ask nothing that may differ."""
    found = [n for n in ast.walk(node) if isinstance(n, (ast.If, ast.IfExp))]
    same = (n for n in found if not names_in(n.test) & suspects)
    return {ast.dump(n.test if isinstance(n, ast.If) else n) for n in same}


def _of_availability(node: ast.AST) -> set[str]:
    """What asks whether there is a device: a kernel runs where there is one."""
    found = set()
    for part in ast.walk(node):
        match part:
            case ast.If(test=ast.Call(func=ast.Attribute(attr="is_available"))):
                found.add(ast.dump(part.test))
            case ast.IfExp(test=ast.Call(func=ast.Attribute(attr="is_available"))):
                found.add(ast.dump(part))
    return found


def _outcomes(title: str, statement: Statement, known: set[str]) -> Iterator[Demand]:
    """Both outcomes of the tests that differ, but for one that ends in an error."""
    node = statement.node
    if isinstance(node, ast.If) and not _by_absence(node) and ast.dump(node.test) not in known:
        text = f"if {ast.unparse(node.test)}"
        place = node.test.lineno, node.test.col_offset
        if not _refuses(node.body):
            yield Demand(title, place[0], "true", text, place[1])
        if not _refuses(node.orelse):
            skips = not node.orelse and asks_for_none(node.test)
            yield Demand(title, place[0], "false", text, place[1], skips=skips)
    for inner in statement.nodes:
        if isinstance(inner, ast.IfExp) and ast.dump(inner) not in known:
            text, test = ast.unparse(inner), inner.test
            for kind in ("true", "false"):
                yield Demand(title, test.lineno, kind, text, test.col_offset)


def _gives_up(node: ast.stmt) -> bool:
    return isinstance(node, ast.Raise)


def _refuses(block: Iterable[ast.stmt]) -> bool:
    """Whether a block ends in an error."""
    statements = list(block)
    last = statements[-1] if statements else None
    if isinstance(last, ast.Assert):
        return isinstance(last.test, ast.Constant) and not last.test.value
    return isinstance(last, ast.Raise)


def _within_refusal(chain: tuple[Statement, ...]) -> bool:
    for outer, inner in zip(chain, chain[1:], strict=False):
        for block in blocks_of(outer.node):
            if any(node is inner.node for node in block) and _refuses(block):
                return True
    return False


def _idle(loop: ast.For | ast.While) -> bool:
    """Whether it only waits: a lock that nobody holds takes no turn."""
    return all(isinstance(s, ast.Pass) for s in loop.body)


def _fixed(loop: ast.For | ast.While) -> bool:
    """Whether the number of turns stands in the text."""
    if not isinstance(loop, ast.For):
        return False
    if isinstance(loop.iter, (ast.Tuple, ast.List)):
        return True
    arguments = loop.iter.args if isinstance(loop.iter, ast.Call) else []
    return bool(arguments) and all(isinstance(a, ast.Constant) for a in arguments)


def _takes_one_turn(loop: ast.For | ast.While) -> bool:
    """`range(0, TILE, TILE)`, whatever `TILE` is."""
    match getattr(loop, "iter", None):
        case ast.Call(args=[ast.Constant(value=0), stop, step]):
            return ast.dump(stop) == ast.dump(step)
    return False


def _is_masked(module: source.Module, loop: ast.For | ast.While) -> bool:
    """Whether a mask of an access in the loop changes from turn to turn."""
    varying = names_in(loop.target) if isinstance(
        loop, ast.For) else set()  # fmt: skip
    inside = [n for s in loop.body for n in ast.walk(s)]
    carried = _rebound_from_itself(inside)
    varying |= carried
    for _ in range(len(inside)):
        before = len(varying)
        for node in inside:
            if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                continue
            if node.value is not None and names_in(node.value) & varying:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                varying |= set().union(*map(bound_in, targets))
        if len(varying) == before:
            break
    return any(names_in(mask) & varying for mask in _masks(module, inside))


def _rebound_from_itself(inside: Iterable[ast.AST]) -> set[str]:
    """Names that a turn computes from what the last one left."""
    found = set()
    for node in inside:
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.Assign):
            found |= set().union(*map(bound_in, node.targets)) & names_in(node.value)
    return found


def _masks(module: source.Module, inside: Iterable[ast.AST]) -> Iterator[ast.expr]:
    for node in inside:
        if not isinstance(node, ast.Call):
            continue
        name = module.resolve(node.func).removeprefix("triton.language.")
        place = _MASKED.get(name)
        if place is None:
            continue
        yield from (k.value for k in node.keywords if k.arg == "mask")
        yield from node.args[place : place + 1]
        if any(k.arg == "boundary_check" for k in node.keywords):
            yield from node.args[:1]


# Along which axes of its grid a kernel has more than one program, by what its launches say.


def axes_of_many(
    module: source.Module, kernel: source.Kernel, launchers: Container[ast.AST]
) -> dict[int, int]:
    """Axes along which the kernel asks where it stands, with the line where it first does.

    By the launches in these functions. Not those of which a launch does not say how many programs
    there are, nor those with a program for every tile of which the text shows that there is never
    a second one: such a tile grows with what it holds.
    """
    launches = [
        x for x in module.launches if x.kernel.name == kernel.name and x.launcher in launchers
    ]
    launches += module.uses_elsewhere(kernel).launches
    found: dict[int, int] = {}
    for axis, line in _asked(kernel):
        counts = [_count(x, axis) for x in launches]
        plain = any(count is not None and _is_plain(count) for count in counts)
        tiles = any(count is not None and _is_of_tiles(count) for count in counts)
        if plain or _several_tiles(kernel, launches, axis) or (tiles and not _known(kernel)):
            found.setdefault(axis, line)
    return found


def _several_tiles(kernel: source.Kernel, launches: Sequence[source.Launch], axis: int) -> bool:
    """Whether it is known how many programs some launch has, and not that there is only one."""
    known = facts.of(kernel)
    counts = [
        binding.grid[axis]
        for binding in known.launches.bindings
        if binding.launch in launches and axis < len(binding.grid)
    ]
    return any(count is not None and not is_at_most(known, count, 1) for count in counts)


def _known(kernel: source.Kernel) -> bool:
    """Whether it can be read what the kernel is launched with."""
    return bool(facts.of(kernel).launches.bindings)


def _is_of_tiles(count: ast.expr) -> bool:
    """Whether it is a number of tiles as long as a tuner says: `cdiv(n, META["BLOCK"])`."""
    length: ast.expr | None = None
    if isinstance(count, ast.Call) and len(count.args) == 2:
        length = count.args[1]
    elif isinstance(count, ast.BinOp) and isinstance(count.op, ast.FloorDiv):
        length = count.right
    return isinstance(length, ast.Subscript) and isinstance(length.slice, ast.Constant)


def _asked(kernel: source.Kernel) -> Iterator[tuple[int, int]]:
    for node in ast.walk(kernel.node):
        if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("program_id"):
            continue
        places = [*node.args, *(k.value for k in node.keywords if k.arg == "axis")]
        if places and isinstance(places[0], ast.Constant) and type(places[0].value) is int:
            yield places[0].value, node.lineno


def _count(launch: source.Launch, axis: int) -> ast.expr | None:
    """How many programs there are along an axis, with names replaced by what they stand for."""
    names = {} if launch.launcher is None else _bound_once(launch.launcher)
    grid = _resolved(launch.grid, names)
    if isinstance(grid, ast.Lambda):
        grid = _resolved(grid.body, names)
    if not isinstance(grid, ast.Tuple):
        return None
    return _resolved(grid.elts[axis], names) if axis < len(grid.elts) else None


def _bound_once(launcher: ast.AST) -> dict[str, ast.expr]:
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(launcher):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _resolved(node: ast.expr, names: dict[str, ast.expr]) -> ast.expr:
    seen: set[str] = set()
    while isinstance(node, ast.Name) and node.id in names and node.id not in seen:
        seen.add(node.id)
        node = names[node.id]
    return node


def _is_plain(count: ast.expr) -> bool:
    """Whether it is a number of things: a size, a product of sizes, `x.numel() // n`."""
    if isinstance(count, ast.Constant):
        return type(count.value) is int and count.value > 1
    if isinstance(count, ast.BinOp):
        plain = _is_plain(count.left) or isinstance(count.left, ast.Constant)
        if isinstance(count.op, ast.FloorDiv):
            return plain and not isinstance(count.left, (ast.BinOp, ast.Constant))
        return plain and isinstance(count.op, ast.Mult)
    if isinstance(count, ast.Call):
        called = count.func.attr if isinstance(count.func, ast.Attribute) else ""
        return called in ("numel", "size")
    return isinstance(count, (ast.Name, ast.Subscript))
