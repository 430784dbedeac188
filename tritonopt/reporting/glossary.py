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


ON_PAGES = """\
## Words

- A name in parentheses, as in `(tiles-race)`, is printed if the condition before it does not hold \
and the pass declines, or if it is assumed; `tritonopt explain NAME` explains it.
- A pass is *named* if its own name is in `--passes`. It is then applied wherever it is legal, \
else only where sizes in the launchers let a gain be expected.
- *Safety*: `exact` gives the same result in IEEE arithmetic. A rewrite may need more: `rounding` \
(floats may differ in rounding), `contract` (launches change too: grid or arguments), \
`assumption` (a fact that the source does not prove: `--assume FACT`, `--safety assumption`).
- *Bits* of compiled results: `same`, `contraction` (the compiler may fuse other products and \
additions), `reduction-order` (sums may be added in another order).
- The *groups* `rows`, `default` and `all` stand for several passes in `--passes`."""
"""What the manual pages of passes do not explain themselves; printed below each."""
