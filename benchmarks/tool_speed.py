"""How fast is the tool itself, against the floor that libcst sets?

    python benchmarks/tool_speed.py PATH... [--passes all] [--repeat 3] [--out FILE.json]

For every file below the paths that may hold kernels: the time of `rewrite_source` with
all passes beside that of `libcst.parse_module` alone, for files that end unchanged and
for files that change; the peak memory of a process that does one or the other; and the
cold start of the command line on one small file beside that of a bare interpreter. `tritonopt
suggest` is timed as a whole, over each tree with one process and with as many as it chooses, and
as a hook sees it: on files without kernels.

A rewrite of a tree also reads the files without kernels; that is timed on its own, as
`gate`. Times are processor seconds, the least of several repeats, for a busy machine
only adds; the cold start is wall time, as a person waits for it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SMALL = ROOT / "examples" / "layer_norm.py"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path, help="files and directories")
    parser.add_argument("--passes", default="all", help="as for `tritonopt rewrite` (all)")
    parser.add_argument("--repeat", type=int, default=3, help="repeats, the least counts (3)")
    parser.add_argument("--starts", type=int, default=10, help="cold starts of each kind (10)")
    parser.add_argument("--out", type=Path, help="write the numbers here, as JSON")
    parser.add_argument("--child", choices=("gate", "rewrite", "parse"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(child(options.child, options.paths, options.passes, options.repeat)))
        return
    report = {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "libcst": metadata.version("libcst"),
        "passes": options.passes,
        "trees": [tree(path, options) for path in options.paths],
        "suggest": [suggest(path) for path in options.paths],
        "cold_start": cold_start(options.starts),
    }
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    show(report)


# -- in a process of its own: one kind of work over one tree --------------------------


def child(kind: str, paths: list[Path], passes: str, repeat: int) -> dict[str, Any]:
    """The seconds of each kernel file, and the peak memory of this process."""
    from tritonopt import source

    started = time.process_time()
    texts: dict[str, str] = {}
    bytes_read = files = 0
    for path in source.find_python_files(paths):
        try:
            text = source.read_file(path).text
        except source.SourceError:
            continue
        files += 1
        bytes_read += len(text)
        if source.has_kernels(text):
            texts[str(path)] = text
    result: dict[str, Any] = {
        "gate_seconds": time.process_time() - started,
        "files": files,
        "characters": bytes_read,
    }
    if kind != "gate":
        work = rewriting(passes) if kind == "rewrite" else parsing()
        work(SMALL.read_text(encoding="utf-8"), SMALL.name)  # what is imported late is there now
        result["kernel_files"] = {
            path: measured(work, text, path, repeat) for path, text in texts.items()
        }
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in kilobytes, macOS in bytes.
    result["peak_megabytes"] = kilobytes / (1024 if sys.platform != "darwin" else 1024**2)
    return result


def measured(
    work: Callable[[str, str], dict[str, Any]], text: str, path: str, repeat: int
) -> dict[str, Any]:
    seconds = []
    said: dict[str, Any] = {}
    for _ in range(repeat):
        started = time.process_time()
        said = work(text, path)
        seconds.append(time.process_time() - started)
    return {"seconds": min(seconds), "characters": len(text), **said}


def rewriting(passes: str) -> Callable[[str, str], dict[str, Any]]:
    from tritonopt import source
    from tritonopt.rewriting.pipeline import rewrite_source
    from tritonopt.rewriting.registry import select

    chosen = select(passes)

    def rewrite(text: str, path: str) -> dict[str, Any]:
        try:
            result = rewrite_source(text, chosen, path=path)
        except source.SourceError as error:
            return {"error": str(error)}
        kinds = [remark.kind.value for remark in result.remarks]
        return {
            "changed": result.changed,
            "failed": result.failed,
            "kernels": len(result.kernels),
            "passed": kinds.count("passed"),
            "missed": kinds.count("missed"),
        }

    return rewrite


def parsing() -> Callable[[str, str], dict[str, Any]]:
    import libcst

    def parse(text: str, path: str) -> dict[str, Any]:
        try:
            libcst.parse_module(text)
        except libcst.ParserSyntaxError as error:
            return {"error": str(error)}
        return {}

    return parse


# -- the parent -----------------------------------------------------------------------


def tree(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    runs = {kind: run_child(kind, path, options) for kind in ("gate", "rewrite", "parse")}
    rewritten: dict[str, dict[str, Any]] = runs["rewrite"]["kernel_files"]
    parsed: dict[str, dict[str, Any]] = runs["parse"]["kernel_files"]
    groups: dict[str, list[str]] = {"unchanged": [], "changed": [], "not parsed": []}
    for file, said in rewritten.items():
        bad = "error" in said or "error" in parsed[file]
        key = "not parsed" if bad else "changed" if said["changed"] else "unchanged"
        groups[key].append(file)
    return {
        "path": path.name,
        "files": runs["gate"]["files"],
        "kernel_files": len(rewritten),
        "kernels": sum(said.get("kernels", 0) for said in rewritten.values()),
        "passed": sum(said.get("passed", 0) for said in rewritten.values()),
        "missed": sum(said.get("missed", 0) for said in rewritten.values()),
        "failed_files": sum(bool(said.get("failed")) for said in rewritten.values()),
        "gate_seconds": runs["gate"]["gate_seconds"],
        "groups": {
            name: {
                "files": len(files),
                "characters": sum(rewritten[f]["characters"] for f in files),
                "rewrite_seconds": sum(rewritten[f]["seconds"] for f in files),
                "parse_seconds": sum(parsed[f]["seconds"] for f in files),
                "slowest": slowest(files, rewritten, parsed),
            }
            for name, files in groups.items()
            if files
        },
        "peak_megabytes": {kind: run["peak_megabytes"] for kind, run in runs.items()},
    }


def slowest(
    files: list[str], rewritten: dict[str, dict[str, Any]], parsed: dict[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """The files that cost most beyond their floor."""
    excess = sorted(files, key=lambda f: parsed[f]["seconds"] - rewritten[f]["seconds"])
    return [
        {
            "file": Path(file).name,
            "rewrite_seconds": rewritten[file]["seconds"],
            "parse_seconds": parsed[file]["seconds"],
        }
        for file in excess[:3]
    ]


def run_child(kind: str, path: Path, options: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, __file__, str(path), "--child", kind]
    command += ["--passes", options.passes, "--repeat", str(options.repeat)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment())
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def environment() -> dict[str, str]:
    found = dict(os.environ)
    # An installed package is compiled once, so the first run may write what the others read.
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    found["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), found.get("PYTHONPATH")]))
    return found


def suggest(path: Path) -> dict[str, Any]:
    """Seconds of whole runs over a tree, wall and processor, and what they suggested."""
    seconds = {}
    processor = {}
    for name, flags in {"one process": ["--jobs", "1"], "as it chooses": []}.items():
        command = [sys.executable, "-m", "tritonopt", "suggest", str(path), "--statistics", *flags]
        started, before = time.perf_counter(), os.times()
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment())
        after = os.times()
        seconds[name] = time.perf_counter() - started
        processor[name] = after.children_user - before.children_user
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return {
        "path": path.name,
        "seconds": seconds,
        "processor_seconds": processor,
        "suggested": done.stdout.splitlines(),
        "summary": done.stderr.splitlines()[-1],
    }


def cold_start(starts: int) -> dict[str, Any]:
    """Whole processes, one kind after the other in turn, so that all see the same machine."""
    commands = {
        "python -c pass": ["-c", "pass"],
        "tritonopt suggest, no kernels": ["-m", "tritonopt", "suggest", __file__],
        "tritonopt suggest": ["-m", "tritonopt", "suggest", str(SMALL)],
        "tritonopt rewrite": ["-m", "tritonopt", "rewrite", str(SMALL)],
        "tritonopt rewrite --passes fuse-stats": [
            *["-m", "tritonopt", "rewrite", str(SMALL), "--passes", "fuse-stats"]
        ],
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(starts):
        for name, arguments in commands.items():
            started = time.perf_counter()
            done = subprocess.run(
                [sys.executable, *arguments], capture_output=True, cwd=ROOT, env=environment()
            )
            seconds[name].append(time.perf_counter() - started)
            if done.returncode > 1:
                raise SystemExit(f"{name} failed:\n{done.stderr.decode()}")
    return {
        "file": SMALL.name,
        "starts": starts,
        "seconds": {
            name: {"median": statistics.median(found), "least": min(found)}
            for name, found in seconds.items()
        },
    }


def show(report: dict[str, Any]) -> None:
    print(f"Python {report['python']}, libcst {report['libcst']}, passes: {report['passes']}")
    print()
    print(f"{'tree':20} {'group':11}  files     MB  rewrite s   parse s  ratio")
    for found in report["trees"]:
        for name, group in found["groups"].items():
            ratio = group["rewrite_seconds"] / max(group["parse_seconds"], 1e-9)
            print(
                f"{found['path'][:20]:20} {name:11} {group['files']:6} "
                f"{group['characters'] / 1e6:6.2f} {group['rewrite_seconds']:10.2f} "
                f"{group['parse_seconds']:9.2f} {ratio:5.2f}x"
            )
    print()
    for found in report["trees"]:
        peaks = found["peak_megabytes"]
        print(
            f"{found['path']}: {found['files']} files read and gated in "
            f"{found['gate_seconds']:.2f} s, {found['kernel_files']} with "
            f"{found['kernels']} kernels; {found['passed']} sites passed, "
            f"{found['missed']} missed, {found['failed_files']} files with a failure; "
            f"peak {peaks['rewrite']:.0f} MB rewriting, {peaks['parse']:.0f} MB parsing, "
            f"{peaks['gate']:.0f} MB reading"
        )
    print()
    for found in report["suggest"]:
        times = ", ".join(
            f"{name} {value:.1f} s ({found['processor_seconds'][name]:.1f} s of processors)"
            for name, value in found["seconds"].items()
        )
        print(f"suggest {found['path']}: {times}; {found['summary']}")
        for line in found["suggested"]:
            print(f"    {line}")
    print()
    starts = report["cold_start"]
    bare = starts["seconds"]["python -c pass"]["median"]
    for name, found in starts["seconds"].items():
        print(
            f"{name:40} median {found['median']:.3f} s, least {found['least']:.3f} s, "
            f"{found['median'] - bare:+.3f} s over the bare interpreter"
        )


if __name__ == "__main__":
    main()
