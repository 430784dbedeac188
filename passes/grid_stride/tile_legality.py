"""Whether the programs of a kernel may handle several tiles each, and what that rests on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined
from tritonopt.emit.writing import NotExpressible, Writer, names_bound, names_read
from tritonopt.facts import EffectKind, KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import Lane, Param, ProgramId
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.effects import Effect
from tritonopt.facts.language import DTYPES, function
from tritonopt.facts.memory.dependence import Accesses
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value, is_integer
from tritonopt.launches.division import in_parentheses_of_lines, words_of
from tritonopt.launches.known_launches import (
    NewParameter,
    check_numbers,
    check_parameter,
    extents_of,
    number_at_launch,
)
from tritonopt.launches.launch_grids import Extent, new_name
from tritonopt.launches.plan import LaunchPlan, Limit
from tritonopt.launches.programs import (
    check_effects,
    check_grids,
    check_program_count,
    check_program_ids,
    check_races,
)
from tritonopt.passes.grid_stride.tile_body import TileBody, check_exits, check_names, check_waits
from tritonopt.source import Change, InsertBefore, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk

_NARROW = frozenset({Op.ADD, Op.MUL, Op.PROGRAM_ID, Op.LANE, Op.CONST, Op.CONSTEXPR})
"""What offsets of 32 bits are made of."""


@dataclass(frozen=True)
class TileLaunches:
    """What the launches say of the number of tiles, where it is known or passed by each."""

    parameter: str
    """The one that takes the number of tiles where the kernel cannot compute it."""
    added: NewParameter | None = None
    """It, where every launch passes it."""
    extents: tuple[Extent, ...] = ()
    """How many programs the launches start that change with the kernel."""
    bound: str = ""
    """The number of tiles in the kernel's own terms; "" where the launches pass it."""

    @property
    def summary(self) -> str:
        if self.bound:
            return f"there are {self.bound}"
        launches = (
            "the launch" if len(self.extents) == 1 else f"each of {len(self.extents)} launches"
        )
        return f"{launches} passes the number of tiles"

    def changes(self, limit: Limit) -> list[Change]:
        """The launches with at most so many programs along the axis. Raises NotExpressible.

        One in another file is left as it is, and starts a program for each tile.
        """
        here = [extent for extent in self.extents if not extent.launch.is_elsewhere]
        given: list[str] = []
        return [change for extent in here for change in self._edited(extent, limit, given)]

    def _edited(self, extent: Extent, most: Limit, given: list[str]) -> list[Change]:
        """`given` are the new names of numbers, which other launches of a launcher read later."""
        launch, own = extent.launch, extent.own_statement
        word = "" if self.bound else next(iter(words_of(extent)), "")
        is_tuple = own is not None and not (extent.meta or self.bound or word)
        if is_tuple and not (extent.is_plain and extent.comes_before_others):
            own = None  # the number is evaluated at the launch
        limit, changes = most.at(launch, own)
        if own is None:
            if self.bound or word:
                changes += extent.capped(limit)
            else:
                number = number_at_launch(extent, self.parameter.lower())
                changes += [*number.changes, *extent.capped(limit, number.bound_to)]
                word = number.code
        else:
            assert extent.expression is not None
            tiles = excerpts.joined(launch.module.text_of(extent.expression))
            if is_tuple:
                word = new_name(self.parameter.lower(), launch, given)
                given.append(word)
                changes.append(InsertBefore(own, f"{word} = {in_parentheses_of_lines(tiles)}"))
                tiles = word
            elif not (self.bound or word):
                word = number_at_launch(extent, self.parameter.lower()).code
            changes.append(ReplaceExpression(extent.expression, f"min({tiles}, {limit})"))
        if self.added is not None:
            changes.append(self.added.passed(launch, word))
        return changes


def prove_launches(facts: KernelFacts, writer: Writer, axis: int, attempt: Attempt) -> TileLaunches:
    """Whether every launch is seen and its grid is understood. Raises Declined."""
    return _Legality(facts, writer, axis).check(attempt)


@dataclass(frozen=True)
class _Legality:
    facts: KernelFacts
    writer: Writer
    axis: int

    def check(self, attempt: Attempt) -> TileLaunches:
        plan = LaunchPlan.of(self.facts, attempt)
        extents = extents_of(self.facts, self.axis)
        bound = self._bound(extents, attempt)
        if bound:
            return TileLaunches("", None, extents, bound)
        count = plan.new_count(extents, self.writer.fresh, "num_tiles", "NUM_TILES")
        return TileLaunches(count.code, count.parameter, extents)

    def _bound(self, extents: Sequence[Extent], attempt: Attempt) -> str:
        """The number of tiles as the kernel may compute it; "" where each launch can pass it."""
        cdiv = self.writer.language("cdiv")
        texts = {extent.in_kernel_terms(cdiv) for extent in extents}
        text = texts.pop() if len(texts) == 1 else None
        computed = self._in_kernel(text) if text is not None else ""
        if computed != text:
            try:
                check_numbers(extents)
                check_parameter(self.facts)
                attempt.prove("grid-is-known", "each launch passes its own number of programs")
                return ""
            except Declined:
                if not computed:
                    raise
        attempt.prove("grid-is-known", f"every launch starts {text} programs")
        attempt.assume_no_other_launches()
        return computed

    def _in_kernel(self, text: str) -> str:
        """The number as the kernel may compute it, of its arguments as they are; "" if it may not.

        In 32 bits, so that nothing on the way may be larger than what it computes today.
        """
        tree = parsed(text, mode="eval")
        names = names_read(tree)
        if names & (names_bound(self.facts.kernel.node) | self.facts.pointers):
            return ""
        for parameter in self.facts.kernel.parameters:
            typed = parameter.annotation is not None and not parameter.constexpr
            if parameter.name in names and typed:
                return ""  # the loop variable would have that type
        calls = [node for node in walk(tree) if isinstance(node, ast.Call)]
        if all(self._is_covered(*call.args) for call in calls):
            return text
        match tree.body:
            case ast.Call(args=[ast.Name(id=length), divisor]) if len(calls) == 1:
                # A launch has started, so there is an element.
                tile = ast.unparse(divisor)
                tile = tile if isinstance(divisor, (ast.Name, ast.Constant)) else f"({tile})"
                return f"({length} - 1) // {tile} + 1"
        return ""

    def _is_covered(self, dividend: ast.expr, divisor: ast.expr) -> bool:
        """Whether the kernel's own offsets of 32 bits reach as far as `dividend + divisor - 1`."""
        block = _form(divisor)
        if block is None or not isinstance(dividend, ast.Name):
            return False
        axis = Polynomial.constant(self.axis)
        first = Polynomial.of(ProgramId(axis)) * block
        offsets = first + Polynomial.of(Lane(block, 0))
        forms = self.facts.forms
        return any(
            all(part.op in _NARROW for part in value.walk()) and forms.of(value) == offsets
            for value in self.facts.values.values()
            if value.rank == 1
        )


def _form(node: ast.expr) -> Polynomial | None:
    match node:
        case ast.Name(id=name):
            return Polynomial.of(Param(name))
        case ast.Constant(value=int() as value):
            return Polynomial.constant(value)
    return None


# Atomics on the same addresses for every tile: one value in registers, and one atomic at the end

_TENSORS = frozenset({Op.LOAD, Op.REDUCE, Op.CAST})
"""Operations whose result is a tensor also where it is a scalar."""
_SUMMED_AS = {"fp16": "float32", "bf16": "float32", "fp32": "float32", "fp64": "float64"} | {
    f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (32, 64)
}
"""For memory of a type, one in which a sum over tiles keeps all that the atomics would have."""


_ORDERS = ("relaxed", "acq_rel")
"""Orders of memory that promise nothing to who reads what is added to, or are the default."""


@dataclass(frozen=True)
class TileSum:
    """An atomic on the same addresses for every tile."""

    statement: ast.Expr
    call: ast.Call
    added: ast.expr
    cast: str
    """Code for the type that what is added must be cast to, as the atomic does; or ""."""
    may_be_number: bool
    """Whether what is added may be a plain number rather than a tensor."""
    is_whole: bool
    """Whether no order of addition changes the result: it is one of integers."""
    begins: str
    """Code for what it begins with."""
    name: str
    under: ast.If | None
    """The `if` that it stands in, whose condition is known when the kernel is compiled."""
    is_tile: bool
    """Whether a tile adds to many addresses, and not one number to one."""


@dataclass(frozen=True)
class TileSums:
    """Those that were found, and the atomics that stay in the loop."""

    sums: tuple[TileSum, ...] = ()
    left: Mapping[int, str] = field(default_factory=dict)
    """By line, why they stay."""


class _Finder:
    def __init__(self, body: TileBody, writer: Writer) -> None:
        self.body = body
        self.facts: KernelFacts = body.facts
        self.kernel = body.kernel
        self.writer = writer

    def find(self, attempt: Attempt) -> TileSums:
        sums: list[TileSum] = []
        left: dict[int, str] = {}
        accesses = Accesses(self.facts)
        for statement, under in self._statements():
            effect = self._atomic(statement)
            if effect is None:
                continue
            assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            try:
                found = self._sum(statement, statement.value, effect, under)
                accesses.used &= self._apart(effect).used
                sums.append(found)
            except NotExpressible as why:
                left[statement.lineno] = str(why)
        if sums:
            accesses.prove(attempt, "parts-are-independent", "no other code accesses memory")
        return TileSums(tuple(sums), left)

    def _statements(self) -> Iterator[tuple[ast.stmt, ast.If | None]]:
        """The statements of every tile, and those in an `if` that the compiler decides."""
        for statement in self.body.looped:
            yield statement, None
            if isinstance(statement, ast.If) and is_constexpr(self.facts, statement.test):
                for inner in statement.body:
                    yield inner, statement

    def _atomic(self, statement: ast.stmt) -> Effect | None:
        """The effect of a statement that is such an atomic and nothing else."""
        call = statement.value if isinstance(statement, ast.Expr) else None
        effects = [e for e in self.facts.effects if e.node is call]
        if len(effects) != 1 or effects[0].name != "atomic_add" or effects[0].inlined:
            return None
        return effects[0]

    def _apart(self, effect: Effect) -> Accesses:
        """Why nothing but other atomics of the kind touches what is added to, and what is given."""
        statements = [s for s in walk(self.kernel.node) if isinstance(s, ast.Expr)]
        alike = [e for s in statements if (e := self._atomic(s))]
        accesses = Accesses(self.facts)
        for other in self.facts.effects:
            if other.kind is EffectKind.CALL:
                raise NotExpressible(
                    f"{other.name} in line {other.line} may access the same memory"
                )
            if other.pointer is None or other in alike:
                continue
            if not accesses.are_disjoint(effect, other):
                touches = f"the {other.name} in line {other.line} may access the same memory"
                raise NotExpressible(touches)
        return accesses

    def _sum(
        self, statement: ast.Expr, call: ast.Call, effect: Effect, under: ast.If | None
    ) -> TileSum:
        pointer, added, mask = self._arguments(call)
        earlier = [found for found in self.body.exits if found.statement.lineno < statement.lineno]
        if not all(self.body.asks_for_tile(found.test) for found in earlier):
            raise NotExpressible("it may not be reached by any tile")
        where = [pointer] if mask is None else [pointer, mask]
        inside = {node for part in where for node in walk(part)}
        if self.body.depends_on_tile(pointer):
            raise NotExpressible("tiles add to different addresses")
        if mask is not None and self.body.depends_on_tile(mask):
            # Of lanes that no tile adds to, the memory may not even exist.
            way = "if it is true or false for a whole tile, write `if ...: return` above"
            raise NotExpressible(f"its mask depends on the tile ({way})")
        if any(e.node in inside for e in self.facts.effects):
            raise NotExpressible("its address is loaded")
        bases = sorted(self.facts.bases(effect) or ())
        type_, dtype = self._type_of_sum(effect, bases)
        value = self.facts.values[added]
        assert effect.pointer is not None
        # What is added is broadcast to the addresses.
        shape = effect.pointer.shape if value.shape is None else value.shape
        if shape is None:
            raise NotExpressible("the shape of what it adds is not known")
        types = self.facts.types.of(value)
        is_cast = not (dtype and types.complete and types.seen == {dtype})
        is_literal = _fits(value.constant, dtype)
        extents = self._extents(shape)
        begins = f"{self.writer.language('zeros')}([{extents}], dtype={type_})"
        if not shape and dtype in ("fp32", "int32"):
            begins = "0.0" if dtype == "fp32" else "0"
        base = re.sub(r"_?ptrs?$", "", bases[0].lower()) if len(bases) == 1 else ""
        name = self.writer.fresh(f"{base}_sum" if base else "sum_of_tiles")
        cast = type_ if is_cast and not is_literal else ""
        may_be_number = not shape and value.op not in _TENSORS
        whole = is_integer(dtype)
        return TileSum(
            statement,
            call,
            added,
            cast,
            may_be_number,
            whole,
            begins,
            name,
            under,
            bool(shape),
        )

    def _arguments(self, call: ast.Call) -> tuple[ast.expr, ast.expr, ast.expr | None]:
        """The address, what is added, and the mask."""
        positional = list(call.args)
        if function(self.kernel.module.resolve(call.func)) != "atomic_add":
            if not isinstance(call.func, ast.Attribute):
                raise NotExpressible("the called function is not understood")
            positional.insert(0, call.func.value)  # a method of its address
        given = dict(zip(("pointer", "val", "mask"), positional, strict=False))
        given.update((k.arg, k.value) for k in call.keywords if k.arg is not None)
        sem = given.pop("sem", None)
        if sem is not None and not (isinstance(sem, ast.Constant) and sem.value in _ORDERS):
            raise NotExpressible("it orders memory")
        if len(positional) > 3 or set(given) - {"pointer", "val", "mask"}:
            raise NotExpressible("it has other options")
        if "pointer" not in given or "val" not in given:
            raise NotExpressible("its arguments are not understood")
        return given["pointer"], given["val"], given.get("mask")

    def _extents(self, shape: Sequence[Value]) -> str:
        before = self.facts.before[self.body.looped[0]]
        form = self.facts.forms.of
        return ", ".join(self.writer.find_form(form(extent), before) for extent in shape)

    def _type_of_sum(self, effect: Effect, bases: Sequence[str]) -> tuple[str, str]:
        """Code for the type to sum in, and Triton's short name of it where it is known.

        The atomic casts what it adds to the type of the memory. A sum in that type, or for
        narrow floats in fp32, overflows no earlier and rounds no worse.
        """
        memory = self.facts.types.behind(effect)
        wide = {_SUMMED_AS.get(dtype, "") for dtype in memory.seen} if memory.complete else set()
        if len(wide) == 1 and "" not in wide:
            name = wide.pop()
            return self.writer.language(name), DTYPES.get(name, name)
        if len(bases) != 1 or any(bases[0] in names_bound(s) for s in self.body.hoisted):
            raise NotExpressible("the type of its memory is unknown")
        return f"{bases[0]}.dtype.element_ty", ""


def _fits(constant: object, dtype: str) -> bool:
    """Whether a number of the source takes on the type when it is added to it."""
    match constant:
        case bool():
            return False
        case int():
            return dtype in ("int32", "int64", "fp32", "fp64") and abs(constant) < 2**31
        case float():
            return dtype in ("fp32", "fp64")
    return False


@dataclass(frozen=True)
class Tiling:
    body: TileBody
    sums: TileSums
    launches: TileLaunches


def prove_tiling(body: TileBody, writer: Writer, attempt: Attempt) -> Tiling:
    """Goes through the conditions. Raises Declined at the first one that does not hold."""
    check_body(body, attempt)
    sums = _Finder(body, writer).find(attempt)
    launches = prove_launches(body.facts, writer, body.ids.axis, attempt)
    check_grids(launches.extents)
    return Tiling(body, sums, launches)


def check_body(body: TileBody, attempt: Attempt) -> None:
    """Whether the body can run again and again. Raises Declined."""
    check_program_ids(body.ids)
    check_program_count(body.facts, body.ids)
    used = "stands for that of tiles" if body.ids.counts else "is not used"
    detail = f"the number of programs {used}, and no helper reads the program id"
    attempt.prove("rows-can-be-lifted", detail)
    check_effects(body.facts, attempt)
    check_exits(body, attempt)
    check_waits(body, attempt)
    check_races(body.facts, body.ids.axis, attempt)
    check_names(body, attempt)
