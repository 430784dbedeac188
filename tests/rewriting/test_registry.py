"""Passes are found by entry points, never by import."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from tritonopt.rewriting import registry, uninstalled
from tritonopt.rewriting.measured import Figure
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.pipeline import rewrite_source
from tritonopt.rewriting.protocol import Gain, Pass


@dataclass(frozen=True)
class FuseThings(Pass):
    """A pass of somebody's."""

    name = "fuse-things"
    summary = "fuses things"
    deep: bool = False

    def sites(self, facts: Any) -> Iterator[Any]:
        return iter(())


@dataclass(frozen=True)
class Always(FuseThings):
    """One with a measured gain."""

    name = "always"
    gain = Gain(Figure(1.1, 1.2), "somewhere", "it is faster")


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
    registry.catalog.cache_clear()
    registry._entries.cache_clear()
    yield found
    registry.catalog.cache_clear()
    registry._entries.cache_clear()


def test_the_catalog_is_sorted_by_name(entries: dict[str, str]) -> None:
    assert list(registry.catalog()) == ["always", "fuse-things"]


def test_a_selection_keeps_its_order(entries: dict[str, str]) -> None:
    assert registry.select("fuse-things{deep=true},always") == [FuseThings(deep=True), Always()]


def test_sets(entries: dict[str, str]) -> None:
    assert registry.select("all") == [Always(), FuseThings()]
    assert all(one.is_named for one in registry.select("all"))
    for found in (registry.select("default"), registry.resolve(None)):
        assert found == [Always()] and not found[0].is_named


@pytest.mark.parametrize("spec", ["default,fuse-things", "fuse-things,default"])
def test_a_list_with_default_is_a_union(entries: dict[str, str], spec: str) -> None:
    assert {(one.name, one.is_named) for one in registry.select(spec)} == {
        ("always", False),
        ("fuse-things", True),
    }
    assert registry.named_in(spec) == {"fuse-things"}
    assert [note.partition(" ")[0] for note in registry.notes_of(spec)] == ["`default`"]


def test_all_after_default_is_all(entries: dict[str, str]) -> None:
    assert all(one.is_named for one in registry.select("default,all"))
    assert not registry.named_in("default,all")


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


# A pass that is written and not installed

WRITTEN = '''\
"""One pass."""

@dataclass(frozen=True)
class MyPass(Pass):
    """Its page."""

    name: ClassVar[str] = "my-pass"
'''
HEADER = '[project.entry-points."tritonopt.passes"]\n'
ENTRY = 'my-pass = "tritonopt.passes.{}:MyPass"'


@pytest.fixture
def passes(tmp_path: Path, entries: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of passes of a checkout."""
    folder = tmp_path / "passes"
    folder.mkdir()
    (tmp_path / "pyproject.toml").write_text(HEADER)
    monkeypatch.setattr(uninstalled, "FOLDER", folder)
    return folder


def refusal(name: str) -> str:
    with pytest.raises(PassSelectionError) as refused:
        registry.load(name)
    return str(refused.value)


@pytest.mark.parametrize("stem", ["my_pass", "another_name"])
def test_a_pass_without_an_entry_point(passes: Path, stem: str) -> None:
    (passes / f"{stem}.py").write_text(WRITTEN)
    said = refusal("my-pass")
    assert said.startswith(f"there is no pass 'my-pass'; {passes / stem}.py:4:1: MyPass is not")
    assert f"add `{ENTRY.format(stem)}` below {HEADER.strip()} in {passes.parent}" in said
    assert "run `pip install -e .`" in said


def test_a_pass_whose_entry_point_is_not_installed(passes: Path) -> None:
    (passes / "my_pass.py").write_text(WRITTEN)
    (passes.parent / "pyproject.toml").write_text(f"{HEADER}{ENTRY.format('my_pass')}\n")
    said = refusal("my-pass")
    assert "add" not in said
    assert said.endswith("pyproject.toml names it, so run `pip install -e .` there")


def test_a_file_whose_pass_has_another_name(passes: Path) -> None:
    (passes / "my_pass.py").write_text(WRITTEN.replace('"my-pass"', '"mypass"'))
    assert 'my_pass.py:1:1: no class there says `name: ClassVar[str] = "my-pass"`' in refusal(
        "my-pass"
    )


def test_a_file_that_is_no_python_is_no_pass(passes: Path) -> None:
    (passes / "broken.py").write_text("class (")
    assert refusal("my-pass").endswith("there are always, fuse-things, all, default, rows")


def test_outside_of_a_checkout_files_are_no_passes_to_be(passes: Path) -> None:
    (passes / "my_pass.py").write_text(WRITTEN)
    (passes.parent / "pyproject.toml").unlink()
    assert "MyPass" not in refusal("my-pass")


def test_a_suppression_of_a_pass_that_is_not_installed_says_the_same(passes: Path) -> None:
    (passes / "my_pass.py").write_text(WRITTEN)
    text = "import triton\n\n\n@triton.jit\ndef k(X):\n    pass  # tritonopt: ignore[my-pass]\n"
    (remark,) = rewrite_source(text, passes="always").remarks
    assert "my_pass.py:4:1: MyPass is not installed" in remark.message
    assert remark.reason == "no-pass"


def test_a_pass_that_says_mends_fixes_until_the_next_version() -> None:
    with pytest.warns(DeprecationWarning, match="Mending: `mends` is deprecated, call it `fixes`"):

        class Mending(FuseThings):
            mends = True

    class Fixing(FuseThings):
        fixes = True

    assert Mending.fixes and Mending().mends and Fixing.mends
    assert not FuseThings.fixes and not Always().mends and Fixing().only_tells is False
