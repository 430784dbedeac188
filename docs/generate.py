"""The parts of the README and of docs/ that are made from the code.

    PYTHONPATH=. python docs/generate.py [--write]

Prints which files are out of date; with --write it writes them anew. A file has such a part
between the comments `<!-- made by docs/generate.py: PART -->` and `<!-- end -->`. A test holds
what stands there against the code.
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tritonopt.reporting.diff import unified
from tritonopt.reporting.glossary import glossary
from tritonopt.rewriting.groups import GROUPS
from tritonopt.rewriting.model import Safety
from tritonopt.rewriting.pipeline import rewrite_source
from tritonopt.rewriting.protocol import Lint, Pass
from tritonopt.rewriting.registry import catalog

ROOT = Path(__file__).resolve().parent.parent
WRITTEN_BY_ROWS = ("softmax", "rms_norm", "layer_norm", "group_norm", "cross_entropy")
PART = re.compile(
    r"(?P<begin><!-- made by docs/generate\.py: (?P<name>\w+) -->\n).*?(?P<end><!-- end -->)",
    re.DOTALL,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the parts anew")
    write = parser.parse_args().write
    for path in pages():
        text = path.read_text(encoding="utf-8")
        made = made_anew(text)
        if made != text:
            print(f"{path.relative_to(ROOT)}: {'written' if write else 'out of date'}")
            if write:
                path.write_text(made, encoding="utf-8")


def pages() -> list[Path]:
    """All that is written for people beside the code: README, CONTRIBUTING and docs/."""
    return [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md"))]


def made_anew(text: str) -> str:
    """The text of a page with its parts as they would be made now."""

    def part(found: re.Match[str]) -> str:
        return f"{found['begin']}\n{PARTS[found['name']]()}\n{found['end']}"

    return PART.sub(part, text)


def passes() -> str:
    """The table of the passes that rewrite, and of those that only find mistakes."""
    rewriting, lints = _ours()
    lines = [
        "| pass | what it does | it runs | it needs at most | measured, original / rewritten |",
        "| --- | --- | --- | --- | --- |",
        *map(_row_of, rewriting.values()),
        "",
        "| it reports mistakes | |",
        "| --- | --- |",
        *(f"| `{name}` | {_told(found)} |" for name, found in lints.items()),
    ]
    return "".join(f"{line}\n" for line in lines)


def names() -> str:
    """The names of all passes, by when they act."""
    rewriting, lints = _ours()
    default = [name for name, found in rewriting.items() if found.default]
    lines = ["| they act | passes |", "| --- | --- |", _names("by default", default)]
    grouped = set(default)
    for group in GROUPS.values():
        members = [member.name for member in group.members()]
        lines.append(_names(f"when named, or by `{group.name}`: {group.summary}", members))
        grouped.update(members)
    lines.append(_names("when named", [name for name in rewriting if name not in grouped]))
    lines.append(_names("to find mistakes", list(lints)))
    return "".join(f"{line}\n" for line in lines)


def _ours() -> tuple[dict[str, type[Pass]], dict[str, type[Lint]]]:
    """The passes of this package: those that rewrite, and those that only find mistakes."""
    ours = {
        name: found
        for name, found in catalog().items()
        if found.__module__.startswith("tritonopt.")
    }
    lints = {name: found for name, found in ours.items() if issubclass(found, Lint)}
    return {name: found for name, found in ours.items() if name not in lints}, lints


def _names(when: str, names: list[str]) -> str:
    return f"| {when} | {', '.join(f'`{name}`' for name in names)} |"


def _told(found: type[Lint]) -> str:
    does = "mends them where it is named" if found.mends else "changes nothing"
    return f"{found.summary}; {does}"


def groups() -> str:
    """The table of the groups of passes."""
    lines = [
        "| group | what it is for | it stands for |",
        "| --- | --- | --- |",
        *(f"| `{g.name}` | {g.summary} | `{g.passes}` |" for g in GROUPS.values()),
    ]
    return "".join(f"{line}\n" for line in lines)


def _row_of(found: type[Pass]) -> str:
    runs = "by default" if found.default else "when named"
    levels = [level.value for level in Safety if level in found.safety]
    does = found.summary + ("; reports mistakes" if found.finds_mistakes else "")
    return (
        f"| `{found.name}` | {does} | {runs} | {', '.join(levels) or 'exact'} | {measured(found)} |"
    )


def measured(found: type[Pass]) -> str:
    """What a manual page says first of what was measured: its short form."""
    page = inspect.getdoc(found) or ""
    first = page.partition("## Measured\n\n")[2].partition("\n\n")[0]
    return " ".join(first.split()).rstrip(".")


def words() -> str:
    """The glossary."""
    return "".join(f"- **{word}**: {said}\n" for word, said in glossary().items())


def diff_by_rows(example: str) -> str:
    """What `--passes rows` does to an example, as a unified diff."""
    path = ROOT / "examples" / f"{example}.py"
    before = path.read_text(encoding="utf-8")
    after = rewrite_source(before, "rows", path=path.name).text
    lines = unified(f"examples/{example}.py", before, after).splitlines()
    return "\n".join(["```diff", *(line.rstrip() for line in lines), "```", ""])


PARTS: dict[str, Callable[[], str]] = {
    "passes": passes,
    "names": names,
    "groups": groups,
    "words": words,
    **{f"rows_{name}": partial(diff_by_rows, name) for name in WRITTEN_BY_ROWS},
}


if __name__ == "__main__":
    main()
