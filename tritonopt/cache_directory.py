"""Where this package keeps files between runs: rewritten kernels, and failures found before."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path

VARIABLE = "TRITONOPT_CACHE_DIR"
"""Names another directory."""


def cache_directory() -> Path:
    """`$TRITONOPT_CACHE_DIR`, else the user's cache directory as the platform has it.

    Raises RuntimeError where nobody knows where the user's home is.
    """
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given).expanduser().absolute()
    path = user_cache_path("tritonopt", appauthor=False)
    if path.parts[0] == "~":
        raise RuntimeError(f"there is no home directory; set {VARIABLE}")
    return path.absolute()
