"""`tritonopt new-pass NAME`: the file, the page, the cases and the entry point of a new pass."""

from __future__ import annotations

import argparse
import keyword
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tritonopt import source
from tritonopt.cli.main import OK, complain
from tritonopt.rewriting import registry
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.pass_template import CASES, PASS

_DESCRIPTION = """\
Create a new pass in the checkout of tritonopt that this is run in: passes/NAME.py with its manual
page, cases in tests/passes/NAME/, and its entry point in pyproject.toml. It does something small,
and its tests pass, until you replace it by what it is to do.
"""

_TABLE = re.compile(r"""\[project\.entry-points\.["']tritonopt\.passes["']\]""")
_ENTRY = re.compile(r"""["']?([\w.-]+)["']?\s*=""")
_KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_TESTS = ("tests/checks/test_reasons.py", "tests/passes/test_pass_pairs.py", "tests/docs")
"""What else a new pass has to do with."""


class NewPassError(ValueError):
    """No pass can be laid out; the message says why, and what to do."""


@dataclass(frozen=True)
class _Checkout:
    """Where a new pass goes."""

    root: Path

    @property
    def pyproject(self) -> Path:
        return self.root / "pyproject.toml"

    @property
    def passes(self) -> Path:
        return self.root / "passes"

    @property
    def cases(self) -> Path:
        return self.root / "tests" / "passes"

    @property
    def is_one(self) -> bool:
        if not (self.passes.is_dir() and self.cases.is_dir() and self.pyproject.is_file()):
            return False
        return any(map(_TABLE.match, source.read_file(self.pyproject).text.splitlines()))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument("name", metavar="NAME", help="in kebab-case, as after --passes")


def run(arguments: argparse.Namespace) -> int:
    try:
        written = _lay_out(arguments.name)
    except (NewPassError, PassSelectionError, source.SourceError) as error:
        return complain(str(error))
    for path in written:
        print(f"wrote {os.path.relpath(path)}")
    for line in _next_steps(arguments.name):
        print(line)
    return OK


def _next_steps(name: str) -> Iterator[str]:
    """What to do with what was laid out; with this Python, whichever `python` is."""
    python = shlex.quote(sys.executable)
    yield f"next: {python} -m pip install -e ."
    yield "      write the cases: a kernel that is rewritten, and one for each way to go wrong"
    yield "      declare claims and reasons in tritonopt/checks/reasons.py"
    yield f"      {python} -m tests.passes.cases {name}  # writes the expected differences"
    yield f"      PYTHONPATH=. {python} docs/generate.py --write"
    yield f"      {python} -m pytest tests/passes tests/test_architecture.py -k {name}"
    yield f"      {python} -m pytest {' '.join(_TESTS)}"


def _lay_out(name: str) -> list[Path]:
    """Write it all, or nothing."""
    class_name = _class_name(name)
    checkout = _checkout()
    stem = name.replace("-", "_")
    module, cases = checkout.passes / f"{stem}.py", checkout.cases / name
    for path in (module, cases):
        if path.exists():
            raise NewPassError(f"{path}:1:1: already exists; choose another name")
    if name in registry.names():
        raise NewPassError(f"there is a pass {name!r} already; choose another name")
    pyproject = source.read_file(checkout.pyproject)
    entry = f'{name} = "tritonopt.passes.{stem}:{class_name}"'
    announced = _with_entry(pyproject, name, entry)
    try:
        with tempfile.TemporaryDirectory(prefix=".new-pass-", dir=checkout.root) as staging:
            _write(Path(staging), PASS.format(name=name, class_name=class_name))
            _move(Path(staging), module, cases, pyproject, announced)
    except OSError as error:
        raise NewPassError(f"{error.filename}:1:1: cannot be written: {error.strerror}") from error
    return [module, *sorted(cases.iterdir()), checkout.pyproject]


def _class_name(name: str) -> str:
    """What the class is called. Raises NewPassError for what no pass can be called."""
    if not _KEBAB.fullmatch(name):
        kebab = re.sub(r"[^a-z0-9]+", "-", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower())
        hint = f", as in {kebab.strip('-')}" if _KEBAB.fullmatch(kebab.strip("-")) else ""
        raise NewPassError(f"{name!r} is not a valid name of a pass: write it in kebab-case{hint}")
    class_name = "".join(map(str.capitalize, name.split("-")))
    taken = re.findall(r"\w+", " ".join(re.findall(r"^from .* import (.*)$", PASS, re.MULTILINE)))
    if keyword.iskeyword(name) or name in registry.SETS or class_name in taken:
        raise NewPassError(f"{name!r} already has another meaning: use two words")
    return class_name


def _checkout() -> _Checkout:
    here = Path.cwd()
    for root in (here, *here.parents):
        if (found := _Checkout(root)).is_one:
            return found
    raise NewPassError(
        f"{here}: is not in a checkout of tritonopt; change to one. (A pass of another "
        "package is registered in that package's pyproject.toml, in the same way.)"
    )


def _with_entry(pyproject: source.SourceFile, name: str, entry: str) -> str:
    """The text with one more entry point, where the alphabet has it; all else as it was."""
    lines = pyproject.text.splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if _TABLE.match(line)) + 1
    for number, line in enumerate(lines[place:], place):
        if line.startswith("["):
            break
        if found := _ENTRY.match(line):
            if found[1] == name:
                where = f"{pyproject.path}:{number + 1}:1"
                raise NewPassError(f"{where}: there is a pass {name!r} already; choose another")
            if found[1] < name:
                place = number + 1
    before = lines[place - 1]
    end = before[len(before.rstrip("\r\n")) :] or "\n"
    lines[place - 1] = before.rstrip("\r\n") + end
    return "".join([*lines[:place], entry, end, *lines[place:]])


def _write(staging: Path, text: str) -> None:
    """The files, beside where they go."""
    _put(staging / "pass.py", text)
    (staging / "cases").mkdir()
    for file, case in CASES.items():
        _put(staging / "cases" / file, case)


def _put(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


def _move(
    staging: Path, module: Path, cases: Path, pyproject: source.SourceFile, announced: str
) -> None:
    """Each complete file to its place; back again where not all of them can."""
    try:
        (staging / "cases").rename(cases)
        (staging / "pass.py").rename(module)
        source.write_file(pyproject, announced)
    except BaseException:
        for path, back in ((cases, "cases"), (module, "pass.py")):
            if path.exists() and not (staging / back).exists():
                path.rename(staging / back)
        raise
