"""Loads out of a loop: what reads the same elements in every iteration is read once, above it."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.facts import Assumption, EffectKind, KernelFacts, Loop, Polynomial
from tritonopt.facts.algebra.polynomial import ONE, TooLarge
from tritonopt.facts.effects import Effect, Guard
from tritonopt.rewriting.checklist import Checklist, refuted, unknown
from tritonopt.rewriting.constexprs import is_constexpr
from tritonopt.source import AddArgument, Change, EditConflict, Module, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import walk
from tritonopt.transforms.aliasing import orders_memory, prove_unchanged
from tritonopt.transforms.guarded_code import Piece, insertion, one_line, removals
from tritonopt.transforms.loop_invariants import Lift, is_invariant, may_divide_by_zero
from tritonopt.transforms.trip_guards import implies, runs_when, why_it_runs
from tritonopt.transforms.writing import NotExpressible, Writer, reads_of

_UNWANTED = {"disable_licm": "licm-is-disabled", "warp_specialize": "warp-specialized-loop"}
"""Arguments of `tl.range` by which the author has spoken on what may move."""

_POINTER_NAME = re.compile(r"^(p|ptr)_|_?(ptr|pointer)s?$", re.IGNORECASE)


def invariant_loads(facts: KernelFacts) -> Iterator[list[Hoisting]]:
    """Every load that reads the same elements in all iterations of a loop around it, with each
    such loop, the outermost first."""
    seen: set[tuple[ast.expr, int]] = set()
    for effect in facts.effects:
        node = effect.node
        loops = [loop for loop in effect.loops if not loop.inlined]
        if effect.kind is not EffectKind.LOAD or not isinstance(node, ast.Call):
            continue
        found = []
        for loop in loops:
            expression = _widest(facts, node, loop)
            if expression is not None and (expression, loop.identity) not in seen:
                seen.add((expression, loop.identity))
                found.append(Hoisting(facts, loop, expression))
        if found:
            yield found


def _widest(facts: KernelFacts, node: ast.expr, loop: Loop) -> ast.expr | None:
    """The largest expression around a load that is the same in every iteration of a loop."""
    found = None
    parents = facts.kernel.module.names.parents
    here: ast.AST | None = node
    while isinstance(here, (ast.expr, ast.keyword)) and not isinstance(here, _NO_VALUE):
        if isinstance(here, ast.expr) and here in facts.values:
            if not _is_invariant(facts, here, loop):
                break
            found = here
        here = parents.get(here)
    if isinstance(here, (ast.Expr, ast.NamedExpr)):
        return None  # nothing is made of it, or its name is bound in the middle of a statement
    return found


_NO_VALUE = (ast.Tuple, ast.List, ast.Starred, ast.NamedExpr)
"""What is no one value for a name, or binds a name where it stands."""


def _is_invariant(facts: KernelFacts, expression: ast.expr, loop: Loop) -> bool:
    inside = set(walk(expression))
    if any(isinstance(node, ast.NamedExpr) for node in inside):
        return False
    effects = [e for e in facts.effects if e.node in inside]
    own = frozenset(e.order for e in effects)
    values = [facts.values[n] for n in inside if isinstance(n, ast.expr) and n in facts.values]
    return all(e.kind is EffectKind.LOAD for e in effects) and all(
        is_invariant(facts, value, loop, own) for value in values
    )


@dataclass(frozen=True)
class _Plan:
    """What goes where: statements that move as they are, and a new name, if one is needed."""

    statements: Sequence[ast.stmt]
    name: str = ""
    definition: ast.stmt | None = None
    """`x = ...`, which moves with its name changed, ..."""
    target: ast.Name | None = None
    """... and its x."""
    uses: Sequence[ast.expr] = ()
    """What becomes the new name: the expression, or the names that stood for it."""
    guards: Mapping[ast.stmt, tuple[Guard, ...]] = field(default_factory=dict)
    """The conditions that statements stand under, in the loop and again above it."""


@dataclass
class Hoisting:
    """An expression with loads, and a loop in which it is always the same."""

    facts: KernelFacts
    loop: Loop
    expression: ast.expr
    checklist: Checklist = field(default_factory=Checklist)

    @cached_property
    def loads(self) -> list[Effect]:
        inside = set(walk(self.expression))
        return [e for e in self.facts.effects if e.node in inside]

    @property
    def what(self) -> str:
        """What is loaded, for a message."""
        bases = sorted({b for e in self.loads for b in self.facts.bases(e) or ()})
        return f"the load of {' and '.join(bases)}" if bases else "the load"

    @property
    def tile(self) -> str:
        """How much stays in registers, for a message."""
        shape = self.facts.values[self.expression].shape
        if shape is None:
            return "its tile stays"
        if not shape:
            return "one element stays"
        extents = ", ".join(self.facts.forms.of(extent).readable for extent in shape)
        return f"a tile of [{extents}] stays"

    @property
    def statement(self) -> ast.stmt:
        parents = self.facts.kernel.module.names.parents
        node: ast.AST = self.expression
        while not isinstance(node, ast.stmt):
            node = parents[node]
        return node

    # Conditions

    def check(self) -> None:
        """Everything but what needs the new text. Raises Declined."""
        self._check_always()
        _check_loops(self)
        _check_order(self)
        claim = "data-is-unchanged"
        if not any(e.writes for e in self.effects):
            detail = f"{self.where} stores nothing, so the compiler moves the load by itself"
            raise refuted(claim, "the-compiler-does-this", detail)
        prove_unchanged(self.checklist, self.facts, self.loads, self.effects, "")

    def _check_always(self) -> None:
        """Every iteration must come to the load, or none that the compiler compiles, or those
        that do not would find it masked off."""
        claim, reason = "load-always-runs", "under-a-condition"
        why = f"every iteration of {self.where} comes to it"
        for guard in self._conditions_inside:
            line = guard.node.lineno
            if is_constexpr(self.facts, guard.node.test):
                why = f"the compiler knows the condition in line {line}, which goes with it"
            elif all(self._is_masked_without(load, guard) for load in self.loads):
                why = f"it reads nothing where the condition in line {line} does not hold"
            else:
                detail = (
                    f"it reads only where the condition in line {line} holds, and would always "
                    "read above the loop; its mask does not say so"
                )
                raise refuted(claim, reason, detail)
        parents = self.facts.kernel.module.names.parents
        child: ast.AST = self.expression
        while not isinstance(child, ast.stmt):
            parent = parents[child]
            if isinstance(parent, ast.BoolOp) and parent.values[0] is not child:
                detail = (
                    f"what stands before it in line {parent.lineno} may decide alone whether it "
                    "reads at all"
                )
                raise refuted(claim, reason, detail)
            child = parent
        self.checklist.prove(claim, why)

    @cached_property
    def _conditions_inside(self) -> list[Guard]:
        """What decides in an iteration whether it comes to the load, outermost first."""
        within, own = set(walk(self.loop.node)), set(walk(self.expression))
        guards = self.loads[0].guards
        return [g for g in guards if g.node in within and g.node not in own]

    @cached_property
    def _known(self) -> tuple[Guard, ...]:
        """Those of them that the compiler knows."""
        guards = self._conditions_inside
        return tuple(g for g in guards if is_constexpr(self.facts, g.node.test))

    def _is_masked_without(self, load: Effect, guard: Guard) -> bool:
        """Whether the mask of a load is off wherever a condition does not hold."""
        if load.mask is None or load.mask.is_none or load.inlined:
            return False
        forms = self.facts.forms
        try:
            mask, holds = forms.condition(load.mask), forms.condition(guard.condition)
            return implies(forms, mask, holds if guard.holds else ONE - holds)
        except TooLarge:
            return False

    @property
    def where(self) -> str:
        return f"the loop in line {self.loop.line}"

    @property
    def effects(self) -> list[Effect]:
        return [e for e in self.facts.effects if self.loop in e.loops]

    @property
    def loops(self) -> list[Loop]:
        """The loop, and those inside it around the load."""
        around = self.loads[0].loops
        return [loop for loop in around if self.loop in loop.nest and not loop.inlined]

    # The new text

    def changes(self) -> list[Change]:
        """The load above the loop. Raises Declined or NotExpressible."""
        writer = Writer(self.facts)
        self._check_conditions_move(writer)
        guards = self._guards(writer)
        plan = self._plan(writer)
        self._check_something_stays(plan)
        masked = [change for load in self.loads for change in self._masked(writer, load, guards)]
        gone = [*plan.statements, *([plan.definition] if plan.definition else [])]
        try:
            code = self._code(plan, masked, bool(guards))
            changes: list[Change] = [
                insertion(self.facts, self.loop, self._known, code),
                *removals(self.facts, self.loop, gone),
                *(ReplaceExpression(node, plan.name) for node in plan.uses),
            ]
            excerpts.check_comments(self._module, changes)
        except EditConflict as conflict:
            raise NotExpressible(str(conflict)) from conflict
        return changes

    def _check_conditions_move(self, writer: Writer) -> None:
        """What the compiler knows must mean the same above the loop."""
        environment = self.facts.before[self.loop.node]
        for guard in self._known:
            if not writer.means_the_same(guard.node.test, environment):
                line = guard.node.lineno
                raise NotExpressible(f"the condition in line {line} is another one there")

    def _plan(self, writer: Writer) -> _Plan:
        # A mask keeps the load from reading, not what is computed with it from being computed.
        runs = all(why_it_runs(self.facts, loop, []) is not None for loop in self.loops)
        runs &= len(self._known) == len(self._conditions_inside)
        around = self._conditions_inside
        lift = Lift(writer, self.loop, self.loads, around, self._known, runs=runs)
        try:
            lift.add(self.statement)
            lift.add_derived()
            return _Plan(lift.statements, guards=lift.guards)
        except NotExpressible:
            # The kernel has other uses for the name: what is loaded gets one of its own.
            lift = Lift(writer, self.loop, self.loads, around, self._known, runs=runs)
            lift.need(self.expression)
        name = self._name(writer)
        definition = self._definition()
        if definition is None:
            return _Plan(lift.statements, name, uses=[self.expression], guards=lift.guards)
        uses = [n for n in self._names_in_the_loop(definition.id) if n is not definition]
        return _Plan(lift.statements, name, self.statement, definition, uses, lift.guards)

    def _definition(self) -> ast.Name | None:
        """The name that stands for the expression, and for nothing else, all through the loop."""
        match self.statement:
            case (
                ast.Assign(targets=[ast.Name() as target], value=value)
                | ast.AnnAssign(target=ast.Name() as target, value=value)
            ) if value is self.expression and not self._is_read_later(target.id):
                meant = self.facts.values[target]
                everywhere = self._names_in_the_loop(target.id)
                if all(self.facts.values.get(n) is meant for n in everywhere):
                    stores = [n for n in everywhere if not isinstance(n.ctx, ast.Load)]
                    return target if stores == [target] else None
        return None

    def _is_read_later(self, name: str) -> bool:
        """Whether what the loop leaves in a name may be read: by what follows, or the next time."""
        if name not in self.loop.initial:
            return False
        inside = set(walk(self.loop.node))
        return self.loop.parent is not None or any(
            node.lineno > self.loop.line and node not in inside
            for node in reads_of(self.facts.kernel.node, name)
        )

    def _names_in_the_loop(self, name: str) -> list[ast.Name]:
        nodes = walk(self.loop.node)
        return [n for n in nodes if isinstance(n, ast.Name) and n.id == name]

    @property
    def _module(self) -> Module:
        return self.facts.kernel.module

    def _guards(self, writer: Writer) -> list[str]:
        """What must be added to the masks, so that nothing is read that was not read before."""
        guards: dict[str, None] = {}
        reasons: dict[str, None] = {}
        given: list[Assumption] = []
        for load in self.loads:
            known = self._conditions(load)
            for loop in self.loops:
                shown = why_it_runs(self.facts, loop, known)
                if shown is None:
                    guards[self._guard(writer, loop)] = None
                else:
                    why, assumption = shown
                    reasons[why] = None
                    if assumption is not None:
                        given.append(assumption)
        if guards:
            reasons[f"masked by {' and '.join(guards)}"] = None
        self.checklist.prove("reads-nothing-more", "; ".join(reasons), given)
        return list(guards)

    def _conditions(self, load: Effect) -> list[Polynomial]:
        """Conditions without which the load reads nothing."""
        forms = self.facts.forms
        found = []
        for guard in load.guards:
            condition = forms.condition(guard.condition)
            found.append(condition if guard.holds else ONE - condition)
        if load.mask is not None and not load.mask.is_none:
            found.append(forms.condition(load.mask))
        return found

    def _guard(self, writer: Writer, loop: Loop) -> str:
        claim, reason = "reads-nothing-more", "may-run-zero-times"
        helped = [load for load in self.loads if load.inlined]
        if helped:
            detail = (
                f"the loop in line {loop.line} may run no time at all, and the load is in a "
                "helper, where no mask can keep it from reading then"
            )
            raise unknown(claim, reason, detail)
        bounds = [bound for bound in (loop.start, loop.stop) if bound is not None]
        if loop is not self.loop and any(
            may_divide_by_zero(self.facts, b, self.loop.node) for b in bounds
        ):
            detail = f"whether the loop in line {loop.line} runs takes a division, maybe by zero"
            raise unknown(claim, reason, detail)
        try:
            return runs_when(writer, loop, self.loop)
        except NotExpressible as error:
            raise unknown(claim, reason, str(error)) from error

    def _masked(self, writer: Writer, load: Effect, guards: Sequence[str]) -> Iterator[Change]:
        """The load with the guards in its mask."""
        if not guards:
            return
        claim, reason = "reads-nothing-more", "may-run-zero-times"
        call = load.node
        assert isinstance(call, ast.Call)
        if load.pointer is None or load.pointer.op == "block_pointer" or load.loaded is None:
            detail = f"{self.where} may run no time at all, and a block pointer takes no mask"
            raise unknown(claim, reason, detail)
        guard = guards[0] if len(guards) == 1 else " & ".join(f"({g})" for g in guards)
        given = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mask")]
        if not given:
            yield AddArgument(call, f"mask={guard}")
        elif load.mask is None or load.mask.is_none:
            yield ReplaceExpression(given[0], guard)
        elif load.mask.dtype != "bool" or any(part.is_none for part in load.mask.walk()):
            detail = (
                f"{self.where} may run no time at all, which must go into the mask in line "
                f"{load.line}, but that may be None"
            )
            raise unknown(claim, reason, detail)
        else:
            together = f"({guard})" if len(guards) == 1 else guard
            yield ReplaceExpression(given[0], f"{writer.operand(given[0])} & {together}")

    def _code(self, plan: _Plan, masked: Sequence[Change], guarded: bool) -> list[Piece]:
        renamed = [ReplaceExpression(plan.target, plan.name)] if plan.target else []
        moved = [*plan.statements, *([plan.definition] if plan.definition else [])]
        module, nodes = excerpts.after(self._module, [*masked, *renamed], [*moved, self.expression])
        pieces = []
        for original, statement in zip(moved, nodes, strict=False):
            assert isinstance(statement, ast.stmt)
            code = excerpts.statement_code(module, statement)
            if guarded and original is self.statement and _WHY_MASKED not in code:
                bare = excerpts.statement_code(module, statement, comments_above=False)
                code = f"{code.removesuffix(bare)}{_WHY_MASKED}\n{bare}"
            pieces.append(Piece(code, plan.guards[original]))
        if self.statement not in moved:
            expression = nodes[-1]
            assert isinstance(expression, ast.expr)
            why = f"{_WHY_MASKED}\n" if guarded else ""
            text = one_line(module, expression)
            pieces.append(Piece(f"{why}{plan.name} = {text}", self._known))
        return pieces

    def _check_something_stays(self, plan: _Plan) -> None:
        for loop in self.loops:
            if all(s in plan.statements or s is plan.definition for s in loop.node.body):
                raise NotExpressible(f"nothing would be left in the loop in line {loop.line}")

    def _name(self, writer: Writer) -> str:
        """A name for what is loaded, after the parameter that it comes from."""
        bases = self.facts.bases(self.loads[0]) or frozenset({"loaded"})
        parameter = min(bases, default="loaded")
        short = _POINTER_NAME.sub("", parameter).strip("_").lower()
        if keyword.iskeyword(short):
            return writer.fresh(f"{short}_value")
        if not short.isidentifier():
            short = "loaded"
        return writer.fresh(short, f"{short}_value")


def _check_loops(hoisting: Hoisting) -> None:
    claim = "loops-are-plain"
    for loop in hoisting.loops:
        where = f"the loop in line {loop.line}"
        if isinstance(loop.node, ast.While):
            detail = f"{where} is a `while`, and may run no time at all; a `for` could be followed"
            raise unknown(claim, "may-run-zero-times", detail)
        if loop.kind == "other" or not isinstance(loop.node.iter, ast.Call):
            raise unknown(claim, "loop-is-not-understood", f"{where} is no `range` or `tl.range`")
        if loop.node.orelse:
            raise refuted(claim, "loop-has-else", f"{where} has an `else`")
        for option in loop.node.iter.keywords:
            off = isinstance(option.value, ast.Constant) and not option.value.value
            if option.arg in _UNWANTED and not off:
                detail = f"{where} asks for it to be left alone, with {option.arg}"
                raise refuted(claim, _UNWANTED[option.arg], detail)
    if hoisting.facts.exits_early(hoisting.loop):
        raise refuted(claim, "early-exit", f"{hoisting.where} may be left early")
    hoisting.checklist.prove(claim, "counted, and run to their ends")


def _check_order(hoisting: Hoisting) -> None:
    """A load may not move past what orders memory, or is there to be seen before it."""
    claim = "nothing-orders-memory"
    for effect in hoisting.effects:
        what = f"the {effect.name} in line {effect.line}"
        match effect.kind:
            case EffectKind.LOAD if effect.volatile:
                raise refuted(claim, "volatile-load", f"{what} is volatile")
            case EffectKind.ATOMIC:
                raise refuted(claim, "atomic-in-the-loop", f"{what} orders memory")
            case EffectKind.BARRIER:
                raise refuted(claim, "barrier-in-the-loop", f"{what} orders memory")
            case EffectKind.CALL:
                reason = "barrier-in-the-loop" if orders_memory(effect) else "unknown-call"
                raise unknown(claim, reason, f"the effects of {what} are not known")
            case EffectKind.PRINT if "assert" in effect.name:
                detail = f"{what} is to fail before anything is loaded"
                raise refuted(claim, "assertion-in-the-loop", detail)
    detail = f"no atomic, barrier, volatile load or unknown call in {hoisting.where}"
    hoisting.checklist.prove(claim, detail)


_WHY_MASKED = "# Where the loop below does not run, nothing is read."
