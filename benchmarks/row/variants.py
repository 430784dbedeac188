"""The versions of a textbook kernel: what is rewritten, by which passes, and what came of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from benchmarks.row.plan import ORIGINAL
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.pipeline import rewrite_source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ALONE = {
    "fuse-stats": "fuse-stats",
    "defer-reduction": "defer-reduction",
    "one-tile": "one-tile{longer_rows=branch}",
    "one-tile to 32K": "one-tile{longer_rows=branch,raise_block=32768}",
    "one-tile to 64K": "one-tile{longer_rows=branch,raise_block=65536}",
    "online-softmax": "online-softmax",
    "row-batch": "row-batch",
    "row-batch to 2048": "row-batch{elements=2048}",
    "row-batch, several tiles": "row-batch{several_tiles=true}",
}
TOGETHER = {
    "rows": "rows",
    "rows, tiles as they are": "rows,one-tile{longer_rows=branch}",
}
VARIANTS = {**ALONE, **TOGETHER}
"""What may follow `--passes`, by what it is called in the tables."""


@dataclass
class Versions:
    """The texts of the file with a launcher; the first one is the original."""

    texts: dict[str, str]
    left_out: dict[str, str] = field(default_factory=dict)
    """Why there is no such version."""


@cache
def versions_of(example: str, launcher: str) -> Versions:
    """All versions in which something was changed of what the launcher runs."""
    path = EXAMPLES / f"{example}.py"
    original = path.read_text(encoding="utf-8")
    found = Versions({ORIGINAL: original})
    parts = {ORIGINAL: reached(original, launcher)}
    for name, passes in VARIANTS.items():
        try:
            result = rewrite_source(original, passes, path=path.name)
        except PassSelectionError as error:
            found.left_out[name] = str(error).partition(";")[0]
            continue
        parts[name] = reached(result.text, launcher)
        same = next(other for other in parts if parts[other] == parts[name])
        if same == name:
            found.texts[name] = result.text
        elif same == ORIGINAL:
            said = sorted({f"{r.pass_name}: {r.reason}" for r in result.remarks if r.reason})
            found.left_out[name] = "changes nothing" + (f" ({', '.join(said)})" if said else "")
        else:
            found.left_out[name] = f"the same as {same}"
    return found


def reached(text: str, launcher: str) -> str:
    """The code of a launcher, and of all in its file that it uses."""
    tree = ast.parse(text)
    defined = {name: node for node in tree.body for name in _names(node)}
    found: dict[str, str] = {}
    waiting = [launcher]
    while waiting:
        name = waiting.pop()
        if name in defined and name not in found:
            node = defined[name]
            found[name] = ast.dump(node)
            waiting += [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
    return "\n".join(found[name] for name in sorted(found))


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))
