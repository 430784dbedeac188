"""tritonopt: better source for Triton kernels, as an ordinary diff.

The names below are the public face. They are imported when first used, so that
`import tritonopt` is cheap: `optimize` alone needs triton, and `verify` torch as well.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tritonopt.rewriting.model import Bits as Bits
    from tritonopt.rewriting.model import Condition as Condition
    from tritonopt.rewriting.model import Remark as Remark
    from tritonopt.rewriting.model import Safety as Safety
    from tritonopt.rewriting.model import Site as Site
    from tritonopt.rewriting.pipeline import RewriteResult as RewriteResult
    from tritonopt.rewriting.pipeline import rewrite_source as rewrite_source
    from tritonopt.rewriting.protocol import Pass as Pass
    from tritonopt.runtime import Optimization as Optimization
    from tritonopt.runtime import SourceUnavailable as SourceUnavailable
    from tritonopt.runtime import optimize as optimize
    from tritonopt.verification import verify as verify

__version__ = "0.1.0"

_HOMES = {
    "Bits": "tritonopt.rewriting.model",
    "Condition": "tritonopt.rewriting.model",
    "Optimization": "tritonopt.runtime",
    "Pass": "tritonopt.rewriting.protocol",
    "Remark": "tritonopt.rewriting.model",
    "RewriteResult": "tritonopt.rewriting.pipeline",
    "Safety": "tritonopt.rewriting.model",
    "Site": "tritonopt.rewriting.model",
    "SourceUnavailable": "tritonopt.runtime",
    "optimize": "tritonopt.runtime",
    "rewrite_source": "tritonopt.rewriting.pipeline",
    "verify": "tritonopt.verification",
}

__all__ = [
    "Bits",
    "Condition",
    "Optimization",
    "Pass",
    "Remark",
    "RewriteResult",
    "Safety",
    "Site",
    "SourceUnavailable",
    "__version__",
    "optimize",
    "rewrite_source",
    "verify",
]


def install_command(extra: str) -> str:
    """The command that installs an extra; from a checkout, where no index need have this package,
    that of the checkout."""
    import os

    checkout = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if os.path.isfile(os.path.join(checkout, "pyproject.toml")):
        near = os.path.relpath(checkout)
        return f"pip install -e '{checkout if near.startswith('..') else near}[{extra}]'"
    return f"pip install 'tritonopt[{extra}]'"


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
