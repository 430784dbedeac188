"""`tritonopt mcp`: verify, bench, suggest and explain as tools of the Model Context Protocol."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import io
import json
import threading
from pathlib import Path
from typing import Any

from tritonopt import __version__, install_command
from tritonopt.cli.main import OK, complain, main

_DESCRIPTION = """\
Serve agents over standard input and output, by the Model Context Protocol: the tools verify, bench,
suggest and explain. verify and bench run the code of files; with `untrusted` the candidate's is
contained.
"""
_ABOUT = (
    "Checks Triton kernels. A positive verdict of `verify` is evidence from generated "
    "inputs; `unsupported` is not positive, and `fault` names what has to change. Mistakes "
    "and rewrites: `suggest`; words: `explain`."
)
_ONE_AT_A_TIME = threading.Lock()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION


def run(arguments: argparse.Namespace) -> int:
    if importlib.util.find_spec("mcp") is None:
        return complain(f"the protocol needs the package mcp: {install_command('mcp')}")
    server().run()
    return OK


def server() -> Any:
    """The tools, to be served over any transport."""
    kind: Any = importlib.import_module("mcp.server.mcpserver").MCPServer
    found = kind("tritonopt", version=__version__, instructions=_ABOUT)
    for tool in TOOLS:
        found.add_tool(tool)
    return found


def verify(
    reference: str,
    candidate: str = "",
    candidate_text: str = "",
    args: str = "",
    require: str = "kernel",
    backend: str = "auto",
    budget_seconds: float = 60.0,
    untrusted: bool = False,
) -> dict[str, Any]:
    """Whether a candidate computes what a reference does: a file of torch, numpy or Triton.

    The candidate is a path, or a text. `args` is what is passed: `x: f32[m, n], eps: 1e-5`. What
    the reference gave is kept for the next candidate. The answer has `verdict`, `fault`, `reason`,
    `counterexample`, `coverage`, `cheats`.
    """
    from tritonopt.reporting.json import verdict_report
    from tritonopt.verification import pairs

    options: dict[str, Any] = {"require": require, "backend": backend, "budget": budget_seconds}
    options |= {"untrusted": untrusted, "args": args or None, "text": candidate_text or None}
    with _ONE_AT_A_TIME:
        found = pairs.verdict_on(Path(reference), Path(candidate or "candidate.py"), options)
    report: dict[str, Any] = json.loads(verdict_report(found))
    return report


def bench(before: str, after: str, args: str, launcher: str = "") -> dict[str, Any]:
    """Time two versions of a file on this GPU, with sizes in `args`: `x: f16[m=4096, n=1024|4096]`.

    Nothing is verified here: what differs is no speed-up.
    """
    named = ["--launcher", launcher] if launcher else []
    return _said("bench", before, after, "--args", args, *named, "--format", "json")


def suggest(path: str, passes: str = "") -> dict[str, Any]:
    """List the mistakes in the kernels of a file or folder, and rewrites that should gain."""
    named = ["--passes", passes] if passes else []
    return _said("suggest", path, *named, "--format", "json")


def explain(what: str) -> dict[str, Any]:
    """Explain a pass, a reason, a word of a report, FILE:LINE or FILE:KERNEL."""
    return _said("explain", what)


TOOLS = (verify, bench, suggest, explain)


def _said(*command: str) -> dict[str, Any]:
    """What a command prints, its object where it has one, and its exit code."""
    out, err = io.StringIO(), io.StringIO()
    with _ONE_AT_A_TIME, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(command)
        except SystemExit as end:
            code = int(end.code or 0)
    text = out.getvalue()
    report: object = text
    if text.startswith("{"):
        report = json.loads(text)
    return {"exit_code": code, "report": report, "errors": err.getvalue()}
