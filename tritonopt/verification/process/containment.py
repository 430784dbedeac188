"""A worker that can reach nothing: namespaces of its own, made before it reads what it is to run.

The process that calls `enter` waits outside and ends as the worker does; between the two stands
the first process of the new namespace of processes, with which all others in it end.
"""

from __future__ import annotations

import contextlib
import ctypes
import glob
import math
import os
import resource
import select
import signal
import struct
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

SCRATCH = "/scratch"
_BASE = "/tmp"
"""Where the new root is made."""
_NEW = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
"""Of mounts, control groups, names, shared memory, users, processes and networks."""
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_EXEC = 1, 2, 4, 8
_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 0x40000
_MOUNT_SETATTR, _HERE, _AT_RECURSIVE, _DETACH = 442, -100, 0x8000, 2
_DEATH_SIGNAL, _DUMPABLE, _DROP, _NO_NEW_PRIVILEGES = 1, 4, 24, 38
_SYSTEM: tuple[str, ...] = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache")
_SYSTEM += ("/etc/alternatives", "/etc/passwd", "/etc/group", "/etc/localtime")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
_OF_A_GPU = ("/dev/nvidia*", "/dev/dri", "/dev/kfd", "/sys")
_DRIVERS = "libcuda.so.1", "libamdhip64.so"
_KEPT: tuple[str, ...] = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_HOME",
)
_KEPT += ("CUDA_DEVICE_ORDER", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
"""Of the environment."""


@dataclass(frozen=True)
class Contained:
    """What a worker has of the machine."""

    visible: tuple[str, ...]
    """Files and folders that it may read beside those of the system."""
    ends_at: float = math.inf
    """When nothing of it is waited for any more."""
    memory: int = 8 * 2**30
    scratch: int = 2**29
    processes: int = 128
    gpu: bool = False

    @staticmethod
    def around(paths: Iterable[Path], *, gpu: bool) -> Contained:
        """With the packages that these files are in, and what Python and this tool need."""
        found = {sys.prefix, sys.base_prefix, str(Path(__file__).resolve().parents[3])}
        found |= {path for path in sys.path if path}
        found |= {path for path in os.environ.get("LD_LIBRARY_PATH", "").split(":") if path}
        found |= _folders_of_drivers() if gpu else set()
        for path in paths:
            folder = path.resolve().parent
            while (folder / "__init__.py").is_file():
                folder = folder.parent
            found.add(str(folder))
        return Contained(tuple(sorted(found)), gpu=gpu)

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        found = {name: given[name] for name in _KEPT if name in given}
        return {**found, "HOME": SCRATCH, "TMPDIR": SCRATCH, "USER": "root"}


def _folders_of_drivers() -> set[str]:
    """Where the loader finds what talks to the GPU: it need not be a folder of the system's."""
    for name in _DRIVERS:
        with contextlib.suppress(OSError):
            ctypes.CDLL(name)
    loaded = map(Path, Path("/proc/self/maps").read_text().split())
    stems = tuple(name.partition(".")[0] for name in _DRIVERS)
    return {str(path.parent) for path in loaded if path.name.startswith(stems)}


class _System:
    """Calls of the system that Python has no function for. They raise OSError."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(None, use_errno=True)

    def __call__(self, name: str, *arguments: object) -> None:
        given = [a.encode() if isinstance(a, str) else a for a in arguments]
        of_c = [ctypes.c_long(a) if isinstance(a, int) else a for a in given]
        if getattr(self.library, name)(*of_c) != 0:
            code = ctypes.get_errno()
            raise OSError(code, f"{name}: {os.strerror(code)}")


def enter(contained: Contained, descriptor: int) -> None:
    """Return in a process that is contained, with this descriptor; the one that called only waits.

    Raises OSError where the system does not allow that.
    """
    system = _System()
    for closed in ((3, descriptor), (descriptor + 1, 4096)):
        os.closerange(*closed)
    _new_user(system)
    _wait_for(first) if (first := os.fork()) else None
    os.setsid()  # a signal to its group is to no other process
    _see_only(system, contained)
    system("prctl", _DUMPABLE, 0, 0, 0, 0)  # what it has open is not theirs
    worker = os.fork()
    if not worker and contained.gpu:
        _name_threads(system)
    _have_no_right(system)
    if worker:
        system("prctl", _DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
        _wait_for(worker, contained)
    for kind, most in (
        (resource.RLIMIT_NPROC, contained.processes),
        (resource.RLIMIT_FSIZE, contained.scratch),
        (resource.RLIMIT_NOFILE, 1024),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    system("prctl", _DUMPABLE, 1, 0, 0, 0)
    tempfile.tempdir = SCRATCH
    os.chdir(SCRATCH)


def _have_no_right(system: _System) -> None:
    """Drop every capability, for good."""
    system("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    for capability in range(64):
        with contextlib.suppress(OSError):
            system("prctl", _DROP, capability, 0, 0, 0)
    system("capset", struct.pack("Ii", 0x20080522, 0), bytes(24))


def _name_threads(system: _System) -> None:
    """CUDA has no GPU where it cannot name its threads, which it does in a file of each."""
    path = "/proc/self/task"
    system("mount", path, path, None, _BIND, None)
    attributes = struct.pack("QQQQ", 0, _READ_ONLY, 0, 0)
    system("syscall", _MOUNT_SETATTR, _HERE, path, 0, attributes, len(attributes))


def _new_user(system: _System) -> None:
    """Be in namespaces of one's own, where one has every right, and none outside."""
    user, group = os.geteuid(), os.getegid()
    system("unshare", _NEW)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    Path("/proc/sys/user/max_user_namespaces").write_text("0")


def _wait_for(child: int, contained: Contained | None = None) -> None:
    """End as the child ends, or once all processes here hold too much; never returns."""
    ended, status = 0, 0
    ending = select.poll()
    ending.register(os.pidfd_open(child), select.POLLIN)
    while ended != child:
        ending.poll(200)
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended == 0 and contained is not None and _is_too_much(contained):
            os._exit(128 + signal.SIGKILL)
    code = os.waitstatus_to_exitcode(status)
    number = -code if code < 0 else code - 128
    if number > 0:
        with contextlib.suppress(OSError):
            signal.signal(number, signal.SIG_DFL)
        with contextlib.suppress(OSError):
            os.kill(os.getpid(), number)  # the first process of a namespace takes none
        code = 128 + number
    os._exit(code)


def _is_too_much(contained: Contained) -> bool:
    """Whether the processes that are seen here are too many, or hold too much memory."""
    found = []
    for path in glob.glob("/proc/[0-9]*/statm"):
        with contextlib.suppress(OSError):
            found.append(int(Path(path).read_text().split()[1]))
    memory = sum(found) * os.sysconf("SC_PAGE_SIZE")
    return len(found) > contained.processes or memory > contained.memory


def _see_only(system: _System, contained: Contained) -> None:
    """A root of its own, in which all but a folder for scratch can only be read."""
    wanted = [*_SYSTEM, *_DEVICES, *contained.visible]
    if contained.gpu:
        wanted += (path for pattern in _OF_A_GPU for path in glob.glob(pattern))
    places = {path: os.path.realpath(path) for path in wanted if os.path.exists(path)}
    system("mount", "none", "/", None, _RECURSIVE | _PRIVATE, None)
    system("mount", "tmpfs", _BASE, "tmpfs", _NO_SUID | _NO_DEVICES, "mode=755,size=4m")
    os.chdir(_BASE)
    os.mkdir("old")
    system("pivot_root", ".", "old")
    os.chdir("/")
    for path in ("/proc", "/dev/shm", SCRATCH):
        os.makedirs(path)
    system("mount", "proc", "/proc", "proc", _NO_SUID | _NO_DEVICES | _NO_EXEC, None)
    for path in sorted({*places.values()} - {"/"}, key=len):
        if os.path.exists(path):
            continue  # in a folder that is there
        if os.path.isdir(f"/old{path}"):
            os.makedirs(path)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            Path(path).touch()
        system("mount", f"/old{path}", path, None, _BIND | _RECURSIVE, None)
    for path, real in places.items():
        if not os.path.lexists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(real, path)
    if not os.path.lexists(_BASE):
        os.symlink(SCRATCH, _BASE)
    system("umount2", "/old", _DETACH)
    os.rmdir("/old")
    attributes = struct.pack("QQQQ", _READ_ONLY | _NO_SUID, 0, 0, 0)
    system("syscall", _MOUNT_SETATTR, _HERE, "/", _AT_RECURSIVE, attributes, len(attributes))
    for path in ("/dev/shm", SCRATCH):
        size = f"mode=1777,size={contained.scratch}"
        system("mount", "tmpfs", path, "tmpfs", _NO_SUID | _NO_DEVICES, size)
