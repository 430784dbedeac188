"""How many block pointers of a library `block-pointer` rewrites, and why not the others.

    PYTHONPATH=. python benchmarks/block_pointer_sites.py NAME=PATH... [--out FILE.json]
    PYTHONPATH=. python benchmarks/block_pointer_sites.py --table FILE.json

Each PATH is one program. A site is a call of `make_block_ptr` in a kernel or in a helper of one;
it is done where none is left of its kernel, and is declined for the reason for which that was
missed. What stands in strings, of which a library makes kernels while it runs, is counted beside.
Needs no GPU, torch or triton.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tritonopt import source
from tritonopt.facts.language import function
from tritonopt.rewriting.model import RemarkKind
from tritonopt.rewriting.pipeline import rewrite_source

MAKES = "make_block_ptr"


@dataclass
class Sites:
    """Those of one library."""

    library: str
    files: int = 0
    kernels: int = 0
    sites: int = 0
    done: int = 0
    declined: dict[str, int] = field(default_factory=dict)
    in_strings: int = 0


def of_library(name: str, path: Path) -> Sites:
    """What becomes of all sites below a path."""
    found, declined = Sites(name), Counter[str]()
    files = tuple(source.find_python_files([path]))
    program = source.Program(files)
    for file in files:
        text = source.read_file(file).text
        if MAKES not in text:
            continue
        module = source.read(text, str(file), program)
        found.in_strings += _in_strings(module)
        by_kernel = _by_kernel(module)
        if not by_kernel:
            continue
        found.files += 1
        found.kernels += len(by_kernel)
        found.sites += by_kernel.total()
        result = rewrite_source(text, "block-pointer", path=str(file), program=program)
        left = _by_kernel(source.read(result.text, str(file)))
        reasons = {r.kernel: r.reason for r in result.remarks if r.kind is RemarkKind.MISSED}
        for kernel, number in left.items():
            declined[reasons[kernel]] += number
        found.done += by_kernel.total() - left.total()
    found.declined = dict(sorted(declined.items()))
    return found


def _by_kernel(module: source.Module) -> Counter[str]:
    """The sites of each jit function, by its qualified name."""
    found: Counter[str] = Counter()
    for kernel in module.kernels:
        calls = (node for node in kernel.nodes if isinstance(node, ast.Call))
        number = sum(function(module.resolve(call.func)) == MAKES for call in calls)
        if number:
            found[kernel.qualname] += number
    return found


def _in_strings(module: source.Module) -> int:
    nodes = (n for n in ast.walk(module.tree) if isinstance(n, ast.Constant))
    return sum(n.value.count(f"{MAKES}(") for n in nodes if isinstance(n.value, str))


def table(rows: list[dict[str, Any]]) -> str:
    """The table of docs/measured.md."""
    lines = [
        "| library | files | kernels | sites | done | declined, by reason | in strings |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        share = f"{row['done']} ({100 * row['done'] / max(row['sites'], 1):.1f} %)"
        if not row["sites"]:
            share = "0"
        parts = [f"`{reason}` {number}" for reason, number in row["declined"].items()]
        cells = [row["library"], row["files"], row["kernels"], row["sites"], share]
        cells += [", ".join(parts) or "0", row["in_strings"]]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("libraries", nargs="*", help="NAME=PATH of directories, each a program")
    parser.add_argument("--out", type=Path, help="write JSON here")
    parser.add_argument("--table", type=Path, help="print the table of such a file")
    options = parser.parse_args()
    if options.table:
        print(table(json.loads(options.table.read_text(encoding="utf-8"))["results"]))
        return
    named = [library.partition("=") for library in options.libraries]
    rows = [asdict(of_library(name, Path(path))) for name, _, path in named]
    if options.out:
        report = {"benchmark": "block_pointer_sites", "results": rows}
        options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(table(rows))


if __name__ == "__main__":
    main()
