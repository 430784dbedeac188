"""Where the passes over rows act in a library, and why they do not elsewhere.

    PYTHONPATH=. python benchmarks/library_reach.py PATH... [--passes a,b] [--out FILE.json]
    PYTHONPATH=. python benchmarks/library_reach.py --table FILE.json

Each PATH is one program, and each pass is tried on it alone and named, so it acts wherever it is
allowed; what pays is another question. A site is a place where a pass applies: passed, or missed
for a reason. `rows` stands for its passes one after the other, of which later ones see what
earlier ones made. Needs no GPU, torch or triton; a library of a thousand files takes a minute for
each pass.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PASSES = (
    *("one-tile", "fuse-stats", "defer-reduction", "online-softmax", "row-batch", "scalar-loop"),
    "rows",
)
MOST_REASONS = 4
"""Of the reasons of a pass, as many stand in the table."""


def reached(path: Path, passes: str) -> dict[str, Any]:
    """What `tritonopt rewrite` says of a directory, as counts."""
    command = [sys.executable, "-m", "tritonopt", "rewrite", str(path), "--isolated"]
    ran = subprocess.run(
        [*command, "--passes", passes, "--format", "json"],
        stdout=subprocess.PIPE,
        check=False,
        text=True,
    )
    summary = json.loads(ran.stdout)["summary"]
    reasons = {name: dict(found) for name, found in sorted(summary["statistics"].items())}
    for found in reasons.values():
        found.pop("passed", None)
    counts = {name: summary[name] for name in ("files", "kernels", "passed", "missed", "changed")}
    return {"library": path.name, "passes": passes, **counts, "reasons": reasons}


def table(rows: list[dict[str, Any]]) -> str:
    """The table of docs/measured.md."""
    lines = ["| library | pass | applied | not applied, by reason |", "| --- | --- | --- | --- |"]
    for row in rows:
        if row["passes"] == "rows":
            said = f"{row['missed']}; {row['changed']} of {row['files']} files change"
        else:
            found = row["reasons"].get(row["passes"], {})
            most = sorted(found.items(), key=lambda item: (-item[1], item[0]))
            parts = [f"`{reason}` {number}" for reason, number in most[:MOST_REASONS]]
            others = sum(number for _, number in most[MOST_REASONS:])
            parts += [f"others {others}"] if others else []
            said = f"{row['missed']}: {', '.join(parts)}" if found else "0"
        lines.append(f"| {row['library']} | `{row['passes']}` | {row['passed']} | {said} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="directories, each a program")
    parser.add_argument("--passes", default=",".join(PASSES), help="by commas")
    parser.add_argument("--out", type=Path, help="write JSON here")
    parser.add_argument("--table", type=Path, help="print the table of such a file")
    options = parser.parse_args()
    if options.table:
        print(table(json.loads(options.table.read_text(encoding="utf-8"))["results"]))
        return
    rows = [reached(path, name) for path in options.paths for name in options.passes.split(",")]
    if options.out:
        report = {"benchmark": "library_reach", "results": rows}
        options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(table(rows))


if __name__ == "__main__":
    main()
