"""Which engine a text stands for."""

from __future__ import annotations

import difflib

from tritonopt.engines.errors import EngineError
from tritonopt.engines.inline import Inline
from tritonopt.engines.work import Engine

ENGINES = ("inline", "local", "ray")


def engine_of(text: str, jobs: int | None = None) -> Engine:
    """`inline`, `local`, `ray` or `ray:ADDRESS`, with at most `jobs` tasks at a time.

    Raises EngineError where there is none of this name. What an engine needs is looked for when
    it begins to run.
    """
    name, colon, address = text.partition(":")
    if name == "ray" and bool(colon) == bool(address):
        from tritonopt.engines.cluster import Cluster

        return Cluster(address or None, jobs)
    if name == "local" and not colon:
        from tritonopt.engines.local import Local

        return Local(jobs)
    if name == "inline" and not colon:
        if jobs is not None and jobs > 1:
            raise EngineError(f"the engine inline does one task at a time: {jobs} are for local")
        return Inline()
    meant = difflib.get_close_matches(text, ENGINES, 1)
    raise EngineError(
        f"there is no engine {text!r}; write inline, local, ray or ray:ADDRESS"
        + (f" (did you mean {meant[0]}?)" if meant else "")
    )
