"""The mask that a condition becomes where all that it guards are stores and masked sums."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tritonopt.checks.attempt import Attempt
from tritonopt.emit.code_edits import CodeEdits, in_parentheses
from tritonopt.emit.loop_invariants import may_divide_by_zero
from tritonopt.emit.writing import names_bound
from tritonopt.facts import Effect, Value
from tritonopt.facts.dtypes import INTEGERS
from tritonopt.facts.effects import parts_of
from tritonopt.facts.language import ACCESSES, MATRIX, arguments_of, function, is_lane_by_lane
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.passes.loop_unswitch.invariant_branches import InvariantBranch, when_known
from tritonopt.source import Change, Module, Replace
from tritonopt.source.editing import excerpts
from tritonopt.source.editing.width import line_width
from tritonopt.source.trees import walk

MOST_ACCESSES = 3
"""Each of which repeats the condition."""
_BOOLEAN = ("bool", "int1")
_COSTLY = frozenset({Op.REDUCE, Op.RESHAPED, Op.BLOCK_POINTER, Op.OPAQUE, Op.ONE_OF})
_UNDECIDED = (ast.IfExp, ast.NamedExpr, ast.Lambda, ast.Starred, ast.JoinedStr)
_COMPARE = {Op.LT: operator.lt, Op.LE: operator.le, Op.GT: operator.gt, Op.GE: operator.ge} | {
    Op.EQ: operator.eq,
    Op.NE: operator.ne,
}


class NotMasked(Exception):
    """Why a condition cannot be the mask of what it guards, as a part of a sentence."""


def masked(branch: InvariantBranch, attempt: Attempt) -> list[Change]:
    """What the `if` guards, under a mask instead.

    Raises NotMasked where that is not the same, and EditConflict where a comment would get lost.
    """
    guarded = _Guarded(branch)
    guarded.check()
    attempt.prove("nothing-else-is-lost", "all that the `if` guards is masked")
    attempt.prove("reads-nothing-more", "each load under the `if` has its condition as a mask")
    if guarded.cleared:
        attempt.prove("masked-off-lanes-add-nothing", "what is added is 0 where it does not hold")
    return guarded.changes()


@dataclass
class _Guarded:
    """The statements below one `if`."""

    branch: InvariantBranch
    own: set[str] = field(default_factory=set)
    """The names that nothing else binds or reads."""
    cleared: set[int] = field(default_factory=set)
    """The loads, by their order, that must give 0 where they do not read."""

    selects: list[ast.expr] = field(default_factory=list)
    """What `tl.where` chooses by, of what stays as it is where that does not hold."""

    def check(self) -> None:
        node, facts = self.branch.node, self.branch.facts
        if node.orelse or self.branch.is_elif(node):
            raise NotMasked("there is more than one way")
        known = when_known(facts, self.branch.condition, self.branch.in_helper)
        if known != "runtime" or self.branch.in_helper or self.branch.condition.shape != ():
            raise NotMasked("the compiler may decide the condition")
        if self.branch.effects_in(node.test):
            raise NotMasked("the condition has an effect")
        for effect in self._effects:
            self._check_access(effect)
        if len(self._effects) > MOST_ACCESSES:
            raise NotMasked(f"it guards more than {MOST_ACCESSES} accesses to memory")
        for statement in node.body:
            self._check_statement(statement)
        if not (self.selects or self.cleared or any(e.writes for e in self._effects)):
            raise NotMasked("it guards no access to memory")
        self._check_names()
        for part in (n for s in node.body for n in walk(s)):
            self._check_expression(part)

    @property
    def _effects(self) -> list[Effect]:
        inside = {n for statement in self.branch.node.body for n in walk(statement)}
        return [effect for effect in self.branch.facts.effects if effect.node in inside]

    def _arguments(self, effect: Effect) -> dict[str, ast.expr]:
        """What an access passes. Raises NotMasked for all but a plain load or store."""
        call, where = effect.node, f"line {effect.line}"
        name = ""
        if isinstance(call, ast.Call):
            name = function(self.branch.module.resolve(call.func))
        if name not in ACCESSES or effect.inlined or effect.volatile:
            raise NotMasked(f"{where} has an effect that takes no mask")
        assert isinstance(call, ast.Call)
        given = arguments_of(call, ACCESSES[name])
        if given is None or {"boundary_check", "padding_option"} & set(given):
            raise NotMasked(f"{where} has arguments that cannot be joined to a mask")
        return given

    def _check_access(self, effect: Effect) -> None:
        given, where = self._arguments(effect), f"line {effect.line}"
        if len([e for e in self._effects if e.node is effect.node]) > 1:
            raise NotMasked(f"{where} has several effects")
        loops = self.branch.facts.loops
        parts = parts_of(loops, effect.pointer) if effect.pointer is not None else ()
        if effect.pointer is None or any(
            p.op in (Op.BLOCK_POINTER, Op.OPAQUE, Op.ONE_OF) for p in parts
        ):
            raise NotMasked(f"{where} may go through a block pointer or a descriptor")
        mask = effect.mask
        if "mask" in given and (mask is None or mask.dtype not in _BOOLEAN):
            raise NotMasked(f"the mask in {where} may be other than true or false")

    def _check_statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(value=ast.Call() as call) if call in {e.node for e in self._effects}:
                return
            case ast.AugAssign(target=ast.Name() as target, op=ast.Add(), value=value):
                self._check_sum(target, value)
                return
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if name not in self.branch.facts.before[self.branch.node]:
                    self.own.add(name)
                    return
                self._check_select(name, value)
                return
        raise NotMasked(f"line {statement.lineno} is neither a store nor a sum")

    def _check_sum(self, target: ast.Name, value: ast.expr) -> None:
        """A sum that begins with 0 is never -0.0, so that adding 0 leaves it as it is."""
        facts = self.branch.facts
        summand = facts.values.get(value)
        if target.id in self.own or summand is None or not self._is_cleared(summand):
            raise NotMasked(f"line {target.lineno} adds what is not 0 under a mask")
        for node in walk(facts.kernel.node):
            match node:
                case ast.AugAssign(target=ast.Name(id=name), op=ast.Add()) if name == target.id:
                    continue
                case ast.Assign(targets=[ast.Name(id=name)], value=first) if name == target.id:
                    if _is_zero(facts.values.get(first)):
                        continue
                case ast.stmt() if target.id not in _bound_by(node):
                    continue
                case ast.stmt():
                    pass
                case _:
                    continue
            raise NotMasked(f"{target.id} does not only add up from 0")
        if any(p.name == target.id for p in facts.kernel.parameters):
            raise NotMasked(f"{target.id} does not only add up from 0")

    def _check_select(self, name: str, value: ast.expr) -> None:
        """What is chosen by a mask, and else stays, is chosen by a smaller one."""
        given, language = None, ""
        if isinstance(value, ast.Call):
            language = function(self.branch.module.resolve(value.func))
            given = arguments_of(value, ("condition", "x", "y"))
        if language != "where" or not given or len(given) != 3:
            raise NotMasked(f"line {value.lineno} binds {name}, which is bound before too")
        other, chosen = given["y"], self.branch.facts.values.get(given["condition"])
        if not (isinstance(other, ast.Name) and other.id == name):
            raise NotMasked(f"line {value.lineno} binds {name}, which is bound before too")
        if chosen is None or chosen.dtype not in _BOOLEAN:
            raise NotMasked(f"what line {value.lineno} chooses by may be other than true or false")
        self.selects.append(given["condition"])

    def _is_cleared(self, value: Value) -> bool:
        """Whether a value is 0 where what it loads is; of loads under the `if`, and of products."""
        if value.op in (Op.CAST, Op.INSERT_AXES, Op.BROADCAST_TO):
            return self._is_cleared(value.operands[0])
        if value.op is Op.MUL:
            return self._is_cleared(value.left) and self._is_cleared(value.right)
        if value.op is not Op.LOAD or value.number not in {e.order for e in self._effects}:
            return False
        self.cleared.add(value.number)
        return value.other.is_none or _is_zero(value.other)

    def _check_names(self) -> None:
        """What the `if` binds nothing else has, and what it reads is there in any case."""
        branch, facts = self.branch, self.branch.facts
        kernel = facts.kernel
        inside = {n for statement in branch.node.body for n in walk(statement)}
        outside = {n.id for n in walk(kernel.node) if isinstance(n, ast.Name) and n not in inside}
        shared = self.own & (outside | {p.name for p in kernel.parameters})
        if shared:
            raise NotMasked(f"{min(shared)} is bound or read elsewhere too")
        read = {n.id for n in inside if isinstance(n, ast.Name)} - self.own
        certain = _is_compiled(branch.condition)
        always = set(_outside_of_branches(kernel.node.body, branch.node))
        parameters = {p.name for p in kernel.parameters}
        for name in sorted(read - always):
            if name in facts.before[branch.node] and name not in parameters:
                raise NotMasked(f"{name} may not be bound where the condition does not hold")
            if not certain and name in parameters:
                detail = f"whether {name} is passed may depend on the condition"
                raise NotMasked(f"{detail}, which the compiler knows where an argument is 1")

    def _check_expression(self, node: ast.AST) -> None:
        """Raises NotMasked for what must not be computed, or costs much, where nothing asks."""
        facts = self.branch.facts
        if isinstance(node, _UNDECIDED):
            raise NotMasked(f"line {node.lineno} computes what the condition guards")
        if not isinstance(node, ast.expr) or isinstance(node, ast.Name) or node not in facts.values:
            if isinstance(node, ast.Call) and node not in {e.node for e in self._effects}:
                raise NotMasked(f"line {node.lineno} calls what is not known")
            return
        value = facts.values[node]
        if value.op in _COSTLY or may_divide_by_zero(facts, value, self.branch.node):
            raise NotMasked(f"line {node.lineno} computes what should wait for the condition")
        if isinstance(node, ast.Call) and node not in {e.node for e in self._effects}:
            name = function(self.branch.module.resolve(node.func))
            method = isinstance(node.func, ast.Attribute) and node.func.attr == "to"
            plain = is_lane_by_lane(name) or name in ("arange", "zeros", "full", "cast", "where")
            if not (method or plain) or name in MATRIX:
                raise NotMasked(f"line {node.lineno} calls what may do more than compute")

    # The code

    def changes(self) -> list[Change]:
        branch = self.branch
        module, node = branch.module, branch.node
        edits = CodeEdits(module)
        condition = self._condition()
        for effect in self._effects:
            assert isinstance(effect.node, ast.Call)
            given = self._arguments(effect)
            mask, other = given.get("mask"), given.get("other")
            if mask is None:
                edits.added.setdefault(effect.node, []).append(f"mask={condition}")
            elif effect.mask is None or effect.mask.is_none:
                edits.instead[mask] = condition
            else:
                edits.instead[mask] = _joined(module, mask, condition)
            if effect.order in self.cleared and other is None:
                assert effect.loaded is not None
                whole = branch.facts.types.of(effect.loaded).all_in(INTEGERS)
                edits.added.setdefault(effect.node, []).append(f"other={0 if whole else 0.0}")
        for chosen in self.selects:
            edits.instead[chosen] = _joined(module, chosen, condition)
        indent = node.body[0].col_offset - node.col_offset
        edits.break_long_lines(node, line_width(module) + max(indent, 0))
        changed, (asked,) = excerpts.after(module, list(edits.changes(node)), [node])
        assert isinstance(asked, ast.If)
        said = excerpts.header_comment(module, node).strip()
        code = excerpts.block_code(changed, asked.body)
        changes: list[Change] = [Replace(node, f"{said}\n{code}" if said else code)]
        excerpts.check_comments(module, changes)
        return changes

    def _condition(self) -> str:
        """The condition as a mask of one lane."""
        test = self.branch.node.test
        text = excerpts.one_line(self.branch.module, test)
        if _is_boolean(self.branch.condition):
            return text
        if self.branch.condition.op in (Op.BOTH, Op.EITHER):
            raise NotMasked("the condition is not made of comparisons")
        if self._may_be_none(test):
            raise NotMasked(f"{text} may be None, which is not 0 either")
        return f"{in_parentheses(text)} != 0"

    def _may_be_none(self, test: ast.expr) -> bool:
        """Whether a launch shows that it passes None for what is a condition by itself."""
        facts, name = self.branch.facts, self.branch.condition.attribute
        if self.branch.condition.op is not Op.PARAM:
            return False
        found = [p.default for p in facts.kernel.parameters if p.name == name]
        for launch in facts.launches.launches:
            passed = launch.arguments.get(str(name))
            found.append(passed)
            read = {n.id for n in walk(passed) if isinstance(n, ast.Name)} if passed else set()
            if launch.launcher is not None:
                given = launch.launcher.args
                own = [*given.posonlyargs, *given.args, *given.kwonlyargs]
                # From the last one on, where those without a default are left out.
                defaults = [*given.defaults, *given.kw_defaults]
                pairs = zip(own[::-1], defaults[::-1], strict=False)
                found += [default for one, default in pairs if one.arg in read]
        nodes = (n for one in found if one is not None for n in walk(one))
        return any(isinstance(n, ast.Constant) and n.value is None for n in nodes)


def _is_boolean(condition: Value) -> bool:
    if condition.op in (Op.BOTH, Op.EITHER):
        return all(map(_is_boolean, condition.operands))
    return condition.dtype in _BOOLEAN or condition.op in COMPARISONS | {Op.NOT}


def _joined(module: Module, mask: ast.expr, condition: str) -> str:
    text = module.text_of(mask)
    conjunction = isinstance(mask, ast.BinOp) and isinstance(mask.op, ast.BitAnd)
    return f"{text if conjunction else in_parentheses(text)} & {in_parentheses(condition)}"


def _bound_by(statement: ast.stmt) -> set[str]:
    """The names that a statement binds itself, without the blocks in it."""
    match statement:
        case ast.For(target=target):
            return names_bound(target)
        case ast.If() | ast.While() | ast.FunctionDef():
            return set()
    return names_bound(statement)


def _is_zero(value: Value | None) -> bool:
    """Whether a value is 0 in all lanes, and not -0.0."""
    if value is None:
        return False
    if value.op is Op.FULL:
        return _is_zero(value.operands[0])
    number = value.constant
    plain = isinstance(number, (int, float)) and not isinstance(number, bool)
    return plain and number == 0 and math.copysign(1.0, number) > 0


def _is_compiled(condition: Value) -> bool:
    """Whether what a condition guards is compiled, whatever is passed.

    The one number that the compiler takes for a constant is 1.
    """
    if condition.op in (Op.BOTH, Op.EITHER, Op.AND, Op.OR):
        return all(map(_is_compiled, condition.operands))
    varying = (Op.PROGRAM_ID, Op.NUM_PROGRAMS, Op.LOAD, Op.ITERATION)
    if condition.op is not Op.NOT and any(part.op in varying for part in condition.walk()):
        return True
    if condition.op not in _COMPARE:
        return condition.op is Op.PARAM
    sides = (condition.left, condition.right)
    numbers: list[Any] = [1 if side.op is Op.PARAM else side.constant for side in sides]
    plain = all(isinstance(number, (int, float)) for number in numbers)
    return plain and bool(_COMPARE[condition.op](*numbers))


def _outside_of_branches(block: list[ast.stmt], branch: ast.If) -> Iterator[str]:
    """The names in statements that stand under no `if`, or only under those around a branch."""
    for statement in block:
        match statement:
            case ast.If(body=body, orelse=orelse) if statement is not branch:
                for way in (body, orelse):
                    if any(branch in walk(inner) for inner in way):
                        yield from _outside_of_branches(way, branch)
            case ast.For(target=target, iter=header, body=body):
                yield from (*_names(target), *_names(header))
                yield from _outside_of_branches(body, branch)
            case ast.While(body=body):
                yield from _outside_of_branches(body, branch)
            case ast.If():
                continue
            case _:
                yield from _names(statement)


def _names(node: ast.AST) -> Iterator[str]:
    inside = list(walk(node))
    if not any(isinstance(n, (ast.IfExp, ast.BoolOp)) for n in inside):
        yield from (n.id for n in inside if isinstance(n, ast.Name))
