"""Deprecated: `tritonopt.transforms.writing` is `tritonopt.emit.writing`, from version 0.4 only."""

import sys
import warnings

from tritonopt.emit import writing

warnings.warn("import tritonopt.emit.writing instead", DeprecationWarning, stacklevel=2)
sys.modules[f"{__name__}.writing"] = writing
