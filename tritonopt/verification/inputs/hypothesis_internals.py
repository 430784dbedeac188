"""Where hypothesis keeps failures, and what is used of it that it does not promise to keep.

No other module uses the latter.

A version that has one of these names no more is served as well: it then writes its notes where it
likes, or reads the source of this package, which takes time and changes no verdict.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator

from hypothesis import configuration
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase
from hypothesis.internal.conjecture import providers

from tritonopt.cache_directory import VARIABLE, cache_directory

HOME_DIRECTORY = "__hypothesis_home_directory"
LOCAL_CONSTANTS = "_get_local_constants"


@contextlib.contextmanager
def no_traces() -> Iterator[None]:
    """Hypothesis keeps notes in the working directory, which is the user's: not now."""
    before = getattr(configuration, HOME_DIRECTORY, None)
    with tempfile.TemporaryDirectory(prefix="tritonopt-") as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)


@contextlib.contextmanager
def no_local_constants() -> Iterator[None]:
    """Hypothesis reads the source of every module of a project for constants to draw: not now.

    They would be this package's, and reading them takes longer than many a verification.
    """
    before = getattr(providers, LOCAL_CONSTANTS, None)
    if before is None or not hasattr(providers, "Constants"):
        yield
        return
    nothing = providers.Constants()
    setattr(providers, LOCAL_CONSTANTS, lambda: nothing)
    try:
        yield
    finally:
        setattr(providers, LOCAL_CONSTANTS, before)


# Failures that were found before, kept for the next time: they are tried first.


def past_failures() -> ExampleDatabase | None:
    """The database, in the user's cache directory; none without one, or where the variable is
    empty."""
    if os.environ.get(VARIABLE) == "":
        return None
    try:
        folder = cache_directory() / "failures"
    except RuntimeError:
        return None
    return DirectoryBasedExampleDatabase(folder)


def key_of(*parts: object) -> bytes:
    """The key of what is verified: the same parts find the same failures again."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).digest()
