"""What mutation operators share: a kernel's nodes in its text, and a text with some replaced."""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from tritonopt import source

LANGUAGE = "triton.language."


@dataclass(frozen=True)
class Mutant:
    """A file with one change in it."""

    operator: str
    function: str
    line: int
    was: str
    now: str
    text: str

    @property
    def label(self) -> str:
        return f"{self.function}:{self.line} {self.operator}: {self.was} -> {self.now}"

    def key(self, file: str) -> tuple[str, str, int, str, str, str]:
        return file, self.function, self.line, self.operator, self.was, self.now


@dataclass(frozen=True)
class Subject:
    """A function of a module in which an operator looks for places."""

    module: source.Module
    name: str
    nodes: tuple[ast.AST, ...]
    kernel: source.Kernel | None

    def called(self, node: ast.AST) -> str:
        """`load` for a call of `tl.load`, "" for what is no function of Triton's language."""
        if not isinstance(node, ast.Call):
            return ""
        name = self.module.resolve(node.func)
        return name.removeprefix(LANGUAGE) if name.startswith(LANGUAGE) else ""

    def calls(self, *names: str) -> Iterator[ast.Call]:
        for node in self.nodes:
            if isinstance(node, ast.Call) and self.called(node) in names:
                yield node

    def text(self, node: ast.AST) -> str:
        return self.module.text_of(node)

    def argument(self, call: ast.Call, index: int, name: str) -> ast.expr | None:
        if index < len(call.args) and not isinstance(call.args[index], ast.Starred):
            return call.args[index]
        return next((k.value for k in call.keywords if k.arg == name), None)


Change = Mapping[ast.AST, str]
"""Nodes, and the text that takes their place."""
Operator = Callable[[Subject], Iterator[Change]]


def changed(module: source.Module, change: Change) -> str:
    """The text of the module with some nodes replaced, none of which is inside another."""
    text = module.text
    for node, new in sorted(change.items(), key=lambda item: -module.lines.span(item[0])[0]):
        start, end = module.lines.span(node)
        text = text[:start] + new + text[end:]
    return text


def subjects(module: source.Module) -> list[Subject]:
    """Every kernel, and every function of the host that launches one."""
    found = [Subject(module, k.qualname, k.nodes, k) for k in module.kernels]
    hosts = {launch.launcher for launch in module.launches if launch.launcher is not None}
    for host in sorted(hosts, key=lambda node: node.lineno):
        found.append(Subject(module, host.name, tuple(ast.walk(host)), None))
    return found


def mutants(module: source.Module, operators: Mapping[str, Operator]) -> Iterator[Mutant]:
    """Every text that one operator makes of the module by one change; not all of them parse."""
    seen = {module.text}
    for subject in subjects(module):
        for name, operator in operators.items():
            for change in operator(subject):
                text = changed(module, change)
                if text in seen:
                    continue
                seen.add(text)
                first = min(change, key=lambda node: module.lines.span(node)[0])
                was = " ".join(module.text_of(first).split())
                yield Mutant(name, subject.name, first.lineno, was, change[first], text)


def drawn(
    modules: Mapping[str, source.Module],
    operators: Mapping[str, Operator],
    each: int,
    numbers: random.Random,
    share: int = 1,
) -> list[tuple[str, Mutant]]:
    """So many mutants of every file, of the operators that had the fewest so far; or a share.

    One mutant of an operator in a file comes before the second.
    """
    taken: Counter[str] = Counter()
    chosen = []
    for file, module in modules.items():
        found: dict[str, list[Mutant]] = {}
        for mutant in mutants(module, operators):
            found.setdefault(mutant.operator, []).append(mutant)
        for of_one in found.values():
            numbers.shuffle(of_one)
        turns = [(turn, name) for name, of_one in found.items() for turn in range(len(of_one))]
        turns.sort(key=lambda t: (t[0], taken[t[1]], numbers.random()))
        parsing = ((name, found[name][turn]) for turn, name in turns if _parses(found[name][turn]))
        for name, mutant in islice(parsing, each):
            taken[name] += 1
            chosen.append((file, mutant))
    order = list(operators)
    return sorted(chosen, key=lambda item: order.index(item[1].operator))[::share]


def evenly(
    chosen: Sequence[tuple[str, Mutant]], numbers: random.Random
) -> list[tuple[str, Mutant]]:
    """In an order in which every part has about the same share of every operator."""
    of_one: dict[str, list[tuple[str, Mutant]]] = {}
    for item in chosen:
        of_one.setdefault(item[1].operator, []).append(item)
    places = []
    for items in of_one.values():
        numbers.shuffle(items)
        places += [((at + numbers.random()) / len(items), item) for at, item in enumerate(items)]
    return [item for _, item in sorted(places, key=lambda place: place[0])]


def _parses(mutant: Mutant) -> bool:
    try:
        ast.parse(mutant.text)
    except SyntaxError:
        return False
    return True


def without_keyword(subject: Subject, call: ast.Call, name: str) -> Change | None:
    """The call without one of its keywords."""
    kept = [k for k in call.keywords if k.arg != name]
    if len(kept) == len(call.keywords):
        return None
    parts = [subject.text(call.func), "("]
    arguments = [subject.text(node) for node in call.args]
    arguments += [subject.text(keyword) for keyword in kept]
    return {call: "".join([*parts, ", ".join(arguments), ")"])}
