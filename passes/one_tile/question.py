"""Whether one tile holds the row, asked by the compiler: by what it knows, or by a heuristic.

    @triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})

The heuristic stands right above `triton.jit`, so that it sees what a tuner has chosen.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, unknown
from tritonopt.emit.heuristic_functions import (
    check_heuristic,
    heuristic,
    heuristic_functions,
)
from tritonopt.emit.sweeps import RowSweeps
from tritonopt.emit.writing import Writer, names_bound
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import CeilDiv, Param
from tritonopt.facts.algebra.polynomial import Atom
from tritonopt.passes.one_tile.row_legality import OneTile
from tritonopt.source import Change, Enclose, InsertBefore, Remove
from tritonopt.source.editing import excerpts
from tritonopt.source.editing.changes import ELSE
from tritonopt.source.kernels import Parameter
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import parents_of

_NAME = "ONE_TILE"


@dataclass(frozen=True)
class Question:
    """`extent <= tile`, of parameters of the kernel."""

    facts: KernelFacts
    extent: Polynomial
    tile: Polynomial
    may_be_empty: bool
    """Whether a row of no elements has to be told from one that a tile holds."""

    @property
    def parameters(self) -> list[Parameter]:
        named = {_name(atom) for form in (self.extent, self.tile) for atom in form.atoms}
        return [p for p in self.facts.kernel.parameters if p.name in named]

    @property
    def is_constexpr(self) -> bool:
        """Whether the compiler knows all that is asked for."""
        return all(parameter.constexpr for parameter in self.parameters)

    @property
    def for_compiler(self) -> str:
        # Triton compiles no chained comparisons.
        return self._text({p.name: p.name for p in self.parameters}, " and ")

    @property
    def for_heuristic(self) -> str:
        """The function that a heuristic is."""
        return f"lambda args: {self._text({p.name: _taken(p) for p in self.parameters})}"

    def _text(self, names: dict[str, str], chain: str = "") -> str:
        extent, tile = spelled(self.extent, names), spelled(self.tile, names)
        fits = f"{extent} <= {tile}"
        if not self.may_be_empty:
            return fits
        return f"0 < {extent}{chain}{fits}" if chain else f"0 < {fits}"


def _taken(parameter: Parameter) -> str:
    """How a heuristic takes an argument, which it is not given where the launch leaves it out."""
    if parameter.default is None:
        return f'args["{parameter.name}"]'
    return f'args.get("{parameter.name}", {ast.unparse(parameter.default)})'


def spelled(form: Polynomial, names: dict[str, str]) -> str:
    """A form of parameters, with texts for their names."""
    text = ""
    for monomial, coefficient in form.sorted_terms:
        factors = [names[_name(a)] for a, power in monomial for _ in range(power)]
        number = abs(int(coefficient))
        if number != 1 or not factors:
            factors.insert(0, str(number))
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} " if text else "-" if coefficient < 0 else ""
        text += " * ".join(factors)
    return text or "0"


def ask(sweeps: RowSweeps, may_be_empty: bool, attempt: Attempt) -> Question:
    """The question that decides between the two forms. Raises Declined."""
    if may_be_empty:
        attempt.prove("sizes-are-positive", "a row of no elements keeps its loops")
    question = _question(sweeps, may_be_empty)
    facts, extent, tile = question.facts, question.extent, question.tile
    if not facts.forms.is_positive(tile):
        detail = f"{tile.readable} counts no lanes, so it may not be a tile's length"
        raise unknown("length-is-known-at-the-launch", "length-is-computed", detail)
    attempt.prove("length-is-known-at-the-launch", f"{extent.readable} is an argument")
    if not question.is_constexpr:
        check_heuristic(facts, question.parameters)
        attempt.prove("parameter-can-be-added", "every launch would ask it")
        attempt.assume("launches-are-seen", "files that were not given use it for launches only")
    return question


def _question(sweeps: RowSweeps, may_be_empty: bool) -> Question:
    tiles = sweeps.count.sole_atom if sweeps.count is not None else None
    assert tiles is not None and isinstance(tiles, CeilDiv)
    extent, tile = tiles.arguments
    assert isinstance(extent, Polynomial) and isinstance(tile, Polynomial)
    _check_parameters(sweeps, extent, tile)
    return Question(sweeps.facts, extent, tile, may_be_empty)


def _check_parameters(sweeps: RowSweeps, extent: Polynomial, tile: Polynomial) -> None:
    facts = sweeps.facts
    bound = names_bound(facts.kernel.node)
    parameters = {p.name: p for p in facts.kernel.parameters}
    for form in (extent, tile):
        whole = all(c.denominator == 1 for c in form.terms.values())
        powers = all(power > 0 for monomial in form.terms for _, power in monomial)
        for name in (_name(atom) for atom in form.atoms):
            if name not in parameters or name in facts.pointers or not whole or not powers:
                detail = f"{form.readable} is computed in the kernel"
                raise unknown("length-is-known-at-the-launch", "length-is-computed", detail)
            default = parameters[name].default
            constant = isinstance(default, ast.Constant) and isinstance(default.value, int)
            if name in bound or not (default is None or constant):
                detail = f"{name} is not at every place what the launch passes"
                raise unknown("length-is-known-at-the-launch", "length-is-computed", detail)


def _name(atom: Atom) -> str:
    return atom.name if isinstance(atom, Param) else ""


@dataclass(frozen=True)
class Asked:
    """The condition in the kernel, and what it takes to have it."""

    test: str
    changes: tuple[Change, ...] = ()


def asked(question: Question, writer: Writer) -> Asked:
    """The condition as the kernel can write it. Raises NotExpressible."""
    if question.is_constexpr:
        return Asked(question.for_compiler)
    function = question.for_heuristic
    for name, answer in heuristic_functions(question.facts.kernel):
        if answer is not None and ast.dump(answer) == ast.dump(_parsed(function)):
            return Asked(name)
    name = writer.fresh(_NAME)
    return Asked(name, tuple(heuristic(writer, name, function)))


def _parsed(text: str) -> ast.expr:
    return parsed(text, mode="eval").body


def is_asked_already(sweeps: RowSweeps) -> bool:
    """Whether the sweeps are what is left for rows that one tile does not hold.

    Of a heuristic that is not seen, that is taken to be so.
    """
    try:
        questions = [_question(sweeps, may_be_empty) for may_be_empty in (False, True)]
    except Declined:
        return False
    facts = sweeps.facts
    tests = {ast.dump(_parsed(question.for_compiler)) for question in questions}
    functions = {ast.dump(_parsed(question.for_heuristic)) for question in questions}
    answers = dict(heuristic_functions(facts.kernel))
    parents = parents_of(facts.kernel.node)
    node: ast.stmt = sweeps.statements[0]
    while node in parents:
        below, node = node, parents[node]
        if not isinstance(node, ast.If) or below not in node.orelse:
            continue
        if ast.dump(node.test) in tests:
            return True
        if isinstance(node.test, ast.Name):
            answer = answers.get(node.test.id)
            hidden = "" in answers and _is_constexpr_parameter(facts, node.test.id)
            if hidden or (answer is not None and ast.dump(answer) in functions):
                return True
    return False


def _is_constexpr_parameter(facts: KernelFacts, name: str) -> bool:
    return any(p.name == name and p.constexpr for p in facts.kernel.parameters)


def in_place_of_the_loops(proof: OneTile) -> tuple[Change, ...]:
    """The code where the loops stood. Raises NotExpressible where a comment would get lost."""
    statements = proof.sweeps.statements
    changes: list[Change] = [InsertBefore(statements[0], proof.stretch.code)]
    changes += [Remove(statement, keep_comments=False) for statement in statements]
    gone = proof.stretch.gone
    excerpts.check_comments(proof.sweeps.facts.kernel.module, changes, gone)
    return tuple(changes)


def beside_the_loops(proof: OneTile, asked: Asked) -> tuple[Change, ...]:
    """The code where one tile holds the row, and the loops where it does not."""
    statements = proof.sweeps.statements
    inside = excerpts.indented(proof.stretch.code, "    ")
    return (
        *asked.changes,
        InsertBefore(statements[0], f"if {asked.test}:\n{inside}"),
        Enclose(statements[0], statements[-1], f"{ELSE}\n    ..."),
    )
