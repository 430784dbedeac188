"""Tiles as long as the row, at each launch: of every row, or up to a length beyond which the loops
are kept.

block = triton.next_power_of_2(max(n, 16)) if n <= 32768 else 1024
num_warps = min(max(block // 512, 4), 16)
kernel[(m,)](x, y, n, BLOCK=block, num_warps=num_warps)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, unknown
from tritonopt.emit.any_length import prove_any_length
from tritonopt.emit.heuristic_functions import check_heuristic, heuristic
from tritonopt.emit.sweeps import RowSweeps
from tritonopt.emit.trip_guards import is_positive_at
from tritonopt.emit.writing import (
    NotExpressible,
    Writer,
    in_a_file,
    names_bound,
    statements_around,
)
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import CeilDiv, Maximum, Param
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import Atom
from tritonopt.facts.algebra.turns import is_at_most
from tritonopt.facts.assumptions import Assumption
from tritonopt.facts.host.launcher_code import bindings_of, evaluation_at, forms_at
from tritonopt.facts.language import function
from tritonopt.launches.known_launches import check_builtin
from tritonopt.launches.launch_grids import heuristic_functions, new_name, scope_at
from tritonopt.launches.plan import LaunchPlan, PlannedLaunch
from tritonopt.passes.one_tile.row_legality import OneTile
from tritonopt.source import (
    AddArgument,
    Change,
    Enclose,
    InsertAfter,
    InsertBefore,
    Remove,
    ReplaceExpression,
)
from tritonopt.source.editing import excerpts
from tritonopt.source.editing.changes import ELSE
from tritonopt.source.kernels import Parameter
from tritonopt.source.launches import Launch
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk

_NAME = "ONE_TILE"


@dataclass(frozen=True)
class Question:
    """`extent <= tile`, of parameters of the kernel."""

    facts: KernelFacts
    extent: Polynomial
    tile: Polynomial
    may_be_empty: bool
    """Whether a row of no elements has to be told from one that a tile holds."""

    @property
    def parameters(self) -> list[Parameter]:
        named = {_name(atom) for form in (self.extent, self.tile) for atom in form.atoms}
        return [p for p in self.facts.kernel.parameters if p.name in named]

    @property
    def is_constexpr(self) -> bool:
        """Whether the compiler knows all that is asked for."""
        return all(parameter.constexpr for parameter in self.parameters)

    @property
    def for_compiler(self) -> str:
        # Triton compiles no chained comparisons.
        return self._text({p.name: p.name for p in self.parameters}, " and ")

    @property
    def for_heuristic(self) -> str:
        """The function that a heuristic is."""
        return f"lambda args: {self._text({p.name: _taken(p) for p in self.parameters})}"

    def _text(self, names: dict[str, str], chain: str = "") -> str:
        extent, tile = spelled(self.extent, names), spelled(self.tile, names)
        fits = f"{extent} <= {tile}"
        if not self.may_be_empty:
            return fits
        return f"0 < {extent}{chain}{fits}" if chain else f"0 < {fits}"


def _taken(parameter: Parameter) -> str:
    """How a heuristic takes an argument, which it is not given where the launch leaves it out."""
    if parameter.default is None:
        return f'args["{parameter.name}"]'
    return f'args.get("{parameter.name}", {ast.unparse(parameter.default)})'


def spelled(form: Polynomial, names: dict[str, str]) -> str:
    """A form of parameters, with texts for their names."""
    text = ""
    for monomial, coefficient in form.sorted_terms:
        factors = [names[_name(a)] for a, power in monomial for _ in range(power)]
        number = abs(int(coefficient))
        if number != 1 or not factors:
            factors.insert(0, str(number))
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} " if text else "-" if coefficient < 0 else ""
        text += " * ".join(factors)
    return text or "0"


def ask(sweeps: RowSweeps, may_be_empty: bool, attempt: Attempt) -> Question:
    """The question that decides between the two forms. Raises Declined."""
    if may_be_empty:
        attempt.prove("sizes-are-positive", "an empty row keeps its loops")
    question = _question(sweeps, may_be_empty)
    facts, extent, tile = question.facts, question.extent, question.tile
    if not facts.forms.is_positive(tile):
        detail = f"{tile.readable} is not a number of lanes, so it may not be the tile length"
        raise unknown("length-is-known-at-the-launch", "length-is-computed", detail)
    attempt.prove("length-is-known-at-the-launch", f"{extent.readable} is an argument")
    if not question.is_constexpr:
        check_heuristic(facts, question.parameters)
        attempt.prove("parameter-can-be-added", "every launch would evaluate it")
        attempt.assume("launches-are-seen", "files that were not given only launch it")
    return question


def _question(sweeps: RowSweeps, may_be_empty: bool) -> Question:
    tiles = sweeps.count.sole_atom if sweeps.count is not None else None
    assert tiles is not None and isinstance(tiles, CeilDiv)
    extent, tile = tiles.arguments
    assert isinstance(extent, Polynomial) and isinstance(tile, Polynomial)
    _check_parameters(sweeps, extent, tile)
    return Question(sweeps.facts, extent, tile, may_be_empty)


def _check_parameters(sweeps: RowSweeps, extent: Polynomial, tile: Polynomial) -> None:
    facts = sweeps.facts
    bound = names_bound(facts.kernel.node)
    parameters = {p.name: p for p in facts.kernel.parameters}
    for form in (extent, tile):
        whole = all(c.denominator == 1 for c in form.terms.values())
        powers = all(power > 0 for monomial in form.terms for _, power in monomial)
        for name in (_name(atom) for atom in form.atoms):
            if name not in parameters or name in facts.pointers or not whole or not powers:
                detail = f"{form.readable} is computed in the kernel"
                raise unknown("length-is-known-at-the-launch", "length-is-computed", detail)
            default = parameters[name].default
            constant = isinstance(default, ast.Constant) and isinstance(default.value, int)
            if name in bound or not (default is None or constant):
                detail = f"{name} is not the launch's argument everywhere"
                raise unknown("length-is-known-at-the-launch", "length-is-computed", detail)


def _name(atom: Atom) -> str:
    return atom.name if isinstance(atom, Param) else ""


def asked(question: Question, writer: Writer) -> tuple[str, tuple[Change, ...]]:
    """The condition as the kernel can write it, and what it takes. Raises NotExpressible."""
    if question.is_constexpr:
        return question.for_compiler, ()
    function = question.for_heuristic
    for name, answer in heuristic_functions(question.facts.kernel):
        if answer is not None and ast.dump(answer) == ast.dump(_parsed(function)):
            return name, ()
    name = writer.fresh(_NAME)
    return name, tuple(heuristic(writer, name, function))


def _parsed(text: str) -> ast.expr:
    return parsed(text, mode="eval").body


def is_asked_already(sweeps: RowSweeps) -> bool:
    """Whether the sweeps are what is left for rows that one tile does not hold.

    Of a heuristic that is not seen, that is taken to be so.
    """
    try:
        questions = [_question(sweeps, may_be_empty) for may_be_empty in (False, True)]
    except Declined:
        return False
    facts = sweeps.facts
    tests = {ast.dump(_parsed(question.for_compiler)) for question in questions}
    functions = {ast.dump(_parsed(question.for_heuristic)) for question in questions}
    answers = dict(heuristic_functions(facts.kernel))
    for _, block, node in statements_around(facts, sweeps.statements[0]):
        if not isinstance(node, ast.If) or block is not node.orelse:
            continue
        if ast.dump(node.test) in tests:
            return True
        if isinstance(node.test, ast.Name):
            answer = answers.get(node.test.id)
            given = (p for p in facts.kernel.parameters if p.name == node.test.id)
            hidden = "" in answers and any(p.constexpr for p in given)
            if hidden or (answer is not None and ast.dump(answer) in functions):
                return True
    return False


def in_place_of_the_loops(proof: OneTile) -> tuple[Change, ...]:
    """The code where the loops stood. Raises NotExpressible where a comment would get lost."""
    statements = proof.sweeps.statements
    code = _condition(proof.sweeps) + proof.stretch.code
    changes: list[Change] = [InsertBefore(statements[0], code)]
    changes += [Remove(statement, keep_comments=False) for statement in statements]
    gone = proof.stretch.gone
    excerpts.check_comments(proof.sweeps.facts.kernel.module, changes, gone)
    return tuple(changes)


def _condition(sweeps: RowSweeps) -> str:
    """What has to hold of the launches, in the kernel's own names, as a comment."""
    module = sweeps.facts.kernel.module
    for loop in sweeps.loops:
        match loop.node:
            case ast.For(iter=ast.Call(args=[ast.Constant(value=0), length, tile])):
                pass
            case ast.For(
                iter=ast.Call(
                    args=[ast.Constant(value=0), ast.Call(func=called, args=[length, tile])]
                )
            ) if function(module.resolve(called)) == "cdiv":
                pass
            case _:
                continue
        if isinstance(length, (ast.Name, ast.Attribute)) and isinstance(tile, ast.Name):
            return f"# One tile: {module.text_of(length)} <= {tile.id}\n"
    return ""


def beside_the_loops(proof: OneTile, test: str) -> tuple[Change, ...]:
    """The code where one tile holds the row, and the loops where it does not."""
    statements = proof.sweeps.statements
    code = f"if {test}:\n{excerpts.indented(proof.stretch.code, '    ')}"
    around = Enclose(statements[0], statements[-1], f"{ELSE}\n    ...")
    return InsertBefore(statements[0], code), around


# Tiles as long as the row, at each launch: of every row, or up to a length beyond which the loops

_CHOOSING = frozenset({"triton.autotune", "triton.heuristics"})
LEAST = 16
"""Elements of the shortest tile that is written: an empty row has one too."""
NEXT = "triton.next_power_of_2"
_FEW_WARPS = 2048
"""Elements of a tile for which the 4 warps of every launch were measured to be best."""


@dataclass(frozen=True)
class Raised:
    changes: tuple[Change, ...]
    is_exact: bool
    longest: int
    """The rows that get a tile of their length."""


def raise_tiles(sweeps: RowSweeps, longest: int, attempt: Attempt, *, longer_rows: bool) -> Raised:
    """Tiles for rows of up to a length; with `longer_rows` the others keep the tile they have.

    Raises Declined, or NotExpressible where a launch cannot be written so.
    """
    facts = sweeps.facts
    tiles = sweeps.count.sole_atom if sweeps.count is not None else None
    assert isinstance(tiles, CeilDiv)
    extent, tile = tiles.arguments
    assert isinstance(extent, Polynomial) and isinstance(tile, Polynomial)
    given: list[Assumption] = []
    if not longer_rows:
        _check_bound(facts, extent, tile, longest, given)
    length = tile.sole_atom
    if not isinstance(length, Param):
        detail = f"the length of a tile, {tile.readable}, is not an argument of the launch"
        raise unknown("length-is-known-at-the-launch", "length-is-computed", detail)
    LaunchPlan.of(facts, attempt, apart=True)
    _check_launches(facts, length.name)
    proof = prove_any_length(sweeps, extent, tile)
    attempt.prove(
        "length-is-known-at-the-launch", "only sums and extremes of the tiles are used later"
    )
    longest = _room(longest, proof.kept)
    few_warps = False
    if not longer_rows:
        _check_bound(facts, extent, tile, longest, given)
        attempt.prove("rows-can-be-lifted", f"no row has more than {longest} elements", given)
        few_warps = _is_bounded(facts, extent, _FEW_WARPS, [])
    changes: dict[Change, None] = {}
    for launch in facts.launches.launches:
        kept = longest if longer_rows else None
        bindings = [b for b in facts.launches.bindings if b.launch == launch]
        some = bool(bindings) and all(is_positive_at(extent, binding) for binding in bindings)
        raising = _Raising(launch, extent, length.name, kept, few_warps, some)
        changes.update(dict.fromkeys(raising.changes()))
    attempt.prove("length-is-known-at-the-launch", "each knows the length of the row")
    return Raised(tuple(changes), proof.is_exact, longest)


def _check_bound(
    facts: KernelFacts, extent: Polynomial, tile: Polynomial, most: int, given: list[Assumption]
) -> None:
    """Raises Declined where a row may be longer than the longest tile."""
    if most and _is_bounded(facts, extent, most, given):
        return
    row, held = extent.readable, tile.readable
    longer = (
        f", or --assume '{row} <= {most}' and raise_block raises the tile length" if most else ""
    )
    detail = (
        f"a row may have more than the {held} elements of a tile; if no row has, give "
        f"--assume '{row} <= {held}'{longer}; or tune with your shapes"
    )
    raise unknown("rows-can-be-lifted", "row-may-be-longer", detail)


def _is_bounded(facts: KernelFacts, extent: Polynomial, most: int, given: list[Assumption]) -> bool:
    launches = facts.launches.launches
    return bool(launches) and all(is_at_most(facts, extent, most, x, given) for x in launches)


def _room(longest: int, kept: int) -> int:
    """The longest row where several tiles stay in registers: half as much again for all of them."""
    return longest if kept <= 1 else 2 ** (3 * longest // (2 * kept)).bit_length() // 2


def _check_launches(facts: KernelFacts, tile: str) -> None:
    claim = "length-is-known-at-the-launch"
    if _CHOOSING & set(facts.kernel.decorators):
        detail = f"a decorator of the kernel may choose {tile}, or a value that depends on it"
        raise unknown(claim, "tile-is-not-passed", detail)
    for launch in facts.launches.launches:
        if tile not in launch.arguments:
            detail = f"the launch in {launch.where} does not show what it passes for {tile}"
            raise unknown(claim, "arguments-are-not-seen", detail)
        if launch.arguments[tile] in launch.apart:
            detail = f"the launch in {launch.where} passes {tile} in a dict or tuple"
            raise unknown(claim, "arguments-are-not-seen", f"{detail}: pass it by its name")
        warps = launch.options.get("num_warps")
        if warps is None and launch.hides_options:
            detail = f"the launch in {launch.where} may pass a number of warps in **"
            raise unknown(claim, "arguments-are-not-seen", detail)
        if warps is not None and not isinstance(warps, ast.Constant):
            detail = f"the launch in {launch.where} computes its number of warps"
            raise unknown(claim, "not-tunable", detail)
        if not _is_tuple(launch):
            detail = f"the grid of the launch in {launch.where} may be computed from {tile}"
            raise unknown(claim, "grid-depends-on-the-configuration", detail)


def _is_tuple(launch: Launch) -> bool:
    """Whether the grid is no function of the arguments."""
    grid: ast.expr | None = launch.grid
    if isinstance(grid, ast.Name):
        bound = scope_at(launch).bindings.get(grid.id, [])
        grid = bound[0] if len(bound) == 1 and isinstance(bound[0], ast.expr) else None
    return isinstance(grid, (ast.Tuple, ast.List))


@dataclass(frozen=True)
class _Raising:
    launch: Launch
    extent: Polynomial
    tile: str
    longest: int | None
    """Rows of up to so many elements are held; None for all rows."""
    few_warps: bool
    """Whether no tile takes more warps than a launch has by default."""
    has_elements: bool
    """Whether no row is empty."""

    @property
    def _given(self) -> ast.expr:
        return self.launch.arguments[self.tile]

    @cached_property
    def _own(self) -> ast.Assign | None:
        """The statement that binds the tile's length, for launches of this kernel alone."""
        found = PlannedLaunch(self.launch).own_binding(self._given)
        return found if found in PlannedLaunch(self.launch).before else None

    def changes(self) -> Iterator[Change]:
        launch, place = self.launch, PlannedLaunch(self.launch).statement
        for name in ("min", "max"):
            check_builtin(launch, name)
        own = self._own if self._is_known_at(self._own) else None
        anchor = place if own is None else own
        given = self._given if own is None else own.value
        length = self._row
        if self.longest is not None and not length.isidentifier():
            name = new_name("length", launch)
            yield InsertBefore(anchor, f"{name} = {length}")
            length = name
        code = self._grown(given, length)
        if self.longest is None:
            self._check_pure(given)
        else:
            code += f" if {length} <= {self.longest} else {self._kept(given, self.longest)}"
        if own is not None:
            assert isinstance(self._given, ast.Name)
            block = self._given.id
            yield ReplaceExpression(given, code)
        elif self.few_warps:
            yield ReplaceExpression(given, code)
            return
        else:
            block = new_name(self.tile.lower(), launch)
            yield InsertBefore(place, f"{block} = {code}")
            yield ReplaceExpression(given, block)
        if not self.few_warps:
            yield from self._warped(block, own)

    def _warped(self, block: str, own: ast.Assign | None) -> Iterator[Change]:
        """As many warps as were measured to be best for a tile of that length."""
        launch, place = self.launch, PlannedLaunch(self.launch).statement
        warps = launch.options.get("num_warps")
        name = "num_warps"
        if warps is None:
            name = new_name(name, launch)
        elif name in scope_at(launch).bindings:
            raise NotExpressible(f"line {launch.call.lineno} binds {name} to another value")
        code = f"{name} = min(max({block} // 512, 4), 16)"
        yield InsertAfter(own, code) if own is not None else InsertBefore(place, code)
        if warps is None:
            yield AddArgument(launch.call, f"num_warps={name}")
        else:
            yield ReplaceExpression(warps, name)

    def _is_known_at(self, own: ast.Assign | None) -> bool:
        """Whether the length of the row is what it is at the launch where the tile's is bound."""
        if own is None:
            return False
        evaluation = evaluation_at(self.launch)
        between = [s for s in PlannedLaunch(self.launch).before if s.lineno >= own.lineno]
        return all(
            argument is not None and evaluation.gives_the_same(argument, between)
            for argument in self._lengths.values()
        )

    def _grown(self, given: ast.expr, length: str) -> str:
        """A tile for the row, as the launcher says it already where it does."""
        for node in walk(given):
            if self._follows_row(node):
                assert isinstance(node, ast.Call)
                least = node.args[0]
                text = self.launch.module.text_of(node)
                if self._row == length:
                    return text
                if isinstance(least, ast.Call):
                    numbers = [ast.unparse(a) for a in least.args if isinstance(a, ast.Constant)]
                    return f"{ast.unparse(node.func)}(max({length}, {numbers[0]}))"
        lanes = length if self.has_elements else f"max({length}, {LEAST})"
        return f"{self._next_power}({lanes})"

    def _follows_row(self, node: ast.AST) -> bool:
        """Whether it is the next power of two of the length of the row, or of one at least."""
        module = self.launch.module
        if not isinstance(node, ast.Call) or module.resolve(node.func) != NEXT:
            return False
        worlds = [w for w in bindings_of(self.launch) if node.args and not node.keywords]
        if not worlds:
            return False
        length = substitute(self.extent, worlds[0])
        form = forms_at(self.launch)(node.args[0])
        atom = form.sole_atom
        return form == length or (
            isinstance(atom, Maximum)
            and length in atom.inside
            and any((other.constant_value or 0) > 0 for other in atom.inside)
        )

    def _kept(self, given: ast.expr, longest: int) -> str:
        """The tile for longer rows."""
        module = self.launch.module
        match given:
            case ast.Call(args=[one, other], keywords=[]) if module.builtin(given.func) == "min":
                for most, grows in ((one, other), (other, one)):
                    number = most.value if isinstance(most, ast.Constant) else None
                    small = isinstance(number, int) and number <= longest
                    if small and self._follows_row(grows):
                        return str(number)
        self._check_pure(given)
        return module.text_of(given)

    def _check_pure(self, given: ast.expr) -> None:
        if not evaluation_at(self.launch).is_pure(given):
            raise NotExpressible(f"line {given.lineno} does more than compute {self.tile}")

    @cached_property
    def _row(self) -> str:
        """The length as the launch passes it. Raises NotExpressible."""
        texts: dict[str, str] = {}
        evaluation = evaluation_at(self.launch)
        for name, argument in self._lengths.items():
            if argument is None or not evaluation.is_pure(argument):
                line = self.launch.call.lineno
                raise NotExpressible(f"line {line} computes what it passes for {name}")
            text = ast.unparse(argument)
            alone = self.extent == Polynomial.of(Param(name))
            whole = isinstance(argument, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
            texts[name] = text if whole or alone else f"({text})"
        return spelled(self.extent, texts)

    @property
    def _lengths(self) -> Mapping[str, ast.expr | None]:
        names = [str(atom.arguments[0]) for atom in self.extent.atoms]
        return {name: self.launch.arguments.get(name) for name in names}

    @property
    def _next_power(self) -> str:
        """What the file calls `triton.next_power_of_2`. Raises NotExpressible."""
        names = self.launch.module.names
        spelled = in_a_file(names, NEXT, scope_at(self.launch), names.module)
        if spelled is None:
            raise NotExpressible(f"line {self.launch.call.lineno} has no name for {NEXT}")
        return spelled
