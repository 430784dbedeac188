"""What the driver says of a board: its clocks, why they are held back, and who else is on it.

NVML comes with the driver and is asked through `ctypes`, so nothing has to be installed for it.
Where it is missing, or does not know the board, `Board.of` gives None.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

_SM = 1
"""The clock of the multiprocessors, in NVML's list of clocks."""
_REASONS = {
    0x4: "a limit of power in software",
    0x8: "the hardware slows down",
    0x20: "too hot (software)",
    0x40: "too hot (hardware)",
    0x80: "a power brake from outside",
}
"""Bits of the reasons for which a clock is lower than asked for; idle and settings of the user's
are none of these."""
_MOST_PROCESSES = 64


class _Utilization(ctypes.Structure):
    _fields_ = (("gpu", ctypes.c_uint), ("memory", ctypes.c_uint))


class _Process(ctypes.Structure):
    _fields_ = (
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )


@cache
def _library() -> Any:
    """NVML, initialized; None where there is none."""
    for name in ("libnvidia-ml.so.1", "nvml.dll"):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        return library if library.nvmlInit_v2() == 0 else None
    return None


class Board:
    """One GPU, as the driver sees it. What it does not tell is None or empty."""

    def __init__(self, library: Any, handle: ctypes.c_void_p) -> None:
        self.library = library
        self.handle = handle

    @staticmethod
    def of(uuid: str) -> Board | None:
        """The board of that identity, as torch or NVML write it."""
        library = _library()
        if library is None or not uuid:
            return None
        handle = ctypes.c_void_p()
        named = uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"
        if library.nvmlDeviceGetHandleByUUID(named.encode(), ctypes.byref(handle)) != 0:
            return None
        return Board(library, handle)

    def speed(self) -> int | None:
        """The clock of the multiprocessors now, in MHz."""
        return self._number("nvmlDeviceGetClockInfo", _SM)

    def highest_speed(self) -> int | None:
        return self._number("nvmlDeviceGetMaxClockInfo", _SM)

    def reasons(self) -> set[str]:
        """Why the clocks are held back now."""
        bits = ctypes.c_ulonglong()
        function = self.library.nvmlDeviceGetCurrentClocksThrottleReasons
        if function(self.handle, ctypes.byref(bits)) != 0:
            return set()
        return {text for bit, text in _REASONS.items() if bits.value & bit}

    def busy(self) -> int | None:
        """In how many of a hundred moments of the last second or less something ran."""
        found = _Utilization()
        if self.library.nvmlDeviceGetUtilizationRates(self.handle, ctypes.byref(found)) != 0:
            return None
        return int(found.gpu)

    def others(self) -> int:
        """How many processes beside this one have a context on the board.

        Within a container numbers of processes may be those of outside: then one of them is
        taken to be this one.
        """
        count = ctypes.c_uint(_MOST_PROCESSES)
        found = (_Process * _MOST_PROCESSES)()
        function = self.library.nvmlDeviceGetComputeRunningProcesses_v3
        if function(self.handle, ctypes.byref(count), found) != 0:
            return 0
        return max(count.value - 1, 0)

    def driver(self) -> str:
        text = ctypes.create_string_buffer(96)
        if self.library.nvmlSystemGetDriverVersion(text, len(text)) != 0:
            return ""
        return text.value.decode("ascii", "replace")

    def _number(self, function: str, *given: int) -> int | None:
        found = ctypes.c_uint()
        if getattr(self.library, function)(self.handle, *given, ctypes.byref(found)) != 0:
            return None
        return found.value
