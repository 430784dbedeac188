"""Every claim and every reason that can be printed is declared, used and explained."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tritonopt.checks import reasons
from tritonopt.checks.condition import refuted
from tritonopt.checks.renamed import RENAMED
from tritonopt.rewriting import registry
from tritonopt.rewriting.model import Bits, Condition, Remark, RemarkKind, Status
from tritonopt.rewriting.protocol import Pass

ROOMS = ("checks", "facts", "launches", "emit", "rewriting", "passes", "runtime")
"""Where claims and reasons are written."""

KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
EXPECTED = re.compile(r"^# expect: (?:not applied|finding), (\S+)$", re.MULTILINE)
OF_OTHER_KINDS = {"utf-8", "utf-8-sig", Bits.REDUCTION_ORDER.value}
"""Texts in kebab-case that are no names of ours."""


def sources(root: Path) -> Iterator[Path]:
    for room in ROOMS:
        yield from sorted((root / "tritonopt" / room).rglob("*.py"))


def texts(root: Path) -> dict[str, Path]:
    """Every string of the rooms, and a file that has it; not those of the table itself."""
    found = {}
    for path in sources(root):
        if path.name not in {"reasons.py", "renamed.py"}:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found[node.value] = path
    return found


def declared() -> set[str]:
    return {*reasons.CLAIMS, *reasons.REASONS}


def test_what_is_written_in_the_code_is_declared(root: Path) -> None:
    names = {text: path for text, path in texts(root).items() if KEBAB.fullmatch(text)}
    strange = set(names) - declared() - OF_OTHER_KINDS - set(registry.names())
    assert not {f"{names[name].relative_to(root)}: {name}" for name in strange}


def test_what_is_declared_is_used(root: Path) -> None:
    assert not declared() - set(texts(root))


def test_what_a_case_expects_is_declared_as_a_reason(root: Path) -> None:
    paths = sorted((root / "tests" / "passes").glob("*/*.py"))
    expected = {name: p for p in paths for name in EXPECTED.findall(p.read_text("utf-8"))}
    assert len(expected) > 100
    assert not set(expected) - set(reasons.REASONS)


def test_a_test_comes_to_each_reason(root: Path) -> None:
    words: set[str] = set()
    for path in (root / "tests").rglob("*.py"):
        words.update(re.findall(r"\w+(?:-\w+)*", path.read_text("utf-8")))
    assert not set(reasons.REASONS) - words


def test_the_table_of_other_packages_is_not_for_the_passes_of_this_one() -> None:
    own = [found for found in registry.catalog().values() if found.own_reasons]
    assert not own


@pytest.mark.parametrize("table", [reasons.CLAIMS, reasons.REASONS], ids=["claims", "reasons"])
def test_each_is_explained_in_sentences(table: Mapping[str, str | reasons.Reason]) -> None:
    for name, entry in table.items():
        for sentence in [entry] if isinstance(entry, str) else entry:
            assert re.fullmatch(r"[A-Z`].+\.", sentence), f"{name}: {sentence}"
            assert sentence.lower().replace("-", " ").rstrip(".") != name.replace("-", " ")


def test_nothing_is_declared_twice(root: Path) -> None:
    table = (root / "tritonopt/checks/reasons.py").read_text("utf-8")
    entries = re.findall(r"^([a-z0-9]+(?:-[a-z0-9]+)*): [A-Z`]", table, re.MULTILINE)
    assert sorted(entries) == sorted([*reasons.CLAIMS, *reasons.REASONS])
    assert len(set(entries)) == len(entries)


# A name that nobody declares


def remark(reason: str) -> Remark:
    return Remark("p", RemarkKind.MISSED, "k", 1, 1, "", reason=reason)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Condition("same-elemnts", Status.PROVED),
        lambda: Condition("same-elements", Status.REFUTED, "", "diferent-elements"),
        lambda: remark("safty"),
    ],
)
def test_a_name_that_is_not_declared_cannot_be_said(make: Any) -> None:
    with pytest.raises(ValueError, match=r"'[\w-]+' is not declared: explain it in tritonopt/"):
        make()


def test_who_says_a_name_that_is_not_declared_is_told() -> None:
    with pytest.raises(
        ValueError, match=r"test_reasons\.py:\d+: the claim .* `own_reasons`"
    ) as said:
        refuted("same-elements", "diferent-elements", "")
    line = said.traceback[0].lineno + 1
    assert str(said.value).startswith(f"{__file__}:{line}: ")


def test_what_is_declared_can_be_said() -> None:
    Condition("same-elements", Status.REFUTED, "", "different-elements")
    remark("safety")
    remark("")


# Passes of other packages


def test_a_pass_of_another_package_declares_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasons, "_elsewhere", {})

    class Elsewhere(Pass):
        name = "elsewhere"
        own_reasons: ClassVar[Mapping[str, str]] = {"moon-is-full": "It is a night for this."}

    assert Condition("moon-is-full", Status.PROVED).holds
    assert reasons.explained("moon-is-full") == [
        "moon-is-full: said by elsewhere",
        "  It is a night for this.",
    ]


def test_a_pass_that_inherits_declares_nothing_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasons, "_elsewhere", {})

    class First(Pass):
        name = "first"
        own_reasons: ClassVar[Mapping[str, str]] = {"moon-is-full": "It is a night for this."}

    class Second(First):
        name = "second"

    assert len(reasons.explained("moon-is-full")) == 2


def test_no_pass_gives_another_meaning_to_a_name_of_ours() -> None:
    with pytest.raises(
        ValueError, match="mine declares 'same-arguments', which tritonopt explains"
    ):
        reasons.declare("mine", {"same-arguments": "Something else."})


def test_a_name_that_was_merged_into_another_still_means_it() -> None:
    assert not set(RENAMED) & declared(), "an old name is one of the names of now"
    assert set(RENAMED.values()) <= declared()
    old = Condition("same-mask", Status.REFUTED, "other lanes", "different-buffer")
    assert (old.claim, old.reason) == ("same-arguments", "different-elements")
    said = reasons.explained("different-buffer")
    assert said[0] == "different-buffer is now called different-elements"
    assert said[1:] == reasons.explained("different-elements")
