"""The rules of the house, read from the source of every module."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tritonopt.rewriting import registry

ROOT = Path(__file__).resolve().parent.parent

FLOORS = {
    "source": 0,
    "checks": 1,
    "facts": 2,
    "launches": 3,
    "emit": 4,
    "rewriting": 5,
    "passes": 6,
    "verification": 6,
    "measurement": 6,
    "engines": 7,
    "tuning": 8,
    "reporting": 8,
    "runtime": 9,
    "cli": 9,
}

BELOW_PASSES = ("source", "checks", "facts", "launches", "emit", "rewriting")
LIGHT = (*BELOW_PASSES, "passes", "reporting")
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


@cache
def all_imports() -> list[Import]:
    """Of every module; read by the first test that asks, and not by every process that collects."""
    return [found for name, path in MODULES.items() for found in imports(name, path)]


def test_every_room_has_a_floor() -> None:
    rooms = {room_of(name) for name in MODULES} - {""}
    assert rooms <= set(FLOORS)
    assert rooms >= {"source", "facts", "rewriting", "passes", "verification", "reporting", "cli"}


def test_a_room_imports_only_from_floors_below() -> None:
    wrong = [
        str(found)
        for found in all_imports()
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
        for found in all_imports()
        if room_of(found.importer) in LIGHT or found.importer in LIGHT_COMMANDS
    ]
    wrong = [str(found) for found in light if found.imported.split(".")[0] in HEAVY]
    assert not wrong


def test_a_pass_imports_only_what_is_below_it_and_no_other_pass() -> None:
    wrong = [
        str(found)
        for found in all_imports()
        if room_of(found.importer) == "passes"
        and found.imported.startswith(("tritonopt", "passes"))
        and found.room not in BELOW_PASSES
        and not in_one_package(found)
    ]
    assert not wrong


def test_nothing_imports_a_pass_by_name() -> None:
    wrong = [
        str(found)
        for found in all_imports()
        if found.room == "passes" or found.imported.split(".")[0] == "passes"
        if not in_one_package(found)
    ]
    assert not wrong


def in_one_package(found: Import) -> bool:
    """Whether a module of a pass that is a package imports another one of it."""
    mine, theirs = found.importer.split(".")[:3], found.imported.split(".")[:3]
    return mine[1] == "passes" and mine == theirs


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


def test_every_file_of_passes_is_in_the_catalog() -> None:
    files = {name.split(".")[2] for name in MODULES if room_of(name) == "passes"} - {"__init__"}
    homes = {found.__module__ for found in registry.catalog().values()}
    assert {home.rpartition(".")[2] for home in homes if home.startswith("tritonopt.")} == files


@pytest.mark.parametrize("name", registry.names())
def test_a_pass_has_a_manual_page_and_a_proper_name(name: str) -> None:
    found = registry.catalog()[name]
    page = [line.strip(" #:=-*") for line in (found.__doc__ or "").splitlines()]
    missing = [f"heading `## {heading}` is missing" for heading in HEADINGS if heading not in page]
    assert not missing, "; ".join(missing)
    places = [page.index(heading) for heading in HEADINGS]
    assert places == sorted(places), "the headings stand in another order"
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", found.name)
    assert found.summary and "\n" not in found.summary
    assert list(found.variants())


MOST_LINES_OF_A_PASS = 300


PAGES = {
    name.removesuffix(".__init__"): path
    for name, path in MODULES.items()
    if name.removesuffix(".__init__") in {p.__module__ for p in registry.catalog().values()}
}


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_a_pass_is_its_page_and_what_it_asks(path: Path) -> None:
    # What it rests on, and how it is written, stand beside it, and in facts, launches and emit.
    text = path.read_text(encoding="utf-8")
    pages = [
        node.body[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and ast.get_docstring(node) is not None
    ]
    in_pages = sum((page.end_lineno or 0) - page.lineno + 1 for page in pages)
    assert len(text.splitlines()) - in_pages <= MOST_LINES_OF_A_PASS


def test_private_names_of_hypothesis_stand_in_one_module() -> None:
    private = ("hypothesis.internal", "hypothesis.configuration", "hypothesis.core")
    users = {found.importer for found in all_imports() if found.imported.startswith(private)}
    assert users == {"tritonopt.verification.inputs.hypothesis_internals"}


# The rooms inside of the rooms

INNER_FLOORS = {
    "verification": {
        "signature": 0,
        "inputs": 1,
        "process": 2,
        "algebra": 2,
        "worker": 3,
        "settling": 3,
        "coverage": 3,
        "comparison": 4,
        "capture": 5,
        "reference": 5,
    },
    "facts": {
        "interpreting": 0,
        "algebra": 0,
        "host": 1,
        "memory": 2,
        "recurrences": 3,
        "machine_code": 4,
    },
    "reporting": {"page": 0},
    "source": {"editing": 0, "project": 0},
    "tuning": {"variation": 0, "dispatch": 0, "proving": 0, "applying": 1, "compiling": 1},
}
"""Between such rooms too a room imports only from floors below; what stands in front of them is
beside the order, and only kept from circles."""


def inner_room_of(name: str) -> str:
    parts = name.split(".")
    return parts[2] if len(parts) > 3 else ""


def circles(arrows: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules in which each reaches each."""

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        waiting = [start]
        while waiting:
            for name in arrows.get(waiting.pop(), set()) - found:
                found.add(name)
                waiting.append(name)
        return found

    reach = {name: reached(name) for name in arrows}
    inside = [name for name in arrows if name in reach[name]]
    groups = {frozenset(n for n in inside if n in reach[m] and m in reach[n]) for m in inside}
    return sorted(sorted(group) for group in groups)


def running_imports() -> dict[str, set[str]]:
    """Which module imports which as it runs, inside of functions as well; not for types only."""
    named = {name.removesuffix(".__init__"): name for name in MODULES}
    found: dict[str, set[str]] = {name: set() for name in MODULES}
    for one in all_imports():
        name, lines = one.importer, only_for_types(MODULES[one.importer])
        target = named.get(one.imported) or named.get(one.imported.rpartition(".")[0])
        if target is not None and target != name and one.line not in lines:
            found[name].add(target)
    return found


@cache
def only_for_types(path: Path) -> set[int]:
    """The lines of a file under `if TYPE_CHECKING:`."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for statement in node.body:
                found |= set(range(statement.lineno, (statement.end_lineno or 0) + 1))
    return found


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"d", "a"}}) == [["b", "c"], ["d"]]


def test_every_room_says_what_it_is_for() -> None:
    silent = [
        name
        for name, path in MODULES.items()
        if name.endswith(".__init__")
        and room_of(name) != "passes"
        and not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not silent


def test_no_imports_run_in_a_circle() -> None:
    assert circles(running_imports()) == []


def test_every_inner_room_has_a_floor() -> None:
    for room, floors in INNER_FLOORS.items():
        inner = {inner_room_of(name) for name in MODULES if room_of(name) == room} - {""}
        assert inner <= set(floors)
    within = {room_of(name) for name in MODULES if inner_room_of(name)}
    assert within - {"passes"} == set(INNER_FLOORS)


def test_an_inner_room_imports_only_from_floors_below() -> None:
    wrong = []
    for found in all_imports():
        room, mine = room_of(found.importer), inner_room_of(found.importer)
        theirs = found.imported.split(".")[2] if found.imported.count(".") > 1 else ""
        floors = INNER_FLOORS.get(room, {})
        if found.room == room and mine and theirs in floors and theirs != mine:
            line_is_for_types = found.line in only_for_types(MODULES[found.importer])
            if floors[theirs] >= floors[mine] and not line_is_for_types:
                wrong.append(str(found))
    assert not wrong


def are_neighbors(room: str, other: str) -> bool:
    """Side by side, or one in the other."""
    above, others = room.rpartition(".")[0], other.rpartition(".")[0]
    return above in (others, other) or others == room


def test_no_two_modules_in_neighboring_rooms_have_one_name() -> None:
    # Nor the plural of another's. Each room may have its errors; a command is called as a user
    # types it, and a pass as its page.
    homes: dict[str, list[str]] = {}
    for name in MODULES:
        room, _, stem = name.rpartition(".")
        if stem not in ("__init__", "__main__", "errors") and room_of(name) not in (
            "cli",
            "passes",
        ):
            homes.setdefault(stem.removesuffix("s"), []).append(room)
    wrong = [
        f"{stem} in {room} and {other}"
        for stem, rooms in homes.items()
        for room, other in itertools.combinations(rooms, 2)
        if room == other or are_neighbors(room, other)
    ]
    assert not wrong


def test_no_module_has_the_name_of_a_room_beside_it() -> None:
    rooms = {name.removesuffix(".__init__") for name in MODULES if name.endswith(".__init__")}
    assert not [
        name
        for name in MODULES
        for room in rooms
        if room_of(name) != "passes"
        and name.rpartition(".")[0] in (room, room.rpartition(".")[0])
        and name.rpartition(".")[2].removesuffix("s") == room.rpartition(".")[2].removesuffix("s")
    ]


# Sizes

MOST_LINES_OF_A_CLASS = 300
MOST_LINES_OF_A_FUNCTION = 60

STILL_TOO_LARGE: set[str] = set()
"""What has yet to be split. Nothing may be added; what is split or gone has to leave."""


def too_large(text: str) -> list[str]:
    """Every class and function of a text that has more lines than it may, by its dotted name."""
    found: list[str] = []

    def look(node: ast.AST, inside: str) -> None:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                look(child, inside)
                continue
            name = f"{inside}{child.name}"
            is_class = isinstance(child, ast.ClassDef)
            most = MOST_LINES_OF_A_CLASS if is_class else MOST_LINES_OF_A_FUNCTION
            if (child.end_lineno or 0) - child.lineno + 1 > most:
                found.append(name)
            look(child, f"{name}.")

    look(ast.parse(text), "")
    return found


def test_what_is_too_large_is_found() -> None:
    body = "        x = 1\n"
    method = "    def f(self):\n"
    assert too_large("class A:\n" + method + 59 * body) == []
    assert too_large("class A:\n" + method + 60 * body) == ["A.f"]
    assert too_large("if True:\n    class A:\n" + 300 * body) == ["A"]


def test_no_class_and_no_function_is_too_large() -> None:
    found = {
        f"{module}.{name}"
        for module, path in MODULES.items()
        for name in too_large(path.read_text(encoding="utf-8"))
    }
    assert not found - STILL_TOO_LARGE, "split them along what they do"
    assert not STILL_TOO_LARGE - found, "these are small enough: take them off the list"
