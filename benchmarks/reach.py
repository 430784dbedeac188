"""How many kernels do the facts understand, and what stands in the way of the others?

    python benchmarks/reach.py PATH... [--json] [--list BLOCKER] [--out FILE.json]

A kernel is a jit function that writes to memory (or makes a call whose effects are not known),
returns no value, and that no other jit function of its file calls: what is left are helpers,
which are interpreted where they are called.

A kernel is understood where all of this holds, in it and in the helpers that it calls:

- no statement and no call has effects that are not known;
- of every load, store and atomic operation it is known which parameters' buffers it may touch
  (for a descriptor or block pointer: the parameters that it was made of);
- every address has a known shape (but for descriptors and block pointers, whose blocks are
  known as a whole), and nothing in an address, a mask, the bounds of a loop, or a condition
  that something in memory depends on is opaque: a value that the interpretation gave up on.

What is loaded, or returned by an atomic operation, is data: as an index or a bound it is unknown
in number but not opaque. Neither is what a loop carries, where its start and its step are not
opaque. A loop over anything but a `range`, and a tuple whose parts are not known, are opaque.

`--list BLOCKER` prints the kernels that have a blocker of that kind, as FILE:LINE.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tritonopt import facts, source
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.operations import Op
from tritonopt.source import Kernel

_MEMORY = (EffectKind.LOAD, EffectKind.STORE, EffectKind.ATOMIC)
_NAMED = re.compile(
    r"^\w+ (?=is bound in one|is not bound on|after its loop|in a loop that|returns in more"
    r"|with arguments that)"
)


@dataclass(frozen=True)
class Reach:
    """One kernel, and the kinds of what is not understood in it, in the order of the source."""

    file: str
    kernel: str
    line: int
    blockers: tuple[str, ...]

    @property
    def understood(self) -> bool:
        return not self.blockers


@dataclass
class Report:
    """Everything below one path."""

    path: str
    kernels: list[Reach] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    @property
    def understood(self) -> int:
        return sum(kernel.understood for kernel in self.kernels)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path, help="files and directories")
    parser.add_argument("--json", action="store_true", help="print JSON, every kernel in it")
    parser.add_argument("--list", metavar="BLOCKER", help="print kernels with such a blocker")
    parser.add_argument("--out", type=Path, help="write the JSON here, without the kernels")
    options = parser.parse_args()
    reports = [read(path) for path in options.paths]
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(summary(reports), indent=1) + "\n", encoding="utf-8")
    if options.json:
        whole = summary(reports)
        whole["kernels"] = [asdict(kernel) for report in reports for kernel in report.kernels]
        json.dump(whole, sys.stdout, indent=1)
        print()
    elif options.list:
        for kernel in (kernel for report in reports for kernel in report.kernels):
            if any(options.list in blocker for blocker in kernel.blockers):
                print(f"{kernel.file}:{kernel.line}: {kernel.kernel}: {kernel.blockers}")
    else:
        show(reports)


def read(path: Path) -> Report:
    """Every kernel below a path, whose files are one program."""
    report = Report(str(path))
    files = tuple(source.find_python_files([path]))
    program = source.Program(files)
    for file in files:
        try:
            text = source.read_file(file).text
            if not source.has_kernels(text):
                continue
            module = source.read(text, str(file), program)
        except source.SourceError as error:
            report.unread.append(str(error))
            continue
        called = set().union(*(called_names(kernel) for kernel in module.kernels), set())
        for kernel in module.kernels:
            if kernel.name in called or returns_a_value(kernel):
                continue
            found = facts.of(kernel)
            if any(effect.writes for effect in found.effects):
                blockers = tuple(dict.fromkeys(blockers_of(found)))
                place = Reach(str(file), kernel.qualname, kernel.node.lineno, blockers)
                report.kernels.append(place)
    return report


def called_names(kernel: Kernel) -> set[str]:
    """The plain names that a jit function reads: of the helpers that it calls, among others."""
    reads = (n for n in kernel.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return {node.id for node in reads} - {kernel.name}


def returns_a_value(kernel: Kernel) -> bool:
    return any(
        isinstance(node, ast.Return)
        and node.value is not None
        and not (isinstance(node.value, ast.Constant) and node.value.value is None)
        for node in kernel.nodes
    )


# Blockers


def blockers_of(found: KernelFacts) -> Iterator[str]:
    """What is not understood of one kernel, by kind, in the order of the source."""
    seen: set[int] = set()
    for loop in found.loops:
        if loop.kind == "other":
            yield "loop over something that is no range"
        for bound in (loop.start, loop.stop, loop.step, loop.condition):
            if bound is not None:
                yield from (f"loop bound: {why}" for why in opaque_parts(found, bound, seen))
    for effect in found.effects:
        if effect.kind is EffectKind.CALL:
            yield f"call: {callee(effect.name)}"
        if effect.kind not in _MEMORY:
            continue
        for guard in effect.guards:
            yield from (f"condition: {why}" for why in opaque_parts(found, guard.condition, seen))
        if effect.pointer is None:
            yield "address: not given"
            continue
        opaque = list(opaque_parts(found, effect.pointer, seen))
        yield from (f"address: {why}" for why in opaque)
        if not found.bases(effect):
            yield f"base: {why_no_base(found, effect.pointer)}"
        elif effect.pointer.shape is None and not is_block(found, effect.pointer):
            yield f"shape: {why_no_shape(effect.pointer)}"
        if effect.mask is not None:
            yield from (f"mask: {why}" for why in opaque_parts(found, effect.mask, seen))


def parts_of(found: KernelFacts, value: Value, seen: set[int]) -> Iterator[Value]:
    """What a value is made of, through what loops carry, but not through memory."""
    todo = [value]
    while todo:
        part = todo.pop()
        if part.serial in seen:
            continue
        seen.add(part.serial)
        yield part
        if part.op in (Op.CARRIED, Op.RESULT):
            loop = found.loops[part.carrier.loop]
            todo += [loop.initial[part.carrier.name], loop.following[part.carrier.name]]
        elif part.op not in (Op.LOAD, "atomic"):
            todo += part.operands


def opaque_parts(found: KernelFacts, value: Value, seen: set[int]) -> Iterator[str]:
    for part in parts_of(found, value, seen):
        if part.op is Op.OPAQUE and isinstance(part.attribute, tuple):
            why = str(part.attribute[1])
            if not why.startswith("result of the atomic"):
                yield _NAMED.sub("a name ", why)
        elif part.op in (Op.PART, Op.ELEMENT):
            yield f"{part.op} of {part.operand.op}"


def is_block(found: KernelFacts, pointer: Value) -> bool:
    """Whether an address is a block pointer that a loop or a branch hands on."""
    return any(part.op is Op.BLOCK_POINTER for part in parts_of(found, pointer, set()))


def why_no_base(found: KernelFacts, pointer: Value) -> str:
    """The operations that an address is a sum, choice or carrying of, as far as they are none."""
    ops = {Op.ADD, Op.SUB, Op.PHI, Op.WHERE, Op.CARRIED, Op.RESULT, Op.INSERT_AXES, Op.BROADCAST_TO}
    todo, seen, leaves = [pointer], set[int](), Counter[str]()
    while todo:
        part = todo.pop()
        if part.serial in seen:
            continue
        seen.add(part.serial)
        if part.op in (Op.CARRIED, Op.RESULT):
            loop = found.loops[part.carrier.loop]
            todo += [loop.initial[part.carrier.name], loop.following[part.carrier.name]]
        elif part.op in ops:
            todo += (part.then, part.other) if part.op in (Op.PHI, Op.WHERE) else part.operands
        elif part.op not in (Op.PARAM, Op.CONST, Op.LANE, Op.MUL, Op.CONSTEXPR):
            shown = part.attribute if part.op in (Op.ELEMENTWISE, Op.RESHAPED) else ""
            shown = shown[0] if isinstance(shown, tuple) else shown
            leaves[f"{part.op} {shown}".strip()] += 1
    return " + ".join(sorted(leaves)) or "+".join(sorted({p.op for p in pointer.walk()}))


def why_no_shape(pointer: Value) -> str:
    """The innermost value without a shape."""
    while True:
        inner = next(
            (o for o in pointer.operands if o.shape is None and o.op is not Op.TUPLE), None
        )
        if inner is None or pointer.op in (Op.RESHAPED, Op.LOAD):
            break
        pointer = inner
    shown = pointer.attribute if pointer.op in (Op.RESHAPED, Op.ELEMENTWISE) else ""
    return f"{pointer.op} {shown[0] if isinstance(shown, tuple) else shown}".strip()


def callee(name: str) -> str:
    """A function of triton by its name; of another file, only by the package that it is from."""
    package, _, rest = name.lstrip(".").partition(".")
    if package == "triton" or not (rest or name.startswith(".")):
        return name
    return "a function of this package" if name.startswith(".") else f"a function of {package}"


# Said


def summary(reports: list[Report]) -> dict[str, object]:
    return {
        "paths": [
            {
                "path": Path(report.path).name,
                "kernels": len(report.kernels),
                "understood": report.understood,
                "unread": len(report.unread),
            }
            for report in reports
        ],
        "blockers": [
            {"blocker": blocker, "kernels": every, "first": first, "only": only}
            for blocker, every, first, only in by_blocker(reports)
        ],
    }


def by_blocker(reports: list[Report]) -> list[tuple[str, int, int, int]]:
    """(kind, kernels that have it, that have it first, that have no other), most first."""
    every, first, only = Counter[str](), Counter[str](), Counter[str]()
    for kernel in (kernel for report in reports for kernel in report.kernels):
        every.update(kernel.blockers)
        first.update(kernel.blockers[:1])
        if len(kernel.blockers) == 1:
            only.update(kernel.blockers)
    return [(b, n, first[b], only[b]) for b, n in every.most_common()]


def show(reports: list[Report]) -> None:
    console = Console(width=110)
    table = Table("tree", title="kernels that are understood", title_justify="left")
    for column in ("kernels", "understood", "share"):
        table.add_column(column, justify="right")
    rows = [(Path(r.path).name, len(r.kernels), r.understood) for r in reports]
    rows.append(("all", sum(n for _, n, _ in rows), sum(u for *_, u in rows)))
    for name, number, understood in rows:
        share = f"{100 * understood / number:.1f} %" if number else "-"
        table.add_row(name, str(number), str(understood), share)
    console.print(table)
    table = Table("what is not understood", title="by blocker", title_justify="left")
    for column in ("kernels", "first", "only"):
        table.add_column(column, justify="right")
    for blocker, *counts in by_blocker(reports)[:60]:
        table.add_row(blocker, *map(str, counts))
    console.print(table)
    for message in (message for report in reports for message in report.unread):
        console.print(message, style="dim")


if __name__ == "__main__":
    main()
