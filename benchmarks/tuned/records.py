"""Records of runs: one for each GPU, which several runs on it add to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.tuned.findings import answers, totals
from benchmarks.tuned.tasks import ROOT

RESULTS = ROOT / "benchmarks" / "results"
_SAME = ("gpu", "torch", "triton", "cuda")
"""What has to be the same for two runs to be in one record."""


def path_of(record: Mapping[str, Any]) -> Path:
    """Where the record of its GPU is kept."""
    gpu = record["gpu"].lower().replace(" ", "-")
    return RESULTS / f"tuning-{gpu}.json"


def kept() -> list[dict[str, Any]]:
    """The record of every GPU, that of the first run first."""
    found = (json.loads(p.read_text(encoding="utf-8")) for p in RESULTS.glob("tuning-*.json"))
    return sorted(found, key=lambda record: (_first_date(record), record["gpu"]))


def _first_date(record: Mapping[str, Any]) -> str:
    return str(min((each.get("date", "") for each in record["results"].values()), default=""))


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """A record with what a later run on the same GPU found.

    Raises ValueError where the two are not comparable.
    """
    for name in _SAME:
        if old[name] != new[name]:
            raise ValueError(f"{name} is {new[name]}, and {old[name]} in the record")
    before, after = dated(old)["results"], dated(new)["results"]
    found = {**before, **{k: v for k, v in after.items() if k not in before}}
    for key in before.keys() & after.keys():
        if _is_better(after[key], before[key]):
            found[key] = after[key]
    begun = dict.fromkeys((*old["not_begun"], *new["not_begun"]))
    return {
        **old,
        **new,
        "totals": totals(found),
        "not_begun": [key for key in begun if key not in found],
        "speed_up": new["speed_up"] or old["speed_up"],
        "results": found,
    }


def dated(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record, in which every result says when it was found."""
    results = {k: {"date": record["date"], **v} for k, v in record["results"].items()}
    return {**record, "results": results}


def _is_better(new: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
    """A later answer stands for an earlier one that says less: none, or none of all variants."""
    if not answers(new):
        return not answers(old)
    return bool(not answers(old) or old.get("waiting") or not new.get("waiting"))
