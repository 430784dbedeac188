"""grid-stride: a program that handles one tile becomes one that handles every so many."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, product
from typing import ClassVar, Literal

from tritonopt.facts import Assumption, Atom, EffectKind, KernelFacts, Polynomial
from tritonopt.facts.effects import Effect, Loop
from tritonopt.facts.language import function
from tritonopt.facts.program_ids import ProgramIds, callees
from tritonopt.facts.values import is_integer
from tritonopt.rewriting.checklist import Checklist, Declined, refuted, unknown
from tritonopt.rewriting.grids import (
    Extent,
    GridNotReadable,
    is_repeatable,
    names_in,
    read_extent,
    scope_at,
    statement_of,
)
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Condition, Safety, Site, Status
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.passes import Gain, Pass
from tritonopt.rewriting.tile_invariants import invariant_statements
from tritonopt.rewriting.writing import NotExpressible, Writer, names_bound
from tritonopt.source import (
    AddArgument,
    AddParameter,
    Change,
    EditConflict,
    Enclose,
    InsertAfter,
    InsertBefore,
    Launch,
    Remove,
    Replace,
    ReplaceExpression,
)
from tritonopt.source.excerpts import statement_code
from tritonopt.source.trees import walk

LIMIT_OF_LATER_AXES = 65535
"""What CUDA allows along the second and the third axis of a grid."""

_UNDERSTOOD_DECORATORS = frozenset({"triton.jit", "triton.autotune", "triton.heuristics"})
_NEGATIONS = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "=="}
_TIGHT = (ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)
"""What needs no parentheses beside a comparison."""
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_TENSORS = frozenset({"load", "reduce", "cast"})
"""Operations whose result is a tensor also where it is a scalar."""
_NARROW = frozenset({"add", "mul", "program_id", "lane", "const", "constexpr"})
"""What offsets of 32 bits are made of."""
_SUMMED_AS = {"fp16": "float32", "bf16": "float32", "fp32": "float32", "fp64": "float64"} | {
    f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (32, 64)
}
"""For memory of a type, one in which a sum over tiles keeps all that the atomics would have."""
_SHORT_NAMES = {"float32": "fp32", "float64": "fp64"}


@dataclass(frozen=True)
class GridStride(Pass):
    """Let a program handle every so many tiles, where it handled one.

    ## What it does

    A kernel whose program id says which tile or row it handles becomes a loop over
    tiles that starts at the program id and goes on by the number of programs
    (`tl.num_programs`). Any grid is right then: one of a few programs for every
    multiprocessor, or one that the limits of an axis would not have allowed.

    - Statements that do not depend on the tile, loads among them (the weights of a
      norm), move before the loop.
    - An atomic that adds to the same addresses for every tile becomes a sum in
      registers, and one atomic after the loop.
    - `if ...: return` becomes a guard around what follows. A parameter that is bound
      again (`X += row * stride`) gets a new name, for it would go on from tile to tile.

    The number of tiles is what the launches start today. Where the kernel can compute
    it from its own arguments (`tl.cdiv(n, BLOCK)`), and every launch is seen to start just
    so many, it does. Otherwise the kernel gets a last parameter `NUM_TILES=None`, and each
    launch passes the number; a launch that does not pass it runs each program once, as before.

    Options:

    - `axis` (0): the axis of the grid; one at a time.
    - `programs`: the most programs that a launch starts along the axis, as a number, or `sm*K`
      for K on every multiprocessor. Without it axis 0 stays as it is, and the other axes are
      cut at 65535, which is what CUDA allows.
    - `unseen_launches` (`decline`): with `keep`, a kernel whose launches are not all seen gets
      the parameter too, and no launch is changed.

    ## Why

    What is the same for all tiles is done once for a program. On a GPU that pays where sums
    are gathered in registers; a plain elementwise or row kernel is slower as a loop as a rule,
    for the hardware starts programs faster than a loop turns.

    ## Conditions

    Neither the kernel nor a helper uses `tl.num_programs` of the axis, no helper reads the program
    id itself, and no call has unknown effects (it might). No program waits for another: a loop
    that polls memory which the kernel writes is declined, but for a lock that is taken and given
    back for each tile. A `return` is a plain guard in the kernel's own block, and no name is bound
    both before and after it. Every launch is seen, is a statement of its own (the compiled kernel
    that it returns could be launched again), and has a grid that is a tuple, a name for one, or a
    function that returns one and does nothing else.

    A load moves before the loop only where nothing that the kernel stores may be what it reads,
    and where no guard stands before it. A sum replaces an atomic only where the address is the
    same for every tile, the old value is not used, and nothing else touches the memory. It has the
    type of the memory (fp32 for narrower floats), to which the atomic casts what it adds.

    Tiles and programs together must stay below 2**31 (`no-int32-overflow`): the loop counts that
    far. The tile's index has the type and the values of the program id.

    ## Numerics

    The same results, with the safety `contract`, for the launches change with the kernel. Where
    an atomic on floats becomes a sum the order of the additions is another (`rounding`); it was
    not fixed before either.

    ## Example

    ```python
    @triton.jit
    def bias_gradient_kernel(DY, DB, stride, M, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        DY += row * stride
        cols = tl.arange(0, BLOCK)
        dy = tl.load(DY + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.atomic_add(DB + cols, dy, mask=cols < N)


    def bias_gradient(dy):
        m, n = dy.shape
        db = torch.zeros(n, device=dy.device, dtype=torch.float32)
        block = triton.next_power_of_2(n)
        bias_gradient_kernel[(m,)](dy, db, dy.stride(0), m, n, BLOCK=block)
        return db
    ```

    becomes

    ```python
    @triton.jit
    def bias_gradient_kernel(DY, DB, stride, M, N, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        db_sum = tl.zeros([BLOCK], dtype=tl.float32)
        for row in range(tl.program_id(0), M, tl.num_programs(0)):
            DY_tile = DY + row * stride
            dy = tl.load(DY_tile + cols, mask=cols < N, other=0.0).to(tl.float32)
            db_sum += dy
        tl.atomic_add(DB + cols, db_sum, mask=cols < N)


    def bias_gradient(dy):
        m, n = dy.shape
        db = torch.zeros(n, device=dy.device, dtype=torch.float32)
        block = triton.next_power_of_2(n)
        bias_gradient_kernel[(m,)](dy, db, dy.stride(0), m, n, BLOCK=block)
        return db
    ```

    ## Measured

    One H200, Triton 3.6, random data, cold L2, medians of 20 runs, original / rewritten (above 1
    is faster). Layer norm backward (`examples/layer_norm_backward.py`, `programs=sm*2`), where
    the sums of two gradients become two atomics for each program:

    | rows | columns | fp32 | fp16 | bf16 |
    | --- | --- | --- | --- | --- |
    | 4096 | 512 | 3.43 | 3.24 | 3.24 |
    | 4096 | 1024 | 2.31 | 2.80 | 2.85 |
    | 4096 | 4096 | 2.62 | 2.74 | 2.73 |
    | 4096 | 8192 | 2.23 | 3.34 | 3.32 |
    | 32768 | 512 | 3.54 | 3.20 | 3.26 |
    | 32768 | 1024 | 2.46 | 3.49 | 3.49 |
    | 32768 | 4096 | 3.25 | 4.26 | 4.18 |
    | 32768 | 8192 | 2.62 | 4.15 | 4.14 |

    Where nothing is summed it is mostly a loss (`programs=sm*8`): rms norm 0.69x (65536 rows of
    512, fp16) to 1.19x (65536 rows of 4096, fp32), softmax 0.85x and 1.10x, cosine similarity
    0.82x, vector addition 0.96x, dropout 0.93x, attention backward 1.00x. A layer norm backward
    that takes a lock for each row keeps its locks, and gains nothing (0.98x). Script and full
    record: `benchmarks/rewrites_speed.py`, `benchmarks/results/`.
    """

    axis: Literal[0, 1, 2] = 0
    programs: str = ""
    unseen_launches: Literal["decline", "keep"] = "decline"

    name: ClassVar[str] = "grid-stride"
    summary: ClassVar[str] = "let each program loop over tiles, so that any grid is right"
    safety: ClassVar[frozenset[Safety]] = frozenset(
        {Safety.CONTRACT, Safety.ROUNDING, Safety.ASSUMPTION}
    )
    gain: ClassVar[Gain | None] = Gain(
        figure("grid-stride, sums"),
        f"{WHERE}, where sums of gradients are gathered in registers (layer norm backward)",
        "what is added to the same memory for every tile is added once for a program",
        "{programs=sm*2}",
    )

    def __post_init__(self) -> None:
        if not re.fullmatch(r"|[1-9][0-9]*|sm\*[1-9][0-9]*", self.programs):
            raise PassSelectionError(
                f"grid-stride: programs cannot be {self.programs!r}; "
                "write a number, or sm*K for K programs on every multiprocessor"
            )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        ids = ProgramIds.of(facts.kernel, self.axis)
        if not ids.calls or ids.are_strided:
            return
        checklist = Checklist()
        body = _Body(facts, ids)
        launches = _Launches(facts, self)
        changes: list[Change] = []
        try:
            _check_program_ids(ids, checklist)
            body.check(checklist)
            launches.check(checklist)
            changes = [*_Loop(body, launches).changes(checklist), *launches.changes()]
            checklist.prove("is-expressible", "what the loop needs can be written")
        except Declined as declined:
            checklist.conditions.append(declined.condition)
        except NotExpressible as error:
            failed = Condition("is-expressible", Status.UNKNOWN, str(error), "not-expressible")
            checklist.conditions.append(failed)
        sums = body.sums if checklist.failed is None else []
        safety = set() if launches.are_kept else {Safety.CONTRACT}
        if not all(sum_.is_whole for sum_ in sums):
            safety.add(Safety.ROUNDING)
        if checklist.given:
            safety.add(Safety.ASSUMPTION)
        yield Site(
            ids.calls[0],
            tuple(checklist.conditions),
            self._message(checklist, body, launches),
            frozenset(safety),
            Bits.REDUCTION_ORDER if sums else Bits.SAME,
            frozenset(checklist.given),
            changes,
            pays=bool(sums),
            advice=self._advice(sums, launches),
        )

    def may_pay(self, facts: KernelFacts) -> bool:
        # What pays is an atomic that is done once for a program.
        return any(effect.kind is EffectKind.ATOMIC for effect in facts.effects)

    def edit(self, facts: KernelFacts, site: Site) -> Sequence[Change]:
        changes: Sequence[Change] = site.plan
        return changes

    def _advice(self, sums: Sequence[_Sum], launches: _Launches) -> str:
        loop = f"let each program loop over tiles along axis {self.axis} ({launches.summary})"
        if not sums:
            return loop
        lines = ", ".join(str(sum_.statement.lineno) for sum_ in sums)
        return f"{loop}, and do the atomics (line {lines}) once for all of its tiles"

    def _message(self, checklist: Checklist, body: _Body, launches: _Launches) -> str:
        if checklist.failed is not None:
            return f"did not make a loop over tiles: {checklist.failed.detail}"
        parts = [f"made each program loop over tiles along axis {self.axis} ({launches.summary})"]
        if body.hoisted:
            parts.append(f"{_count(len(body.hoisted), 'statement')} before the loop, done once")
        parts += [f"the atomic in line {sum_.statement.lineno} done once" for sum_ in body.sums]
        parts += [f"the atomic in line {line} stays, {why}" for line, why in body.left.items()]
        if not body.sums:
            parts.append(
                f"measured {WHERE} {figure('grid-stride, no sums')}, a loss as a rule where "
                "nothing is accumulated"
            )
        return "; ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _check_program_ids(ids: ProgramIds, checklist: Checklist) -> None:
    claim = "one-tile-per-program"
    if ids.unknown is not None:
        detail = f"the axis of the call in line {ids.unknown.lineno} is not a number"
        raise unknown(claim, "axis-is-not-known", detail)
    if ids.counted is not None:
        detail = f"line {ids.counted.lineno} asks how many programs there are"
        raise refuted(claim, "num-programs-is-used", detail)
    if ids.in_helper:
        detail = f"{ids.in_helper} reads the program id itself"
        raise refuted(claim, "helper-reads-program-id", detail)
    checklist.prove(claim, "the number of programs is not used, and no helper reads the program id")


# The body of the kernel


@dataclass(frozen=True)
class _Sum:
    """An atomic that adds to the same addresses for every tile."""

    statement: ast.Expr
    call: ast.Call
    added: ast.expr
    cast: str
    """Code for the type that what is added must be cast to, as the atomic does; or ""."""
    is_whole: bool
    """Whether it is a sum of integers, which no order of addition changes."""
    zero: str
    """Code for what the sum begins with."""
    name: str


class _Body:
    """The statements of a kernel: what runs once, what runs for each tile, and how it may leave."""

    def __init__(self, facts: KernelFacts, ids: ProgramIds) -> None:
        self.facts = facts
        self.ids = ids
        self.kernel = facts.kernel
        self.writer = Writer(facts)
        statements = list(self.kernel.node.body)
        if isinstance(statements[0], ast.Expr) and isinstance(statements[0].value, ast.Constant):
            del statements[0]
        last = statements[-1]
        self.last_return = last if isinstance(last, ast.Return) and _is_plain(last) else None
        if self.last_return is not None:
            del statements[-1]
        sources = set(ids.calls)
        self.hoisted = invariant_statements(facts, statements, lambda node: node in sources)
        self.looped = [s for s in statements if s not in self.hoisted]
        self.guards = [s for s in self.looped if isinstance(s, ast.If) and _is_guard(s)]
        self.sums: list[_Sum] = []
        self.left: dict[int, str] = {}
        """Atomics that stay in the loop, by line, and why."""

    @cached_property
    def bound(self) -> set[str]:
        """The names that are bound for each tile."""
        return {name for statement in self.looped for name in names_bound(statement)}

    def check(self, checklist: Checklist) -> None:
        """Whether the body can run again and again. Raises Declined."""
        self._check_effects(checklist)
        self._check_exits(checklist)
        self._check_waits(checklist)
        self._check_names(checklist)
        self._find_sums(checklist)

    def _check_effects(self, checklist: Checklist) -> None:
        claim = "effects-are-known"
        for effect in self.facts.effects:
            if effect.kind is EffectKind.CALL:
                detail = f"what {effect.name} in line {effect.line} does is not known"
                raise unknown(claim, "opaque-call", f"{detail}: it may read the program id")
        for loop in self.facts.loops:
            call = loop.node.iter if isinstance(loop.node, ast.For) else None
            if isinstance(call, ast.Call) and any(
                k.arg == "warp_specialize" for k in call.keywords
            ):
                detail = f"the loop in line {loop.line} is warp-specialized"
                raise refuted(claim, "warp-specialized", detail)
        checklist.prove(claim, "no call with unknown effects")

    def _check_exits(self, checklist: Checklist) -> None:
        claim = "every-tile-ends-alone"
        ends = {guard.body[0] for guard in self.guards}
        for node in chain.from_iterable(map(walk, self.looped)):
            if isinstance(node, ast.Return) and node not in ends:
                detail = f"the return in line {node.lineno} is more than `if ...: return`"
                raise refuted(claim, "early-return", detail)
        for guard in self.guards:
            # Triton asks for one type of what is bound before an `if` and again in it.
            place = self.looped.index(guard)
            first = {name for s in self.looped[:place] for name in names_bound(s)}
            again = {name for s in self.looped[place:] for name in names_bound(s)}
            for name in sorted(again & (first | self.copied)):
                detail = f"{name} is bound before the return in line {guard.lineno} and again after"
                raise refuted(claim, "bound-across-a-return", detail)
        lines = ", ".join(str(guard.lineno) for guard in self.guards)
        checklist.prove(
            claim, f"the return in line {lines} becomes a guard" if lines else "no return"
        )

    def _check_waits(self, checklist: Checklist) -> None:
        """A program that waits for another's tile would wait forever for one of its own."""
        claim = "waits-for-no-other-tile"
        waits = [loop for loop in self.facts.loops if self._may_wait(loop)]
        for loop in waits:
            if len(waits) > 1 or not self._is_lock(loop):
                detail = f"the loop in line {loop.line} may wait for what another program does"
                raise refuted(claim, "waits-for-other-programs", detail)
        detail = "no loop waits for memory"
        if waits:
            detail = f"the lock that line {waits[0].line} takes is given back for the same tile"
        checklist.prove(claim, detail)

    def _may_wait(self, loop: Loop) -> bool:
        if loop.kind != "while":
            return False
        writes = [e for e in self.facts.effects if e.writes]
        for effect in self.facts.effects:
            if loop not in effect.loops:
                continue
            if effect.kind is EffectKind.ATOMIC or effect.volatile:
                return True
            if effect.kind is EffectKind.LOAD:
                return any(self.facts.may_alias(effect, write) for write in writes)
        return False

    def _is_lock(self, loop: Loop) -> bool:
        """`while tl.atomic_cas(lock, 0, 1) == 1: pass`, and later `tl.atomic_xchg(lock, 0)`."""
        match loop.node:
            case ast.While(
                test=ast.Compare(
                    left=ast.Call(args=[_, free, taken], keywords=[]) as acquire,
                    ops=[ast.Eq()],
                    comparators=[held],
                ),
                body=[ast.Pass()],
            ):
                pass
            case _:
                return False
        values = self.facts.values
        numbers = [values[node].constant for node in (free, taken, held)]
        if numbers[0] == numbers[1] or numbers[1] != numbers[2] or None in numbers:
            return False
        inside = [e for e in self.facts.effects if loop in e.loops]
        if len(inside) != 1 or inside[0].node is not acquire or inside[0].name != "atomic_cas":
            return False
        if loop.parent is not None or inside[0].guards or inside[0].pointer is None:
            return False
        later = [e for e in self.facts.effects if e.order > loop.last]
        lock = self.facts.forms.of(inside[0].pointer)
        for effect in later:
            if effect.kind is EffectKind.EXIT:
                return False
            if effect.name == "atomic_xchg" and effect.pointer is not None:
                same = self.facts.forms.of(effect.pointer) == lock
                plain = not (effect.loops or effect.guards or effect.inlined)
                if same and plain and _takes_two(effect.node) and effect.stored is not None:
                    return effect.stored.constant == numbers[0]
        return False

    def _check_names(self, checklist: Checklist) -> None:
        claim = "names-start-afresh"
        for parameter in self.kernel.parameters:
            if parameter.constexpr and parameter.name in self.bound:
                detail = f"the constexpr {parameter.name} is bound again"
                raise refuted(claim, "constexpr-in-the-body", detail)
        for statement in self.looped:
            for node in walk(statement):
                if isinstance(node, ast.AnnAssign) and "constexpr" in ast.unparse(node.annotation):
                    detail = f"line {node.lineno} binds a constexpr, which a loop cannot do again"
                    raise refuted(claim, "constexpr-in-the-body", detail)
        renamed = ", ".join(self.rebound)
        detail = "nothing that a tile binds is read by the next"
        checklist.prove(claim, f"{detail}: {renamed} under a new name" if renamed else detail)

    @property
    def rebound(self) -> list[str]:
        """Parameters that are bound for each tile, and so would go on from tile to tile."""
        return [p.name for p in self.kernel.parameters if p.name in self.bound]

    @property
    def copied(self) -> set[str]:
        """Those of them that each tile must begin with a copy of."""
        return {name for name in self.rebound if self.beginning(name)[1] is None}

    def beginning(self, parameter: str) -> tuple[ast.stmt, ast.expr | None]:
        """The first statement with a parameter, and the value if all it does is bind it anew."""
        first = next(s for s in self.looped if _mentions(s, parameter))
        match first:
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if name == parameter:
                plain = type(op) in _OPERATORS and not _mentions(value, parameter)
                return first, value if plain else None
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == parameter:
                return first, value
        return first, None

    # Atomics that can be done once

    def _find_sums(self, checklist: Checklist) -> None:
        evidence: dict[str, Assumption | None] = {}
        for statement in self.looped:
            effect = self._atomic_add(statement)
            if effect is None:
                continue
            assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            try:
                found = self._sum(statement, statement.value, effect)
                evidence.update(self._apart(effect))
                self.sums.append(found)
            except NotExpressible as why:
                self.left[statement.lineno] = str(why)
        if self.sums:
            detail = "; ".join(evidence) or "nothing else touches memory"
            given = [fact for fact in evidence.values() if fact is not None]
            checklist.prove("sums-are-not-read", detail, given)
            if None in evidence.values():
                checklist.assume(
                    "no-other-launches", "files that were not given launch it in no other way"
                )

    def _atomic_add(self, statement: ast.stmt) -> Effect | None:
        """The effect of a statement that is an atomic addition and nothing else."""
        call = statement.value if isinstance(statement, ast.Expr) else None
        effects = [e for e in self.facts.effects if e.node is call]
        if len(effects) != 1 or effects[0].name != "atomic_add" or effects[0].inlined:
            return None
        return effects[0]

    def _apart(self, effect: Effect) -> dict[str, Assumption | None]:
        """Why nothing but other such additions touches what is added to, and what is given."""
        statements = [s for s in walk(self.kernel.node) if isinstance(s, ast.Expr)]
        additions = [self._atomic_add(statement) for statement in statements]
        evidence: dict[str, Assumption | None] = {}
        for other in self.facts.effects:
            if other.pointer is None or other in additions:
                continue
            if self.facts.may_alias(effect, other):
                touches = f"the {other.name} in line {other.line} may touch the same memory"
                raise NotExpressible(touches)
            for mine, theirs in product(self._bases(effect), self._bases(other)):
                _, why, given = self.facts.why_disjoint(mine, theirs)
                evidence[why] = given
        return evidence

    def _bases(self, effect: Effect) -> list[str]:
        return sorted(self.facts.bases(effect) or ())

    def _sum(self, statement: ast.Expr, call: ast.Call, effect: Effect) -> _Sum:
        given = dict(zip(("pointer", "val", "mask"), call.args, strict=False))
        given.update((k.arg, k.value) for k in call.keywords if k.arg is not None)
        if function(self.kernel.module.resolve(call.func)) != "atomic_add":
            raise NotExpressible("it is a method of its address")
        if len(call.args) > 3 or set(given) - {"pointer", "val", "mask"}:
            raise NotExpressible("it asks for an order of memory")
        pointer, added, mask = given["pointer"], given["val"], given.get("mask")
        earlier = [guard for guard in self.guards if guard.lineno < statement.lineno]
        if not all(self._asks_for_tile(guard.test) for guard in earlier):
            raise NotExpressible("it may be that no tile comes to it")
        where = [pointer] if mask is None else [pointer, mask]
        inside = {node for part in where for node in walk(part)}
        if any(map(self._depends_on_tile, where)):
            raise NotExpressible("each tile adds somewhere else")
        if any(e.node in inside for e in self.facts.effects):
            raise NotExpressible("its address is loaded")
        bases = self._bases(effect)
        type_, dtype = self._type_of_sum(effect, bases)
        value = self.facts.values[added]
        if value.shape is None:
            raise NotExpressible("the shape of what it adds is not known")
        types = self.facts.types.of(value)
        is_cast = not (dtype and types.complete and types.seen == {dtype})
        is_literal = _fits(value.constant, dtype)
        if not value.shape and is_cast and not is_literal and value.op not in _TENSORS:
            raise NotExpressible("what it adds may be a plain number, of a type that is not known")
        before = self.facts.before[self.looped[0]]
        shape = ", ".join(
            self.writer.find_form(self.facts.forms.of(extent), before) for extent in value.shape
        )
        zero = f"{self.writer.language('zeros')}([{shape}], dtype={type_})"
        if not value.shape and dtype in ("fp32", "int32"):
            zero = "0.0" if dtype == "fp32" else "0"
        base = re.sub(r"_?ptrs?$", "", bases[0].lower()) if len(bases) == 1 else ""
        name = self.writer.fresh(f"{base}_sum" if base else "sum_of_tiles")
        cast = type_ if is_cast and not is_literal else ""
        return _Sum(statement, call, added, cast, is_integer(dtype), zero, name)

    def _type_of_sum(self, effect: Effect, bases: Sequence[str]) -> tuple[str, str]:
        """Code for the type to sum in, and Triton's short name of it where it is known.

        The atomic casts what it adds to the type of the memory. A sum in that type, or for
        narrow floats in fp32, overflows no earlier and rounds no worse.
        """
        memory = self.facts.types.behind(effect)
        wide = {_SUMMED_AS.get(dtype, "") for dtype in memory.seen} if memory.complete else set()
        if len(wide) == 1 and "" not in wide:
            name = wide.pop()
            return self.writer.language(name), _SHORT_NAMES.get(name, name)
        if len(bases) != 1 or any(bases[0] in names_bound(s) for s in self.hoisted):
            raise NotExpressible("the type of what it adds to is not known")
        return f"{bases[0]}.dtype.element_ty", ""

    def _depends_on_tile(self, node: ast.AST) -> bool:
        return any(
            n in self.ids.calls or (isinstance(n, ast.Name) and n.id in self.bound)
            for n in walk(node)
        )

    def _asks_for_tile(self, test: ast.expr) -> bool:
        """Whether it compares something of the tile's own, and is no switch for all of them."""
        return isinstance(test, ast.Compare) and self._depends_on_tile(test)


def _is_guard(statement: ast.If) -> bool:
    """Whether it is `if ...: return`."""
    match statement:
        case ast.If(body=[ast.Return() as end], orelse=[]):
            return _is_plain(end)
    return False


def _is_plain(end: ast.Return) -> bool:
    """Whether it is `return`, or `return None`."""
    return end.value is None or (isinstance(end.value, ast.Constant) and end.value.value is None)


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


def _takes_two(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords


# The loop


class _Loop:
    """The edit of the kernel: the loop, what stands before it, and what comes after it."""

    def __init__(self, body: _Body, launches: _Launches) -> None:
        self.body = body
        self.launches = launches
        self.kernel = body.kernel
        self.module = body.kernel.module
        self.writer = body.writer
        self.replaced: dict[ast.expr, str] = {}
        """New code for expressions of the kernel."""
        self.gone: set[ast.stmt] = set()
        """Statements that are written anew, or not at all."""
        self.at_top: list[str] = []
        """What each iteration begins with."""

    def changes(self, checklist: Checklist) -> list[Change]:
        body = self.body
        if not body.looped:
            raise NotExpressible("nothing in the kernel depends on the tile")
        names = self.module.names
        if names.scopes[self.kernel.node].find("range") is not None or names.stars:
            raise NotExpressible("range may be a name of the file's own")
        variable, behind, changes = self._induction()
        changes += self._rename_parameters()
        first, last = body.looped[0], body.looped[-1]
        if all(s in body.guards or s in self.gone for s in body.looped):
            raise NotExpressible("a tile does nothing")
        for end in (first, last):
            if not self.module.has_own_lines(end):
                raise NotExpressible(f"the statement in line {end.lineno} shares its line")
        block = self.kernel.node.body
        moved = [s for s in body.hoisted if block.index(s) > block.index(first)]
        before = [self._moved(s) for s in moved]
        changes += [Remove(s, keep_comments=False) for s in moved]
        before += self._zeros()
        tiles = self.launches.bound
        if not tiles:
            parameter = self.launches.parameter
            tiles = self.writer.fresh("num_tiles")
            whole = self._language_call("num_programs")
            before.append(f"{tiles} = {whole} if {parameter} is None else {parameter}")
            changes.append(AddParameter(self.kernel, f"{parameter}=None"))
        changes += [InsertBefore(first, code) for code in before]
        steps = (
            f"{self._language_call('program_id')}, {tiles}, {self._language_call('num_programs')}"
        )
        top = "".join(f"    {line}\n" for line in self.at_top)
        head = f"for {variable} in range({steps}):{behind}\n"
        changes.append(Enclose(first, last, f"{head}{top}    ..."))
        changes += self._guarded(last)
        changes += self._sums(last)
        if body.last_return is not None:
            changes.append(Remove(body.last_return))
        for node in walk(self.kernel.node):
            if isinstance(node, ast.JoinedStr) and not self.replaced.keys().isdisjoint(walk(node)):
                raise NotExpressible(f"a string in line {node.lineno} holds what changes")
        inside = {node for statement in self.gone for node in walk(statement)}
        changes += [
            ReplaceExpression(node, code)
            for node, code in self.replaced.items()
            if node not in inside
        ]
        self._check_overflow(checklist)
        return changes

    def _check_overflow(self, checklist: Checklist) -> None:
        detail = "a tile's index is what the program id was; tiles and programs together stay"
        checklist.assume("no-int32-overflow", f"{detail} below 2**31")

    def _language_call(self, name: str) -> str:
        """`tl.num_programs(axis=0)`, with the axis as the kernel writes it."""
        call = self.body.ids.calls[0]
        _, start = self.module.lines.span(call.func)
        _, end = self.module.lines.span(call)
        return self.writer.language(name) + self.module.text[start:end]

    # The loop variable in the place of the program id

    def _induction(self) -> tuple[str, str, list[Change]]:
        """The loop variable, the comment that stood behind its statement, and the edits."""
        statement = self._program_id_statement()
        if statement is None:
            variable = self.writer.fresh("tile")
            for call in self.body.ids.calls:
                self._replace_number(call, variable)
            return variable, "", []
        assert isinstance(statement.targets[0], ast.Name)
        variable = statement.targets[0].id
        for node in walk(self.kernel.node):
            if isinstance(node, ast.Name) and node.id == variable:
                self._replace_number(node, variable)
        self.gone.add(statement)
        comments = self.module.comments(statement.lineno, (statement.end_lineno or 0) + 1)
        behind = "".join(f"  {comment}" for comment in comments[-1:])
        return variable, behind, [Remove(statement)]

    def _program_id_statement(self) -> ast.Assign | None:
        """`pid = tl.program_id(0)` where that is the only thing that pid ever is."""
        if len(self.body.ids.calls) != 1:
            return None
        for statement in self.body.looped:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    scope = self.module.names.scopes[self.kernel.node]
                    alone = len(scope.bindings[name]) == 1
                    if value is self.body.ids.calls[0] and alone and not self._is_passed(name):
                        return statement
        return None

    def _is_passed(self, name: str) -> bool:
        """Whether a helper gets the name, which may ask more of it than of a Python number."""
        return any(
            isinstance(node, ast.Call)
            and callees(self.kernel, node)
            and any(isinstance(a, ast.Name) and a.id == name for a in _arguments(node))
            for node in walk(self.kernel.node)
        )

    def _replace_number(self, node: ast.expr, variable: str) -> None:
        """The loop variable for what was a tensor: the interpreter makes it a Python number."""
        parents = self.module.names.parents
        around = parents.get(node)
        call = parents.get(around) if isinstance(around, ast.Attribute) else None
        if isinstance(around, ast.Attribute) and isinstance(call, ast.Call) and around.attr == "to":
            _, start = self.module.lines.span(call.func)
            _, end = self.module.lines.span(call)
            arguments = self.module.text[start:end].removeprefix("(")
            self.replaced[call] = f"{self.writer.language('cast')}({variable}, {arguments}"
        elif isinstance(around, ast.Attribute) or self._is_argument(node):
            cast, type_ = self.writer.language("cast"), self.writer.language("int32")
            self.replaced[node] = f"{cast}({variable}, {type_})"
        elif isinstance(node, ast.Call):
            stored = isinstance(around, (ast.Assign, ast.AnnAssign))
            cast, type_ = self.writer.language("cast"), self.writer.language("int32")
            self.replaced[node] = f"{cast}({variable}, {type_})" if stored else variable

    def _is_argument(self, node: ast.expr) -> bool:
        call = self.module.names.parents.get(node)
        if isinstance(call, ast.keyword):
            call = self.module.names.parents.get(call)
        return isinstance(call, ast.Call) and bool(callees(self.kernel, call))

    # Parameters that the body binds again

    def _rename_parameters(self) -> list[Change]:
        changes: list[Change] = []
        for parameter in self.body.rebound:
            new = self.writer.fresh(f"{parameter}_tile")
            kept: set[ast.AST] = set()
            first, begins = self.body.beginning(parameter)
            if begins is None:
                self.at_top.append(f"{new} = {parameter}")
            else:
                kept = set(walk(begins))
            for statement in self.body.looped:
                for node in walk(statement):
                    if isinstance(node, ast.Name) and node.id == parameter and node not in kept:
                        self.replaced[node] = new
            if isinstance(first, ast.AugAssign) and begins is not None:
                operator = _OPERATORS[type(first.op)]
                value = self._text(begins)
                plain = isinstance(begins, (ast.Name, ast.Call, ast.Constant)) or (
                    isinstance(begins, ast.BinOp) and isinstance(begins.op, ast.Mult)
                )
                value = value if plain else f"({value})"
                self.gone.add(first)
                changes.append(Replace(first, f"{new} = {parameter} {operator} {value}"))
        return changes

    # What moves out of the loop, and what goes into guards

    def _moved(self, statement: ast.stmt) -> str:
        try:
            return statement_code(self.module, statement)
        except EditConflict as error:
            raise NotExpressible(str(error)) from None

    def _guarded(self, last: ast.stmt) -> list[Change]:
        changes: list[Change] = []
        for guard in self.body.guards:
            changes.append(Remove(guard))
            self.gone.add(guard)
            place = self.body.looped.index(guard)
            if place + 1 < len(self.body.looped):
                rest = self.body.looped[place + 1]
                comments = self.module.comments(guard.lineno, (guard.end_lineno or 0) + 1)
                code = "".join(f"{comment}\n" for comment in comments)
                code += f"if {self._negated(guard.test)}:\n    ..."
                changes.append(Enclose(rest, last, code))
            elif any(e.node in set(walk(guard.test)) for e in self.body.facts.effects):
                raise NotExpressible(f"the condition in line {guard.lineno} does something")
        return changes

    def _negated(self, test: ast.expr) -> str:
        values, forms = self.body.facts.values, self.body.facts.forms
        match test:
            case ast.Compare(left=ast.Name() as left, ops=[ast.Is()], comparators=[right]):
                return f"{self._text(left)} is not {self._text(right)}"
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _NEGATIONS:
                # Of numbers that may be NaN, neither `a < b` nor `a >= b` holds.
                sides = [values[left], values[right]]
                whole = all(is_integer(v.dtype) or v.dtype in ("int", "bool") for v in sides)
                whole = whole or forms.is_integer(forms.of(sides[0]) - forms.of(sides[1]))
                if isinstance(left, _TIGHT) and isinstance(right, _TIGHT) and whole:
                    return f"{self._text(left)} {_NEGATIONS[type(op)]} {self._text(right)}"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._text(operand)
        if self._is_truth(test):
            text = self._code(test, self.replaced)
            return f"not {text}" if isinstance(test, _TIGHT) else f"not ({text})"
        if isinstance(test, _TIGHT) and is_integer(values[test].dtype):
            return f"{self._text(test)} == 0"
        raise NotExpressible(f"the condition in line {test.lineno} may be a number, or None")

    def _is_truth(self, test: ast.expr) -> bool:
        """Whether it is true or false, and no number: Triton has no `not` of numbers."""
        match test:
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.BoolOp(values=values):
                return all(map(self._is_truth, values))
            case ast.Name(id=name) if any(
                p.constexpr for p in self.kernel.parameters if p.name == name
            ):
                return True
        return self.body.facts.values[test].dtype == "bool"

    def _text(self, node: ast.expr) -> str:
        """The text of an expression as it will be, in parentheses where it takes several lines."""
        text = self._code(node, self.replaced)
        return f"({text})" if "\n" in text else text

    def _code(self, node: ast.expr, replaced: Mapping[ast.expr, str]) -> str:
        """The text with other code in the place of some, as if its statement were not indented."""
        first, *rest = self.module.text_with(node, replaced).split("\n")
        statement: ast.AST = node
        while not isinstance(statement, ast.stmt):
            statement = self.module.names.parents[statement]
        start, _ = self.module.lines.span(statement)
        margin = self.module.text[self.module.lines.start(statement.lineno) : start]
        return "\n".join([first, *(line.removeprefix(margin) for line in rest)])

    def _zeros(self) -> list[str]:
        return [f"{found.name} = {found.zero}" for found in self.body.sums]

    def _sums(self, last: ast.stmt) -> list[Change]:
        changes: list[Change] = []
        for found in self.body.sums:
            self.gone.add(found.statement)
            changes.append(Replace(found.statement, f"{found.name} += {self._added(found)}"))
            atomic = self._code(found.call, {found.added: found.name})
            changes.append(InsertAfter(last, atomic))
        return changes

    def _added(self, found: _Sum) -> str:
        if not found.cast:
            return self._text(found.added)
        code = self._code(found.added, self.replaced)
        is_primary = isinstance(found.added, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
        plain = code if is_primary and "\n" not in code else f"({code})"
        return f"{plain}.to({found.cast})"


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(node))


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


# The launches


class _Launches:
    """What the launches say of the number of tiles, and what becomes of them."""

    def __init__(self, facts: KernelFacts, options: GridStride) -> None:
        self.facts = facts
        self.options = options
        self.writer = Writer(facts)
        self.are_kept = False
        self.extents: list[Extent] = []
        self.bound = ""
        """The number of tiles in the kernel's own terms; "" where the launches pass it."""

    @cached_property
    def parameter(self) -> str:
        return self.writer.fresh("NUM_TILES")

    @property
    def summary(self) -> str:
        if self.are_kept:
            return "no launch was changed, so each program still handles one"
        if self.bound:
            return f"there are {self.bound}"
        launches = (
            "the launch" if len(self.extents) == 1 else f"each of {len(self.extents)} launches"
        )
        return f"{launches} passes their number"

    def check(self, checklist: Checklist) -> None:
        """Whether every launch is seen and its grid is understood. Raises Declined."""
        evidence = self.facts.launches
        for launch in evidence.launches:
            if statement_of(launch) is None:
                detail = f"the launch in line {launch.call.lineno} is no statement of its own"
                why = "what it returns can be launched again"
                raise unknown("launches-are-seen", "launch-is-an-expression", f"{detail}: {why}")
        if evidence.unknown:
            if self.options.unseen_launches == "decline":
                raise refuted("launches-are-seen", "unseen-launches", evidence.unknown)
            self.are_kept = True
            self._check_decorators()
            checklist.prove(
                "launches-are-seen", "not needed: without the argument all is as before"
            )
            return
        for launch in evidence.launches:
            line = launch.call.lineno
            try:
                self.extents.append(read_extent(launch, self.options.axis))
            except GridNotReadable as why:
                detail = f"the launch in line {line}: {why}"
                raise unknown("grid-is-known", "grid-is-not-readable", detail) from why
        lines = ", ".join(str(launch.call.lineno) for launch in evidence.launches)
        checklist.prove("launches-are-seen", f"the launches of the file, in line {lines}")
        self._find_bound(checklist)

    def _find_bound(self, checklist: Checklist) -> None:
        cdiv = self.writer.language("cdiv")
        texts = {extent.in_kernel_terms(cdiv) for extent in self.extents}
        text = texts.pop() if len(texts) == 1 else None
        if text is not None and self._is_safe_in_kernel(text):
            self.bound = text
            checklist.prove("grid-is-known", f"every launch starts {text} programs")
            checklist.assume(
                "no-other-launches", "files that were not given launch it in no other way"
            )
            return
        for extent in self.extents:
            if extent.at_launch() is None:
                line = extent.launch.call.lineno
                detail = f"the launch in line {line} leaves its grid to a tuner or a heuristic"
                raise unknown("grid-is-known", "grid-depends-on-the-configuration", detail)
            if extent.meta and not extent.is_plain:
                line = extent.launch.call.lineno
                detail = f"what the grid in line {line} calls may do more than compute a number"
                raise unknown("grid-is-known", "grid-has-effects", detail)
        self._check_decorators()
        checklist.prove("grid-is-known", "each launch passes its own number of programs")

    def _check_decorators(self) -> None:
        kernel = self.facts.kernel
        for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
            keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
            if any(keyword.arg in ("prune_configs_by", None) for keyword in keywords):
                detail = "the functions that prune the configurations take arguments by name"
                raise unknown("parameter-can-be-added", "pruned-configurations", detail)
            if name not in _UNDERSTOOD_DECORATORS:
                detail = "what another decorator does with one more parameter is not known"
                raise unknown("parameter-can-be-added", "unknown-decorator", detail)
        if any(p.kind.startswith("var") for p in self.facts.kernel.parameters):
            detail = "the kernel takes any number of arguments"
            raise refuted("parameter-can-be-added", "unknown-parameters", detail)

    def _is_safe_in_kernel(self, text: str) -> bool:
        """Whether the kernel may compute the number: of its arguments as they are, in 32 bits."""
        tree = ast.parse(text, mode="eval")
        names = set(names_in(tree))
        if names & (names_bound(self.facts.kernel.node) | self.facts.pointers):
            return False
        for parameter in self.facts.kernel.parameters:
            typed = parameter.annotation is not None and not parameter.constexpr
            if parameter.name in names and typed:
                return False  # the loop variable would have that type
        calls = [node for node in walk(tree) if isinstance(node, ast.Call)]
        return all(self._is_covered(*call.args) for call in calls)

    def _is_covered(self, dividend: ast.expr, divisor: ast.expr) -> bool:
        """Whether the kernel's own offsets of 32 bits reach as far as `dividend + divisor - 1`."""
        block = _form(divisor)
        if block is None or not isinstance(dividend, ast.Name):
            return False
        axis = Polynomial.constant(self.options.axis)
        first = Polynomial.of(Atom("program_id", (axis,))) * block
        offsets = first + Polynomial.of(Atom("lane", (block, 0)))
        forms = self.facts.forms
        return any(
            all(part.op in _NARROW for part in value.walk()) and forms.of(value) == offsets
            for value in self.facts.values.values()
            if value.rank == 1
        )

    # Edits

    def changes(self) -> list[Change]:
        return [change for extent in self.extents for change in self._edited(extent)]

    def _edited(self, extent: Extent) -> list[Change]:
        launch = extent.launch
        statement = statement_of(launch)
        assert statement is not None
        changes: list[Change] = []
        limit = self._limit()
        if limit.startswith("torch"):
            self._check_builtins(extent, "torch")
            name = _fresh("num_programs", launch)
            changes.append(InsertBefore(statement, f"{name} = {limit}"))
            limit = name
        if limit:
            self._check_builtins(extent, "min")
        if self.bound:
            return [*changes, *(extent.capped(limit) if limit else [])]
        code = extent.at_launch()
        assert code is not None
        tuple_at_launch = not extent.name and not extent.meta
        if not extent.is_plain:
            # A number of numpy's or a tensor starts programs, but is no argument of a kernel.
            self._check_builtins(extent, "int")
            code = f"int({code})"
            if tuple_at_launch and not extent.comes_first:
                line = launch.call.lineno
                raise NotExpressible(f"line {line} evaluates something else before its grid")
        if tuple_at_launch and not is_repeatable(ast.parse(code, mode="eval").body):
            name = _fresh("num_tiles", launch)
            changes.append(InsertBefore(statement, f"{name} = {code}"))
            code = name
        if limit:
            changes += extent.capped(limit, code if tuple_at_launch else "")
        elif code.isidentifier() and tuple_at_launch and extent.expression is not None:
            changes.append(ReplaceExpression(extent.expression, code))
        changes.append(AddArgument(launch.call, f"{self.parameter}={code}"))
        return changes

    def _limit(self) -> str:
        """Code for the largest number of programs; "" for none."""
        if self.options.programs.startswith("sm*"):
            device = "torch.cuda.get_device_properties(torch.cuda.current_device())"
            return f"{device}.multi_processor_count * {self.options.programs[3:]}"
        if self.options.programs:
            return self.options.programs
        return str(LIMIT_OF_LATER_AXES) if self.options.axis else ""

    def _check_builtins(self, extent: Extent, name: str) -> None:
        scope = scope_at(extent.launch)
        names = extent.launch.kernel.module.names
        if name == "torch":
            known = names.resolve_name(name, scope) == name
        else:
            known = scope.find(name) is None and not names.stars
        if not known:
            raise NotExpressible(f"line {extent.launch.call.lineno} has no {name} to call")


def _fresh(wanted: str, launch: Launch) -> str:
    """A name that the launcher does not use yet."""
    taken = set(names_in(launch.launcher)) if launch.launcher else set()
    numbered = (f"{wanted}_{number}" for number in count(2))
    return next(name for name in chain([wanted], numbered) if name not in taken)


def _form(node: ast.expr) -> Polynomial | None:
    """The form of a parameter or a number."""
    match node:
        case ast.Name(id=name):
            return Polynomial.of(Atom("param", (name,)))
        case ast.Constant(value=int() as value):
            return Polynomial.constant(value)
    return None
