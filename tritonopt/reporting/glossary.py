"""The words that remarks, manual pages and verdicts use, with a sentence each.

`glossary.json` has them, sorted. `tritonopt explain WORD` prints one; docs/glossary.md is made
from all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path


@cache
def glossary() -> Mapping[str, str]:
    """Each word, in lower case, with its sentence."""
    found: dict[str, str] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    return found
