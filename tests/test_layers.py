"""A test that only `make test-all` runs names a cheaper one that every run has."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.layers import children, few


def _named(tree: ast.Module) -> Iterator[tuple[str, str, bool]]:
    """Each test: its name, the one that it names instead of itself, whether it is thorough."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            marks = [d for d in node.decorator_list if "mark.thorough" in ast.unparse(d)]
            whole = [d for d in marks if not ast.unparse(d).startswith("pytest.mark.param")]
            given = [k.value for d in whole if isinstance(d, ast.Call) for k in d.keywords]
            yield node.name, "".join(ast.literal_eval(value) for value in given), bool(whole)


def test_what_stands_for_a_thorough_test_is_in_every_run(root: Path) -> None:
    count = 0
    for path in root.glob("tests/**/test_*.py"):
        text = path.read_text(encoding="utf-8")
        if "instead=" in text:
            found = {
                name: (instead, thorough) for name, instead, thorough in _named(ast.parse(text))
            }
            for instead, _ in found.values():
                count += bool(instead)
                assert not instead or not found[instead][1], f"{path}: {instead}"
    assert count > 4


def test_a_few_parameters_are_in_every_run_and_the_others_are_thorough() -> None:
    chosen = few(["a", "b", ("c", 1)], 1)
    assert [len(one.marks) for one in chosen] == [1, 0, 1]
    assert [one.values for one in chosen] == [("a",), ("b",), ("c", 1)]


def test_each_test_is_in_one_layer(root: Path) -> None:
    words = (root / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    named: list[str] = []
    for line in re.findall(r"^LAYER_\w+ := (.*)$", words, re.MULTILINE):
        for folders in re.findall(r"\$\(patsubst %,tests/%,(.*?)\)", line):
            named += [f"tests/{folder}" for folder in folders.split()]
        named += re.findall(r"(?<=\s)tests/[\w./]+", " " + re.sub(r"\$\(.*?\)", "", line))
    folders = {path.parent for path in root.glob("tests/*/**/test_*.py")}
    holding = {f"tests/{path.relative_to(root / 'tests').parts[0]}" for path in folders}
    files = {f"tests/{path.name}" for path in root.glob("tests/test_*.py")}
    assert sorted(named) == sorted(holding | files)


def test_a_process_that_a_test_leaves_is_seen() -> None:
    before = children()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert children() - before == ({process.pid} if Path("/proc").is_dir() else set())
        process.kill()
    assert children() == before
