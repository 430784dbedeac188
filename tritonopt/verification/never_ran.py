"""What had to run for a yes and did not, and what a user can write so that it does."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tritonopt import source
from tritonopt.verification.coverage.demands import LOOPS, Demand
from tritonopt.verification.coverage.requirements import Requirements
from tritonopt.verification.signature.argument_language import Signature
from tritonopt.verification.signature.launchers import Launcher

if TYPE_CHECKING:
    from tritonopt.verification.comparison.search import Search


def listed(unmet: Sequence[Demand]) -> str:
    lines = [f"line {d.line} of the {d.title} version" for d in unmet]
    return ", ".join(dict.fromkeys(lines))


@dataclass(frozen=True)
class NeverRan:
    """What a search has left open."""

    unmet: tuple[Demand, ...] = ()
    """What has to run for a yes, and has not."""
    single: Mapping[Demand, int] = field(default_factory=dict)
    """Of loops that never took a second turn, the largest size that was tried for them."""
    blind: str = ""
    """Why nothing is known of what ran inside of kernels."""
    notes: tuple[str, ...] = ()
    """What did not run and need not have."""
    met: tuple[Demand, ...] = ()
    """What has run of all that has to."""

    @classmethod
    def after(cls, search: Search, *, given: bool) -> NeverRan:
        """`given`: whether the caller says what the launcher is called with."""
        required, every = search.requirements, search.every_tried
        excused, dead = required.excused(every), required.never_left()
        # Who gives the arguments says as well how many programs there are.
        alone = [d for d in required.unmet() if given and _is_fixed(d, required)]
        unmet = tuple(d for d in required.unmet() if d not in (*excused, *dead, *alone))
        notes = [
            f"{d}; from the text it follows that none can"
            if d.kind in LOOPS
            else f"{d}; the launches pass nothing that leads there"
            for d in required.impossible()
        ]
        notes += [f"{d}; no size was found for which it would" for d in excused]
        notes += [f"{d}, as the given arguments ask for" for d in alone]
        notes += [
            f"{d}; the other version has the same guard, and all that either writes is after it"
            for d in dead
        ]
        blind = ""
        if required.scouts is not None and required.blind:
            blind = required.scouts.trouble or "no call was fit for it"
        tried = {d: max(t.largest_single(d) for t in every) for d in unmet}
        single = {d: size for d, size in tried.items() if size}
        return cls(unmet, single, blind, tuple(notes), tuple(required.met()))

    def explained(
        self,
        unmet: Sequence[Demand],
        launcher: Launcher,
        signature: Signature,
        modules: tuple[source.Module, source.Module],
    ) -> str:
        """Some of it in words; `modules` are the original and the rewritten version."""
        if self.blind:
            return (
                "which lines ran is not known: compiled kernels do not tell, and the interpreter "
                f"cannot run these ({self.blind}). Not known to have run: {listed(unmet)}. Where "
                "you know that the calls run all of it, add --assume-covered"
            )
        more = f" (and {len(unmet) - 1} more such)" if len(unmet) > 1 else ""
        left = [p.arg for p in launcher.parameters if signature.get(p.arg) is None]
        rest = f"; left at their defaults were {', '.join(left)}" if left else ""
        module = modules[unmet[0].title != "original"]
        inside = next((k for k in module.kernels if _holds(k.node, unmet[0].line)), None)
        alone = "" if inside is None else (
            f"; or run the kernel by itself: --kernel {inside.name} --grid ... --args ..."
        )  # fmt: skip
        largest = self.single.get(unmet[0])
        single = "" if largest is None else (
            f", although sizes up to {largest} were tried: its tile may grow with them, which the "
            "file does not show for all"
        )  # fmt: skip
        return (
            f"{unmet[0]}{single}{more}. Say what reaches it: --launcher {launcher.name} "
            f"--args '{signature}'{rest}{alone}"
        )


def _is_fixed(demand: Demand, required: Requirements) -> bool:
    """Whether the arguments leave nothing open that has a part in what is asked for.

    Of a loop: it ran over the same single step in every call, with the same constants, where the
    other version's took several turns. Its tile holds what the arguments say that there is.
    """
    if demand.kind not in LOOPS:
        return demand.kind == "programs"
    at = ("original", "rewritten").index(demand.title)
    ran = [c for both in required.observed.seen.values() if demand.line in (c := both[at]).loops]
    loops = [c.loops[demand.line] for c in ran]
    single = all(loop.turns == 1 and loop.bounds is not None for loop in loops)
    same = len({loop.bounds for loop in loops}) == 1 and len({c.constants for c in ran}) == 1
    unmet = required.unmet()
    other = (d for d in required.demands if d.title != demand.title and d.text == demand.text)
    return single and same and any(d.kind == "turns" and d not in unmet for d in other)


def _holds(node: ast.FunctionDef, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or 0)
