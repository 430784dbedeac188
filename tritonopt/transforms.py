"""Deprecated: `tritonopt.transforms.writing` is `tritonopt.emit.writing`.

The former name goes with the next minor version.
"""

import sys
import warnings

from tritonopt.emit import writing

warnings.warn("import tritonopt.emit.writing instead", DeprecationWarning, stacklevel=2)
sys.modules[f"{__name__}.writing"] = writing
