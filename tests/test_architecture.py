"""The rules of the house, read from the source of every module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tritonopt.rewriting import registry

ROOT = Path(__file__).resolve().parent.parent

FLOORS = {
    "source": 0,
    "facts": 1,
    "rewriting": 2,
    "transforms": 3,
    "passes": 4,
    "verification": 4,
    "measurement": 4,
    "runtime": 5,
    "tuning": 5,
    "reporting": 5,
    "cli": 6,
}

LIGHT = ("source", "facts", "rewriting", "transforms", "passes", "reporting")
LIGHT_COMMANDS = {
    f"tritonopt.cli.{name}"
    for name in ("arguments", "configuration", "explain", "rewrite", "scanning", "selection")
} | {"tritonopt.cli.suggest"}
HEAVY = {"torch", "triton", "hypothesis", "numpy"}

HEADINGS = ("What it does", "Why", "Conditions", "Numerics", "Example", "Measured")


@dataclass(frozen=True)
class Import:
    """One name that a module imports, wherever in it."""

    importer: str
    line: int
    imported: str

    @property
    def room(self) -> str:
        parts = self.imported.split(".")
        return parts[1] if parts[0] == "tritonopt" and len(parts) > 1 else ""

    def __str__(self) -> str:
        return f"{self.importer}, line {self.line}: {self.imported}"


def modules() -> dict[str, Path]:
    """Every module by its dotted name. `tritonopt/passes` is a link; the files are in `passes`."""
    found = {}
    for path in sorted(ROOT.glob("tritonopt/**/*.py")) + sorted(ROOT.glob("passes/**/*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[:2] == ("tritonopt", "passes"):
            continue
        if parts[0] == "passes":
            parts = ("tritonopt", *parts)
        found[".".join(parts)] = path
    return found


def imports(name: str, path: Path) -> Iterator[Import]:
    package = (
        name.removesuffix(".__init__") if name.endswith(".__init__") else name.rpartition(".")[0]
    )
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(name, node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                yield Import(name, node.lineno, f"{base}.{alias.name}")


def room_of(name: str) -> str:
    """The room of a module; the modules beside the rooms have none."""
    parts = name.split(".")
    return parts[1] if len(parts) > 2 else ""


MODULES = modules()
IMPORTS = [found for name, path in MODULES.items() for found in imports(name, path)]


def test_every_room_has_a_floor() -> None:
    rooms = {room_of(name) for name in MODULES} - {""}
    assert rooms <= set(FLOORS)
    assert rooms >= {"source", "facts", "rewriting", "passes", "verification", "reporting", "cli"}


def test_a_room_imports_only_from_floors_below() -> None:
    wrong = [
        str(found)
        for found in IMPORTS
        if (importer := room_of(found.importer))
        and found.room in FLOORS
        and found.room != importer
        and FLOORS[found.room] >= FLOORS[importer]
    ]
    assert not wrong


def test_the_light_rooms_need_nothing_heavy() -> None:
    # Not even inside a function: what they do has to work where none of it is installed.
    light = [
        found
        for found in IMPORTS
        if room_of(found.importer) in LIGHT or found.importer in LIGHT_COMMANDS
    ]
    wrong = [str(found) for found in light if found.imported.split(".")[0] in HEAVY]
    assert not wrong


def test_a_pass_imports_only_what_is_below_it_and_no_other_pass() -> None:
    wrong = [
        str(found)
        for found in IMPORTS
        if room_of(found.importer) == "passes"
        and found.imported.startswith(("tritonopt", "passes"))
        and found.room not in ("source", "facts", "rewriting", "transforms")
    ]
    assert not wrong


def test_nothing_imports_a_pass_by_name() -> None:
    wrong = [
        str(found)
        for found in IMPORTS
        if found.room == "passes" or found.imported.split(".")[0] == "passes"
    ]
    assert not wrong


def test_nothing_anywhere_imports_the_top_level_passes() -> None:
    wrong = [
        str(found)
        for folder in ("tests", "examples", "benchmarks")
        for path in sorted((ROOT / folder).glob("**/*.py"))
        if not re.search(r"tests/passes/[^/]+/", path.as_posix())
        for found in imports(path.stem, path)
        if found.imported.split(".")[0] == "passes" and not found.importer.startswith("passes")
    ]
    assert not wrong


def test_the_link_is_relative() -> None:
    link = ROOT / "tritonopt" / "passes"
    assert link.is_symlink()
    assert link.readlink() == Path("../passes")


def test_every_file_of_passes_is_in_the_catalogue() -> None:
    files = {path.stem for path in ROOT.glob("passes/*.py")} - {"__init__"}
    homes = {found.__module__ for found in registry.catalogue().values()}
    assert {home.rpartition(".")[2] for home in homes if home.startswith("tritonopt.")} == files


@pytest.mark.parametrize("name", registry.names())
def test_a_pass_has_a_manual_page_and_a_proper_name(name: str) -> None:
    found = registry.catalogue()[name]
    page = [line.strip(" #:=-*") for line in (found.__doc__ or "").splitlines()]
    places = [page.index(heading) if heading in page else -1 for heading in HEADINGS]
    assert -1 not in places, [h for h, p in zip(HEADINGS, places, strict=True) if p == -1]
    assert places == sorted(places), "the headings stand in another order"
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", found.name)
    assert found.summary and "\n" not in found.summary
    assert list(found.variants())


def test_private_names_of_hypothesis_stand_in_one_module() -> None:
    private = ("hypothesis.internal", "hypothesis.configuration", "hypothesis.core")
    users = {found.importer for found in IMPORTS if found.imported.startswith(private)}
    assert users == {"tritonopt.verification.hypothesis_internals"}
