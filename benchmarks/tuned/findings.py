"""What runs of `tune` and `tune --check` found, in short; and what it comes to in all."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

SLOWER = 0.98
"""Afresh, a call below that is slower than the original."""


def compact(answer: Mapping[str, Any]) -> dict[str, Any]:
    """A launcher of `tune --format json`, without texts; times in microseconds."""
    accepted = bool(answer["diff"])
    return {
        "launcher": answer["launcher"],
        "what": answer["what"] if accepted else "",
        "condition": answer["condition"] if accepted else "",
        "seconds": _rounded(answer["seconds"], 1),
        "spent": {name: _rounded(s, 1) for name, s in answer.get("spent", {}).items()},
        "variants": dict(Counter(one["fate"] for one in answer["tried"])),
        "refused": dict(
            Counter(
                one["reason"].splitlines()[0][:120] for one in answer["tried"] if _is_refused(one)
            ).most_common(5)
        ),
        "failure": answer["failure"],
        "notes": answer["notes"],
        "calls": [_call(row, accepted) for row in answer["rows"]],
    }


def _is_refused(one: Mapping[str, Any]) -> bool:
    return one["fate"] == "refused" and bool(one["reason"])


def _call(row: Mapping[str, Any], accepted: bool) -> dict[str, Any]:
    """One call: what the search found, and what was measured afresh of what was accepted."""
    fresh = row["row"] if accepted else None
    times = (fresh or row["original"] or {}).get("times", {})
    found = {
        "call": row["label"],
        "sizes": row["sizes"],
        "original_us": _rounded(times.get("original", {}).get("median"), 2),
        "best": row["best"],
        "best_ratio": _ratio(row["best_ratio"]),
    }
    if fresh is not None:
        found |= {
            "new_us": _rounded(times.get("tuned", {}).get("median"), 2),
            "ratio": _ratio(fresh["ratio"]),
            "runs_new_code": row["uses_new"],
        }
    return found


def _ratio(ratio: Mapping[str, float] | None) -> list[float] | None:
    return None if ratio is None else [round(ratio[name], 4) for name in ("value", "low", "high")]


def _rounded(number: float | None, digits: int) -> float | None:
    return None if number is None else round(number, digits)


def said(found: Mapping[str, Any]) -> str:
    """What came of a task, in a line."""
    if found.get("failure"):
        return found["failure"]
    parts = []
    for each in found["launchers"]:
        what = each["failure"] or each["what"] or "stays as it is"
        where = f" where {each['condition']}" if each["condition"] else ""
        ratios = [call["ratio"][0] for call in each["calls"] if call.get("runs_new_code")]
        gain = f", {min(ratios):.2f}x to {max(ratios):.2f}x" if ratios else ""
        fates = ", ".join(f"{count} {fate}" for fate, count in each["variants"].items())
        spent = ", ".join(f"{name} {s:.0f} s" for name, s in each["spent"].items())
        took = f"{each['seconds']:.0f} s ({spent})"
        parts.append(f"{each['launcher']}: {what}{where}{gain}; {fates}; {took}")
    return "; ".join(parts) or "nothing was tuned"


def totals(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Of all tasks, and of each group: what was accepted, and what became of it afresh."""
    groups = dict.fromkeys(key.partition("/")[0] for key in found)
    of_groups = {
        group: _totals([each for key, each in found.items() if key.startswith(f"{group}/")])
        for group in groups
    }
    return {**_totals([*found.values()]), "groups": of_groups}


def _totals(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    launchers = [launcher for each in found for launcher in each.get("launchers", ())]
    changed = [launcher for launcher in launchers if launcher["what"]]
    afresh = [call for each in found for call in each.get("afresh") or ()]
    now = [call["now"][0] for call in afresh if call["now"] is not None]
    gains = [c["now"][0] for c in afresh if c["gain"] and c["now"] is not None]
    ratios = [c["ratio"][0] for launcher in changed for c in launcher["calls"] if c.get("ratio")]
    new = [
        c["ratio"][0] for launcher in changed for c in launcher["calls"] if c.get("runs_new_code")
    ]
    calls = sum(len(launcher["calls"]) for launcher in launchers)
    return {
        "files": len(found),
        "files_without_an_answer": sum(bool(each.get("failure")) for each in found),
        "launchers": len(launchers),
        "launchers_not_looked_at_to_the_end": sum(
            bool(launcher["variants"].get("waiting")) for launcher in launchers
        ),
        "launchers_accepted": len(changed),
        "calls": calls,
        "calls_of_accepted": len(ratios),
        "calls_with_new_code": len(new),
        "geometric_mean_of_new_code": mean(new),
        "geometric_mean_of_accepted": mean(ratios),
        "geometric_mean_of_all_calls": mean([*ratios, *[1.0] * (calls - len(ratios))]),
        "afresh": {
            "calls": len(afresh),
            "not_measured": len(afresh) - len(now),
            "geometric_mean": mean(now),
            "geometric_mean_of_gains": mean(gains),
            "below_0.98": sum(ratio < SLOWER for ratio in now),
            "lowest": min(now, default=None),
            "no_longer_hold": sum(not call["holds"] for call in afresh),
        },
        "seconds": round(sum(each.get("seconds", 0.0) for each in found), 1),
        "seconds_verifying": _spent(launchers, "verifying"),
        "seconds_timing": _spent(launchers, "original", "timing", "afresh"),
    }


def _spent(launchers: Iterable[Mapping[str, Any]], *phases: str) -> float:
    return round(sum(each["spent"].get(p, 0.0) for each in launchers for p in phases), 1)


def mean(ratios: Sequence[float]) -> float | None:
    """The geometric mean; None of nothing."""
    return round(math.exp(statistics.fmean(map(math.log, ratios))), 4) if ratios else None


def lines(totals: Mapping[str, Any]) -> Iterator[str]:
    """The totals, for a reader."""
    for name, one in {"all": totals, **totals["groups"]}.items():
        afresh = one["afresh"]
        yield (
            f"{name}: {one['files']} files ({one['files_without_an_answer']} without an answer), "
            f"{one['launchers']} launchers with {one['calls']} calls; accepted "
            f"{one['launchers_accepted']} launchers, new code for {one['calls_with_new_code']} "
            f"calls, geometric mean {_x(one['geometric_mean_of_new_code'])} "
            f"({_x(one['geometric_mean_of_all_calls'])} over all calls)"
        )
        yield (
            f"    afresh, in other processes: {afresh['calls']} calls, geometric mean "
            f"{_x(afresh['geometric_mean'])} ({_x(afresh['geometric_mean_of_gains'])} of the "
            f"gains), {afresh['below_0.98']} below {SLOWER}x, lowest {_x(afresh['lowest'])}, "
            f"{afresh['no_longer_hold']} no longer hold, {afresh['not_measured']} not measured"
        )
        yield (
            f"    {one['seconds']:.0f} s: {one['seconds_verifying']:.0f} s verifying, "
            f"{one['seconds_timing']:.0f} s timing; "
            f"{one['launchers_not_looked_at_to_the_end']} launchers not looked at to the end"
        )


def table(records: Sequence[Mapping[str, Any]]) -> str:
    """The totals as Markdown, by group and GPU; over several GPUs counts alone.

    What is faster on one GPU may not be on another: no mean is taken over them. A file that was
    tuned on several counts once there, with the last answer that it has.
    """
    columns = (
        "",
        "GPU",
        "files",
        "launchers",
        "accepted",
        "calls",
        "with new code",
        "geometric mean of these",
        "of all calls",
        "afresh: calls of accepted launchers",
        "afresh: geometric mean of calls that gained",
        f"below {SLOWER}x",
        "minutes",
    )
    rows = [f"| {' | '.join(columns)} |", "| --- " * len(columns) + "|"]
    for record in records:
        rows += _rows(record["totals"], record["gpu"], means=True)
    if len(records) > 1:
        every: dict[str, Mapping[str, Any]] = {}
        for record in records:
            every |= {k: v for k, v in record["results"].items() if k not in every or answers(v)}
        rows += _rows(totals(every), "each once", means=False)
    return "\n".join(rows)


def answers(found: Mapping[str, Any]) -> bool:
    """Whether something was tuned."""
    return bool(found.get("launchers"))


def _rows(totals: Mapping[str, Any], gpu: str, *, means: bool) -> Iterator[str]:
    for name, one in {**totals["groups"], "all": totals}.items():
        afresh = one["afresh"]
        shown = _x if means else lambda ratio: "-"
        cells = (
            name,
            gpu,
            one["files"],
            one["launchers"],
            one["launchers_accepted"],
            one["calls"],
            one["calls_with_new_code"],
            shown(one["geometric_mean_of_new_code"]),
            shown(one["geometric_mean_of_all_calls"]),
            afresh["calls"],
            shown(afresh["geometric_mean_of_gains"]),
            afresh["below_0.98"],
            round(one["seconds"] / 60),
        )
        yield f"| {' | '.join(map(str, cells))} |"


def tables(records: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Those of the records: their totals, and what was accepted."""
    return table(records), "\n".join(accepted(records))


def in_place(page: str, table: str) -> str:
    """A page with this table in place of the one with the same columns."""
    head = table.splitlines()[0]
    before, found, rest = page.partition(head + "\n")
    if not found:
        raise ValueError(f"no table of the page begins with {head}")
    behind = rest.splitlines(keepends=True)
    count = next((n for n, line in enumerate(behind) if not line.startswith("|")), len(behind))
    return before + table + "\n" + "".join(behind[count:])


def without_places(record: str) -> str:
    """A record in which paths have no folders: where something lay is nobody's business."""
    return re.sub(r"(?<![\w.+/-])(?:/[\w.+-]+)+/(?=[\w.+-])", "", record)


def accepted(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Rows of a table: what was accepted, what it gained then, and afresh."""
    yield "| | GPU | accepted | calls with new code | gain | afresh |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for record in records:
        for key, each in record["results"].items():
            gains = [c["now"][0] for c in each.get("afresh") or () if c["gain"] and c["now"]]
            for one in each.get("launchers", ()):
                if one["what"]:
                    yield f"| {key} | {record['gpu']} | {_accepted(one, gains)} |"


def _accepted(one: Mapping[str, Any], gains: Sequence[float]) -> str:
    ratios = [call["ratio"][0] for call in one["calls"] if call.get("runs_new_code")]
    where = f", where `{one['condition']}`" if one["condition"] else ""
    counts = f"{len(ratios)} of {len(one['calls'])}"
    then, now = (f"{min(r):.2f}x to {max(r):.2f}x" if r else "-" for r in (ratios, gains))
    return f"`{one['what']}`{where} | {counts} | {then} | {now}"


def _x(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.3f}x"


def best(found: Mapping[str, Mapping[str, Any]], count: int) -> list[str]:
    """Keys of the tasks that gained most, by the mean of their gains as measured afresh."""

    def gain(each: Mapping[str, Any]) -> float:
        gains = [c["now"][0] for c in each.get("afresh") or () if c["gain"] and c["now"]]
        return mean(gains) or 0.0

    ranked = sorted(found, key=lambda key: -gain(found[key]))
    return [key for key in ranked if gain(found[key]) > 1][:count]
