"""Writing new statements that look like the kernel they go into.

A pass knows what it wants as forms and values; a `Writer` knows what the
kernel already calls them, which names are free, and how `triton.language` is
spelled in the file.
"""

from __future__ import annotations

import ast
import io
import math
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count

from tritonopt.checks.condition import NotExpressible as NotExpressible
from tritonopt.checks.condition import refuted
from tritonopt.facts import Atom, EffectKind, KernelFacts, Loop, Polynomial, Value
from tritonopt.facts.algebra.atoms import Iteration, Lane, Negative, Opaque
from tritonopt.facts.algebra.polynomial import monomial_polynomial
from tritonopt.facts.compiled_types import (
    NUMBER,
    NamedNumbers,
    counter_type,
    integer_type,
    is_tensor,
    stays_itself,
)
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.language import HINTS, function
from tritonopt.facts.operations import Op
from tritonopt.source import Module
from tritonopt.source.names import Names, Scope
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import remade, walk

_FIRST = "first_"
"""With this begin the names of what is written again for the first iteration."""
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_ATOMIC = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant)


class Writer:
    """Finds names and expressions for one kernel, and makes up new names."""

    def __init__(self, facts: KernelFacts) -> None:
        self.facts = facts
        self._locals = facts.kernel.module.names.scopes[facts.kernel.node].bindings.keys()

    @cached_property
    def _taken(self) -> set[str]:
        """The names that the kernel uses, and those that were made up for it."""
        return {
            n.id if isinstance(n, ast.Name) else n.arg
            for n in self.facts.kernel.nodes
            if isinstance(n, (ast.Name, ast.arg))
        }

    def fresh(self, *wanted: str) -> str:
        """A name that the kernel does not use yet: one of those wanted, or numbered."""
        numbered = (f"{wanted[0]}_{number}" for number in count(2))
        name = next(name for name in chain(wanted, numbered) if name not in self._taken)
        self._taken.add(name)
        return name

    def language(self, function: str) -> str:
        """`tl.where`, as this file spells it."""
        names = self.facts.kernel.module.names
        scope: Scope | None = names.scopes[self.facts.kernel.node]
        around: list[Scope] = []
        while scope is not None:
            around.append(scope)
            scope = scope.parent
        spelled = in_a_file(names, f"triton.language.{function}", *around)
        if spelled is None:
            detail = f"the file does not import triton.language, so {function} has no name"
            raise NotExpressible(detail)
        return spelled

    @property
    def minimum(self) -> str:
        """The smaller of two numbers; the builtin where the file has no name for `tl.minimum`."""
        return self._language_or("minimum", "min")

    @property
    def maximum(self) -> str:
        """The larger of two numbers, likewise."""
        return self._language_or("maximum", "max")

    def _language_or(self, function: str, builtin: str) -> str:
        try:
            return self.language(function)
        except NotExpressible:
            names = self.facts.kernel.module.names
            if names.scopes[self.facts.kernel.node].find(builtin) is not None:
                raise
            return builtin

    def means_the_same(self, expression: ast.expr, environment: Environment) -> bool:
        """Whether an expression of the kernel keeps its value where `environment` holds."""
        inside = walk(expression)
        if not self.facts.effect_nodes.isdisjoint(inside):
            return False
        for node in inside:
            if isinstance(node, ast.Name) and node in self.facts.values:
                known = environment.get(node.id)
                if known is None and node.id not in self._locals:
                    continue
                if known is not self.facts.values[node]:
                    return False
        return True

    def find(
        self,
        wanted: Callable[[Value], bool],
        environment: Environment,
        expressions: Iterable[ast.expr] = (),
    ) -> ast.expr | None:
        """A name (a new node), else an expression of the kernel, with a value that is wanted."""
        for name, value in reversed(environment.items()):
            if wanted(value):
                return ast.Name(name, ast.Load())
        for node in expressions:
            if wanted(self.facts.values[node]) and self.means_the_same(node, environment):
                return node
        return None

    def find_form(
        self, form: Polynomial, environment: Environment, expressions: Iterable[ast.expr] = ()
    ) -> str:
        """The text of something with that form, ready to be an operand. Raises NotExpressible."""
        constant = form.constant_value
        if constant is not None and constant.denominator == 1:
            return str(constant)
        forms = self.facts.forms

        def wanted(value: Value) -> bool:
            return value.op not in (Op.TUPLE, Op.DTYPE, Op.OPAQUE) and forms.of(value) == form

        found = self.find(wanted, environment, expressions)
        if found is not None:
            return self.operand(found)
        product = self._product(form, environment)
        if product is None:
            raise NotExpressible(f"{form.readable} has no name here")
        return product

    def _product(self, form: Polynomial, environment: Environment) -> str | None:
        """A product of parameters, or a difference of two things with a name."""
        if len(form.terms) == 1:
            ((monomial, coefficient),) = form.terms.items()
            if coefficient != 1 or any(p < 0 for _, p in monomial) or len(monomial) < 2:
                return None
            factors = [
                self.find_form(Polynomial.of(a), environment) for a, p in monomial for _ in range(p)
            ]
            return f"({' * '.join(factors)})"
        if len(form.terms) == 2:
            (one, a), (other, b) = form.terms.items()
            if a < b:
                (one, a), (other, b) = (other, b), (one, a)
            if a == 1 and b < 0:
                left = self.find_form(Polynomial({one: a}), environment)
                right = self.find_form(Polynomial({other: -b}), environment)
                return f"({left} - {right})"
        return None

    def find_condition(
        self, form: Polynomial, environment: Environment, expressions: Sequence[ast.expr]
    ) -> ast.expr | None:
        """A name or an expression for a condition, or a comparison of what has a name."""
        forms = self.facts.forms

        def holds(value: Value) -> bool:
            boolean = value.dtype == "bool" or value.op in (Op.AND, Op.BOTH, Op.INSERT_AXES)
            return boolean and forms.of(value) == form

        found = self.find(holds, environment, expressions)
        indicator = form.sole_atom
        if found is not None or not isinstance(indicator, Negative):
            return found
        difference = indicator.form
        indices = [(ast.Name(n, ast.Load()), v) for n, v in reversed(environment.items())]
        indices += [
            (node, self.facts.values[node])  # type: ignore[misc]
            for node in expressions
            if self.means_the_same(node, environment)
        ]
        for index, value in indices:
            if not value.rank or value.dtype not in ("int32", "int64", None):
                continue
            limit = forms.of(value) - difference
            if any(isinstance(a, (Lane, Iteration, Opaque)) for a in limit.leaves()):
                continue
            try:
                text = self.find_form(limit, environment)
            except NotExpressible:
                continue
            return ast.Compare(index, [ast.Lt()], [parsed(text, mode="eval").body])
        return None

    def find_mask(
        self, indicators: Iterable[Atom], environment: Environment, expressions: Sequence[ast.expr]
    ) -> ast.expr:
        """An expression for the lanes where all of some conditions hold. Raises NotExpressible."""
        ordered = sorted(indicators, key=str)
        whole = monomial_polynomial((indicator, 1) for indicator in ordered)
        mask = self.find_condition(whole, environment, expressions)
        if mask is not None:
            return mask
        for indicator in ordered:
            part = self.find_condition(Polynomial.of(indicator), environment, expressions)
            if part is None:
                raise NotExpressible(f"the mask {indicator.readable} has no expression there")
            mask = part if mask is None else ast.BinOp(mask, ast.BitAnd(), part)
        assert mask is not None
        return mask

    def sum(self, text: str, axes: Sequence[int], rank: int, keep_dims: bool = False) -> str:
        """The sum over some axes of a tile, counted from the left."""
        return self.reduced("sum", text, axes, rank, keep_dims)

    def reduced(
        self, name: str, text: str, axes: Sequence[int], rank: int, keep_dims: bool = False
    ) -> str:
        """The same with another reduction of the language."""
        function = self.language(name)
        if len(axes) == rank > 1 and not keep_dims:
            return f"{function}({text})"
        keep = ", keep_dims=True" if keep_dims else ""
        for axis in sorted(axes, reverse=True):
            text = f"{function}({text}, axis={axis}{keep})"
        return text

    def against(self, text: str, axes: Sequence[int], rank: int) -> str:
        """A reduction of a tile with its axes put back, so that it meets the tile lane by lane."""
        return text + "[" + ", ".join("None" if i in axes else ":" for i in range(rank)) + "]"

    def operand(self, node: ast.expr) -> str:
        """The text of an expression, in parentheses if it could fall apart inside another."""
        text = self.text(node)
        return text if isinstance(node, _ATOMIC) else f"({text})"

    def summand(self, node: ast.expr) -> str:
        """The text of a number or a pointer, ready to be the first of a sum or to be compared."""
        arithmetic = isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC)
        return self.text(node) if arithmetic else self.operand(node)

    def text(self, node: ast.expr) -> str:
        """The kernel's own text where the node is the kernel's and on one line, else anew."""
        if node in self.facts.values:
            text = self.facts.kernel.module.text_of(node)
            if "\n" not in text and "\r" not in text:
                return text
        return ast.unparse(_Rebuild(self, {}, ()).expression(node))

    def anew(self, node: ast.expr, names: Mapping[str, str]) -> str:
        """The text of an expression with others in place of names; zeros that add nothing go."""
        replaced = {name: parsed(text, mode="eval").body for name, text in names.items()}
        return ast.unparse(_Rebuild(self, replaced, ()).expression(node))


def in_a_file(names: Names, dotted: str, scope: Scope, *around: Scope) -> str | None:
    """What `triton.NAME` is called in a scope, by what that and those around it bind."""
    package, _, last = dotted.rpartition(".")
    for name in (name for outer in (scope, *around) for name in outer.bindings):
        resolved = names.resolve_name(name, scope)
        if resolved in (package, dotted):
            return name if resolved == dotted else f"{name}.{last}"
    return None


@dataclass(frozen=True)
class FirstIteration:
    """What a nest of loops computes in its first iteration, written before the loops."""

    statements: tuple[str, ...]
    result: str


def first_iteration(
    writer: Writer,
    loops: Sequence[Loop],
    upto: ast.stmt,
    wanted: ast.expr,
    *,
    guards: Sequence[str] = (),
) -> FirstIteration:
    """Writes an expression of the innermost loop's body as it is in the first iteration.

    The statements that it needs are written again, under new names, with the
    induction variables at their start. `guards` are conditions under which a
    loop runs at all; every load that is written again is masked by them, so
    that nothing is read that the kernel would not have read.

    Raises NotExpressible where a statement that is needed is not a plain assignment.
    """
    facts = writer.facts
    path = _path(loops, upto)
    needed = names_read(wanted)
    kept: list[ast.stmt] = []
    read_after: dict[ast.stmt, set[str]] = {}
    for statement in reversed(path):
        bound = names_bound(statement)
        if not bound & needed:
            continue
        if not is_plain(facts, statement) and not _is_known_choice(facts, statement):
            raise NotExpressible(
                f"line {statement.lineno} is needed for the first tile and is not a plain "
                "assignment"
            )
        kept.append(statement)
        read_after[statement] = needed
        if isinstance(statement, ast.If):
            bound = set()  # in one branch, maybe
        needed = (needed - bound) | names_read(statement)
    again = {node for statement in (*kept, wanted) for node in walk(statement)}
    if guards and any(e.inlined and e.node in again for e in facts.effects):
        raise NotExpressible("a helper loads the first tile, and the loops may have no iteration")
    replaced: dict[str, ast.expr] = {}
    counted: dict[str, str | None] = {}
    for loop in loops:
        assert isinstance(loop.node, ast.For)
        if not isinstance(loop.node.target, ast.Name):
            raise NotExpressible(
                f"the loop in line {loop.line} does not have one induction variable"
            )
        if loop.node.target.id in needed or any(loop.node.target.id in names_read(s) for s in kept):
            replaced[loop.node.target.id] = _start(facts, loop)
            counted[loop.node.target.id] = counter_type(facts, loop)
    rebuild = _Rebuild(writer, replaced, guards, counted)
    lines: list[str] = []
    for statement in reversed(kept):
        if isinstance(statement, ast.If):
            lines.append(_choice_again(writer, rebuild, statement, read_after[statement]))
        else:
            lines.append(_again(writer, rebuild, statement))
    written = tuple(line for line in lines if line)
    return FirstIteration(written, ast.unparse(rebuild.expression(wanted)))


def _path(loops: Sequence[Loop], upto: ast.stmt) -> list[ast.stmt]:
    """The statements that an iteration of the nest runs before `upto`, in order."""
    path: list[ast.stmt] = []
    ends = [*(loop.node for loop in loops[1:]), upto]
    for loop, end in zip(loops, ends, strict=True):
        body = loop.node.body
        if end not in body:
            raise NotExpressible(f"line {end.lineno} is not in the loop's own body")
        path += body[: body.index(end)]
    return path


def is_elif(facts: KernelFacts, statement: ast.stmt) -> bool:
    """Whether an `if` stands there as the `elif` of another one."""
    return facts.kernel.module.text_of(statement).startswith("elif")


def names_bound(node: ast.AST) -> set[str]:
    """Every name that a statement may bind."""
    return {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def names_read(node: ast.AST) -> set[str]:
    """Every name that a statement may read."""
    reads = {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    if isinstance(node, ast.AugAssign):
        reads |= names_bound(node)
    return reads


def reads_of(node: ast.AST, name: str) -> list[ast.Name]:
    """Where a statement reads a name."""
    names = (n for n in walk(node) if isinstance(n, ast.Name) and n.id == name)
    return [n for n in names if isinstance(n.ctx, ast.Load)]


def comments_in(text: str) -> int:
    """The number of comments in the text of an expression."""
    lines = io.StringIO(f"({text}\n)").readline
    return sum(t.type == tokenize.COMMENT for t in tokenize.generate_tokens(lines))


def check_no_comment(module: Module, node: ast.stmt | ast.expr) -> None:
    """Raises Declined where one is inside of what goes."""
    if comments_in(module.text_of(node)):
        detail = f"a comment inside line {node.lineno} would be lost"
        raise refuted("nothing-else-is-lost", "comment-inside", detail)


def block_of(root: ast.AST, statement: ast.stmt) -> list[ast.stmt]:
    """The list of statements that one stands in."""
    for node in walk(root):
        for _, block in ast.iter_fields(node):
            if isinstance(block, list) and any(s is statement for s in block):
                return block
    raise NotExpressible(f"line {statement.lineno} is not in a block of the kernel")


def statements_around(
    facts: KernelFacts, node: ast.AST
) -> Iterator[tuple[ast.stmt, list[ast.stmt], ast.AST]]:
    """The statements that a node is in, from the innermost: each with its block, and with what
    has the block."""
    parents, home = facts.kernel.module.names.parents, names_of(facts.kernel.node).home
    place: ast.AST | None = node
    while place is not None and place not in home:
        place = parents.get(place)
    while isinstance(place, ast.stmt) and place in home:
        around, block, _ = home[place]
        yield place, block, around
        place = around


def is_plain(facts: KernelFacts, statement: ast.stmt) -> bool:
    """Whether a statement only binds one name, and does nothing but load for it."""
    match statement:
        case ast.Assign(targets=[ast.Name()]) | ast.AugAssign(target=ast.Name()):
            pass
        case ast.AnnAssign(target=ast.Name(), value=ast.expr()):
            pass
        case _:
            return False
    named = any(isinstance(node, ast.NamedExpr) for node in walk(statement))
    return not named and only_loads(facts, statement)


def only_loads(facts: KernelFacts, statement: ast.stmt, *, volatile: bool = True) -> bool:
    """Whether all that a statement does is to load; `volatile` says in which way it may."""
    inside = set(walk(statement))
    effects = (e for e in facts.effects if e.node in inside)
    return all(e.kind is EffectKind.LOAD and (volatile or not e.volatile) for e in effects)


def _start(facts: KernelFacts, loop: Loop) -> ast.expr:
    assert isinstance(loop.node, ast.For)
    if loop.start is not None and isinstance(loop.start.constant, int):
        return ast.Constant(loop.start.constant)
    call = loop.node.iter
    if isinstance(call, ast.Call) and call.args and facts.values.get(call.args[0]) is loop.start:
        return call.args[0]
    raise NotExpressible(f"the start of the loop in line {loop.line} has no expression")


def _is_known_choice(facts: KernelFacts, statement: ast.stmt) -> bool:
    """Whether a statement is an `if` of the compiler's, with plain assignments in it."""
    if not isinstance(statement, ast.If) or not is_constexpr(facts, statement.test):
        return False
    return all(is_plain(facts, inner) for inner in (*statement.body, *statement.orelse))


def _choice_again(
    writer: Writer, rebuild: _Rebuild, statement: ast.If, read_after: set[str]
) -> str:
    """The `if` once more. A name that it binds again keeps a new name that is its alone."""
    known = dict(rebuild.names)
    ids = [value.id for value in known.values() if isinstance(value, ast.Name)]
    bound = [
        {n for s in block for n in names_bound(s)} for block in (statement.body, statement.orelse)
    ]
    new: dict[str, str] = {}
    lines = []
    for name in sorted(bound[0] | bound[1]):
        had = known.get(name)
        if had is not None and not isinstance(had, ast.Name):
            raise NotExpressible(
                f"line {statement.lineno} binds {name}, which is an induction variable"
            )
        always = name in bound[0] and name in bound[1]
        if had is None and name in read_after and not always:
            raise NotExpressible(f"line {statement.lineno} binds {name} in one branch only")
        if had is not None and had.id in rebuild.made and ids.count(had.id) == 1:
            new[name] = had.id
            continue
        new[name] = writer.fresh(_FIRST + name.lstrip("_"))
        if had is not None and not always:
            lines.append(f"{new[name]} = {had.id}")
    for header, block in (
        (f"if {writer.text(statement.test)}:", statement.body),
        ("else:", statement.orelse),
    ):
        rebuild.names = dict(known)
        if block:
            inner = [_again(writer, rebuild, s, new) for s in block]
            lines += [header, *(f"    {line}" for line in inner)]
    rebuild.names = {**known, **{name: ast.Name(new[name], ast.Load()) for name in new}}
    return "\n".join(lines)


def _again(
    writer: Writer, rebuild: _Rebuild, statement: ast.stmt, names: Mapping[str, str] | None = None
) -> str:
    """The statement once more, binding a new name that later ones then read.

    "" where it is one name for what has another one: that is what they read.
    """
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            zero = rebuild.is_zero(value, "int32")
            expression = ast.Constant(0) if zero else rebuild.expression(value)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            expression = rebuild.expression(value)
        case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
            before = rebuild.expression(ast.Name(target.id, ast.Load()))
            expression = ast.BinOp(before, op, rebuild.expression(value))
        case _:
            raise NotExpressible("not a plain assignment")
    if names is None and isinstance(expression, ast.Name) and expression.id.isidentifier():
        rebuild.names[name] = expression
        return ""
    new = names[name] if names is not None else writer.fresh(_FIRST + name.lstrip("_"))
    rebuild.names[name] = ast.Name(new, ast.Load())
    rebuild.made.add(new)
    annotation = ""
    if isinstance(statement, ast.AnnAssign):
        annotation = ": " + ast.unparse(statement.annotation)
    return f"{new}{annotation} = {ast.unparse(expression)}"


class _Rebuild:
    """Copies expressions with names replaced, loads guarded and zeros folded.

    The counters of loops, `counted` with their types, are tensors to the compiler, and so must be
    what takes their place, but where it is added to a tensor of that type, or to an address.
    """

    def __init__(
        self,
        writer: Writer,
        names: Mapping[str, ast.expr],
        guards: Sequence[str],
        counted: Mapping[str, str | None] | None = None,
    ) -> None:
        self.names, self.made = dict(names), set[str]()
        self._counted = counted or {}
        self._compared: set[ast.expr] = set()
        self._writer = writer
        self._facts = writer.facts
        self._guards = [parsed(guard, mode="eval").body for guard in guards]
        numbers = NamedNumbers(writer.facts, self._counted, self._is_named_zero)
        self._is_zero, self._type = numbers.is_zero, numbers.type_of

    def _is_named_zero(self, name: str) -> bool:
        number = self.names.get(name)
        return isinstance(number, ast.Constant) and number.value == 0

    def expression(self, node: ast.expr) -> ast.expr:
        rebuilt = self._rebuilt(node)
        assert isinstance(rebuilt, ast.expr)
        return rebuilt

    def _rebuilt(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Name) and node.id in self.names:
            return self._tensor(node)
        if isinstance(node, ast.BinOp):
            shorter = self._shorter(node)
            if shorter is not None:
                return shorter
        if isinstance(node, ast.Compare) and len(node.comparators) == 1:
            sides = node.left, node.comparators[0]
            compared = (a for a, b in (sides, sides[::-1]) if is_tensor(self._facts, b))
            self._compared.update(compared)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            receiver: ast.AST = node.func.value
            if isinstance(receiver, ast.Name) and receiver.id in self._counted:
                receiver = self.names[receiver.id]
            if isinstance(receiver, ast.Constant) and node.func.attr == "to":
                # A number has no methods, so `start.to(tl.int64)` is a function's affair.
                cast = parsed(self._writer.language("cast"), mode="eval").body
                rest = [self.expression(argument) for argument in node.args]
                keywords = [ast.keyword(k.arg, self.expression(k.value)) for k in node.keywords]
                return ast.Call(cast, [receiver, *rest], keywords)
        if isinstance(node, ast.Constant) and node in self._facts.values:
            # A name is written as it stands, so the constant keeps its quotes and its digits.
            return ast.Name(self._facts.kernel.module.text_of(node), ast.Load())
        new = remade(node, self._rebuilt)
        if isinstance(new, ast.Call) and isinstance(node, ast.Call):
            return self._call(node, new)
        return new

    def _call(self, node: ast.Call, new: ast.Call) -> ast.expr:
        name = self._facts.kernel.module.resolve(node.func)
        if name == "triton.language.load" and self._guards:
            self._guard(node, new)
        if function(name) in HINTS and node.args and self._is_zero(node.args[0]):
            return new.args[0]
        return new

    # Counters of loops

    def _tensor(self, node: ast.Name) -> ast.expr:
        """What takes the place of a name; of a counter that is a tensor, one of its type."""
        value, kind = self.names[node.id], self._counted.get(node.id, NUMBER)
        start = self._facts.values.get(value)
        own = None if start is None else integer_type(self._facts, start, fits=True)
        if kind == NUMBER or (own == kind and is_tensor(self._facts, value)):
            return value
        if kind not in ("int32", "int64"):
            detail = f"the first tile uses {node.id} as a tensor of unknown type"
            raise NotExpressible(detail)
        cast, to = self._writer.language("cast"), self._writer.language(kind)
        call = parsed(f"{cast}(0, {to})", mode="eval").body
        assert isinstance(call, ast.Call)
        call.args[0] = value
        return call

    def _shorter(self, node: ast.BinOp) -> ast.expr | None:
        """`0 + x` and `x - 0` are `x`, and `8 + x` needs no tensor for the 8, where x is one."""
        if not isinstance(node.op, (ast.Add, ast.Sub)):
            return ast.Constant(0) if self._is_zero(node) and self._type(node) == NUMBER else None
        for side, other in ((node.right, node.left), (node.left, node.right)):
            plain = isinstance(side, ast.Name) and side.id in self._counted
            if not (plain or self._is_zero(side)) or not self._stays(other, self._type(side), node):
                continue
            if self._is_zero(side) and (side is node.right or isinstance(node.op, ast.Add)):
                return self.expression(other)
            if plain:
                assert isinstance(side, ast.Name)
                number, rest = self.names[side.id], self.expression(other)
                sides = (rest, number) if side is node.right else (number, rest)
                return ast.BinOp(sides[0], node.op, sides[1])
        return None

    def is_zero(self, node: ast.expr, kind: str) -> bool:
        """Whether an expression is 0 and nothing else, of that type."""
        return self._is_zero(node) and self._type(node) == kind

    def _stays(self, node: ast.expr, kind: str | None, whole: ast.expr) -> bool:
        """Whether a number does beside it where a tensor of that type was.

        Index arithmetic does not overflow, so the width does not matter; and a number is compared
        with a tensor as one.
        """
        value = self._facts.values.get(node)
        if not self._counted or stays_itself(self._facts, node, kind):
            return True
        if value is None or kind == NUMBER or not stays_itself(self._facts, node, NUMBER):
            return False
        return whole in self._compared or is_tensor(self._facts, node)

    def _guard(self, original: ast.Call, load: ast.Call) -> None:
        """Masks the load by the guards too."""
        masks = [k for k in load.keywords if k.arg == "mask"]
        parts = [load.args[1]] if len(load.args) > 1 else [k.value for k in masks]
        effect = next(e for e in self._facts.effects if e.node is original)
        if effect.mask is not None and effect.mask.is_none:
            parts = []
        elif effect.mask is not None and effect.mask.op in (Op.PARAM, Op.CONSTEXPR):
            raise NotExpressible("a mask that is a parameter may be None")
        mask: ast.expr = self._guards[0]
        for guard in self._guards[1:]:
            mask = ast.BinOp(mask, ast.BitAnd(), guard)
        for part in parts:
            mask = ast.BinOp(part, ast.BitAnd(), mask)
        if len(load.args) > 1:
            load.args[1] = mask
        elif masks:
            load.keywords = [ast.keyword("mask", mask) if k in masks else k for k in load.keywords]
        else:
            load.keywords = [ast.keyword("mask", mask), *load.keywords]


def filled(writer: Writer, shape: str, filler: str, dtype: str) -> str:
    """Code for a tile with one number in each lane."""
    if filler in ("0", "0.0"):
        return f"{writer.language('zeros')}([{shape}], dtype={dtype})"
    return f"{writer.language('full')}([{shape}], {filler}, dtype={dtype})"


def number_code(number: float | int) -> str:
    """Code for a number."""
    if isinstance(number, float) and math.isinf(number):
        return f'float("{"-" if number < 0 else ""}inf")'
    return repr(number)
