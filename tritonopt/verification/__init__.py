"""Same answer? Two versions of a kernel file, run on inputs that nobody chose.

    from tritonopt.verification import Options, verify
    verdict = verify("kernel.py", "rewritten.py", Options(require="identical"))

Importing this needs neither torch, triton nor hypothesis; verifying does. The names below are
imported when first used: a worker needs none of them, and waits for all that it imports.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tritonopt.verification.api import verify as verify
    from tritonopt.verification.errors import VerificationError as VerificationError
    from tritonopt.verification.questions import Options as Options
    from tritonopt.verification.questions import Progress as Progress
    from tritonopt.verification.verdict import Answer as Answer
    from tritonopt.verification.verdict import Timing as Timing
    from tritonopt.verification.verdict import Verdict as Verdict

_HOMES = {
    "Answer": "tritonopt.verification.verdict",
    "Options": "tritonopt.verification.questions",
    "Progress": "tritonopt.verification.questions",
    "Timing": "tritonopt.verification.verdict",
    "VerificationError": "tritonopt.verification.errors",
    "Verdict": "tritonopt.verification.verdict",
    "verify": "tritonopt.verification.api",
}

__all__ = ["Answer", "Options", "Progress", "Timing", "VerificationError", "Verdict", "verify"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value
