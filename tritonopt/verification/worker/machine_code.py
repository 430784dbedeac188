"""What machine code needs and does: registers, spills, widths of accesses, barriers.

NVIDIA's binaries are read with the two tools that Triton brings along; AMD's
come with a listing. Where a tool is missing its numbers are, and nothing else.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

_USAGE = {"registers": "REG", "stack bytes (spills)": "STACK"}
_SASS = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)", re.MULTILINE)
_ACCESS = {"LDG": "global loads", "STG": "global stores"}
_AMD_USAGE = {
    "registers": ".vgpr_count",
    "spilled registers": ".vgpr_spill_count",
    "stack bytes (spills)": ".private_segment_fixed_size",
    "shared bytes": ".group_segment_fixed_size",
}
_AMD_INSTRUCTION = re.compile(r"^\t([a-z][a-z0-9_]*)\b", re.MULTILINE)
_AMD_ACCESS = re.compile(r"(?:global|buffer|flat)_(load|store)_(\w+)")
_AMD_BITS = {"ubyte": 8, "sbyte": 8, "byte": 8, "ushort": 16, "sshort": 16, "short": 16}


def statistics(compiled: Any) -> dict[str, int]:
    """The numbers of one compiled kernel."""
    if "amdgcn" in compiled.asm:
        return _of_amd(compiled.asm["amdgcn"])
    found = {"shared bytes": int(compiled.metadata.shared)}
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(compiled.asm["cubin"])
        file.flush()
        usage = _tool("cuobjdump", "--dump-resource-usage", file.name)
        listing = _tool("nvdisasm", "-c", file.name)
    for name, key in _USAGE.items():
        if (match := re.search(rf"\b{key}:(\d+)", usage)) is not None:
            found[name] = int(match.group(1))
    instructions = [i for i in _SASS.findall(listing) if i != "NOP"]
    if instructions:
        found["instructions"] = len(instructions)
        found["barriers"] = sum(i.startswith("BAR") for i in instructions)
        found.update(_accesses(instructions))
    return found


def _tool(name: str, *arguments: str) -> str:
    backend: Any = importlib.import_module("triton.backends.nvidia")
    tool = Path(backend.__file__).parent / "bin" / name
    try:
        done = subprocess.run([str(tool), *arguments], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _accesses(instructions: list[str]) -> dict[str, int]:
    """Loads and stores by their width, as `global loads of 128 bits`."""
    count: Counter[str] = Counter()
    for instruction in instructions:
        operation, *parts = instruction.split(".")
        if operation in _ACCESS:
            widths = [p.lstrip("US") for p in parts if p.lstrip("US") in ("8", "16", "64", "128")]
            count[f"{_ACCESS[operation]} of {widths[0] if widths else '32'} bits"] += 1
    return dict(count)


def _of_amd(listing: str) -> dict[str, int]:
    found = {}
    for name, key in _AMD_USAGE.items():
        if (match := re.search(rf"{re.escape(key)}:\s+(\d+)", listing)) is not None:
            found[name] = int(match.group(1))
    code = listing.partition(".end_amdhsa_kernel")[0].partition(".section\t.rodata")[0]
    instructions = _AMD_INSTRUCTION.findall(code)
    found["instructions"] = len(instructions)
    found["barriers"] = instructions.count("s_barrier")
    count: Counter[str] = Counter()
    for instruction in instructions:
        if (match := _AMD_ACCESS.match(instruction)) is not None:
            kind, what = match.groups()
            wide = re.match(r"dwordx?(\d*)", what)
            bits = 32 * int(wide.group(1) or 1) if wide else _AMD_BITS.get(what.split("_")[0], 0)
            count[f"global {kind}s of {bits} bits"] += 1
    return {**found, **count}
