"""Answers of a worker as bytes: JSON, and buffers of declared size. Nothing in them is executed.

A worker runs code of others, so its answers are read as data: values of the classes below, each
field of the type that the class declares, to the request that was made.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import struct
import time
import types
import typing
from collections.abc import Mapping
from functools import cache
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from tritonopt.verification.process.compiled_programs import Launch, Program
from tritonopt.verification.process.messages import (
    Attempt,
    Blame,
    Coverage,
    Failure,
    Followed,
    Literal,
    Loop,
    Outcome,
    Output,
)

_ANSWERS: Mapping[str, Any] = {
    "probe": dict[str, bool],
    "load": str,
    "run": tuple[Outcome, ...],
    "compile": tuple[tuple[Launch, ...], tuple[Program, ...]],
    "refused": tuple[Program, ...],
    "statistics": list[dict[str, int]],
    "operator": tuple[str, ...],
    "described": dict[str, Any],
    "state_of": dict[str, tuple[tuple[int, ...], float | None]],
    "attempt": Attempt,
    "speed": tuple[list[float], list[float], float, str, str],
}
"""Of which type the answer to a request is."""
_SENT = (Attempt, Blame, Coverage, Failure, Followed, Launch, Loop, Outcome, Output, Program)
_CLASSES = {kind.__name__: kind for kind in _SENT}
_HEAD = struct.Struct("!QQ")
_MOST = 2**26, 2**32
"""So many bytes of JSON, and of buffers, are read at most."""
_CONTAINERS: Mapping[str, Any] = {"t": tuple, "l": list, "s": frozenset}


class Forged(Exception):
    """What came is no answer to what was asked."""


def send(connection: Connection, token: str, kind: str, answer: object) -> None:
    buffers = bytearray()
    try:
        packed = _packed(answer, buffers)
    except TypeError as error:
        kind, packed = "error", _packed(Failure("TypeError", str(error)), buffers)
    text = json.dumps([token, kind, packed]).encode()
    left = memoryview(_HEAD.pack(len(text), len(buffers)) + text + buffers)
    while left:
        left = left[os.write(connection.fileno(), left) :]


def receive(connection: Connection, ends: float, request: str, token: str) -> tuple[str, Any]:
    """The answer; Forged, TimeoutError or EOFError where there is none until then."""
    size, rest = _HEAD.unpack(_read(connection, _HEAD.size, ends))
    if size > _MOST[0] or rest > _MOST[1]:
        raise Forged(f"an answer of {size + rest} bytes")
    text, buffers = _read(connection, size, ends), _read(connection, rest, ends)
    try:
        found, kind, answer = json.loads(text)
        unpacked = _unpacked(answer, buffers)
    except (ValueError, TypeError, KeyError, IndexError, RecursionError, OverflowError) as error:
        raise Forged(f"{type(error).__name__}: {error}"[:200]) from None
    if found != token:
        raise Forged("it answers another request")
    if not _fits(unpacked, Failure if kind == "error" else _ANSWERS[request]):
        raise Forged(f"an answer to `{request}` of another type")
    return str(kind), unpacked


def _read(connection: Connection, size: int, ends: float) -> bytearray:
    found = bytearray()
    while len(found) < size:
        if not connection.poll(max(0.0, ends - time.monotonic())):
            raise TimeoutError
        part = os.read(connection.fileno(), min(size - len(found), 2**20))
        if not part:
            raise EOFError
        found += part
    return found


def readable(text: str) -> str:
    """The text without what a terminal would obey."""
    return re.sub(r"[^\n\t -~\xa0-\ud7ff\ue000-\U0010ffff]", "?", text)


def _packed(value: Any, buffers: bytearray) -> Any:
    """As JSON: a list for all that is no number or text, which begins with what it is."""
    if isinstance(value, Literal):
        return ["n", int(value)]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bytes):
        buffers += value
        return ["b", len(buffers) - len(value), len(buffers)]
    if isinstance(value, np.ndarray):
        buffers += value.tobytes()
        at = len(buffers) - value.nbytes
        return ["a", at, len(buffers), value.dtype.str, list(value.shape)]
    if type(value) in _SENT:
        fields = (getattr(value, f.name) for f in dataclasses.fields(value))
        return ["c", type(value).__name__, *(_packed(v, buffers) for v in fields)]
    if isinstance(value, Mapping):
        return ["d", *([_packed(k, buffers), _packed(v, buffers)] for k, v in value.items())]
    for tag, kind in _CONTAINERS.items():
        if isinstance(value, kind):
            return [tag, *(_packed(v, buffers) for v in value)]
    raise TypeError(f"{type(value).__name__} is nothing that a worker answers")


def _unpacked(value: Any, buffers: bytearray) -> Any:
    if not isinstance(value, list):
        return readable(value) if isinstance(value, str) else value
    tag, *rest = value
    if tag == "n":
        return Literal(rest[0])
    if tag == "b":
        return bytes(buffers[rest[0] : rest[1]])
    if tag == "a":
        at, end, dtype, shape = rest
        if np.dtype(dtype).kind not in "biuf":
            raise ValueError(f"an array of {dtype}")
        return np.frombuffer(buffers[at:end], dtype).reshape(shape)
    if tag == "d":
        return {_unpacked(k, buffers): _unpacked(v, buffers) for k, v in rest}
    if tag == "c":
        return _CLASSES[rest[0]](*(_unpacked(v, buffers) for v in rest[1:]))
    return _CONTAINERS[tag](_unpacked(v, buffers) for v in rest)


_hints = cache(typing.get_type_hints)


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of the type, and all that is in it."""
    if kind in (Any, object):
        return True
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, one) for one in inside)
    if origin is tuple and inside[-1] is not Ellipsis:
        same = isinstance(value, tuple) and len(value) == len(inside)
        return same and all(map(_fits, value, inside))
    if origin in (tuple, list, frozenset):
        return isinstance(value, origin) and all(_fits(v, inside[0]) for v in value)
    if origin is not None and issubclass(origin, Mapping):
        of = inside
        return isinstance(value, dict) and all(
            _fits(k, of[0]) and _fits(v, of[1]) for k, v in value.items()
        )
    if origin is np.ndarray:
        return isinstance(value, np.ndarray)
    if kind is float:
        return isinstance(value, (int, float))
    if not isinstance(value, kind):
        return False
    if isinstance(value, Output) and not _is_sound(value):
        return False
    if dataclasses.is_dataclass(value):
        kinds: Any = type(value)
        hints = _hints(kinds)
        names = (f.name for f in dataclasses.fields(value))
        return all(_fits(getattr(value, name), hints[name]) for name in names)
    return True


def _is_sound(output: Output) -> bool:
    """Whether it has as many elements as its shape says, each as long as its type says."""
    bits: Any = output.bits
    shape: Any = output.shape
    residues: Any = output.residues
    arrays = all(isinstance(a, np.ndarray) for a in (bits, residues) if a is not None)
    if bits is None or not arrays or not isinstance(shape, tuple):
        return False
    digits = re.match(r"bool|[a-z]+(\d+)", output.dtype)
    length = 0 if digits is None else int(digits[1] or 8) // 8
    known = all(isinstance(d, int) and d >= 0 for d in shape) and bits.dtype == f"u{length}"
    size = math.prod(shape) if known else -1
    return bits.shape == (size,) and (residues is None or residues.size == size)
