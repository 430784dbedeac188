"""Verifying the rewrite of a live kernel, on the files that it would stand in."""

from __future__ import annotations

import linecache
import os
import tempfile
import textwrap
from pathlib import Path

from tritonopt.runtime.live import Live

_INSIDE = "TRITONOPT_INSIDE_VERIFICATION"
"""Set for the workers that run both versions: neither is to be optimized there."""


def is_inside_verification() -> bool:
    return _INSIDE in os.environ


def why_not_verified(live: Live, definition: str) -> str | None:
    """Why a rewritten definition is not known to do the same; None if it was verified to.

    Both versions of the file are run, each in processes of its own, with the launchers that it
    has. The answer is the verifier's: on drawn inputs, on the GPU where there is one.
    """
    from tritonopt.verification import verify
    from tritonopt.verification.errors import VerificationError

    path = Path(live.path)
    lines = [line.rstrip("\n") for line in linecache.getlines(live.path)]
    last = live.first + len(live.lines) - 1
    own = textwrap.dedent("\n".join(lines[live.first - 1 : last])).rstrip()
    if not path.is_file() or own.split("\n") != list(live.lines):
        return f"was not verified, for it does not stand in a file: {live.path}"
    new = textwrap.indent(definition, " " * live.indentation)
    text = "\n".join([*lines[: live.line - 1], new.rstrip("\n"), *lines[last:], ""])
    os.environ[_INSIDE] = "1"
    try:
        with tempfile.TemporaryDirectory() as folder:
            rewritten = Path(folder, path.name)
            rewritten.write_text(text, encoding="utf-8")
            verdict = verify(path, rewritten)
    except VerificationError as error:
        return f"was not verified: {error}"
    finally:
        del os.environ[_INSIDE]
    if verdict.verdict in ("identical", "equivalent"):
        return None
    why = verdict.counterexample or verdict.reason
    return f"was not verified ({verdict.verdict} on {verdict.backend}): {why}"
