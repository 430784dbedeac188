"""What can be wrong with an engine, before any task runs."""

from __future__ import annotations


class EngineError(Exception):
    """The engine cannot be had; the message says why, and what to do."""
