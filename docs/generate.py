"""Write the generated parts of README.md and docs/: from the code and from recorded measurements.

    PYTHONPATH=. python docs/generate.py [--write]

Prints which files are out of date; --write updates them. A generated part is between the comments
`<!-- made by docs/generate.py: PART -->` and `<!-- end -->`. A test compares each part with what
this script generates.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import (
    algebra,
    block_pointer_sites,
    demo_speed,
    figures,
    library_reach,
    null_test,
    reductions,
)
from benchmarks.row.tables import Report, by_length
from benchmarks.tuned import findings, records
from benchmarks.verification_of_files import Result
from benchmarks.verification_of_files import table as verified_files
from tritonopt.cli import main as command_line
from tritonopt.reporting.diff import unified
from tritonopt.reporting.glossary import glossary
from tritonopt.rewriting.groups import GROUPS
from tritonopt.rewriting.model import Safety
from tritonopt.rewriting.pipeline import rewrite_source
from tritonopt.rewriting.protocol import Lint, Pass
from tritonopt.rewriting.registry import catalog
from tritonopt.verification.verdict import CHEATS

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
    """The pages for people: at the root, in docs/, and the notes on the records."""
    pages = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
    return [*pages, figures.RESULTS / "README.md"]


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


def _ours() -> tuple[dict[str, type[Pass]], dict[str, type[Lint]]]:
    """The passes of this package: those that rewrite, and those that only find mistakes."""
    ours = {
        name: found
        for name, found in catalog().items()
        if found.__module__.startswith("tritonopt.")
    }
    lints = {name: found for name, found in ours.items() if issubclass(found, Lint)}
    return {name: found for name, found in ours.items() if name not in lints}, lints


def _told(found: type[Lint]) -> str:
    does = "fixes them where safe or named" if found.fixes else "changes nothing"
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
    runs = "where profitable" if found.gain else "when named"
    runs += " or safe" if found.fixes else ""
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


def cheats() -> str:
    """What `--require kernel` refuses."""
    lines = []
    for name, said in CHEATS.items():
        first, *more = textwrap.wrap(said, CHEATS_COLUMNS)
        lines += [f"    {name:20}{first}", *(f"    {'':20}{line}" for line in more)]
    return _lines(lines)


def diff_by_rows(example: str) -> str:
    """What `--passes rows` does to an example, as a unified diff."""
    path = ROOT / "examples" / f"{example}.py"
    before = path.read_text(encoding="utf-8")
    after = rewrite_source(before, "rows", path=path.name).text
    lines = unified(f"examples/{example}.py", before, after).splitlines()
    return "\n".join(["```diff", *(line.rstrip() for line in lines), "```", ""])


TAKE_A_COMMAND = ("rewrite", "suggest", "verify", "bench", "tune")
"""Commands that take the user's own command after `--`."""
USAGE_COLUMNS = 110
CHEATS_COLUMNS = 92


def usage() -> str:
    """How each command is called: its arguments and options, as its parser has them."""
    lines = []
    for command in command_line._COMMANDS:
        parser = command_line._parser([command])
        (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
        words = [*_arguments(commands.choices[command])]
        words += ["[-- COMMAND...]"] if command in TAKE_A_COMMAND else []
        line = f"    tritonopt {command}"
        for word in words:
            if len(line) + 1 + len(word) > USAGE_COLUMNS:
                lines.append(line)
                line = " " * 12
            line += f" {word}"
        lines.append(line)
    return _lines(lines)


def _arguments(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The arguments of a command, then its options, those that exclude each other together."""
    groups = {id(a): g for g in parser._mutually_exclusive_groups for a in g._group_actions}
    options = [a for a in parser._actions if a.option_strings and a.dest != "help"]
    yield from (_argument(a) for a in parser._actions if not a.option_strings)
    for action in options:
        together = groups[id(action)]._group_actions if id(action) in groups else [action]
        if action is together[0]:
            yield f"[{' | '.join(map(_option, together))}]"


def _argument(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    return {None: name, "?": f"[{name}]", "*": f"[{name}...]"}.get(action.nargs, f"{name}...")


def _option(action: argparse.Action) -> str:
    name = " | ".join(o for o in action.option_strings if o.startswith("--"))
    if action.nargs == 0:
        return name
    value = "|".join(map(str, action.choices or ())) or action.metavar or action.dest.upper()
    value = "PASSES" if action.dest == "passes" else value
    return " ".join([name, *([value] if isinstance(value, str) else value)])


def demo() -> str:
    """The example of the README: the command and its diff."""
    path = "examples/router_softmax.py"
    before = (ROOT / path).read_text(encoding="utf-8")
    diff = unified(path, before, rewrite_source(before, path=str(ROOT / path)).text).splitlines()
    lines = [f"$ tritonopt rewrite {path}", *diff]
    return "\n".join(["```diff", *(line.rstrip() for line in lines), "```", ""])


# Tables of recorded measurements


def _record(name: str) -> dict[str, Any]:
    path = figures.RESULTS / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def fuse_stats() -> str:
    """Speed of fuse-stats by columns, tile and type."""
    head = ["| columns | BLOCK, warps | fp32 | fp16 | bf16 |", "| --- | --- | --- | --- | --- |"]
    return _lines([*head, *figures.measured_rows()])


def library_calls(name: str) -> str:
    """Speed of the functions of a library."""
    head = ["| function | calls | speed |", "| --- | --- | --- |"]
    return _lines([*head, *figures.by_function(f"{name}-nvidia-h200")])


def answered_files() -> str:
    """How many kernel files of two libraries `verify` reaches a verdict on."""
    found: Any = _record("verification_of_files")
    return _lines(verified_files(Result(**row) for row in found))


def algebra_found() -> str:
    """What residues and numbers find: of the mutants, and of the rewrites of the tests."""
    mutants = algebra.table(_record("algebra")["rows"], algebra.MUTANTS)
    rewrites = algebra.table(_record("algebra_rewrites")["rows"], algebra.REWRITES)
    _, _, *more = rewrites.splitlines()
    rows = [line for line in [*mutants.splitlines(), *more] if line.startswith("|")]
    return _lines(rows)


def mutations() -> str:
    """Totals of the mutants that a program made, on the interpreter and on a GPU."""
    columns = "tried | found | no answer | equivalent | survived | of those answered"
    lines = [f"| | {columns} |", "| --- " * 7 + "|"]
    for title, name in {"interpreter": "interpreter", "H200, a third of them": "cuda"}.items():
        page = (figures.RESULTS / f"mutations-{name}.md").read_text(encoding="utf-8")
        assert f"| operator | {columns} |" in page
        (totals,) = re.findall(r"^\| \*\*all\*\*, in (\d+ files) (.+)$", page, re.MULTILINE)
        lines.append(f"| {title}, {totals[0]} {totals[1]}")
    return _lines(lines)


PARTS: dict[str, Callable[[], str]] = {
    "usage": usage,
    "demo": demo,
    "demo_speed": lambda: demo_speed.table(_record("demo_speed-nvidia-h200")),
    "fuse_stats": fuse_stats,
    "other_rewrites": lambda: _lines(figures.other_rewrites_rows()),
    "row_lengths": lambda: _lines(by_length(Report(_record("rows-nvidia-h200")))),
    "reductions": lambda: f"{reductions.table(_record('reductions-nvidia-h100'))}\n",
    "algebra": algebra_found,
    "mutations": mutations,
    "reach": lambda: f"{library_reach.table(_record('library_reach')['results'])}\n",
    "liger_rows": partial(library_calls, "library_speed_liger"),
    "liger_all": partial(library_calls, "library_speed_liger_all"),
    "flaggems_rows": partial(library_calls, "library_speed_flaggems_rows"),
    "block_pointers": lambda: (
        f"{block_pointer_sites.table(_record('block_pointer_sites')['results'])}\n"
    ),
    "answered_files": answered_files,
    "timer": lambda: f"{null_test.table(_record('null_test-nvidia-h200'))}\n",
    "tuned": lambda: f"{findings.table(records.kept())}\n",
    "tuned_launchers": lambda: _lines(findings.accepted(records.kept())),
    "passes": passes,
    "groups": groups,
    "words": words,
    "cheats": cheats,
    **{f"rows_{name}": partial(diff_by_rows, name) for name in WRITTEN_BY_ROWS},
}


if __name__ == "__main__":
    main()
