"""The names under which `tritonopt.checks` was imported before version 0.2; gone in 0.3."""

from __future__ import annotations

import warnings

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined as Declined
from tritonopt.checks.condition import refuted as refuted
from tritonopt.checks.condition import unknown as unknown


class Checklist(Attempt):
    """An `Attempt` as it was called; `with attempt:` is `with checklist.until_one_fails():`."""

    def until_one_fails(self) -> Checklist:
        return self


warnings.warn(
    "tritonopt.rewriting.checklist is deprecated: import Attempt from tritonopt.checks.attempt, "
    "refuted and unknown from tritonopt.checks.condition",
    DeprecationWarning,
    stacklevel=2,
)
