"""docs/writing-a-pass.md, done as it says: files written, commands run, output compared.

A comment above a code block says what becomes of it: `write: FILE`, `append: FILE`, or
`replace: FILE: FUNCTION`. Of a `console` block each line after `$` is run, and what follows it is
what it prints, first to stdout and then to stderr; `...` stands for any text.
"""

from __future__ import annotations

import ast
import configparser
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.passes.test_documentation import examples_of, kernel_file
from tests.test_architecture import HEADINGS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "writing-a-pass.md"
NAME = "drop-redundant-cast"
BLOCK = re.compile(r"(?:<!-- (.*?) -->\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Step(NamedTuple):
    """A code block: what is to be done with it, and its code."""

    action: str
    code: str


def steps() -> Iterator[Step]:
    for action, language, code in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if action or language == "console":
            yield Step(action or "run", code)


def write(folder: Path, step: Step) -> None:
    action, name, *function = step.action.split(": ")
    file = folder / name
    before = "" if action == "write" else file.read_text(encoding="utf-8")
    if action == "replace":
        lines = before.splitlines(keepends=True)
        (old,) = [n for n in ast.parse(before).body if getattr(n, "name", "") == function[0]]
        lines[old.lineno - 1 : old.end_lineno] = [step.code]
        file.write_text("".join(lines), encoding="utf-8")
    else:
        file.write_text(before + step.code, encoding="utf-8")
    if name == "pyproject.toml":
        install(folder)


def install(folder: Path) -> None:
    """What pip would note down of the project; `folder` is on the path already."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    noted = folder / f"{project['name']}-{project['version']}.dist-info"
    noted.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (noted / "METADATA").write_text(metadata, encoding="utf-8")
    points = configparser.ConfigParser()
    points.read_dict(project["entry-points"])
    with (noted / "entry_points.txt").open("w", encoding="utf-8") as file:
        points.write(file)


def run(folder: Path, command: str) -> str:
    path = os.pathsep.join([str(folder), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path, "TRITONOPT_CACHE_DIR": "", "COLUMNS": "200"}
    ours = f"'{sys.executable}' -m tritonopt "
    command = re.sub(r"^tritonopt ", lambda _: ours, command)
    command = re.sub(r"^python ", lambda _: f"'{sys.executable}' ", command)
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def matches(shown: str, printed: str) -> bool:
    pattern = ".*".join(map(re.escape, shown.split("...")))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


def test_output_is_compared() -> None:
    assert matches("a\n...b\n", "a\n1\n2\nb\n") and matches("a: ... b\n", "a: 1 b\n")
    assert not matches("a\n...b\n", "a\nc\n") and not matches("a\n", "a\nb\n")


def test_every_step_does_what_is_shown(tmp_path: Path) -> None:
    ran = 0
    for step in steps():
        if step.action != "run":
            write(tmp_path, step)
            continue
        for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", step.code, re.MULTILINE):
            printed = run(tmp_path, command)
            assert matches(shown, printed), f"$ {command}\n{printed}"
            ran += 1
    assert ran >= 8


def test_the_manual_page_of_the_pass_is_true(tmp_path: Path) -> None:
    for step in steps():
        if step.action != "run":
            write(tmp_path, step)
    code = ast.parse((tmp_path / f"{NAME.replace('-', '_')}.py").read_text(encoding="utf-8"))
    (found,) = (node for node in code.body if isinstance(node, ast.ClassDef))
    page = ast.get_docstring(found) or ""
    assert [line[3:] for line in page.splitlines() if line.startswith("## ")] == list(HEADINGS)
    before, after = examples_of(page)
    example = tmp_path / "example.py"
    example.write_text(kernel_file(before), encoding="utf-8")
    run(tmp_path, f"tritonopt rewrite example.py --passes {NAME} --write")
    assert example.read_text(encoding="utf-8") == kernel_file(after)
