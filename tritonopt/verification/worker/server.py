"""The worker process: loads one version of a file, and runs its launcher on examples.

Started by `client.Worker`, which talks to it over a socket. Everything that
touches torch or triton happens here, so that a crash costs one process.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process import wire
from tritonopt.verification.process.compiled_programs import Launch, Program
from tritonopt.verification.process.messages import (
    Attempt,
    Failure,
    Outcome,
    RunOptions,
    VersionSpec,
)
from tritonopt.verification.worker.failures import explain
from tritonopt.verification.worker.loaded_version import LoadedVersion


def serve(descriptor: int) -> None:
    """Answer requests until the other side hangs up, in what cannot do anything there."""
    answer_requests(descriptor, Server(), wire.send)


def answer_requests(
    descriptor: int,
    server: object,
    send: Callable[..., None] = lambda connection, _, *answer: connection.send(answer),
) -> None:
    """Let a server answer, whose methods are the requests, until the other side hangs up."""
    connection = Connection(descriptor)
    while True:
        try:
            request, arguments, token = connection.recv()
        except EOFError:
            return
        try:
            answer = ("ok", getattr(server, request)(*arguments))
        except Exception as error:
            answer = ("error", Failure(type(error).__name__, explain(error)))
        send(connection, token, *answer)


class Server:
    """What a worker can be asked. Method names are the requests."""

    def __init__(self) -> None:
        self.version: LoadedVersion | None = None

    def probe(self) -> dict[str, object]:
        """Whether there is a GPU; imports torch only, because the backend is not chosen yet."""
        import torch

        return {"cuda": bool(torch.cuda.is_available())}

    def load(self, spec: VersionSpec) -> str:
        if spec.backend == "interpreter":
            os.environ["TRITON_INTERPRET"] = "1"
        elif os.environ.pop("TRITON_INTERPRET", None):
            from tritonopt.verification.worker.loading import forget_triton

            forget_triton()
        try:
            self.version = LoadedVersion(spec)
        except SystemExit as end:
            raise ImportError(
                f"it ends the process when it is imported (sys.exit({end.code!r})): put that "
                'under `if __name__ == "__main__":`'
            ) from None
        return self.version.backend()

    def run(self, example: Example, all_options: tuple[RunOptions, ...]) -> tuple[Outcome, ...]:
        from tritonopt.verification.worker.one_call import called

        assert self.version is not None, "load comes first"
        found = tuple(called(self.version, example, options) for options in all_options)
        self.version.check_tool()
        return found

    def compile(self, example: Example) -> tuple[tuple[Launch, ...], tuple[Program, ...]]:
        """The launches of one example, and all programs that were compiled by now.

        An exception of the launcher's is the answer.
        """
        from tritonopt.verification.worker.one_call import called

        assert self.version is not None, "load comes first"
        compiler = self.version.compiler
        assert compiler is not None, "the backend is another one"
        outcome = called(self.version, example, RunOptions())
        if outcome.failure is not None:
            raise RuntimeError(str(outcome.failure))
        programs = (p for found in compiler.programs.values() for p in found)
        return tuple(compiler.launches), tuple(programs)

    def refused(self, example: Example) -> tuple[Program, ...]:
        """The kernels that no GPU takes, of what the calls so far and this one launch."""
        from tritonopt.verification.worker.one_call import called

        assert self.version is not None and self.version.compiler is not None
        compiler = self.version.compiler
        compiler.lower_only()
        called(self.version, example, RunOptions())
        return tuple(p for found in compiler.programs.values() for p in found if p.failure)

    def statistics(self, programs: tuple[tuple[str, str, str], ...]) -> list[dict[str, int]]:
        """What compiled programs need and do; they are named by kernel, signature and target."""
        assert self.version is not None and self.version.compiler is not None
        return [self.version.compiler.statistics(*program) for program in programs]

    def operator(self, launcher: str, parameters: tuple[str, ...]) -> tuple[str, ...]:
        """The types that torch gives to the parameters of its operator of that name."""

        return types_of(launcher, parameters)

    def described(self, kind: str) -> dict[str, Any]:
        """What a reference says of its inputs, and of the module of that name."""
        from tritonopt.verification.worker.reference import described

        assert self.version is not None, "load comes first"
        return described(self.version.module, kind)

    def state_of(self, name: str) -> dict[str, Any]:
        """The parameters of the module that the function of that name calls."""
        from tritonopt.verification.worker.reference import state_of

        assert self.version is not None, "load comes first"
        return state_of(getattr(self.version.module, f"_made_{name}")[None])

    def attempt(self, example: Example) -> Attempt:
        from tritonopt.verification.worker.attempt import attempt

        assert self.version is not None, "load comes first"
        return attempt(self.version, example)


# What torch says of the operator that a launcher is called like.
#
# Libraries that replace torch's operators keep their names and the order of their parameters;
# torch has a schema for each, with a type for every parameter. It is where a guess begins: what
# the original does not take is not kept.


def types_of(launcher: str, parameters: Sequence[str]) -> tuple[str, ...]:
    """As annotations, the types of the parameters of torch's operator; nothing if it has none.

    Of several overloads it is the one with the most of the names. `norm_scalar` may be one
    too: `norm.Scalar`.
    """
    fitting = [s for s in _schemas(launcher) if len(s.arguments) >= len(parameters)]
    if not fitting:
        return ()

    def strange(schema: Any) -> int:
        named = zip(schema.arguments, parameters, strict=False)
        return sum(argument.name != name for argument, name in named)

    chosen = min(fitting, key=strange)
    return tuple(_annotation(a) for a in chosen.arguments[: len(parameters)])


def _schemas(launcher: str) -> list[Any]:
    torch: Any = importlib.import_module("torch")
    find = torch._C._jit_get_schemas_for_operator
    own = find(f"aten::{launcher}")
    if own:
        return list(own)
    at = [i for i, letter in enumerate(launcher) if letter == "_" and i]
    return [
        schema
        for i in reversed(at)
        for schema in find(f"aten::{launcher[:i]}")
        if schema.overload_name.lower() == launcher[i + 1 :].rstrip("_").lower()
    ]


def _annotation(argument: Any) -> str:
    text = str(argument.type)
    if argument.N and text == "List[int]":
        return f"Tuple[{', '.join(['int'] * argument.N)}]"
    if argument.N and text == "List[bool]":
        return f"Tuple[{', '.join(['bool'] * argument.N)}]"
    return text
