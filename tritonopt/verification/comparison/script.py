"""A counterexample as a script that shows it again, with nothing but torch and triton.

At its head stand the two files and the inputs, for a person to read and to
change. Below, compressed, is the text of those modules of this package that a worker
consists of: so the script makes the inputs, guards the memory and corrects
Triton's interpreter exactly as the verification did, and stays what it is when
this package changes.
"""

from __future__ import annotations

import ast
import base64
import dataclasses
import json
import re
import zlib
from importlib.resources import files
from pathlib import Path

from tritonopt.source.parsing import parsed
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.messages import RunOptions, VersionSpec

_HOME = files("tritonopt")
_PACKAGE = "tritonopt_counterexample"
"""What `tritonopt` is called in a script."""
_WIDTH = 2000
"""Characters in a line of what nobody reads."""

_HEAD = '''\
"""{title}

{difference}

It needs torch and triton, and runs each version in a process of its own. It exits
with 1 while the two versions differ, and with 0 when they no longer do.
"""

{libraries}
ORIGINAL = {original!r}
REWRITTEN = {rewritten!r}
TEXTS = {{{texts}}}
LAUNCHER = {launcher!r}
BACKEND = {backend!r}


def example():
    """What the launcher is called with."""
{imports}

    return {example}


def runs():
    """{what}"""
    from {outcomes} import RunOptions

    return ({runs})

'''

_TWICE = "Each version runs twice: what must not matter is different the second time."
_ONCE = "Each version runs with a residue for each float, on which arithmetic is exact."

_MACHINE = '''\
import importlib.abc
import importlib.util
import os
import pickle
import subprocess
import tempfile
import tokenize


def run(version):
    """One version, in this process; gives what came out of every run."""
    from dataclasses import replace
    from tritonopt.verification.process.messages import VersionSpec
    from tritonopt.verification.worker.server import Server

    path = ORIGINAL if version == "original" or version in TEXTS else REWRITTEN
    text = TEXTS.get(version)
    if text is None:
        with tokenize.open(path) as stream:
            text = stream.read()
    given = {spec}
    server = Server()
    server.load(
        replace(
            given,
            title=version,
            path=ORIGINAL,
            text=text,
            text_path=path,
            backend=BACKEND,
            launcher=LAUNCHER,
        )
    )
    return server.run(example(), runs())


def outcomes(version):
    """The same in a process of its own; a crash is an outcome as well."""
    from tritonopt.verification.process.messages import Failure, Outcome

    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "outcomes")
        command = [sys.executable, os.path.abspath(__file__), "--run", version, file]
        try:
            code = subprocess.run(command, timeout=600).returncode
        except subprocess.TimeoutExpired:
            return (Outcome(failure=Failure("Hang", "no answer within 600 s")),) * 2
        if not os.path.exists(file):
            text = f"the process ended with status {{code}}"
            return (Outcome(failure=Failure("Crash", text)),) * 2
        with open(file, "rb") as stream:
            return pickle.load(stream)


def difference(ours, theirs):
    """The first thing that is wrong, or None."""
    from tritonopt.verification.comparison.compare import (
        Pair,
        bits_differ,
        fault,
        forms_differ,
        residues_differ,
        unstable,
        writes_differ,
    )

    old, new = Pair(ours[0], ours[-1]), Pair(theirs[0], theirs[-1])
    for name, pair in (("original", old), ("rewritten version", new)):
        for outcome in (pair.first, pair.second):
            if outcome.failure is not None:
                return f"the {{name}} fails: {{outcome.failure}}"
    first, second = new.first, new.second
    if runs()[0].algebra:
        return residues_differ(old.first, first)[0]
    if wrong := fault(old, new):
        return wrong
    found = forms_differ(old.first, first) or forms_differ(old.second, second)
    if found is None and unstable(old) is None:
        found = unstable(new)
        if found is not None:
            found = f"two runs of the rewritten version differ:\\n{{found}}"
    return found or writes_differ(old, new) or bits_differ(old, new)


def main():
    if sys.argv[1:2] == ["--run"]:
        found = run(sys.argv[2])
        with open(sys.argv[3], "wb") as stream:
            pickle.dump(found, stream)
        return 0
    print(f"{{LAUNCHER}} is called with")
    for line in str(example()).splitlines():
        print(f"  {{line}}")
    found = difference(outcomes("original"), outcomes("rewritten"))
    print(found if found is not None else "the two versions agree")
    return 0 if found is None else 1


class Bundle(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports the modules of {package} from the texts in this script."""

    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] != {package!r}:
            return None
        spec = importlib.util.spec_from_loader(name, self, is_package=self.is_package(name))
        spec.origin = f"{{name}}.py"
        spec.has_location = True
        return spec

    def is_package(self, name):
        return name not in SOURCES

    def get_source(self, name):
        return SOURCES.get(name, "")
'''

_TAIL = '''
# That is all there is to read. The rest is `main` and the modules that make the inputs, run a
# version in guarded memory, correct Triton's interpreter and compare: compressed texts, as JSON.
PACKED = """
{packed}"""

if __name__ == "__main__":
    SOURCES = json.loads(zlib.decompress(base64.b85decode("".join(PACKED.split()))))
    exec(compile(SOURCES["main"], "main.py", "exec"))
    sys.meta_path.insert(0, Bundle())
    sys.exit(main())
'''

_IMPORTS = """\
import base64
import json
import sys
import zlib
"""


def script(
    original: VersionSpec,
    rewritten: VersionSpec,
    example: Example,
    runs: tuple[RunOptions, ...],
    difference: str,
    *,
    embedded: tuple[str, ...] = (),
) -> str:
    """The text of a script that shows the difference on this example again.

    `embedded` says of which versions (`original`, `rewritten`) the text stands in
    the script, because it is in no file.
    """
    name = original.launcher
    known = dataclasses.replace(original, text="", widened="", widened_names=())
    head = _HEAD.format(
        title=f"`{name}` of two versions of {Path(original.path).name}: a counterexample.",
        difference=difference.replace("\\", "\\\\").replace('"""', "'''"),
        libraries=_IMPORTS,
        original=original.path,
        rewritten=rewritten.text_path,
        texts=", ".join(
            f"{spec.title!r}: {_literal(spec.text)}"
            for spec in (original, rewritten)
            if spec.title in embedded
        ),
        launcher=name,
        backend=original.backend,
        imports=_indented(_imports(example), 4),
        example=_expression(example, 4),
        outcomes=_renamed(RunOptions.__module__),
        what=_ONCE if runs[0].algebra else _TWICE,
        runs="".join(f"{_expression(r, 4)}, " for r in runs).rstrip(),
    )
    texts = {_renamed(name): _renamed(text) for name, text in _modules().items()}
    texts["main"] = _renamed(_MACHINE).format(package=_PACKAGE, spec=_expression(known, 4))
    return head + _TAIL.format(packed=_packed(texts))


def _packed(texts: dict[str, str]) -> str:
    data = base64.b85encode(zlib.compress(json.dumps(texts).encode(), 9)).decode()
    return "".join(f"{data[at : at + _WIDTH]}\n" for at in range(0, len(data), _WIDTH))


def _renamed(text: str) -> str:
    """A module's name or text, as it is in a script, where there is no `tritonopt`."""
    return re.sub(r"\btritonopt\.(?=\w)", f"{_PACKAGE}.", text)


def _modules() -> dict[str, str]:
    """The texts of the modules of `tritonopt` that a script needs, by name."""
    found: dict[str, str] = {}
    wanted = _imported(_MACHINE.format(package=_PACKAGE, spec=None), "")
    while wanted:
        name = wanted.pop()
        path = _HOME.joinpath(name.partition(".")[2].replace(".", "/") + ".py")
        if name in found or not path.is_file():
            continue
        found[name] = path.read_text(encoding="utf-8")
        wanted += _imported(found[name], name.rpartition(".")[0])
    return dict(sorted(found.items()))


def _imported(text: str, package: str) -> list[str]:
    """The modules of `tritonopt` that a text may import from."""
    found = []
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.ImportFrom):
            base = ".".join(filter(None, [package if node.level else "", node.module]))
            found += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return [name for name in found if name.startswith("tritonopt.")]


def _literal(text: str) -> str:
    """A text as a raw literal that reads as it was, where that can be."""
    plain = "'''" not in text and not text.endswith(("\\", "'")) and "\r" not in text
    return f"r'''{text}'''" if plain else repr(text)


def _imports(example: Example) -> str:
    """What the recipes are made of, and the numbers that have a name."""
    kinds = {type(v) for v in _instances(example)}
    lines = ["from math import inf, nan"]
    for kind in sorted(kinds, key=lambda k: (k.__module__, k.__name__)):
        lines.append(f"from {_renamed(kind.__module__)} import {kind.__name__}")
    return "\n".join(lines)


def _instances(value: object) -> list[object]:
    found: list[object] = []
    if isinstance(value, (tuple, list)):
        for part in value:
            found += _instances(part)
    elif dataclasses.is_dataclass(value):
        found.append(value)
        for place in dataclasses.fields(value):
            found += _instances(getattr(value, place.name))
    return found


def _expression(value: object, indent: int) -> str:
    """Source of a value; what a recipe leaves at its default is not written."""
    inner = " " * (indent + 4)
    if isinstance(value, (tuple, list)) and _instances(value):
        parts = "".join(f"{inner}{_expression(part, indent + 4)},\n" for part in value)
        return f"(\n{parts}{' ' * indent})"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        given = []
        for place in dataclasses.fields(value):
            part = getattr(value, place.name)
            if place.default is dataclasses.MISSING or part != place.default:
                given.append(f"{place.name}={_expression(part, indent)}")
        return f"{type(value).__name__}({', '.join(given)})"
    return repr(value)


def _indented(text: str, spaces: int) -> str:
    return "\n".join(" " * spaces + line for line in text.splitlines())
