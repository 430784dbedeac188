"""Do two versions of the tool say the same of every file?

    python benchmarks/same_output.py BEFORE AFTER TREE... [--only 'rewrite --passes all']
                                     [--out DIRECTORY]

BEFORE and AFTER are `tritonopt` commands, of two checkouts with an environment each. Both run over
each tree as one program, one right after the other, and all they print as JSON is compared: diffs,
remarks, suggestions. A claim or reason counts by its present name (tritonopt.checks.renamed). What
differs is printed by kind, with how often and one place each; --out keeps all of it. The seconds
are the user time of both.
"""

from __future__ import annotations

import argparse
import difflib
import json
import resource
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tritonopt.checks.renamed import RENAMED

COMMANDS = ("rewrite --passes default", "rewrite --passes all", "suggest")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", help="the `tritonopt` of one checkout")
    parser.add_argument("after", help="that of the other")
    parser.add_argument("trees", nargs="+", type=Path, help="directories, one program each")
    parser.add_argument("--only", action="append", help="these commands in place of all")
    parser.add_argument("--out", type=Path, help="write what differs, and both outputs, here")
    options = parser.parse_args()
    differences = 0
    for tree in options.trees:
        for command in options.only or COMMANDS:
            differences += compared(options, tree, command)
    return 1 if differences else 0


def compared(options: argparse.Namespace, tree: Path, command: str) -> int:
    """Prints what differs in one tree under one command, and returns how much it is."""
    before, seconds_before = output(options.before, tree, command)
    after, seconds_after = output(options.after, tree, command)
    print(f"{tree.name}: {command}: {seconds_before:.1f} s before, {seconds_after:.1f} s after")
    old, new = dict(said(before)), dict(said(after))
    kinds: dict[str, list[str]] = defaultdict(list)
    for place in sorted({*old, *new}):
        kinds_here = kind(old.get(place), new.get(place))
        if kinds_here:
            kinds[kinds_here].append(place)
    for name, places in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f"  {len(places):4}  {name}: {places[0]}")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        stem = f"{tree.name}-{command.replace(' --passes ', '-')}"
        for version, data in (("before", before), ("after", after)):
            written = json.dumps(data, indent=1, sort_keys=True)
            (options.out / f"{stem}.{version}.json").write_text(written, encoding="utf-8")
        lines = [line for p in sorted({*old, *new}) for line in changed(p, old.get(p), new.get(p))]
        (options.out / f"{stem}.diff").write_text("\n".join(lines), encoding="utf-8")
    return sum(map(len, kinds.values()))


def output(tool: str, tree: Path, command: str) -> tuple[dict[str, Any], float]:
    """What a version prints, and the user seconds that it took."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        [Path(tool).absolute(), *command.split(), "--isolated", "--format", "json", tree.name],
        cwd=tree.parent,
        capture_output=True,
        text=True,
    )
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start
    if not done.stdout:
        sys.exit(f"{tool} {command} {tree}: exit code {done.returncode}: {done.stderr}")
    return renamed(json.loads(done.stdout)), seconds


def renamed(data: Any) -> Any:
    """The same data with the claims and reasons of now."""
    if isinstance(data, dict):
        names = ("claim", "reason")
        return {k: RENAMED.get(v, v) if k in names else renamed(v) for k, v in data.items()}
    return [renamed(one) for one in data] if isinstance(data, list) else data


def said(data: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every finding of a file by its place, and the diff of the file."""
    for file in data["files"]:
        for name, value in file.items():
            if not isinstance(value, list):
                yield f"{file['path']} {name}", value
                continue
            places: dict[str, int] = defaultdict(int)
            for one in value:
                place = f"{file['path']}:{one.get('line')}:{one.get('column')} {one.get('pass')}"
                places[place] += 1
                yield f"{place} {places[place]}", one
    yield "errors", data.get("errors")


def kind(old: Any, new: Any) -> str:
    """What sort of difference it is; "" where there is none."""
    if old == new:
        return ""
    if not isinstance(old or new, dict):
        return "a diff or another field of a file"
    if old is None or new is None:
        return f"{'new' if old is None else 'gone'}: {_short(new or old)}"
    if _short(old) != _short(new):
        return f"{_short(old)} -> {_short(new)}"
    fields = sorted(f for f in {*old, *new} if old.get(f) != new.get(f))
    return f"{_short(old)}: other {', '.join(fields)}"


def _short(remark: dict[str, Any]) -> str:
    parts = (remark.get(name) for name in ("pass", "kind", "status", "reason"))
    return " ".join(str(part) for part in parts if part)


def changed(place: str, old: Any, new: Any) -> list[str]:
    if old == new:
        return []
    texts = [
        one.splitlines() if isinstance(one, str) else json.dumps(one, indent=1).splitlines()
        for one in (old, new)
    ]
    return [f"=== {place}", *list(difflib.unified_diff(*texts, lineterm="", n=1))[2:]]


if __name__ == "__main__":
    sys.exit(main())
