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
from collections.abc import Callable, Mapping
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
_FIELDS: Mapping[Any, tuple[str, ...]] = {
    kind: tuple(f.name for f in dataclasses.fields(kind)) for kind in _SENT
}
_PLAIN = frozenset((bool, int, float, str, type(None)))
_HEAD = struct.Struct("!QQ")
_MOST = 2**26, 2**32
"""So many bytes of JSON, and of buffers, are read at most."""
_CONTAINERS: Mapping[Any, Any] = {"t": tuple, "l": list, "s": frozenset}


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
    if not _fitting(Failure if kind == "error" else _ANSWERS[request])(unpacked):
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
    if text.isascii() and text.isprintable():
        return text
    return re.sub(r"[^\n\t -~\xa0-\ud7ff\ue000-\U0010ffff]", "?", text)


def _packed(value: Any, buffers: bytearray) -> Any:
    """As JSON: a list for all that is no number or text, which begins with what it is."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind in _FIELDS:
        fields = [_packed(getattr(value, name), buffers) for name in _FIELDS[kind]]
        return ["c", kind.__name__, *fields]
    for tag, container in _CONTAINERS.items():
        if isinstance(value, container):
            return [tag, *[_packed(v, buffers) for v in value]]
    if isinstance(value, Literal):
        return ["n", int(value)]
    if isinstance(value, (bool, int, float, str)):
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
    if isinstance(value, Mapping):
        return ["d", *([_packed(k, buffers), _packed(v, buffers)] for k, v in value.items())]
    raise TypeError(f"{kind.__name__} is nothing that a worker answers")


def _unpacked(value: Any, buffers: bytearray) -> Any:
    if type(value) is not list:
        return readable(value) if type(value) is str else value
    tag = value[0]
    if tag in _CONTAINERS:
        return _CONTAINERS[tag]([_unpacked(v, buffers) for v in value[1:]])
    if tag == "c":
        return _CLASSES[value[1]](*[_unpacked(v, buffers) for v in value[2:]])
    if tag == "d":
        return {_unpacked(k, buffers): _unpacked(v, buffers) for k, v in value[1:]}
    if tag == "n":
        return Literal(value[1])
    if tag == "b":
        return bytes(buffers[value[1] : value[2]])
    if tag != "a":
        raise ValueError(f"a value of the kind {tag}")
    _, at, end, dtype, shape = value
    if np.dtype(dtype).kind not in "biuf":
        raise ValueError(f"an array of {dtype}")
    return np.frombuffer(buffers[at:end], dtype).reshape(shape)


@cache
def _fitting(kind: Any) -> Callable[[Any], bool]:
    """What tells whether a value is of the type, and all that is in it."""
    if kind in (Any, object):
        return lambda value: True
    origin, of = typing.get_origin(kind), typing.get_args(kind)
    if hasattr(origin or kind, "__value__"):  # a name of a type, as numpy 2.5 has them
        return _fitting((origin or kind).__value__)
    fit = [_fitting(one) for one in of if one is not Ellipsis and origin is not np.ndarray]
    if origin in (typing.Union, types.UnionType):
        return lambda value: any(fits(value) for fits in fit)
    if origin is tuple and of[-1] is not Ellipsis:
        return lambda value: (
            isinstance(value, tuple)
            and len(value) == len(fit)
            and all(fits(v) for fits, v in zip(fit, value, strict=True))
        )
    if origin in (tuple, list, frozenset):
        return lambda value: isinstance(value, origin) and all(map(fit[0], value))
    if origin is np.ndarray:
        return lambda value: isinstance(value, np.ndarray)
    if origin is not None and issubclass(origin, Mapping):
        return lambda value: (
            isinstance(value, dict) and all(map(fit[0], value)) and all(map(fit[1], value.values()))
        )
    if kind is float:
        return lambda value: isinstance(value, (int, float))
    if kind not in _FIELDS:
        return lambda value: isinstance(value, kind)
    hints = typing.get_type_hints(kind)
    fields = [(name, _fitting(hints[name])) for name in _FIELDS[kind]]
    return lambda value: (
        type(value) is kind
        and (kind is not Output or _is_sound(value))
        and all(fits(getattr(value, name)) for name, fits in fields)
    )


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
