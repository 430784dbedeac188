"""The calls of a file's launchers that a command makes: what each is given, as numbers.

The part that runs inside of the command watches which functions are entered, and changes nothing.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tritonopt import source
from tritonopt.verification.capture.shadowing import described
from tritonopt.verification.capture.watching import Watched, watched
from tritonopt.verification.signature.launchers import Launcher

VARIABLE = "TRITONOPT_SEEN_CALLS"
"""The environment variable that names a file with a `_Plan` as JSON."""
_MOST = 100
"""Different calls of one launcher that are taken down."""
_OF_AUTOGRAD = ("forward", "backward", "setup_context")


@dataclass(frozen=True)
class _Plan:
    path: str
    places: Mapping[str, str]
    """The launchers, by `NAME:LINE` of the function that runs."""
    inner: Sequence[str]
    """Those of them whose calls count only where nothing of the file made them."""
    reports: str


def seen_calls(
    module: source.Module,
    command: Sequence[str],
    launchers: Sequence[Launcher],
    inner: Sequence[Launcher] = (),
) -> tuple[Watched, dict[str, list[Mapping[str, Any]]]]:
    """Run the command; how it ended, and the different calls of each of these launchers, and of
    `inner` ones where no launcher or autograd function of the file made them.

    A call has its `arguments` as those of a launch, see `generalize`; tuples and lists of whole
    numbers are `numbers`, and types of torch are a `type`. Raises VerificationError where the
    command cannot be started.
    """
    places = {_place(x): x.name for x in (*launchers, *inner)}
    with tempfile.TemporaryDirectory(prefix="tritonopt-") as name:
        folder = Path(name)
        reports = folder / "reports"
        reports.mkdir()
        names = tuple(x.name for x in inner)
        plan = _Plan(os.path.realpath(module.path), places, names, str(reports))
        ended = watched(command, __name__, asdict(plan), VARIABLE, folder)
        found: dict[str, list[Mapping[str, Any]]] = {}
        for report in sorted(reports.iterdir()):
            for line in report.read_text(encoding="utf-8").splitlines():
                call = json.loads(line)
                found.setdefault(call["launcher"], []).append(call)
    return ended, found


def _place(launcher: Launcher) -> str:
    """Where the code of a launcher begins, as its code object says."""
    node = launcher.function
    return f"{node.name}:{min([node.lineno, *(d.lineno for d in node.decorator_list)])}"


@functools.cache
def install() -> None:
    """Watch the launchers of the plan, in this process and its threads."""
    path = os.environ.get(VARIABLE)
    if not path:
        return
    watch = _Watch(_Plan(**json.loads(Path(path).read_text(encoding="utf-8"))))
    monitoring: Any = getattr(sys, "monitoring", None)
    if monitoring is not None:
        watch.monitor(monitoring)
    else:  # before Python 3.12
        threading.setprofile(watch.profile)
        sys.setprofile(watch.profile)


def _described(value: Any) -> dict[str, Any]:
    """As for a launch; what only functions of Python take is a value as well."""
    if isinstance(value, (list, tuple)) and value and all(type(part) is int for part in value):
        return {"numbers": list(value)}
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.dtype):
        return {"type": str(value)}
    return described(value)


class _Watch:
    """What is called whenever a function is entered."""

    def __init__(self, plan: _Plan) -> None:
        self.plan = plan
        self.launchers: dict[CodeType, str] = {}
        self.seen: dict[str, set[str]] = {}
        self.is_backward_watched = False
        self.thread = threading.local()
        """Where `busy` is set, a launcher that is entered is one of those that we called."""

    def monitor(self, monitoring: Any) -> None:
        """See what is entered in any thread; of all but launchers only once, so that what is
        watched runs as fast as ever."""

        def entered(code: CodeType, offset: int) -> Any:
            if not self._launcher(code):
                return monitoring.DISABLE
            self._entered(sys._getframe(1))
            return None

        free = (n for n in range(6) if monitoring.get_tool(n) is None)
        # Those of debuggers, of coverage and of profilers are the first ones.
        tool = max(free)
        monitoring.use_tool_id(tool, "tritonopt")
        monitoring.register_callback(tool, monitoring.events.PY_START, entered)
        monitoring.set_events(tool, monitoring.events.PY_START)

    def profile(self, frame: FrameType, event: str, argument: object) -> None:
        """The same, as a profiler of this thread."""
        if event != "call":
            return
        code = frame.f_code
        name = self.launchers.get(code)
        if name is None:
            name = self.launchers[code] = self._launcher(code)
        if name:
            self._watch_backward()
            self._entered(frame)

    def _entered(self, frame: FrameType) -> None:
        name = self._launcher(frame.f_code)
        if getattr(self.thread, "busy", False):
            return
        if name in self.plan.inner and self._is_within(frame):
            return
        self.thread.busy = True
        try:
            self._take_down(name, frame)
        finally:
            self.thread.busy = False

    def _is_within(self, frame: FrameType) -> bool:
        """Whether a launcher or an autograd function of the file made the call."""
        above = frame.f_back
        while above is not None:
            code = above.f_code
            if os.path.realpath(code.co_filename) == self.plan.path and (
                code.co_name in _OF_AUTOGRAD or self._launcher(code)
            ):
                return True
            above = above.f_back
        return False

    def _watch_backward(self) -> None:
        """Watch threads of autograd as well, which Python did not start."""
        autograd = sys.modules.get("torch.autograd.function")
        if self.is_backward_watched or autograd is None:
            return
        self.is_backward_watched = True
        kind: Any = autograd.BackwardCFunction
        usual = kind.apply

        def apply(node: Any, *gradients: Any) -> Any:
            if sys.getprofile() is None:
                sys.setprofile(self.profile)
            return usual(node, *gradients)

        kind.apply = apply

    def _launcher(self, code: CodeType) -> str:
        name = self.plan.places.get(f"{code.co_name}:{code.co_firstlineno}", "")
        return name if name and os.path.realpath(code.co_filename) == self.plan.path else ""

    def _take_down(self, launcher: str, frame: FrameType) -> None:
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        call = {n: _described(frame.f_locals[n]) for n in names}
        places: dict[str, int] = {}
        for value in call.values():
            if "memory" in value:
                # Which of them share their memory counts, not where that is.
                value["memory"] = places.setdefault(str(value["memory"]), len(places))
        text = json.dumps({"launcher": launcher, "arguments": call, "grid": []})
        known = self.seen.setdefault(launcher, set())
        if text in known or len(known) >= _MOST:
            return
        known.add(text)
        report = Path(self.plan.reports) / f"{os.getpid()}.jsonl"
        with report.open("a", encoding="utf-8") as file:
            file.write(text + "\n")
