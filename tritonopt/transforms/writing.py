"""Deprecated: `tritonopt.emit.writing` under its former name, until version 0.4."""

import warnings

from tritonopt.emit.writing import *  # noqa: F403

warnings.warn("import tritonopt.emit.writing instead", DeprecationWarning, stacklevel=2)
