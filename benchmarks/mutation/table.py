"""What a mutation run found, as a page to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.mutation.wrong import WRONG

YES = ("identical", "equivalent")
KEYS = ("file", "function", "line", "operator", "was", "now")
"""What names a change."""
Row = Mapping[str, Any]


def outcome(row: Row) -> str:
    """What became of a change; `equivalent` for a wrong one that was judged to be right.

    In a file that differs from itself a difference says nothing.
    """
    if row.get("accuses_itself"):
        return "no answer"
    if row["wrong"]:
        if row["verdict"] in YES:
            return "equivalent" if row.get("why") else "survived"
        return "found" if row["verdict"] == "counterexample" else "no answer"
    if row["verdict"] in YES:
        return "accepted"
    return "accused" if row["verdict"] == "counterexample" else "no answer"


def table(made: Mapping[str, Any], equivalent: Mapping[tuple[Any, ...], str]) -> str:
    """The page. Rows whose change stands among the equivalent ones are given the reason."""
    rows = made["mutants"]
    for row in rows:
        row["why"] = equivalent.get(tuple(row[key] for key in KEYS), "") if row["wrong"] else ""
    environment, settings = made["environment"], made["settings"]
    lines = [
        f"# Mistakes that a program made, and what verification says ({settings['backend']})",
        "",
        "Made by `benchmarks/mutations.py` in files of libraries. *No answer* is `unsupported`: "
        "never a yes. Equivalent mutants compute the same; each was judged by hand, and the reason "
        "stands in `mutations_equivalent.json`.",
        "",
        f"{environment.get('machine', '')}; Python {environment['python']}, "
        f"numpy {environment['numpy']}, {environment['date']}; {settings['examples']} examples.",
        "",
        *_by_operator([row for row in rows if row["wrong"]]),
        "",
        *_listed("Survived", rows, "survived"),
        *_listed("Equivalent", rows, "equivalent"),
        *_right([row for row in rows if not row["wrong"]]),
        *_listed("Right rewrites that were accused", rows, "accused"),
        *_without_answer(rows),
        *_files(made),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _by_operator(wrong: list[Row]) -> list[str]:
    lines = [
        "| operator | tried | found | no answer | equivalent | survived | of those answered |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    total: Counter[str] = Counter()
    for name in WRONG:
        counts = Counter(outcome(row) for row in wrong if row["operator"] == name)
        total += counts
        if counts:
            lines.append(f"| {name} | {_cells(counts)} |")
    files = len({row["file"] for row in wrong})
    return [*lines, f"| **all**, in {files} files | {_cells(total)} |"]


def _cells(counts: Counter[str]) -> str:
    answered = counts["found"] + counts["survived"]
    share = f"{100 * counts['found'] / answered:.0f} %" if answered else ""
    names = ("found", "no answer", "equivalent", "survived")
    return " | ".join([str(counts.total()), *(str(counts[name]) for name in names), share])


def _listed(title: str, rows: Iterable[Row], wanted: str) -> list[str]:
    found = [_line(row) for row in rows if outcome(row) == wanted]
    return [f"## {title}", "", *found, ""] if found else []


def _line(row: Row) -> str:
    said = row["why"] or (
        f"{row['verdict']}, {row['examples']} examples" if row["verdict"] in YES else _short(row)
    )
    was, now = (" ".join(row[key].split()) for key in ("was", "now"))
    return (
        f"- {row['file']}:{row['line']}, `{row['function']}`, {row['operator']}: "
        f"`{was}` became `{now}`: {said}"
    )


def _short(row: Row, length: int = 300) -> str:
    return " ".join(row["reason"].split())[:length]


def _right(right: list[Row]) -> list[str]:
    lines = [
        "## Right rewrites",
        "",
        "| kind | tried | accepted | no answer | accused |",
        "| --- | --- | --- | --- | --- |",
    ]
    total: Counter[str] = Counter()
    for name in dict.fromkeys(row["operator"] for row in right):
        counts = Counter(outcome(row) for row in right if row["operator"] == name)
        total += counts
        lines.append(f"| {name} | {_right_cells(counts)} |")
    return [*lines, f"| **all** | {_right_cells(total)} |", ""]


def _right_cells(counts: Counter[str]) -> str:
    names = ("accepted", "no answer", "accused")
    return " | ".join([str(counts.total()), *(str(counts[name]) for name in names)])


def _without_answer(rows: Iterable[Row]) -> list[str]:
    return _listed("Without an answer", rows, "no answer")


def _files(made: Mapping[str, Any]) -> list[str]:
    known, rows = made["baseline"], made["mutants"]
    tried = {row["file"] for row in rows}
    # A change that was accepted shows as much as the file against itself.
    answered = {row["file"] for row in rows if row["verdict"] in YES}
    answered |= {name for name, row in known.items() if row["verdict"] in YES}
    lines = [f"## Files: {len(answered)} of {len(tried)} get a yes against themselves", ""]
    if made.get("not_reached"):
        lines += [f"{made['not_reached']} changes were not reached in time.", ""]
    compared = [row["compared"] for row in rows if row["verdict"] in YES]
    if compared:
        lines += [f"Every yes compared elements, the least of them {min(compared)}.", ""]
    for name in sorted(tried - answered):
        row = known.get(name, {"verdict": "not asked", "reason": ""})
        lines.append(f"- {name}: {row['verdict']}: {_short(row, 200)}")
    return lines
