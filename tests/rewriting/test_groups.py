"""Groups: their names, what they stand for, and in which order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tritonopt.cli.main import main
from tritonopt.rewriting import groups, registry
from tritonopt.rewriting.groups import GROUPS, Group
from tritonopt.rewriting.options import PassSelectionError, spelled


@pytest.fixture(autouse=True)
def pair(monkeypatch: pytest.MonkeyPatch) -> Iterator[Group]:
    """A group of two passes, not in the order of their names."""
    found = Group("pair", "two of them", "max-to-where,fuse-stats{formula=moments}")
    monkeypatch.setitem(GROUPS, found.name, found)
    yield found


@pytest.mark.parametrize(
    ("spec", "means"),
    [
        ("pair", "max-to-where fuse-stats{formula=moments}"),
        ("licm,pair", "licm max-to-where fuse-stats{formula=moments}"),
        # Named beside it: its own options, in the place that the group has for it.
        (
            "pair,fuse-stats{formula=moments},max-to-where",
            "max-to-where fuse-stats{formula=moments}",
        ),
        ("pair,max-to-where", "max-to-where fuse-stats{formula=moments}"),
        # Named before it: that place.
        ("fuse-stats{formula=moments},pair", "fuse-stats{formula=moments} max-to-where"),
        ("pair,pair", "max-to-where fuse-stats{formula=moments}"),
    ],
)
def test_what_a_group_stands_for(spec: str, means: str) -> None:
    chosen = registry.select(spec)
    assert [spelled(one) for one in chosen] == means.split()
    assert all(one.is_named for one in chosen)


def test_a_group_takes_no_options_and_hides_no_repetition() -> None:
    with pytest.raises(
        PassSelectionError, match="'pair' is a group of passes and takes no options"
    ):
        registry.select("pair{formula=moments}")
    with pytest.raises(PassSelectionError, match="'max-to-where' is given twice"):
        registry.select("pair,max-to-where,max-to-where")


def test_a_group_is_among_the_names_that_could_be_meant() -> None:
    with pytest.raises(PassSelectionError, match="did you mean rows"):
        registry.select("row")


@pytest.mark.parametrize("name", registry.SETS)
def test_no_pass_may_have_the_name_of_a_set(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = registry.metadata.EntryPoint(name, "elsewhere:Pass", registry.GROUP)
    monkeypatch.setattr(registry.metadata, "entry_points", lambda group: [entry])
    registry._entries.cache_clear()
    try:
        with pytest.raises(PassSelectionError, match=f"elsewhere:Pass cannot be a pass '{name}'"):
            registry.names()
    finally:
        registry._entries.cache_clear()


def test_the_catalog_and_explain_show_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["passes"]) == 0
    said = (
        "max-to-where,fuse-stats{formula=moments}, in this order, except where a gain is unlikely"
    )
    assert said in " ".join(capsys.readouterr().out.split())
    assert main(["explain", "pair"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("pair: a group of passes; two of them\n")
    assert f"fuse-stats: {registry.load('fuse-stats').summary}" in " ".join(shown.split())


@pytest.mark.parametrize("group", list(GROUPS.values()), ids=lambda g: g.name)
def test_a_group_is_of_passes_that_there_are(group: Group) -> None:
    assert group.name in registry.SETS
    assert group.name not in registry.names()
    chosen = registry.select(group.name)
    assert [member.name for member in group.members()] == [one.name for one in chosen]
    assert len({*groups.options.parse(group.passes)}) == len(chosen) > 0
