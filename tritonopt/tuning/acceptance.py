"""When is a text faster than the original? Decided on a measurement that did not choose it.

A search looks at many variants on many calls, and the best of many is the luckiest. So what it
chose is measured again, and accepted where

- on a call that the search had claimed, the fresh measurement claims it too: the 95 % interval of
  the ratio lies above 1; and
- on no call that runs new code the fresh interval reaches below what counts as equal.

What is claimed has to be worth a change of the file, which noise hardly ever is twice.
"""

from __future__ import annotations

from collections.abc import Mapping

from tritonopt.measurement.results import Ratio

WORTH = 1.01
"""A gain that is smaller is not worth another text."""
EQUAL = 0.99
"""What may be taken for no loss: below that no part of the interval may lie."""


def is_claim(ratio: Ratio) -> bool:
    """Whether a measurement shows a gain that is worth something."""
    return ratio.is_gain and ratio.value >= WORTH


def is_harmless(ratio: Ratio) -> bool:
    """Whether a loss is ruled out, but for what counts as equal."""
    return ratio.low > EQUAL


def failing(fresh: Mapping[str, Ratio | None], claimed: Mapping[str, Ratio]) -> dict[str, str]:
    """The calls for which a text must not be used, and why; by label.

    `fresh` are the calls that run new code, as they were measured again: None where it failed.
    """
    found = {}
    for label, ratio in fresh.items():
        if ratio is None:
            found[label] = "it could not be timed again"
        elif not is_harmless(ratio):
            found[label] = f"{ratio.value:.3f}x when it was measured again"
        elif label in claimed and not is_claim(ratio):
            found[label] = (
                f"{claimed[label].value:.3f}x in the search, and {ratio.value:.3f}x "
                f"({ratio.low:.3f} to {ratio.high:.3f}) when it was measured again"
            )
    return found


def is_accepted(fresh: Mapping[str, Ratio | None], claimed: Mapping[str, Ratio]) -> bool:
    """Whether a text is faster for one call at least, and slower for none."""
    confirmed = [label for label in claimed if (r := fresh.get(label)) and is_claim(r)]
    harmless = all(ratio is not None and is_harmless(ratio) for ratio in fresh.values())
    return bool(confirmed) and harmless
