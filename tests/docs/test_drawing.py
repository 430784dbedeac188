"""The drawing in docs/how-it-is-built.md is what the rooms import."""

from __future__ import annotations

import re
from pathlib import Path

from tests.test_architecture import FLOORS, all_imports, room_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-it-is-built.md"

Arrows = set[tuple[str, str]]


def drawn() -> Arrows:
    drawing = PAGE.read_text(encoding="utf-8").partition("```mermaid\n")[2].partition("```")[0]
    return set(re.findall(r"^ *(\w+) --> (\w+)$", drawing, re.MULTILINE))


def imported() -> Arrows:
    """From which room to which other one something is imported."""
    arrows = {(room_of(found.importer), found.room) for found in all_imports()}
    return {(room, other) for room, other in arrows if room and room != other and other in FLOORS}


def without_shortcuts(arrows: Arrows) -> Arrows:
    """The arrows that do not follow from others. There are no circles."""

    def leads(room: str, other: str) -> bool:
        return any(b == other or leads(b, other) for a, b in arrows if a == room)

    return {
        (room, other)
        for room, other in arrows
        if not any(leads(b, other) for a, b in arrows if a == room and b != other)
    }


def test_shortcuts_are_left_out() -> None:
    chain = {("a", "b"), ("b", "c"), ("c", "d")}
    assert without_shortcuts(chain | {("a", "c"), ("a", "d"), ("b", "d")}) == chain


def test_the_drawing_shows_the_imports() -> None:
    assert drawn() == without_shortcuts(imported())


def test_every_room_is_explained() -> None:
    explained = set(re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert {room for arrow in imported() for room in arrow} <= explained
