"""Unified diffs that `git apply` and `patch -p1` take."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def unified(path: str, old: str, new: str) -> str:
    """The diff between two texts of a file, with the line ends that they have; "" if equal."""
    name = _name(path)
    lines = list(_hunks(_lines(old), _lines(new)))
    if lines:
        lines[:0] = [f"--- {_quoted(f'a/{name}')}\n", f"+++ {_quoted(f'b/{name}')}\n"]
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The lines below the names of the files.

    In long texts difflib does not compare lines that occur often; here what it takes for replaced
    is compared once more, with all of its lines.
    """
    matcher = difflib.SequenceMatcher(None, old, new)
    opcodes: list[tuple[str, int, int, int, int]] = []
    for kind, i, end, j, stop in matcher.get_opcodes():
        again = difflib.SequenceMatcher(None, old[i:end], new[j:stop], autojunk=False)
        parts = again.get_opcodes() if kind == "replace" else [(kind, 0, end - i, 0, stop - j)]
        opcodes += [(part, i + a, i + b, j + c, j + d) for part, a, b, c, d in parts]
    matcher.opcodes = opcodes  # type: ignore[attr-defined]
    for group in matcher.get_grouped_opcodes(3):
        (_, i, _, j, _), (_, _, end, _, stop) = group[0], group[-1]
        yield f"@@ -{_range(i, end)} +{_range(j, stop)} @@\n"
        for tag, i, end, j, stop in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[i:end])
                continue
            yield from (f"-{line}" for line in old[i:end])
            yield from (f"+{line}" for line in new[j:stop])


def _range(start: int, end: int) -> str:
    """Lines of a text, as the head of a hunk names them."""
    if end - start == 1:
        return str(start + 1)
    return f"{start + 1 if end > start else start},{end - start}"


def encoded(diff: str, encoding: str) -> bytes:
    """The bytes of a diff: names as the file system has them, lines as the file has them."""
    old, new, body = diff.split("\n", 2)
    return os.fsencode(f"{old}\n{new}\n") + body.encode(encoding)


def colored(diff: str) -> str:
    """The diff for a terminal."""
    return "".join(_color(line, place) for place, line in enumerate(_lines(diff)))


def _lines(text: str) -> list[str]:
    """Lines as patch tools see them: only a line feed ends one."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _name(path: str) -> str:
    """The path as a diff names it: relative where it can be, with forward slashes."""
    absolute = Path(os.path.abspath(path))
    try:
        return absolute.relative_to(Path.cwd()).as_posix()
    except ValueError:
        shown = Path(os.path.normpath(path))
        return shown.relative_to(shown.anchor).as_posix()


def _quoted(name: str) -> str:
    """The name as git writes it: odd characters escaped, a tab after one with blanks."""
    if any(character in _ESCAPES or not character.isprintable() for character in name):
        escaped = (
            _ESCAPES.get(character) or (character if character.isprintable() else _octal(character))
            for character in name
        )
        return f'"{"".join(escaped)}"'
    return f"{name}\t" if " " in name else name


def _octal(character: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(character))


def _color(line: str, place: int) -> str:
    if place < 2:
        code = "1"
    elif line.startswith("@@"):
        code = "36"
    elif line.startswith("+"):
        code = "32"
    elif line.startswith("-"):
        code = "31"
    else:
        return line
    text = line.rstrip("\r\n")
    return f"\x1b[{code}m{text}\x1b[0m{line[len(text) :]}"
