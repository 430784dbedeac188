"""`tritonopt mcp`: what its tools answer, and that they can be called over the protocol."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tritonopt.cli import mcp
from tritonopt.cli.main import main
from tritonopt.verification import Verdict, pairs

JUDGE = Path(__file__).resolve().parents[2] / "examples" / "judge"


def test_a_candidate_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def verdict_on(*given: Any) -> Verdict:
        asked.append(given)
        return Verdict("equivalent", "interpreter", 9)

    monkeypatch.setattr(pairs, "verdict_on", verdict_on)
    found = mcp.verify("a.py", candidate_text="x = 1", args="x: f32[n]", budget_seconds=5.0)
    assert found["verdict"] == "equivalent" and found["fault"] is None
    (original, _, options), *_ = asked
    assert original == Path("a.py") and options["text"] == "x = 1" and options["budget"] == 5.0
    assert options["require"] == "kernel" and options["args"] == "x: f32[n]"


def test_what_cannot_be_verified_is_told(tmp_path: Path) -> None:
    found = mcp.verify(str(tmp_path / "none.py"), candidate_text="x = 1")
    assert found["verdict"] == "unsupported" and found["fault"] == "environment"


def test_commands_are_tools(tmp_path: Path) -> None:
    found = mcp.suggest(str(JUDGE / "candidates" / "one_tile.py"))
    assert found["exit_code"] in (0, 1) and found["report"]["summary"]["files"] == 1
    assert "fuse-stats" in mcp.explain("fuse-stats")["report"]
    missing = mcp.bench(str(tmp_path / "a.py"), str(tmp_path / "b.py"), "x: f32[n=8]")
    assert missing["exit_code"] == 2 and missing["report"]["error"]


def test_without_the_package_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert main(["mcp"]) == 2
    assert "mcp" in capsys.readouterr().err


def test_over_the_protocol() -> None:
    protocol: Any = pytest.importorskip("mcp")

    async def asked() -> tuple[set[str], Any]:
        server = protocol.StdioServerParameters(
            command=sys.executable, args=["-m", "tritonopt", "mcp"], env={**os.environ}
        )
        async with (
            protocol.stdio_client(server) as streams,
            protocol.ClientSession(*streams) as session,
        ):
            await session.initialize()
            tools = {tool.name for tool in (await session.list_tools()).tools}
            found = await session.call_tool("explain", {"what": "fuse-stats"})
            return tools, found

    tools, found = asyncio.run(asked())
    assert tools == {"verify", "bench", "suggest", "explain"}
    assert "fuse-stats" in json.loads(found.content[0].text)["report"]


def test_a_client_in_memory_gets_answers_as_objects(tmp_path: Path) -> None:
    protocol: Any = pytest.importorskip("mcp")

    async def asked() -> Any:
        async with protocol.Client(mcp.server()) as client:
            given = {"reference": str(tmp_path / "none.py"), "candidate_text": "x = 1"}
            return await client.call_tool("verify", given)

    found = json.loads(asyncio.run(asked()).content[0].text)
    assert found["verdict"] == "unsupported" and found["fault"] == "environment"
    assert found["layouts"] == []
