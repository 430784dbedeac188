"""What becomes of the first kernel: its store of a partial result is an atomic."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.code_edits import in_parentheses
from tritonopt.emit.new_kernel import PartText, launch_text, named_in_launchers
from tritonopt.emit.statement_lists import StatementLists, unused_names
from tritonopt.emit.writing import NotExpressible, Writer, comments_in
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.algebra.polynomial import ONE, Polynomial
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.launches.known_launches import check_pruning
from tritonopt.passes.merge_kernels.met_slots import Place
from tritonopt.passes.merge_kernels.partial_stores import PartialStore
from tritonopt.source import AddArgument, Change, Remove, Replace, ReplaceExpression
from tritonopt.source.trees import walk
from tritonopt.source.tuner_functions import counting_use

_TUNERS = frozenset({"flag_gems.utils.libtuner", "flag_gems.utils.libentry.libtuner"}) | {
    "fla.ops.utils.cache.fla_cache_autotune"
}
"""What runs a kernel many times, in ways that nobody here has read."""


_RESETTING = ("reset_to_zero", "restore_value")


@dataclass(frozen=True)
class AtomicKernel:
    """One kernel, some of whose stores become atomics. What it gives may raise NotExpressible."""

    partials: Sequence[tuple[PartialStore, Kind, Sequence[Place]]]
    bindings: Sequence[LaunchBinding]
    """What its launches pass."""

    @property
    def _facts(self) -> KernelFacts:
        return self.partials[0][0].facts

    @property
    def places(self) -> tuple[str, ...]:
        """Code for where each partial result goes."""
        return tuple(self._pointer(partial, found) for partial, _, found in self.partials)

    @cached_property
    def _instead(self) -> dict[ast.expr, str]:
        """Code in the place of the function and the address of each store."""
        facts = self._facts
        found: dict[ast.expr, str] = {}
        for partial, combining, places in self.partials:
            if comments_in(facts.kernel.module.text_of(partial.pointer)):
                raise NotExpressible(f"a comment is in line {partial.call.lineno}")
            found[partial.call.func] = Writer(facts).language(combining.atomic)
            found[partial.pointer] = self._pointer(partial, places)
        return found

    @cached_property
    def _removed(self) -> tuple[Remove, ...]:
        """What goes: what moves pointers, locks, and what was computed for these alone."""
        facts = self._facts
        kept = {partial.statement for partial, _, _ in self.partials}
        gone = [Remove(bump) for partial, _, _ in self.partials for bump in partial.bumps]
        for lock in {partial.lock for partial, _, _ in self.partials} - {None}:
            assert lock is not None
            gone += [Remove(s, keep_comments=False) for s in lock.section if s not in kept]
        lost = [node for removal in gone for node in walk(removal.anchor)]
        lost += [node for expression in self._instead for node in walk(expression)]
        lists = StatementLists(facts.kernel.node)
        return (*gone, *unused_names(facts, lists, lost, (), self._instead.values()))

    @cached_property
    def part(self) -> PartText | None:
        """The whole kernel anew, where it has parameters of no use any more; None elsewhere."""
        facts, kernel = self._facts, self._facts.kernel
        plain = len(kernel.decorators) == 1 and not isinstance(
            kernel.node.decorator_list[0], ast.Call
        )
        if not plain or kernel.node not in kernel.module.tree.body or kernel.signature_use:
            return None
        removed = {r.anchor for r in self._removed}
        gone = {node for statement in removed for node in walk(statement)}
        kept = [n for n in kernel.nodes if isinstance(n, ast.stmt) and n not in gone]
        instead = dict(self._instead)
        for partial, _, _ in self.partials:
            last = [*partial.call.args, *(k.value for k in partial.call.keywords)][-1]
            text = kernel.module.text_of(last)
            instead[last] = f'{text}, sem="relaxed"'
        part = PartText(facts, kept, named_in_launchers(facts), instead=instead)
        if len(part.parameters) == len(kernel.parameters):
            return None
        try:
            code = [part.code, *(launch_text(n, part) for n in facts.launches.launches)]
        except NotExpressible:
            return None  # the parameters stay
        return part if all(code) else None

    def changes(self) -> Iterator[Change]:
        facts = self._facts
        if self.part is not None:
            yield Replace(facts.kernel.node, self.part.code)
            return
        for node, code in self._instead.items():
            yield ReplaceExpression(node, code)
        for partial, _, _ in self.partials:
            yield AddArgument(partial.call, 'sem="relaxed"')
        yield from self._removed
        yield from self._tuned()

    # The place

    def _pointer(self, partial: PartialStore, places: Sequence[Place]) -> str:
        """Code for the address in the output."""
        parts = [partial.buffer]
        for place in places:
            text = self._coordinate(partial, place)
            if place.stride != ONE:
                text = f"{in_parentheses(text)} * {self._stride(place.stride)}"
            parts.append(text)
        return " + ".join(parts)

    def _coordinate(self, partial: PartialStore, place: Place) -> str:
        """Code for one number of the place: a name that the kernel has for it, if there is one."""
        facts, form = partial.facts, place.coordinate.form

        def fits(value: Value) -> bool:
            if facts.forms.of(value) != form:
                return False
            assert partial.effect.pointer is not None
            return value.shape == () or value.rank == partial.effect.pointer.rank

        gone = {name for bump in partial.bumps for name in [*walk(bump)]}
        for name, value in facts.before[partial.statement].items():
            if fits(value):
                return name
        for node in facts.kernel.nodes:
            if (
                node in gone
                or not isinstance(node, ast.expr)
                or node not in set(walk(partial.pointer))
            ):
                continue
            if node in facts.values and fits(facts.values[node]):
                return in_parentheses(Writer(facts).text(node))
        raise NotExpressible(f"line {partial.call.lineno} has no name for its place in the result")

    def _stride(self, stride: Polynomial) -> str:
        """Code for a number of the launcher: a constant, or what all launches pass."""
        constant = stride.constant_value
        if constant is not None and constant.denominator == 1:
            return str(constant)
        facts = self._facts
        for parameter in facts.kernel.parameters:
            passed = {binding.values.get(Param(parameter.name)) for binding in self.bindings}
            if passed == {stride} and self._is_kept(parameter.name):
                return parameter.name
        raise NotExpressible(f"{facts.kernel.name} is not passed how far results are apart")

    def _is_kept(self, name: str) -> bool:
        """Whether a parameter is nowhere bound again."""
        facts = self._facts
        value = facts.before[self.partials[0][0].statement].get(name)
        return value is not None and value.op in (Op.PARAM, Op.CONSTEXPR) and value.name == name

    # The tuner

    def _check_arguments(self) -> None:
        """Whether no heuristic asks for the buffer, in the place of which the output is passed."""
        kernel = self._facts.kernel
        claim, buffers = (
            "launches-can-be-tuned",
            {partial.buffer for partial, _, _ in self.partials},
        )
        use = counting_use(kernel)
        if use is not None:
            text = f"a heuristic or a hook in line {use.node.lineno} may ask for the buffer"
            raise unknown(claim, "parameter-cannot-be-added", text)
        resets = {
            node
            for decorator in kernel.node.decorator_list
            if isinstance(decorator, ast.Call)
            for keyword in decorator.keywords
            if keyword.arg in _RESETTING
            for node in walk(keyword.value)
        }
        if len(kernel.decorators) == 1:
            return
        for node in walk(kernel.module.tree):
            if isinstance(node, ast.Constant) and node.value in buffers and node not in resets:
                text = f"line {node.lineno} may ask for the buffer by its name"
                raise unknown(claim, "parameter-cannot-be-added", text)

    def _tuned(self) -> Iterator[Change]:
        """What a tuner must put right before each run."""
        kernel = self._facts.kernel
        for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
            if name in _TUNERS:
                text = f"what {ast.unparse(decorator).partition('(')[0]} does with atomics"
                raise unknown(
                    "launches-can-be-tuned", "state-is-not-restored", f"{text} is not known"
                )
            if name != "triton.autotune" or not isinstance(decorator, ast.Call):
                continue
            check_pruning(kernel.module, decorator)
            given = {k.arg: k.value for k in decorator.keywords}
            if not given.keys().isdisjoint({"pre_hook", "post_hook", None}):
                text = f"the tuner in line {decorator.lineno} has a hook of its own"
                raise refuted("launches-can-be-tuned", "state-is-not-restored", text)
            for keyword, sums in zip(_RESETTING, (True, False), strict=True):
                wanted = [p.buffer for p, c, _ in self.partials if (c is Kind.ADD) is sums]
                if wanted:
                    yield self._listed(decorator, given.get(keyword), keyword, wanted)
        self._check_arguments()

    def _listed(
        self, decorator: ast.Call, listed: ast.expr | None, keyword: str, wanted: Sequence[str]
    ) -> Change:
        if listed is None:
            return AddArgument(decorator, f"{keyword}=[{', '.join(map(_quoted, wanted))}]")
        if not isinstance(listed, ast.List):
            text = f"what the tuner in line {decorator.lineno} resets is not seen"
            raise unknown("launches-can-be-tuned", "state-is-not-restored", text)
        module = self._facts.kernel.module
        names = [module.text_of(element) for element in listed.elts]
        names += [_quoted(w) for w in wanted if _quoted(w) not in names]
        return ReplaceExpression(listed, f"[{', '.join(names)}]")


def _quoted(name: str) -> str:
    return f'"{name}"'
