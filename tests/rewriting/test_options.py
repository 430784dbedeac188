"""The little language behind `--passes`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

import pytest

from tritonopt.rewriting import options, registry
from tritonopt.rewriting.options import PassSelectionError, Selected
from tritonopt.rewriting.protocol import Pass


class Color(Enum):
    RED = "red"
    DARK_BLUE = "dark-blue"


@dataclass(frozen=True)
class Toy(Pass):
    """A pass with one option of every type."""

    name = "toy"
    summary = "does nothing"

    formula: Literal["shifted", "moments", "welford"] = "shifted"
    deep: bool = False
    limit: int = 4
    label: str = "x"
    color: Color = Color.RED
    tile_size: int = 1

    def sites(self, facts: Any) -> Iterator[Any]:
        return iter(())


def build(spec: str) -> Toy:
    (item,) = options.parse(spec)
    made = options.build(Toy, item.options)
    assert isinstance(made, Toy)
    return made


def test_names_and_options_are_split_at_the_right_commas() -> None:
    assert options.parse("a, b{x=1, y=two} ,c{}") == [
        Selected("a"),
        Selected("b", (("x", "1"), ("y", "two"))),
        Selected("c"),
    ]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "a name is missing"),
        ("a,,b", "a name is missing"),
        ("a,", "a name is missing"),
        ("{x=1}", "a name is missing"),
        ("a{x=1", "not closed"),
        ("a}x", "do not match"),
        ("a{{x=1}}", "do not match"),
        ("a{x=1}b", "closing brace"),
        ("a{x}", "option=value"),
        ("a{x=}", "option=value"),
        ("a{=1}", "option=value"),
        ("a{x=1,}", "option=value"),
    ],
)
def test_what_cannot_be_read_is_named(spec: str, words: str) -> None:
    with pytest.raises(PassSelectionError, match=words):
        options.parse(spec)


def test_values_take_the_type_of_the_field() -> None:
    made = build("toy{formula=moments,deep=true,limit=-3,label=a b,color=dark-blue}")
    assert made == Toy("moments", True, -3, "a b", Color.DARK_BLUE)


def test_a_dash_stands_for_an_underscore() -> None:
    assert build("toy{tile-size=8}").tile_size == 8


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "toy{formula=moment}",
            "toy: formula cannot be 'moment'; legal: shifted, moments, welford "
            "(did you mean moments?)",
        ),
        ("toy{deep=yes}", "toy: deep cannot be 'yes'; legal: false, true"),
        ("toy{limit=many}", "toy: limit cannot be 'many'; legal: an integer"),
        ("toy{color=opaque}", "toy: color cannot be 'opaque'; legal: red, dark-blue"),
        ("toy{deep=true,deep=false}", "toy: the option 'deep' is given twice"),
        ("toy{tile-size=1,tile_size=2}", "toy: the option 'tile_size' is given twice"),
        (
            "toy{formul=moments}",
            "toy has no option 'formul'; it has formula, deep, limit, label, color, tile_size "
            "(did you mean formula?)",
        ),
    ],
)
def test_a_wrong_option_names_the_pass_the_option_and_what_is_legal(
    spec: str, message: str
) -> None:
    with pytest.raises(PassSelectionError) as caught:
        build(spec)
    assert str(caught.value) == message


def test_of_a_pass_and_an_option_that_went_it_is_said_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(options.REMOVED, "toy.fast", "it was not")
    with pytest.raises(PassSelectionError, match=r"'fast'; it was removed .*, because it was not$"):
        build("toy{fast=true}")
    for name in options.REMOVED:
        if "." not in name:
            with pytest.raises(PassSelectionError, match="removed before"):
                registry.select(name.replace("_", "-"))


def test_a_pass_without_options_says_so() -> None:
    class Bare(Pass):
        """No fields at all."""

        name = "bare"
        summary = ""

        def sites(self, facts: Any) -> Iterator[Any]:
            return iter(())

    with pytest.raises(PassSelectionError, match="bare takes no options, so not 'x'"):
        options.build(Bare, [("x", "1")])


def test_variants_combine_what_can_be_listed_and_keep_the_rest() -> None:
    variants = list(Toy.variants())
    assert len(variants) == len(set(variants)) == 3 * 2 * 2
    assert {variant.limit for variant in variants} == {4}
    assert Toy() in variants


def test_a_field_of_another_type_is_the_authors_mistake() -> None:
    @dataclass(frozen=True)
    class Odd(Toy):
        weights: tuple[int, ...] = ()

    with pytest.raises(TypeError, match=r"Odd\.weights"):
        options.of(Odd)
