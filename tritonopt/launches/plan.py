"""What is proved of the launches of a kernel that are to change with it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import NotExpressible, refuted, unknown
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.host.launcher_code import evaluated_by, evaluation_at
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.operations import Op
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.launches.division import Division, Divisor, is_passed, words_of
from tritonopt.launches.known_launches import (
    NewParameter,
    check_binding,
    check_builtin,
    check_numbers,
    check_parameter,
    extents_of,
    in_tuner_keys,
    new_parameter,
)
from tritonopt.launches.launch_grids import Extent, given_by, new_name, scope_at, statement_of
from tritonopt.source import (
    Change,
    Enclose,
    InsertAfter,
    InsertBefore,
    Kernel,
    Launch,
    Replace,
    ReplaceExpression,
)
from tritonopt.source.editing import excerpts
from tritonopt.source.editing.changes import ELSE
from tritonopt.source.editing.expressions import in_parentheses
from tritonopt.source.editing.width import line_width, on_lines
from tritonopt.source.launches import places
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk

_KNOWN = "length-is-known-at-the-launch"
_DEVICE = "torch.cuda.get_device_properties(torch.cuda.current_device())"
_OPERATORS: Mapping[Op, str] = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.FLOORDIV: "//"}


@dataclass(frozen=True)
class PlannedLaunch:
    """A launch `kernel[grid](...)` that is a statement of its own."""

    launch: Launch

    @property
    def statement(self) -> ast.Expr:
        found = statement_of(self.launch)
        assert found is not None
        return found

    @property
    def before(self) -> Sequence[ast.stmt]:
        """The statements of its block that stand before it."""
        assert self.launch.launcher is not None
        _, block, place = names_of(self.launch.launcher).home[self.statement]
        return block[:place]

    @property
    def called(self) -> ast.Name | None:
        """The name of the kernel; None where it is called by another one."""
        match self.launch.call.func:
            case ast.Subscript(value=ast.Name(id=name) as called):
                return called if name == self.launch.kernel.name else None
        return None

    def own_binding(self, name: ast.expr, also: ast.expr | None = None) -> ast.Assign | None:
        """The one statement that binds a name which is read at this launch alone, or in `also`."""
        launcher = self.launch.launcher
        if launcher is None or not isinstance(name, ast.Name):
            return None
        others = set(walk(also)) if also is not None else set()
        names = (n for n in walk(launcher) if isinstance(n, ast.Name) and n.id == name.id)
        uses = [n for n in names if n not in others]
        if len(uses) != 2 or scope_at(self.launch).node is not launcher:
            return None
        for node in walk(launcher):
            match node:
                case ast.Assign(targets=[ast.Name() as target]) if target in uses:
                    return node
        return None

    # What the kernel takes, in the words of the launch

    def repeats(self, expression: ast.expr) -> bool:
        """Whether what the launch evaluates comes to the same once more, before the launch."""
        return evaluation_at(self.launch).gives_the_same(expression, evaluated_by(self.launch))

    def passed(self, name: str) -> ast.expr | None:
        """What it passes for a parameter, or the default, which may be computed once more.

        None where that is not so, or where a tuner or a heuristic chooses it.
        """
        found = given_by(self.launch).get(name)
        if found is None:
            return self.default(name)
        return found if self.repeats(found) else None

    def default(self, name: str) -> ast.Constant | None:
        """The constant that a parameter is where the launch leaves it out; None where it is none.

        A tuner or a heuristic may choose it instead.
        """
        kernel = self.launch.kernel
        found = next(p.default for p in kernel.parameters if p.name == name)
        chosen = len(kernel.decorators) > 1 or self.launch.chosen_by is not None
        if name in self.launch.arguments or chosen or not isinstance(found, ast.Constant):
            return None
        return found

    def argument(self, name: str) -> str:
        """Code for what the kernel takes for a parameter. Raises Declined."""
        passed = self.passed(name)
        if passed is None:
            text = f"what the launch in {self.launch.where} passes for {name} is unknown"
            raise unknown(_KNOWN, "arguments-are-not-seen", text)
        return self.launch.module.text_of(passed)

    def number(self, value: Value) -> str:
        """Code for a number that the kernel computes of its arguments. Raises Declined."""
        if value.op is Op.CONST and type(value.constant) is int:
            return str(value.constant)
        if value.op in (Op.PARAM, Op.CONSTEXPR):
            return self.argument(value.name)
        if value.op in _OPERATORS:
            left, right = self.number(value.left), self.number(value.right)
            if value.op not in (Op.ADD, Op.SUB):
                left = in_parentheses(left)
            if value.op is not Op.ADD:
                right = in_parentheses(right)
            return f"{left} {_OPERATORS[value.op]} {right}"
        if value.op is Op.CDIV:
            return f"triton.cdiv({self.number(value.left)}, {self.number(value.right)})"
        text = f"the launch in {self.launch.where} does not pass the length of the row"
        raise unknown(_KNOWN, "length-is-computed", text)

    def leaves_out(self, name: str) -> bool:
        """Whether it leaves a parameter to its default, which another kernel may have too."""
        return name not in self.launch.arguments and self.default(name) is not None

    def options(self, *names: str) -> Iterator[str]:
        """Code that passes the options of these names once more. Raises NotExpressible."""
        for keyword in self.launch.call.keywords:
            if keyword.arg in names:
                if not self.repeats(keyword.value):
                    raise NotExpressible(f"line {keyword.value.lineno} computes {keyword.arg}")
                yield f"{keyword.arg}={self.launch.module.text_of(keyword.value)}"

    def device_of(self, parameters: Iterable[str]) -> str:
        """Code for the device of the first of some tensors that has a name here.

        Raises NotExpressible where none has.
        """
        passed = map(self.passed, parameters)
        named = next((tensor for tensor in passed if isinstance(tensor, ast.Name)), None)
        if named is None:
            raise NotExpressible(f"no tensor has a name at the launch in {self.launch.where}")
        return f"{named.id}.device"

    # Buffers, and one more launch

    @property
    def width(self) -> int:
        """Of a line that stands where the launch does."""
        return line_width(self.launch.module) - self.statement.col_offset

    def allocated(self, buffers: Mapping[str, str], when: str) -> str:
        """Code that binds each buffer to what a call allocates where a test holds, else to None."""
        made = [f"{name} = {call}" for name, call in buffers.items()]
        one = f"{made[0]} if {when} else None"
        if len(made) == 1 and len(one) <= self.width:
            return one
        return f"{' = '.join(buffers)} = None\n{self._under(when, made)}"

    def then(self, code: str, when: str) -> InsertAfter:
        """Another launch after this one, where a test holds."""
        return InsertAfter(self.statement, self._under(when, [code]))

    def _under(self, test: str, statements: Iterable[str]) -> str:
        return _under(test, *(on_lines(code, self.width - 4) for code in statements))

    def another(
        self,
        kernel: str,
        grid: str,
        parameters: Mapping[str, bool],
        first: Mapping[str, str],
        last: Iterable[str],
    ) -> str:
        """Code that launches another kernel, of whose parameters it is said which have a default.

        It passes what comes `first`, then what this launch passes for the parameters that both
        have: by place as long as that is the new kernel's order; and some keywords `last`. Raises
        Declined.
        """
        own = [p for p in self.launch.kernel.parameters if p.name in parameters]
        own = [p for p in own if not self.leaves_out(p.name)]
        named = {p.name for p in own if p.constexpr or p.default is not None}
        order, arguments, by_place = [*parameters], list[str](), True
        for name, code in {**first, **{p.name: self.argument(p.name) for p in own}}.items():
            by_place = by_place and name not in named and order[len(arguments)] == name
            arguments.append(code if by_place else f"{name}={code}")
        launched = f"{kernel}[{grid}]({', '.join([*arguments, *last])})"
        check_binding(self.launch, launched, parameters)
        return launched

    # Two kernels, and a test between them

    def is_after(self, test: str) -> bool:
        """Whether it stands where the test was asked and does not hold."""
        launcher, wanted = self.launch.launcher, ast.dump(parsed(test, mode="eval").body)
        return launcher is not None and any(
            isinstance(node, ast.If)
            and ast.dump(node.test) == wanted
            and any(self.statement in walk(other) for other in node.orelse)
            for node in walk(launcher)
        )

    def either(
        self,
        test: str,
        kernel: str,
        parameters: Mapping[str, bool],
        changes: Sequence[Change],
        *,
        first: str = "",
        otherwise: Sequence[Change] = (),
    ) -> Iterator[Change]:
        """Another kernel where a test holds, launched with some changes after some statements.

        Of its parameters it is said which have a default. Where the test does not hold, the launch
        is as it was but for the changes `otherwise`. Raises NotExpressible.
        """
        module, statement = self.launch.module, self.statement
        assert self.called is not None
        changed = [ReplaceExpression(self.called, kernel), *changes]
        one = excerpts.changed_code(module, statement, changed)
        check_binding(self.launch, one, parameters)
        other = excerpts.changed_code(module, statement, otherwise)
        if _ends_with_comment(other):
            # A comment after a launch may be for a tool that reads that line, so the launch stays
            # in its line; the comment above goes into the `else` with it, so it is repeated.
            above = excerpts.said_of(module, statement)
            yield InsertBefore(statement, _under(test, first, *above, one))
            yield Enclose(statement, statement, f"{ELSE}\n    ...")
            yield from otherwise
        else:
            # What is said above the launch is said above the question.
            code = f"{_under(test, first, one)}\n{ELSE}\n{excerpts.indented(other, '    ')}"
            yield Replace(statement, code)


def _under(test: str, *parts: str) -> str:
    """The parts that are not empty, under an `if`."""
    return f"if {test}:\n{excerpts.indented(chr(10).join(filter(None, parts)), '    ')}"


def _ends_with_comment(code: str) -> bool:
    """Whether something stands after the one statement of the code."""
    (statement,) = parsed(code).body
    assert statement.end_lineno is not None
    last = code.split("\n")[statement.end_lineno - 1].encode()
    return bool(last[statement.end_col_offset :].strip())


@dataclass(frozen=True)
class Limit:
    """The most programs of a launch along an axis: `264`, or `sm*8` for 8 a multiprocessor."""

    text: str

    def at(self, launch: Launch, place: ast.stmt | None = None) -> tuple[str, list[Change]]:
        """Code for it at a launch, and what must stand before, or before another place of its
        block; where torch finds no GPU, there is no limit. Raises NotExpressible."""
        check_builtin(launch, "min")
        if not self.text.startswith("sm*"):
            return self.text, []
        check_builtin(launch, "torch")
        name, each = new_name("num_programs", launch), self.text.removeprefix("sm*")
        code = f"    {each} * {_DEVICE}.multi_processor_count\n    if torch.cuda.is_available()"
        code = f"{name} = (\n{code}\n    else 2**31 - 1\n)"
        return name, [InsertBefore(place or PlannedLaunch(launch).statement, code)]


_SEEN = "launches-are-seen"


@dataclass(frozen=True)
class LaunchPlan:
    """The launches of one kernel, each of which is seen and may change with it."""

    facts: KernelFacts
    attempt: Attempt

    @classmethod
    def of(cls, facts: KernelFacts, attempt: Attempt, *, apart: bool = False) -> LaunchPlan:
        """Raises Declined.

        `apart` is whether arguments may stand in a dict or tuple before a launch.
        """
        check_statements(facts)
        for launch in facts.launches.launches:
            if launch.apart and not apart:
                detail = f"the launch in {launch.where} passes a dict or tuple that is bound before"
                raise unknown(_SEEN, "arguments-are-not-seen", f"{detail}: write it at the launch")
        why_not = why_not_changed(facts)
        if why_not:
            reason = "unseen-launches" if facts.launches.unknown else "launch-in-another-file"
            raise refuted(_SEEN, reason, why_not)
        attempt.prove(_SEEN, f"the given launches, in {places(facts.launches.launches)}")
        return cls(facts, attempt)

    def __iter__(self) -> Iterator[PlannedLaunch]:
        return map(PlannedLaunch, self.facts.launches.launches)

    def constexpr(self, name: str, annotation: str) -> NewParameter:
        """A constexpr that each launch passes. Raises Declined."""
        check_parameter(self.facts)
        annotations = [
            self.facts.kernel.module.text_of(p.annotation)
            for p in self.facts.kernel.parameters
            if p.constexpr and p.annotation is not None
        ]
        return new_parameter(self.facts, name, (annotations or [annotation])[-1])

    def count(self, axis: int, cdiv: str, fresh: Callable[..., str]) -> Count:
        """How many programs the launches start along an axis. Raises Declined.

        `cdiv` is how the kernel's file spells `tl.cdiv`; `fresh` makes a name for a parameter,
        of those that are wanted.
        """
        extents = extents_of(self.facts, axis)
        check_numbers(extents)
        code = _in_kernel_terms(self.facts, extents, cdiv) or _passed_as(self.facts, extents)
        if code:
            self.attempt.prove("grid-is-known", f"every launch starts {code} programs")
            return Count(code, None, extents)
        check_parameter(self.facts)
        self.attempt.prove("grid-is-known", "each launch passes its own number of programs")
        return self.new_count(extents, fresh, *_counting_names(self.facts.kernel))

    def new_count(self, extents: tuple[Extent, ...], fresh: Callable[..., str], *own: str) -> Count:
        """A parameter for the number of programs, in a word of the launches or one of one's own."""
        words = [words_of(extent) for extent in extents]
        best = {name for names in words for name in names[:1]}
        word = best.pop() if len(best) == 1 and all(words) else ""
        if len(word) == 1 and self._has_capitals:
            word = word.upper()
        wanted = [word] if word.isidentifier() else []
        name = fresh(*wanted, *own)
        return Count(name, new_parameter(self.facts, name), extents)

    @property
    def _has_capitals(self) -> bool:
        """Whether the kernel writes in capitals what the launchers write in small letters."""
        return any(
            isinstance(argument, ast.Name) and argument.id.islower() and argument.id.upper() == name
            for launch in self.facts.launches.launches
            for name, argument in launch.arguments.items()
            if name not in self.facts.pointers
        )

    def new_axis(self) -> NewAxis:
        """One more axis for all grids, and one more parameter for the kernel. Raises Declined."""
        axes = {extent.axes for extent in extents_of(self.facts, 0)}
        if len(axes) != 1 or axes & {0, 3}:
            text = "the launches have grids of several kinds, or of three axes already"
            raise unknown("grid-is-known", "axis-is-taken", text)
        axis = axes.pop()
        extents = [extents_of(self.facts, number) for number in range(axis)]
        for of_axis in extents:
            check_numbers(of_axis)
        check_parameter(self.facts)
        ids = ProgramIds.of(self.facts.kernel, axis)
        in_helper = ids.in_helper or ids.counted_in_helper
        if ids.calls or ids.counts or in_helper or ids.unknown is not None:
            text = f"the kernel may read its program id along axis {axis}, which is to be a new one"
            raise unknown("grid-is-known", "axis-is-taken", text)
        detail = f"each launch has a grid of {axis}, and may have one more"
        self.attempt.prove("grid-is-known", detail)
        self.attempt.assume_no_other_launches()
        return NewAxis(axis, tuple(zip(*extents, strict=True)))

    def divide(self, by: NewParameter, count: Count, divisors: Sequence[Divisor]) -> list[Change]:
        """The changes of the kernel's parameters and of each launch. Raises as they do."""
        new = [parameter for parameter in (count.parameter, by) if parameter is not None]
        changes = [change for parameter in new for change in parameter.added]
        if len({d.template for d in divisors}) > 1 or any(d.reads for d in divisors):
            changes += in_tuner_keys(self.facts, by.name)
        return [*changes, *Division(by, count.parameter, divisors).changes()]


@dataclass(frozen=True)
class Count:
    """How many programs the launches of a kernel start along one axis."""

    code: str
    """As the kernel has it: in its parameters, or the new one."""
    parameter: NewParameter | None
    """The new one that each launch passes it to; None where the kernel knows it."""
    extents: tuple[Extent, ...]


@dataclass(frozen=True)
class NewAxis:
    """An axis that all grids may have after their last one."""

    number: int
    extents: tuple[tuple[Extent, ...], ...]
    """By launch, how many programs it starts along each of the others."""


def _counting_names(kernel: Kernel) -> tuple[str, ...]:
    """What a kernel of its habits would call the number of its rows."""
    names = {p.name for p in kernel.parameters}
    if "n_cols" in names:
        return "n_rows", "num_rows"
    return ("N_ROWS", "num_rows") if "N_COLS" in names else ("num_rows", "NUM_ROWS")


def _passed_as(facts: KernelFacts, extents: Sequence[Extent]) -> str:
    """The parameter that every launch passes the number of programs, by its name; "" if none is."""
    for parameter in facts.kernel.parameters:
        passed = [given_by(extent.launch).get(parameter.name) for extent in extents]
        if not extents or None in passed or parameter.name in _stored(facts) | facts.pointers:
            continue
        if all(n is not None and is_passed(e, n) for e, n in zip(extents, passed, strict=True)):
            return parameter.name
    return ""


def _in_kernel_terms(facts: KernelFacts, extents: Sequence[Extent], cdiv: str) -> str:
    """The number of programs as the kernel may compute it; "" where each launch is to pass it."""
    texts = {extent.in_kernel_terms(cdiv) for extent in extents}
    text = texts.pop() if len(texts) == 1 else None
    if text is None:
        return ""
    tree = parsed(text, mode="eval")
    # A quotient that rounds up adds to the length first, which may not fit 32 bits.
    divides = any(isinstance(node, ast.Call) for node in walk(tree))
    names = {node.id for node in walk(tree) if isinstance(node, ast.Name)}
    return "" if divides or names & (_stored(facts) | facts.pointers) else text


def _stored(facts: KernelFacts) -> set[str]:
    names = (node for node in facts.kernel.nodes if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}


def can_choose(facts: KernelFacts) -> bool:
    """Whether each launch could start a copy of the kernel too.

    The kernel is a function of the file's own block, which each launch calls by its name.
    """
    at_the_top = facts.kernel.node in facts.kernel.module.tree.body
    launches = map(PlannedLaunch, facts.launches.launches)
    return at_the_top and all(at.called is not None for at in launches)


def check_statements(facts: KernelFacts) -> None:
    """Raises Declined where somebody may launch again what a launch returns."""
    for launch in facts.launches.launches:
        if statement_of(launch) is None:
            detail = f"the launch in {launch.where} is not a statement of its own"
            why = "what it returns can be launched again"
            raise unknown(_SEEN, "unseen-launches", f"{detail}: {why}")


def why_not_changed(facts: KernelFacts) -> str:
    """Why the launches cannot all change with the kernel; "" where they can."""
    elsewhere = [launch.where for launch in facts.launches.launches if launch.is_elsewhere]
    if facts.launches.unknown or not elsewhere:
        return facts.launches.unknown
    return (
        f"the launch in {elsewhere[0]} would have to change with the kernel, but only the "
        "kernel's file is edited: move the launcher into it"
    )
