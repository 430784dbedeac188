"""What the launches must say of the number of tiles, and what becomes of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import Lane, Param, ProgramId
from tritonopt.facts.operations import Op
from tritonopt.rewriting.checklist import Checklist, Declined, refuted, unknown
from tritonopt.source import AddArgument, Change, InsertBefore, Launch
from tritonopt.source.launches import places
from tritonopt.source.trees import walk
from tritonopt.source.tuner_functions import counting_use
from tritonopt.transforms.tiling.launch_grids import (
    Extent,
    GridNotReadable,
    names_in,
    new_name,
    read_extent,
    statement_of,
)
from tritonopt.transforms.tiling.pruning import check_pruning
from tritonopt.transforms.tiling.tile_limits import Limit, check_builtin
from tritonopt.transforms.writing import NotExpressible, Writer, names_bound

_UNDERSTOOD_DECORATORS = frozenset({"triton.jit", "triton.autotune", "triton.heuristics"})
_NARROW = frozenset({Op.ADD, Op.MUL, Op.PROGRAM_ID, Op.LANE, Op.CONST, Op.CONSTEXPR})
"""What offsets of 32 bits are made of."""


@dataclass(frozen=True)
class TileLaunches:
    """What the launches say of the number of tiles, where it is known or passed by each."""

    parameter: str
    """The one that takes the number of tiles where the kernel cannot compute it."""
    extents: tuple[Extent, ...] = ()
    """How many programs the launches start that change with the kernel."""
    bound: str = ""
    """The number of tiles in the kernel's own terms; "" where the launches pass it."""
    are_kept: bool = False
    """No launch changes, for not all of them are seen."""

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

    def changes(self, limit: Limit) -> list[Change]:
        """The launches with at most so many programs along the axis. Raises NotExpressible.

        One in another file is left as it is, and starts a program for each tile.
        """
        here = [extent for extent in self.extents if not extent.launch.is_elsewhere]
        return [change for extent in here for change in self._edited(extent, limit)]

    def _edited(self, extent: Extent, most: Limit) -> list[Change]:
        launch = extent.launch
        statement = statement_of(launch)
        assert statement is not None
        limit, changes = most.at(launch)
        if self.bound:
            return [*changes, *extent.capped(limit)]
        code = extent.at_launch()
        assert code is not None
        tuple_at_launch = not extent.name and not extent.meta
        if not extent.is_plain:
            # A number of numpy's or a tensor starts programs, but is no argument of a kernel.
            check_builtin(launch, "int")
            code = f"int({code})"
        if tuple_at_launch and not (extent.is_plain and extent.is_short and extent.is_repeatable):
            if not extent.comes_first:
                line = launch.call.lineno
                raise NotExpressible(f"line {line} evaluates something else before its grid")
            name = new_name("num_tiles", launch)
            changes.append(InsertBefore(statement, f"{name} = {code}"))
            code = name
        changes += extent.capped(limit, code if tuple_at_launch else "")
        changes.append(AddArgument(launch.call, f"{self.parameter}={code}"))
        return changes


def prove_launches(
    facts: KernelFacts, writer: Writer, axis: int, checklist: Checklist, *, keep_unseen: bool
) -> TileLaunches:
    """Whether every launch is seen and its grid is understood. Raises Declined.

    With `keep_unseen`, those that are not seen may be started as they are.
    """
    return _Legality(facts, writer, axis, keep_unseen).check(checklist)


@dataclass(frozen=True)
class _Legality:
    facts: KernelFacts
    writer: Writer
    axis: int
    keep_unseen: bool

    def check(self, checklist: Checklist) -> TileLaunches:
        evidence = self.facts.launches
        if evidence.unknown and self.keep_unseen:
            self._check_signature()
        for launch in evidence.launches:
            if statement_of(launch) is None:
                detail = f"the launch in {launch.where} is no statement of its own"
                why = "what it returns can be launched again"
                raise unknown("launches-are-seen", "launch-is-an-expression", f"{detail}: {why}")
        elsewhere = [launch.where for launch in evidence.launches if launch.is_elsewhere]
        why_not = evidence.unknown
        parameter = self.writer.fresh("NUM_TILES")
        if elsewhere and not why_not:
            why_not = (
                f"the launch in {elsewhere[0]} would have to change with the kernel, and each file "
                "is changed by itself: move the function that launches into the kernel's file, or "
                "use grid-stride{unseen_launches=keep}, which changes no launch; one that then "
                f"limits its grid by hand passes {parameter}, the number of tiles"
            )
        if why_not:
            if not self.keep_unseen:
                reason = "unseen-launches" if evidence.unknown else "launch-in-another-file"
                way = "with unseen_launches=keep the kernel is changed alone"
                raise refuted("launches-are-seen", reason, f"{why_not}; {way}")
            self._check_decorators()
            checklist.prove(
                "launches-are-seen", "not needed: without the argument all is as before"
            )
            return TileLaunches(parameter, are_kept=True)
        extents = tuple(map(self._extent, evidence.launches))
        where = places(evidence.launches)
        checklist.prove("launches-are-seen", f"the launches that are given, in {where}")
        return TileLaunches(parameter, extents, self._bound(extents, checklist))

    def _extent(self, launch: Launch) -> Extent:
        try:
            return read_extent(launch, self.axis)
        except GridNotReadable as why:
            detail = f"the launch in {launch.where}: {why}"
            raise unknown("grid-is-known", "grid-is-not-readable", detail) from why

    def _check_signature(self) -> None:
        """Whether nobody names the parameters one by one, as a compilation ahead does."""
        use = self.facts.kernel.signature_use
        if use is not None:
            detail = f"line {use.lineno} may ask what parameters the kernel has"
            raise unknown("parameter-can-be-added", "compiled-ahead", detail)

    def _bound(self, extents: Sequence[Extent], checklist: Checklist) -> str:
        """The number of tiles as the kernel may compute it; "" where each launch can pass it."""
        cdiv = self.writer.language("cdiv")
        texts = {extent.in_kernel_terms(cdiv) for extent in extents}
        text = texts.pop() if len(texts) == 1 else None
        computed = self._in_kernel(text) if text is not None else ""
        if computed != text:
            try:
                self._check_arguments(extents)
                checklist.prove("grid-is-known", "each launch passes its own number of programs")
                return ""
            except Declined:
                if not computed:
                    raise
        checklist.prove("grid-is-known", f"every launch starts {text} programs")
        checklist.assume_no_other_launches()
        return computed

    def _check_arguments(self, extents: Sequence[Extent]) -> None:
        """Whether each launch can pass the number. Raises Declined."""
        for extent in extents:
            if extent.at_launch() is None:
                line = extent.launch.call.lineno
                detail = f"the launch in line {line} leaves its grid to a tuner or a heuristic"
                raise unknown("grid-is-known", "grid-depends-on-the-configuration", detail)
            if extent.meta and (extent.has_effects or not extent.is_plain):
                line = extent.launch.call.lineno
                detail = f"what the grid in line {line} calls may do more than compute a number"
                raise unknown("grid-is-known", "grid-has-effects", detail)
        self._check_decorators()

    def _check_decorators(self) -> None:
        kernel = self.facts.kernel
        for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
            check_pruning(kernel.module, decorator)
            if name not in _UNDERSTOOD_DECORATORS:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                what = ast.unparse(called)
                detail = f"what {what} does with one more parameter is not known"
                raise unknown("parameter-can-be-added", "unknown-decorator", detail)
        use = counting_use(kernel)
        if use is not None and use.is_seen:
            line = use.node.lineno
            detail = f"a heuristic or a hook takes all arguments of a launch in line {line}"
            raise refuted("parameter-can-be-added", "arguments-are-counted", detail)
        if use is not None:
            text = kernel.module.text_of(use.node).partition("\n")[0]
            detail = (
                f"what {text} in line {use.node.lineno} does with one more argument is not seen; "
                "give its file too, or see --context"
            )
            raise unknown("parameter-can-be-added", "heuristic-is-not-seen", detail)
        if any(p.kind.startswith("var") for p in self.facts.kernel.parameters):
            detail = "the kernel takes any number of arguments"
            raise refuted("parameter-can-be-added", "unknown-parameters", detail)

    def _in_kernel(self, text: str) -> str:
        """The number as the kernel may compute it, of its arguments as they are; "" if it may not.

        In 32 bits, so that nothing on the way may be larger than what it computes today.
        """
        tree = ast.parse(text, mode="eval")
        names = set(names_in(tree))
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
    """The form of a parameter or a number."""
    match node:
        case ast.Name(id=name):
            return Polynomial.of(Param(name))
        case ast.Constant(value=int() as value):
            return Polynomial.constant(value)
    return None
