"""Passes are found by entry points, never by import."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import pytest

from tritonopt.rewriting import registry
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.protocol import Pass


@dataclass(frozen=True)
class FuseThings(Pass):
    """A pass of somebody's."""

    name = "fuse-things"
    summary = "fuses things"
    deep: bool = False

    def sites(self, facts: Any) -> Iterator[Any]:
        return iter(())

    def edit(self, facts: Any, site: Any) -> Sequence[Any]:
        return ()


@dataclass(frozen=True)
class Always(FuseThings):
    """One that runs by default."""

    name = "always"
    default = True


class Misnamed(Always):
    name = "not-what-the-entry-point-says"


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The installed passes, which a test may add to."""
    found = {"fuse-things": f"{__name__}:FuseThings", "always": f"{__name__}:Always"}

    def entry_points(*, group: str) -> list[metadata.EntryPoint]:
        assert group == "tritonopt.passes"
        # A name with a trailing star is a second package's pass of that name.
        return [
            metadata.EntryPoint(name.rstrip("*"), value, group) for name, value in found.items()
        ]

    def load(entry: metadata.EntryPoint) -> Any:
        module, _, name = entry.value.partition(":")
        if module != __name__:
            raise ImportError(f"no module {module}")
        return globals()[name]

    monkeypatch.setattr(registry.metadata, "entry_points", entry_points)
    monkeypatch.setattr(metadata.EntryPoint, "load", load)
    registry.catalogue.cache_clear()
    registry._entries.cache_clear()
    yield found
    registry.catalogue.cache_clear()
    registry._entries.cache_clear()


def test_the_catalogue_is_sorted_by_name(entries: dict[str, str]) -> None:
    assert list(registry.catalogue()) == ["always", "fuse-things"]


def test_a_selection_keeps_its_order(entries: dict[str, str]) -> None:
    assert registry.select("fuse-things{deep=true},always") == [FuseThings(deep=True), Always()]


def test_sets(entries: dict[str, str]) -> None:
    assert registry.select("all") == [Always(), FuseThings()]
    assert registry.select("default") == [Always()]


@pytest.mark.parametrize("spec", ["all,fuse-things{deep=true}", "fuse-things{deep=true},all"])
def test_a_named_pass_keeps_its_options_beside_a_set(entries: dict[str, str], spec: str) -> None:
    assert FuseThings(deep=True) in registry.select(spec)
    assert len(registry.select(spec)) == 2


def test_an_unknown_pass_gets_the_nearest_names(entries: dict[str, str]) -> None:
    with pytest.raises(PassSelectionError, match="no pass 'fuse-thing'; did you mean fuse-things?"):
        registry.select("fuse-thing")
    with pytest.raises(PassSelectionError, match="there are always, fuse-things, all, default"):
        registry.select("zzzzzz")


def test_a_pass_given_twice_or_options_to_a_set_are_errors(entries: dict[str, str]) -> None:
    with pytest.raises(PassSelectionError, match="given twice"):
        registry.select("always,always")
    with pytest.raises(PassSelectionError, match="takes no options"):
        registry.select("all{deep=true}")


def test_only_what_is_asked_for_is_loaded(entries: dict[str, str]) -> None:
    entries["broken"] = "no.such.module:Broken"
    assert registry.select("always") == [Always()]
    with pytest.raises(PassSelectionError, match=r"'broken' \(no\.such\.module:Broken\) cannot be"):
        registry.select("all")


@pytest.mark.parametrize("name", ["Misnamed", "pytest"])
def test_an_entry_point_to_something_else_is_refused(entries: dict[str, str], name: str) -> None:
    entries["strange"] = f"{__name__}:{name}"
    with pytest.raises(PassSelectionError, match="is not a pass of that name"):
        registry.select("strange")


def test_the_api_takes_texts_and_passes_in_any_mixture(entries: dict[str, str]) -> None:
    assert registry.resolve("always") == [Always()]
    assert registry.resolve(["always", FuseThings()]) == [Always(), FuseThings()]
    assert registry.resolve(()) == []


def test_two_packages_with_a_pass_of_one_name_are_told_apart(entries: dict[str, str]) -> None:
    entries["always*"] = entries["always"]  # the same package, installed twice
    assert registry.names() == ["always", "fuse-things"]
    registry._entries.cache_clear()
    entries["always*"] = "elsewhere:Always"
    with pytest.raises(PassSelectionError, match="two packages bring a pass 'always'"):
        registry.select("fuse-things")
