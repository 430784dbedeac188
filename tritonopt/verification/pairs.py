"""Two directories, file by file: what differs, and what of that can be verified.

A yes for the directories needs a yes for every file that differs. What differs and cannot be run
is said, and is no yes.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritonopt.source import SourceError, find_python_files, has_kernels, read_file
from tritonopt.source.parsing import parsed
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.verdict import Answer, Verdict


@dataclass(frozen=True)
class Pair:
    """One file of both directories, or two files that were named together."""

    name: str
    """The path below the directories; of files that were named, the rewritten one's."""
    original: Path
    rewritten: Path
    why_not: str = ""
    """Why the two cannot be verified; empty where they can."""


@dataclass(frozen=True)
class Pairs:
    """What two directories come to."""

    differing: tuple[Pair, ...]
    same: int
    """How many files say the same."""


def pairs_of(original: Path, rewritten: Path) -> Pairs:
    """The Python files of two directories by their paths below them."""
    old, new = (
        {path.relative_to(folder).as_posix(): path for path in find_python_files([folder])}
        for folder in (original, rewritten)
    )
    differing: list[Pair] = []
    same = 0
    for name in sorted(old | new):
        one, other = old.get(name), new.get(name)
        if one is None or other is None:
            there = rewritten if one is None else original
            pair = Pair(name, original / name, rewritten / name, f"it is only in {there}")
        else:
            found = _compared(name, one, other)
            if found is None:
                same += 1
                continue
            pair = found
        differing.append(pair)
    return Pairs(tuple(differing), same)


def _compared(name: str, original: Path, rewritten: Path) -> Pair | None:
    """None where both files say the same."""
    try:
        texts = [read_file(path).text for path in (original, rewritten)]
    except SourceError as error:
        return Pair(name, original, rewritten, str(error))
    if texts[0] == texts[1]:
        return None
    if any(map(has_kernels, texts)):
        return Pair(name, original, rewritten)
    try:
        trees = [ast.dump(parsed(text)) for text in texts]
    except (SyntaxError, ValueError) as error:
        return Pair(name, original, rewritten, f"it cannot be read: {error}")
    if trees[0] == trees[1]:
        return None
    why_not = "it differs, and has no kernel that could be run"
    return Pair(name, original, rewritten, why_not)


_REMEMBERED: dict[object, Any] = {}


def verdict_on(original: Path, rewritten: Path, options: Mapping[str, Any]) -> Verdict:
    """`verify`, with what stands in its way as the reason for no answer.

    What a reference without a kernel gave is kept in this process for the next candidate.
    """
    from tritonopt.verification.api import verify

    try:
        return verify(original, rewritten, **{"remembered": _REMEMBERED, **options})
    except VerificationError as error:
        backend = str(options.get("backend", "auto"))
        answer = Answer.UNSUPPORTED.value
        return Verdict(answer, backend, 0, reason=str(error), blamed=error.fault)
