"""A reference without a kernel and a candidate, as two files that are called alike."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tritonopt import source
from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.errors import CandidateError, VerificationError
from tritonopt.verification.process.client import Died, Refusal, VersionWorker
from tritonopt.verification.process.containment import Contained
from tritonopt.verification.process.messages import VersionSpec, span_of
from tritonopt.verification.reference.given import GivenInputs
from tritonopt.verification.signature.argument_language import Origin, Signature, TensorArgument
from tritonopt.verification.signature.argument_parser import parse
from tritonopt.verification.signature.inference import InferredSignature, read
from tritonopt.verification.signature.launchers import Launcher, Launchers, comment_of, method
from tritonopt.verification.tasks import Task

INPUTS, INIT = "get_inputs", "get_init_inputs"
_CLASSES = ("Model", "ModelNew")
"""What a module is called in the reference, and in the candidate."""
_SECONDS = 120.0

_MODEL = """

def _make_{name}():
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = {kind}(*{init})
        state = {{}}
        for at, (key, (shape, base)) in enumerate(sorted({state}.items())):
            noise = torch.randn(shape, generator=torch.Generator().manual_seed(at))
            if key.endswith("running_var"):
                state[key] = 0.5 + noise.abs()
            elif base is not None:
                state[key] = base + 0.25 * noise
            else:
                state[key] = noise / max(1, noise.numel() // max(1, shape[0])) ** 0.5
        made.load_state_dict(state, strict=False)
    return made


_made_{name} = {{None: _make_{name}()}}


def {name}({parameters}):
    import copy

    import torch

    given = [t for t in ({passed}) if isinstance(t, torch.Tensor)]
    kinds = [t.dtype for t in given if t.is_floating_point()] or [torch.float32]
    place = (kinds[0], given[0].device if given else None)
    if place not in _made_{name}:
        _made_{name}[place] = copy.deepcopy(_made_{name}[None]).to(*place[:1])
        if place[1] is not None:
            _made_{name}[place] = _made_{name}[place].to(place[1])
    with torch.no_grad():
        return _made_{name}[place]({passed_on})
"""
"""Every parameter gets values that its place among their names makes: in both versions the same,
in whatever order these make them, and none that a candidate may leave out."""

_NUMPY = """

def {name}({parameters}):
    import numpy
    import torch

    places = [t.device for t in ({taken},) if isinstance(t, torch.Tensor)]

    def as_array(value):
        return value.cpu().numpy() if isinstance(value, torch.Tensor) else value

    def as_tensor(value):
        if isinstance(value, (tuple, list)):
            return type(value)(map(as_tensor, value))
        if isinstance(value, (numpy.ndarray, numpy.generic)):
            return torch.from_numpy(numpy.array(value, ndmin=0)).to(*places[:1])
        return value

    return as_tensor({called}({converted}))
"""

_PLAIN = """

def {name}({parameters}):
    return {called}({passed_on})
"""


def is_reference(module: source.Module) -> bool:
    """Whether a file has no kernel of its own and launches none."""
    return not (module.kernels or module.launches)


@dataclass(frozen=True)
class Subject:
    """What is called of either file."""

    old: source.Module
    new: source.Module
    tasks: list[Task]


def subject_of(
    old: source.Module,
    new: source.Module,
    *,
    launcher: str | None,
    args: str | None,
    contained: Contained | None = None,
) -> Subject:
    """What of a reference is called, and of a candidate in its place. Raises VerificationError."""
    functions = _functions(old)
    model = _module_class(old, _CLASSES)
    if launcher is None and model is not None:
        return _of_model(old, new, model, args, contained)
    called = _named(old, launcher, functions, new)
    other = _counterpart(called, functions, new)
    parameters = _parameters(called)
    numpy = _is_of_numpy(old)
    if (
        not numpy
        and other.name == called.name
        and _parameters(other)[: len(parameters)] == parameters
    ):
        name, written = called.name, 0
    else:
        name, written = f"run_{called.name}", 1
        count = len(described(old)["inputs"]) if INPUTS in functions else 0
        kept = _kept(called, parameters, count)
        form = {"name": name, "parameters": _spelled(called, kept), "taken": ", ".join(kept)}
        given = {"passed_on": _passed(called, kept), "converted": _passed(called, kept, "as_array")}
        wrapped = _NUMPY if numpy else _PLAIN
        old = _with(old, wrapped.format(called=called.name, **given, **form))
        given = {"passed_on": _passed(called, kept, of=_parameters(other))}
        new = _with(new, _PLAIN.format(called=other.name, **given, **form))
    arguments = _arguments(old, new, name, called.name, args, functions)
    node = _functions(old)[name]
    task = _task(Launcher(name, node, node, False, False), arguments, written)
    return Subject(old, new, [task])


def of_candidate(demands: Sequence[Demand], new: source.Module, written: int) -> list[Demand]:
    """What has to run of the candidate: not what runs on import, nor the last statements, which
    are written here."""
    own = new.tree.body[len(new.tree.body) - written :]
    kinds = (kind for kind in new.tree.body if isinstance(kind, ast.ClassDef))
    own += [node for kind in kinds if (node := method(kind, "__init__")) is not None]
    left = [range(node.lineno, (node.end_lineno or 0) + 1) for node in own]
    asked = (d for d in demands if d.title == "rewritten")
    # A size that the reference fixes decides nothing, however the others of a shape vary.
    whole = {
        span_of(n.value)
        for n in ast.walk(new.tree)
        if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Constant | ast.UnaryOp)
    }
    asked = (replace(d, parts=tuple(p for p in d.parts if p not in whole)) for d in asked)
    return [d for d in asked if not any(d.line in lines for lines in left)]


def _task(
    launcher: Launcher, arguments: Signature | InferredSignature | GivenInputs, written: int
) -> Task:
    if isinstance(arguments, GivenInputs):
        return Task(launcher, Signature(()), given=arguments, reference=True, written=written)
    return Task(launcher, arguments, reference=True, written=written)


def _functions(module: source.Module) -> dict[str, ast.FunctionDef]:
    return {n.name: n for n in module.tree.body if isinstance(n, ast.FunctionDef)}


def _parameters(node: ast.FunctionDef) -> list[str]:
    given = node.args
    return [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


_NONE, _UNKNOWN = object(), object()
"""What stands for no default, and for one that is no number or text."""


def _default(node: ast.FunctionDef, name: str) -> object:
    """The default of a parameter."""
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    pairs = [
        *zip(reversed(positional), reversed(given.defaults), strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    found = next((d for a, d in pairs if a.arg == name and d is not None), None)
    if found is None:
        return _NONE
    with contextlib.suppress(ValueError):
        return ast.literal_eval(found)
    return _UNKNOWN


def _defaults(node: ast.FunctionDef) -> dict[str, object]:
    """The parameters that have a default; of one that cannot be spelled, None."""
    found = {p: _default(node, p) for p in _parameters(node)}
    return {p: None if d is _UNKNOWN else d for p, d in found.items() if d is not _NONE}


def _kept(node: ast.FunctionDef, parameters: Sequence[str], count: int) -> list[str]:
    """The parameters that may be passed: those that are given first, and what can be spelled."""
    more = (p for p in parameters[count:] if _default(node, p) is not _UNKNOWN)
    return [*parameters[:count], *more]


def _spelled(node: ast.FunctionDef, kept: Sequence[str]) -> str:
    """These parameters with their defaults, where none without one follows."""
    defaults = {p: _default(node, p) for p in kept}
    plain = [p for p, default in defaults.items() if default in (_NONE, _UNKNOWN)]
    last = [p for p in kept if p not in plain]
    return ", ".join([*plain, *(f"{p}={defaults[p]!r}" for p in last)])


def _passed(
    node: ast.FunctionDef, kept: Sequence[str], through: str = "", of: Sequence[str] = ()
) -> str:
    """These parameters, passed on: by name behind one that is left out, or that has to be.

    `of` are the parameters of what is called, where it is another function.
    """
    places = [a.arg for a in (*node.args.posonlyargs, *node.args.args) if a.arg != "self"]
    gap = next((at for at, name in enumerate(places) if name not in kept), len(places))
    names = dict(zip(_parameters(node), of, strict=False))
    given = ((p, f"{through}({p})" if through else p) for p in kept)
    return ", ".join(v if p in places[:gap] else f"{names.get(p, p)}={v}" for p, v in given)


def _named(
    old: source.Module,
    launcher: str | None,
    functions: dict[str, ast.FunctionDef],
    new: source.Module,
) -> ast.FunctionDef:
    """The function that is the reference: as named, or the only one that no other one calls."""
    if launcher is not None:
        if launcher not in functions:
            raise VerificationError(f"--launcher: {old.path} has no function `{launcher}`")
        return functions[launcher]
    used = {
        n.id
        for name, node in functions.items()
        if name not in (INPUTS, INIT)
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and n.id != name
    }
    outer = [f for n, f in functions.items() if n not in used and _parameters(f)]
    if len(outer) > 1:
        theirs = _functions(new)
        outer = [f for f in outer if f.name in theirs] or outer
    if len(outer) == 1:
        return outer[0]
    if not outer:
        raise VerificationError(
            f"{old.path}: no Triton kernel in this file, and no function with parameters or module "
            "with `get_inputs` that could be a reference"
        )
    names = ", ".join(f.name for f in outer)
    raise VerificationError(
        f"{old.path}: any of {names} can be the reference: add --launcher {outer[0].name}"
    )


def _counterpart(
    called: ast.FunctionDef, functions: dict[str, ast.FunctionDef], new: source.Module
) -> ast.FunctionDef:
    """The candidate's function of that name, or else its only launcher."""
    theirs = _functions(new)
    found = theirs.get(called.name)
    if found is None:
        launchers = [x.function for x in Launchers.of(new).outermost() if not x.autograd]
        if len(launchers) != 1:
            raise CandidateError(
                f"{new.path}: there is no `{called.name}`, which is what is called of the "
                "reference: give the function the reference's name and parameters"
            )
        (found,) = launchers
    least = (
        len(_parameters(found))
        - len(found.args.defaults)
        - sum(d is not None for d in found.args.kw_defaults)
    )
    count = len(_parameters(called))
    if found.args.vararg is None and not least <= count <= len(_parameters(found)):
        ours, own = (", ".join(_parameters(node)) for node in (called, found))
        raise CandidateError(
            f"{new.path}:{found.lineno}:{found.col_offset + 1}: `{found.name}` takes ({own}), "
            f"and the reference ({ours})"
        )
    return found


def _is_of_numpy(module: source.Module) -> bool:
    """Whether a file computes with numpy, and not with torch."""
    roots = {
        alias.name.partition(".")[0]
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    return "numpy" in roots and "torch" not in roots


def _with(module: source.Module, text: str) -> source.Module:
    return source.read(module.text + text, module.path)


def _arguments(
    old: source.Module,
    new: source.Module,
    name: str,
    called: str,
    args: str | None,
    functions: dict[str, ast.FunctionDef],
) -> Signature | InferredSignature | GivenInputs:
    """As given; as a comment or `get_inputs` of the reference says; or as its code and that of the
    candidate say."""
    own = functions[called]
    if args is not None:
        return parse(args)
    comment = comment_of(old, Launcher(called, own, own, False, False))
    if comment is not None:
        origin = Origin(old.path, line=comment.line, column=comment.column)
        return parse(comment.text, origin)
    node = _functions(old)[name]
    if INPUTS in functions:
        found = described(old)["inputs"]
        return GivenInputs.of(list(_parameters(node)), found, old.path, _defaults(node))
    ours = read(Launchers.of(old), Launcher(name, node, node, False, False))
    tensors = [a for a in ours.known if isinstance(a, TensorArgument)]
    if tensors and not ours.unknown and all(t.name in ours.ranked for t in tensors):
        return replace(ours, documents_bind=True)
    launchers = Launchers.of(new)
    other = _functions(new)[name]
    known = launchers.found.get(name) or Launcher(name, other, other, False, False)
    reading = read(launchers, known)
    # What is to be computed, the reference says, also where the candidate's code is read.
    for parameter, evidence in ours.evidence.items():
        if evidence.documented is not None and parameter in reading.evidence:
            reading.evidence[parameter].documented = evidence.documented
    return replace(reading, documents_bind=True)


# Modules


def _module_class(module: source.Module, names: Sequence[str]) -> ast.ClassDef | None:
    """The class of the module, where the file says what it is called with."""
    classes = {n.name: n for n in module.tree.body if isinstance(n, ast.ClassDef)}
    found = next((classes[name] for name in names if name in classes), None)
    if found is None:
        last = [c for c in classes.values() if method(c, "forward") is not None]
        found = last[-1] if last else None
    if found is None or method(found, "forward") is None:
        return None
    return found if INPUTS in _functions(module) else None


def _of_model(
    old: source.Module,
    new: source.Module,
    model: ast.ClassDef,
    args: str | None,
    contained: Contained | None,
) -> Subject:
    classes = [n for n in new.tree.body if isinstance(n, ast.ClassDef)]
    named = {c.name: c for c in classes}
    other = next((named[n] for n in ("ModelNew", model.name) if n in named), None)
    if other is None:
        raise CandidateError(
            f"{new.path}: there is no class `ModelNew`, which takes the place of `{model.name}`"
        )
    forward = method(model, "forward")
    assert forward is not None
    about = described(old, model.name)
    theirs = method(other, "forward")
    parameters = _of_forward(forward, theirs, len(about["inputs"]), args)
    own, init = INIT in _functions(old), about["init"]
    written = f"{INIT}()" if own else "[]"
    taken = init if init is not None else f"{INIT}()" if INIT in _functions(new) else "[]"
    name = "run_model"
    form = {
        "name": name,
        "parameters": _spelled(forward, parameters),
        "passed": "".join(f"{p}, " for p in parameters),
        "passed_on": _passed(forward, parameters),
    }

    def made(state: dict[str, Any]) -> source.Module:
        return _with(new, _MODEL.format(kind=other.name, init=taken, state=state, **form))

    state = about["state"]
    held = _state_of(made({}), name, contained)
    note = ""
    if state and any(held.get(key, (None,))[0] != shape for key, (shape, _) in state.items()):
        note = (
            "the candidate's parameters have other names or shapes than the reference's: both "
            "have those that one seed gives, in the order in which they are made"
        )
        state = {}
    old = _with(old, _MODEL.format(kind=model.name, init=written, state=state, **form))
    new = made(state)
    arguments: Signature | GivenInputs
    if args is not None:
        arguments = parse(args)
    else:
        own_defaults = _defaults(forward)
        arguments = GivenInputs.of(parameters, about["inputs"], old.path, own_defaults)
        arguments = replace(arguments, notes=(note,) if note else ())
    node = _functions(old)[name]
    task = _task(Launcher(name, node, node, False, False), arguments, 3)
    return Subject(old, new, [task])


def _of_forward(
    forward: ast.FunctionDef, theirs: ast.FunctionDef | None, count: int, args: str | None
) -> list[str]:
    """What of a module's parameters may be passed: with a default only what both have, or what is
    asked for."""
    parameters = _parameters(forward)[1:]
    named = {a.name for a in parse(args).arguments} if args is not None else set()
    shared = set() if theirs is None else {*_parameters(theirs)}
    return [
        p
        for p in _kept(forward, parameters, count)
        if p in (*parameters[:count], *named) or p in shared or _default(forward, p) is _NONE
    ]


_known: dict[tuple[str, str, str], dict[str, Any]] = {}
"""What references have said, by their texts."""


def described(module: source.Module, kind: str = "") -> dict[str, Any]:
    """The inputs that a reference gives, what its module is made with, and its parameters."""
    key = (module.path, module.text, kind)
    if key not in _known:
        _known[key] = _asked(module, "described", INPUTS, kind)
    return _known[key]


def _state_of(module: source.Module, name: str, contained: Contained | None) -> dict[str, Any]:
    """The candidate's parameters; none where they cannot be had: loading it says why."""
    with contextlib.suppress(VerificationError):
        found: dict[str, Any] = _asked(module, "state_of", name, name, contained)
        return found
    return {}


def _asked(
    module: source.Module,
    request: str,
    launcher: str,
    about: str,
    contained: Contained | None = None,
) -> dict[str, Any]:
    path = str(Path(module.path).resolve())
    given = path, module.text, path, "interpreter", launcher, False
    spec = VersionSpec("original", *given, contained=contained)
    worker = VersionWorker(spec, _SECONDS)
    try:
        worker.ask(request, about)
        found: dict[str, Any] = worker.answer()
    except (Died, Refusal) as error:
        raise VerificationError(f"{module.path}: cannot be imported or asked: {error}") from None
    finally:
        worker.close()
    return found
