"""A branch out of a loop: one copy of the loop for each way that an `if` can go."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tritonopt.facts import EffectKind, KernelFacts, Loop, Value
from tritonopt.facts.effects import Effect
from tritonopt.facts.values import is_float
from tritonopt.rewriting.checklist import Checklist, refuted, unknown
from tritonopt.source import Change, EditConflict, InsertBefore, Module, Remove, Replace
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import parents_of, walk
from tritonopt.transforms.loop_invariants import Lift, is_invariant, may_divide_by_zero
from tritonopt.transforms.trip_guards import why_it_runs
from tritonopt.transforms.writing import NotExpressible, Writer, block_of, names_bound

_RUNTIME = frozenset(
    {"program_id", "num_programs", "lane", "load", "trip", "carried", "result", "reduce"}
    | {"reshaped", "block_pointer", "full"}
)
_STATIC = frozenset({"const", "constexpr", "global", "dtype", "attribute", "is", "is not"})


def when_known(facts: KernelFacts, condition: Value, helper: bool = False) -> str:
    """When a condition is decided: "static" (by the compiler), "runtime" or "unknown".

    What is asked of a pointer is whether it was passed, and the compiler knows that. What jit
    code passes to a helper the compiler may know too.
    """
    found = set()
    todo = [condition]
    while todo:
        value = todo.pop()
        if value.op in _STATIC or (value.op == "param" and value.attribute in facts.pointers):
            continue
        unrolled = value.op in ("trip", "carried", "result") and _is_unrolled(facts, value)
        if value.op in ("opaque", "one_of") or unrolled:
            found.add("unknown")
        elif value.op == "param":
            found.add("unknown" if helper else "runtime")
        elif value.op in _RUNTIME:
            found.add("runtime")
        else:
            todo.extend(value.operands)
    return "runtime" if "runtime" in found else "unknown" if found else "static"


def is_helper(facts: KernelFacts) -> bool:
    """Whether jit code calls the kernel, or could make use of what it returns."""
    kernel = facts.kernel
    if any(isinstance(node, ast.Return) and node.value for node in kernel.nodes):
        return True
    return facts.launches.caller is not None


def _is_unrolled(facts: KernelFacts, value: Value) -> bool:
    identity = value.number if value.op == "trip" else value.carrier.loop
    return facts.loops[identity].kind == "tl.static_range"


_Taken = dict[ast.If, Sequence[ast.stmt]]
"""Of every `if` that is decided in a copy, the statements that are left."""


@dataclass
class _Arm:
    """One way that the `if` can go: a copy of the loop."""

    test: ast.expr | None
    body: Sequence[ast.stmt]
    above: str = ""
    """Comment lines above its `elif` or `else`."""
    behind: str = ""
    """The comment behind its colon."""


@dataclass
class Unswitching:
    """An `if` of a kernel, and a loop around it in which its condition does not change."""

    facts: KernelFacts
    loop: Loop
    branch: ast.If
    helper: bool = False
    """The kernel is one that jit code calls."""
    checklist: Checklist = field(default_factory=Checklist)

    @property
    def condition(self) -> Value:
        return self.facts.values[self.branch.test]

    # Conditions

    def check(self) -> None:
        """Everything but what needs the new text. Raises Declined."""
        self._check_loops()
        self._check_asked()
        self._check_condition()
        self._check_way()
        self._check_names()

    def _check_loops(self) -> None:
        claim = "loops-are-plain"
        for loop in self._loops:
            where = f"the loop in line {loop.line}"
            if loop.kind == "tl.static_range":
                detail = f"the compiler unrolls {where}, which leaves no loop"
                raise refuted(claim, "unrolled-loop", detail)
            if loop.kind == "other" or not _counts_with_one_name(loop):
                detail = f"{where} is no `range` or `tl.range`"
                raise unknown(claim, "loop-is-not-understood", detail)
        for node in walk(self.loop.node):
            if isinstance(node, (ast.For, ast.While)) and node.orelse:
                raise refuted(claim, "loop-has-else", f"line {node.lineno} has an `else`")
        if self.facts.exits_early(self.loop):
            where = f"the loop in line {self.loop.line}"
            raise refuted(claim, "early-exit", f"{where} may be left early")
        self.checklist.prove(claim, "counted or conditional, without else, break or return")

    def _check_asked(self) -> None:
        """The loop must not stand in a branch already where the condition is decided."""
        claim = "condition-is-open"
        outer = parents_of(self.facts.kernel.node)
        node: ast.stmt | None = self.loop.node
        while node is not None:
            known = self.facts.values.get(node.test) if isinstance(node, ast.If) else None
            if known is not None and _is_one_question(known, self.condition):
                detail = f"the `if` in line {node.lineno}, around the loop, has decided it"
                raise refuted(claim, "already-decided", detail)
            node = outer.get(node)
        self.checklist.prove(claim, f"nothing around {self._where} has decided it")

    def _check_condition(self) -> None:
        claim = "condition-is-invariant"
        facts = self.facts
        known = when_known(facts, self.condition, self.helper)
        if self.condition.shape != () or known == "unknown":
            detail = (
                "the compiler may know the condition, and decides it then; if it never changes, "
                "make its parameters `tl.constexpr`"
            )
            raise unknown(claim, "condition-is-not-understood", detail)
        inside = [
            facts.interpretation.loads[part.number]
            for part in self.condition.walk()
            if part.op == "load" and not is_invariant(facts, part, self.loop)
        ]
        for load in inside:
            what = f"the load in line {load.line}"
            if load.volatile:
                raise refuted(claim, "volatile-load", f"{what} is volatile")
            detail = (
                f"the condition needs {what}, which would then read even where the loop does not "
                "run; load it into a name before the loop"
            )
            raise refuted(claim, "condition-loads", detail)
        for effect in self._effects_in(self.branch.test):
            detail = f"the {effect.name} in line {effect.line} belongs to every iteration"
            raise refuted(claim, "condition-has-effects", detail)
        self.checklist.prove(claim, f"the same in every iteration of {self._where}")

    def _check_way(self) -> None:
        """What stands between the loop and the `if` must not decide whether the `if` compiles."""
        claim, reason = "condition-can-move", "under-another-condition"
        child: ast.stmt = self.branch
        guarded = False
        for parent in self._around:
            if isinstance(parent, ast.If):
                line = f"the condition in line {parent.lineno}"
                if child in parent.orelse and _is_elif(self.facts, child):
                    detail = f"it is asked only where {line} does not hold, as its `elif`"
                    raise refuted(claim, reason, detail)
                value = self.facts.values.get(parent.test)
                if value is None or when_known(self.facts, value, self.helper) != "runtime":
                    detail = f"under {line} it may be code that is never compiled"
                    raise unknown(claim, reason, detail)
                guarded = True
            elif not isinstance(parent, (ast.For, ast.While)):
                raise unknown(claim, reason, f"it stands inside of line {parent.lineno}")
            child = parent
        if may_divide_by_zero(self.facts, self.condition, self.loop.node) and (
            guarded or not self._runs
        ):
            detail = "it divides by what may be zero, and would do so where the loop does not run"
            raise refuted(claim, "may-divide-by-zero", detail)
        self.checklist.prove(claim, "it computes nothing that could fail where it did not run")

    def _check_names(self) -> None:
        """What a loop leaves behind must have one type in and behind an `if`."""
        claim = "names-keep-their-types"
        node = self.loop.node
        inside = set(walk(node))
        known = self.facts.before[node]
        bound = names_bound(node)
        own = names_bound(node.target) if isinstance(node, ast.For) else set()
        for other, value in self._read():
            if other.id not in bound or other in inside:
                continue
            left = other.id in own or other.id not in known
            if left and (value is None or value.op == "opaque"):
                detail = f"line {other.lineno} reads {other.id}, which the loop binds"
                raise refuted(claim, "name-is-read-later", detail)
        for name in own:
            self._check_induction(claim, name)
        self.checklist.prove(claim, "what the loop carries is bound before it")

    def _read(self) -> Iterator[tuple[ast.Name, Value | None]]:
        """Where the kernel reads a name, and the value that it finds, if it is known at all."""
        for node in walk(self.facts.kernel.node):
            match node:
                case ast.Name(ctx=ast.Load()) if node in self.facts.values:
                    yield node, self.facts.values[node]
                case ast.AugAssign(target=ast.Name() as name) if node in self.facts.before:
                    yield name, self.facts.before[node].get(name.id)

    def _check_induction(self, claim: str, name: str) -> None:
        """The compiler keeps the name of an induction variable: in an `if`, with its type."""
        taken = (
            f"below an `if` Triton asks for one type of a name, and {name} is bound before the "
            "loop too"
        )
        if any(p.name == name for p in self.facts.kernel.parameters):
            raise refuted(claim, "induction-name-is-taken", f"{taken}; call it something else")
        for other in walk(self.facts.kernel.node):
            if not isinstance(other, ast.stmt) or other.lineno >= self.loop.line:
                continue
            if name not in names_bound(_header(other)):
                continue
            earlier = self.facts.loop_of(other)
            if earlier is None or _bounds(earlier) != _bounds(self.loop):
                detail = f"{taken}, in line {other.lineno}; call it something else"
                raise refuted(claim, "induction-name-is-taken", detail)

    @property
    def _where(self) -> str:
        return f"the loop in line {self.loop.line}"

    @property
    def _around(self) -> list[ast.stmt]:
        """The statements between the loop and the `if`, innermost first."""
        found: list[ast.stmt] = []
        node = self._parents[self.branch]
        while node is not self.loop.node:
            found.append(node)
            node = self._parents[node]
        return found

    @property
    def _parents(self) -> dict[ast.stmt, ast.stmt]:
        return parents_of(self.loop.node)

    @property
    def _loops(self) -> list[Loop]:
        """The loop, and those inside it around the `if`."""
        inner = [loop for s in self._around if (loop := self.facts.loop_of(s)) is not None]
        return [self.loop, *inner[::-1]]

    @property
    def _runs(self) -> bool:
        return all(why_it_runs(self.facts, loop, []) is not None for loop in self._loops)

    # The new text

    def changes(self, max_statements: int) -> list[Change]:
        """The copies in place of the loop. Raises Declined or NotExpressible."""
        # That nothing divides by zero is checked already, of all that the conditions are made of.
        lift = Lift(Writer(self.facts), self.loop, runs=True)
        arms = self._arms(lift)
        taken = self._taken(arms)
        self._check_scopes(taken)
        conditions = sum(arm.test is not None for arm in arms)
        self._check_size(taken, conditions, lift.statements, max_statements)
        try:
            code = self._copies(arms, taken, lift.statements)
            changes: list[Change] = [Replace(self.loop.node, code)]
            if lift.statements:
                moved = [excerpts.statement_code(self._module, s) for s in lift.statements]
                changes.append(InsertBefore(self.loop.node, "\n".join(moved)))
            excerpts.check_comments(self._module, changes)
        except EditConflict as conflict:
            raise NotExpressible(str(conflict)) from conflict
        return changes

    @property
    def _module(self) -> Module:
        return self.facts.kernel.module

    def _arms(self, lift: Lift) -> list[_Arm]:
        """The branches of the `if` as far as their conditions can move; the last one takes all
        that is left."""
        module = self._module
        lift.need(self.branch.test)
        comment = excerpts.header_comment(module, self.branch)
        arms = [_Arm(self.branch.test, self.branch.body, behind=comment)]
        node = self.branch
        while node.orelse:
            above, behind = excerpts.else_comments(module, node)
            following = node.orelse[0]
            if not isinstance(following, ast.If) or not _is_elif(self.facts, following):
                return [*arms, _Arm(None, node.orelse, above, behind)]
            if not self._moves_too(following, lift):
                return [*arms, _Arm(None, node.orelse)]
            comment = excerpts.header_comment(module, following)
            arms.append(_Arm(following.test, following.body, above, comment))
            node = following
        return [*arms, _Arm(None, ())]

    def _moves_too(self, branch: ast.If, lift: Lift) -> bool:
        """Whether the condition of an `elif` moves with that of its `if`."""
        value = self.facts.values.get(branch.test)
        if value is None or value.shape != () or not is_invariant(self.facts, value, self.loop):
            return False
        if may_divide_by_zero(self.facts, value, self.loop.node) or self._effects_in(branch.test):
            return False
        try:
            lift.need(branch.test)
        except NotExpressible:
            return False
        return True

    def _taken(self, arms: Sequence[_Arm]) -> list[_Taken]:
        """For each copy, what is left of every `if` that is decided in it. The last copy is left
        out if nobody could tell that it ran."""
        again = list(self._asked_again(arms))
        copies: list[_Taken] = []
        for index, arm in enumerate(arms):
            taken: _Taken = {self.branch: arm.body}
            for other, asked, same in again:
                if asked <= index:
                    taken[other] = other.body if (asked == index) is same else other.orelse
            if any(taken.values()) or not self._does_nothing_without(list(taken)):
                copies.append(taken)
        return copies

    def _check_scopes(self, copies: Sequence[_Taken]) -> None:
        """A name that is first bound in a branch ends with it; without the branch it stays, and
        what binds it again in a block further in must give it the same type."""
        for taken in copies:
            for branch, block in taken.items():
                known = self.facts.before[branch]
                for name in (n for statement in block for n in _stores(statement)):
                    if name.id not in known or _is_uncertain(known[name.id]):
                        self._check_scope(name, branch)

    def _check_scope(self, name: ast.Name, branch: ast.If) -> None:
        inside = set(walk(branch))
        block = block_of(self.loop.node, branch)
        place = block.index(branch)
        before = {n for statement in block[:place] for n in walk(statement)}
        beside = {n for statement in block[place:] for n in _bound_directly(statement)}
        for other in _stores(self.loop.node):
            if other.id != name.id or other in inside or other in before or other in beside:
                continue
            if self._kind(other) is None or self._kind(other) != self._kind(name):
                detail = (
                    f"lines {name.lineno} and {other.lineno} both bind {name.id}, maybe with "
                    "different types, which only the branch between them allows; use two names"
                )
                raise unknown("names-keep-their-types", "name-of-another-type", detail)

    def _kind(self, name: ast.Name) -> tuple[object, ...] | None:
        """The shape and type of what is bound, where they are certain: an integer may be long."""
        value = self.facts.values.get(name)
        if value is None or value.shape is None or not is_float(value.dtype):
            return None
        return (*value.shape, value.dtype)

    def _copies(
        self, arms: Sequence[_Arm], copies: Sequence[_Taken], moved: Sequence[ast.stmt]
    ) -> str:
        unit = self._indent_unit
        code = ""
        for arm, taken in zip(arms, copies, strict=False):
            kept = [
                Replace(node, excerpts.block_code(self._module, block))
                for node, block in taken.items()
                if block
            ]
            gone = [*moved, *(node for node, block in taken.items() if not block)]
            changes = [*kept, *self._removed(gone)]
            copy = excerpts.changed_code(self._module, self.loop.node, changes)
            if arm.test is None:
                header = "else:"
            else:
                header = f"{'elif' if code else 'if'} {self._text(arm.test)}:"
            code += f"{arm.above}{header}{arm.behind}\n{excerpts.indented(copy, unit)}\n"
        return code.rstrip("\n")

    def _asked_again(self, arms: Sequence[_Arm]) -> Iterator[tuple[ast.If, int, bool]]:
        """Other places of the loop where the condition of an arm, or its contrary, is asked."""
        values = [self.facts.values[arm.test] for arm in arms if arm.test is not None]
        inside: set[ast.AST] = set(walk(self.branch))
        around = self._around
        for node in sorted(self._parents, key=lambda statement: statement.lineno):
            value = self.facts.values.get(node.test) if isinstance(node, ast.If) else None
            if not isinstance(node, ast.If) or value is None or node in inside or node in around:
                continue
            asked = [i for i, known in enumerate(values) if _is_one_question(known, value)]
            if asked and not _is_elif(self.facts, node) and not self._effects_in(node.test):
                inside.update(walk(node))
                yield node, asked[0], values[asked[0]] is value

    def _removed(self, statements: Sequence[ast.stmt]) -> Iterator[Replace | Remove]:
        """Takes statements out of the loop, with the blocks that hold nothing else."""
        parents = self._parents
        gone = set(statements)
        roots: dict[ast.stmt, None] = {}
        for node in statements:
            top = node
            while all(s in gone for s in block_of(self.loop.node, top)):
                outer = parents[top]
                if outer is self.loop.node or not self._only_holds(outer):
                    break
                gone.add(outer)
                top = outer
            roots[top] = None
        for root in roots:
            if any(outer in gone for outer in self._outer(root)):
                continue
            block = block_of(self.loop.node, root)
            if block[0] is root and all(s in gone for s in block):
                # What is left must run, if only to count.
                yield Replace(root, "pass")
            else:
                yield Remove(root, keep_comments=False)

    def _outer(self, node: ast.stmt) -> Iterator[ast.stmt]:
        while (outer := self._parents.get(node)) is not None:
            yield outer
            node = outer

    def _only_holds(self, node: ast.stmt) -> bool:
        """Whether a statement does nothing but for the one block in it."""
        match node:
            case ast.For(iter=header, orelse=[]) | ast.If(test=header, orelse=[]):
                return not self._effects_in(header)
        return False

    def _does_nothing_without(self, gone: Sequence[ast.stmt]) -> bool:
        """Whether nobody could tell that the loop ran, were it not for these statements."""
        node = self.loop.node
        inner = {n for statement in gone for n in walk(statement)}
        if any(isinstance(n, ast.While) for n in walk(node)):
            return False
        effects = [e for e in self.facts.effects if self.loop in e.loops and e.node not in inner]
        effects += self._effects_in(node.iter) if isinstance(node, ast.For) else []
        if any(e.kind is not EffectKind.LOAD or e.volatile for e in effects):
            return False
        names = {n.id for n in _stores(node) if n not in inner}
        return not names & set(self.loop.initial)

    def _effects_in(self, node: ast.AST) -> list[Effect]:
        inside = set(walk(node))
        return [e for e in self.facts.effects if e.node in inside]

    def _text(self, test: ast.expr) -> str:
        text = self._module.text_of(test)
        return text if "\n" not in text and "\r" not in text else ast.unparse(test)

    @property
    def _indent_unit(self) -> str:
        """One level of indentation, as the loop has it."""
        lines, node = self._module.lines, self.loop.node
        inner = self._module.text[lines.start(node.body[0].lineno) :][: node.body[0].col_offset]
        return inner[node.col_offset :] if not inner.strip() else "    "

    def _check_size(
        self,
        copies: Sequence[_Taken],
        conditions: int,
        moved: Sequence[ast.stmt],
        limit: int,
    ) -> None:
        """The copies, with those that other conditions made before, must stay readable."""
        parents = parents_of(self.facts.kernel.node)
        top: ast.stmt = self.loop.node
        node = top
        while (outer := parents.get(node)) is not None:
            if isinstance(outer, ast.If) and _holds_one_loop(outer, node):
                top = outer
            node = outer
        size = _size([top]) - _size([self.loop.node]) + conditions
        for taken in copies:
            size += _size([self.loop.node]) - len(moved)
            size += sum(_size(block) - _size([node]) for node, block in taken.items())
        claim = "copies-are-readable"
        if size > limit:
            detail = (
                f"the copies of the loop would have {size} statements, more than "
                f"max_statements={limit}; if that is fine, give licm{{max_statements={size}}}"
            )
            raise refuted(claim, "too-many-statements", detail)
        self.checklist.prove(claim, f"{size} statements in all")


def _is_one_question(one: Value, other: Value) -> bool:
    """Whether two conditions are the same, or always just one of them holds."""
    negated = {one.op, other.op} == {"eq", "ne"} and one.operands == other.operands
    for this, that in ((one, other), (other, one)):
        negated |= this.op == "not" and this.operands[0] is that
    return one is other or negated


def _counts_with_one_name(loop: Loop) -> bool:
    return isinstance(loop.node, ast.While) or isinstance(loop.node.target, ast.Name)


def _header(statement: ast.stmt) -> ast.AST:
    """A statement without the blocks in it, which are statements of their own."""
    match statement:
        case ast.For(target=target):
            return target
        case ast.If(test=test) | ast.While(test=test):
            return test
        case ast.FunctionDef(args=arguments):
            return arguments
    return statement


def _bounds(loop: Loop) -> tuple[Value | None, ...]:
    return loop.start, loop.stop, loop.step


def _holds_one_loop(branch: ast.If, inner: ast.stmt) -> bool:
    """Whether a way through an `if` is a loop or an `if` and what moved above it, as in a copy."""
    block = branch.body if inner in branch.body else branch.orelse
    return all(s is inner or isinstance(s, (ast.Assign, ast.AugAssign)) for s in block)


def _size(statements: Sequence[ast.stmt]) -> int:
    """The number of statements, those inside of others included."""
    return sum(isinstance(n, ast.stmt) for s in statements for n in walk(s))


def invariant_branches(facts: KernelFacts) -> Iterator[list[Unswitching]]:
    """Every runtime `if` whose condition does not change in a loop around it, with each such
    loop, the outermost first.

    A condition that the compiler knows is none of ours, nor is one that does change.
    """
    parents = parents_of(facts.kernel.node)
    sites: set[ast.stmt] = set()
    helper = is_helper(facts)
    for branch in sorted(parents, key=lambda statement: statement.lineno):
        value = facts.values.get(branch.test) if isinstance(branch, ast.If) else None
        if not isinstance(branch, ast.If) or value is None:
            continue
        if when_known(facts, value) == "static" or _is_constexpr(facts, branch.test):
            continue
        if any(isinstance(node, ast.NamedExpr) for node in walk(branch.test)):
            continue
        outer = parents[branch]
        if isinstance(outer, ast.If) and _is_elif(facts, branch) and outer in sites:
            continue  # it goes where its `if` goes
        loads = frozenset(part.number for part in value.walk() if part.op == "load")
        found: list[Unswitching] = []
        node = parents.get(branch)
        while node is not None:
            loop = facts.loop_of(node)
            if loop is not None and is_invariant(facts, value, loop, loads):
                found.insert(0, Unswitching(facts, loop, branch, helper))
            node = parents.get(node)
        if found:
            sites.add(branch)
            yield found


def _is_constexpr(facts: KernelFacts, test: ast.expr) -> bool:
    """Whether the author says that the compiler knows it."""
    module = facts.kernel.module
    return isinstance(test, ast.Call) and module.resolve(test.func) == "triton.language.constexpr"


def _stores(node: ast.AST) -> Iterator[ast.Name]:
    """Where names are bound."""
    names = (n for n in walk(node) if isinstance(n, ast.Name))
    return (n for n in names if not isinstance(n.ctx, ast.Load))


def _is_uncertain(value: Value) -> bool:
    """Whether a value is, among others, that of a name bound in one branch only: it has none."""
    return any(part.op == "opaque" for part in value.walk())


def _bound_directly(statement: ast.stmt) -> Iterator[ast.AST]:
    """The names that a statement binds in the block that it stands in."""
    if not isinstance(statement, (ast.If, ast.While)):
        yield from walk(_header(statement))


def _is_elif(facts: KernelFacts, statement: ast.stmt) -> bool:
    return facts.kernel.module.text_of(statement).startswith("elif")
