"""How many configurations a tuner has at the least, and which numbers they and `**given` have."""

from __future__ import annotations

import ast

import pytest

from tritonopt import source
from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.host.tuner_choices import keywords_of, least_number, settings_of

HEAD = """\
import itertools
import triton

NAMED = [1, 2]
GIVEN = {"a": 1}


def listed():
    return [1, 2]


def collected():
    found = []
    for x in (1, 2):
        found.append(x)
    return found


def collected_in_part():
    found = [0]
    if NAMED:
        found.append(1)
    return found


def one_or_two(a):
    if a:
        return [1]
    return [2, 3]


def itself():
    return itself()


"""


def expression(text: str) -> tuple[source.Module, ast.expr]:
    module = source.read(f"{HEAD}{text}\n")
    last = module.tree.body[-1]
    assert isinstance(last, ast.Expr)
    return module, last.value


@pytest.mark.parametrize(
    ("configs", "number"),
    [
        ("[1, 2, 3]", 3),
        ("(1, *[2, 3])", 3),
        ("{1}", 1),
        ("[1] + [2, 3]", 3),
        ("[1] if a else [2, 3]", 1),
        ("[c(x) for x in range(3)]", 3),
        ("[c(x, y) for x in (1, 2) for y in (3, 4)]", 4),
        ("[c(x) for x in range(9) if x]", 2),
        ("[c(x) for x in range(3) if x]", 1),
        ("list(range(2, 8, 2))", 3),
        ("range(n)", 1),
        ("range(2.5)", 1),
        ("[c(*p) for p in itertools.product([1, 2], (3, 4, 5))]", 6),
        ("NAMED", 2),
        ("other(1)", 1),
        ("NAMED[0]", 1),
        ("listed()", 2),
        ("collected()", 2),
        ("collected_in_part()", 1),
        ("one_or_two(a)", 1),
        ("itself()", 1),
    ],
)
def test_there_are_not_less(configs: str, number: int) -> None:
    assert least_number(*expression(configs)) == number


@pytest.mark.parametrize(
    ("configs", "settings"),
    [
        ("[c({'B': 4}), c(kwargs={'B': 8, 'C': 'x'})]", ({"B": 4}, {"B": 8})),
        ("[c({'B': 4}), c({B: 4})]", ()),
        ("[c({**more})]", ()),
        ("[c(GIVEN)]", ()),
        ("[made]", ()),
        ("made()", ()),
    ],
)
def test_numbers_of_configurations(configs: str, settings: tuple[dict[str, int], ...]) -> None:
    expected = tuple({Param(name): number for name, number in s.items()} for s in settings)
    assert settings_of(expression(configs)[1]) == expected


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ("{'a': 1, 'b': n}", {"a": "1", "b": "n"}),
        ("{a: 1}", None),
        ("dict(a=1, b=n)", {"a": "1", "b": "n"}),
        ("dict(**more)", None),
        ("GIVEN", {"a": "1"}),
        ("{'a': 1} if c else {'b': 2}", {"a": "1", "b": "2"}),
        ("{'a': 1} if c else {'a': 2}", None),
        ("{'a': 1} if c else made()", None),
        ("made()", None),
    ],
)
def test_what_a_dictionary_passes(given: str, passed: dict[str, str] | None) -> None:
    found = keywords_of(*expression(given))
    assert (found and {name: ast.unparse(value) for name, value in found.items()}) == passed
