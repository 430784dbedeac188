"""The pages of `--report` in a real browser, where there is one.

One page, ours, holds each report in a frame, at the widths of a telephone and of a desk, opens all
that can be opened there, and says what it sees; Chromium prints that. It runs once with light
colors and once with dark ones.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.reporting.test_timing_table import GAIN
from tritonopt.cli.main import main
from tritonopt.measurement.results import Comparison, Compiled, Mode, Ratio, Row, Times
from tritonopt.measurement.tuned import ORIGINAL, TUNED, Answer, Evidence, Fate, Tried, TunedRow
from tritonopt.reporting.findings import PairFinding
from tritonopt.reporting.page.contents import Contents
from tritonopt.reporting.page.rendering import rendered
from tritonopt.reporting.page.timing_page import timing_page
from tritonopt.reporting.page.tuning_page import tuning_page
from tritonopt.reporting.page.verdict_page import verdict_page
from tritonopt.verification.verdict import Algebra, Verdict

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WIDTHS = (400, 1400)
LONG = "kernels/with/a/path/that/is/long/" * 4
FACTS = {"Command": f"tritonopt tune {LONG}softmax.py --args 'x: f16[m=1..65536*4]'"}

HARNESS = """\
<!doctype html><meta charset="utf-8"><body><script>
const pages = PAGES, seen = [];
for (const [name, text] of Object.entries(pages)) for (const width of WIDTHS) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width: ${width}px; height: 900px; border: 0`;
  frame.srcdoc = text;
  document.body.append(frame);
  seen.push([name, width, frame]);
}
const told = ([name, width, frame]) => {
  const page = frame.contentDocument, root = page.documentElement;
  const closed = root.scrollWidth;
  page.querySelectorAll("details").forEach(one => one.open = true);
  const rolls = one => getComputedStyle(one).overflowX == "auto";
  const inside = one => one && (rolls(one) || inside(one.parentElement));
  const beyond = [...page.body.querySelectorAll("*")].filter(one =>
    !inside(one) && one.getBoundingClientRect().right > root.clientWidth + 0.5);
  const all = what => [...page.querySelectorAll(what)].filter(one =>
    one.getBoundingClientRect().height > 0);
  const broken = one => [...one.textContent.matchAll(/\\S+/g)].filter(word => {
    const range = page.createRange();
    range.setStart(one.firstChild, word.index);
    range.setEnd(one.firstChild, word.index + word[0].length);
    return range.getClientRects().length > 1;
  });
  const shown = one => one.closest("thead").getBoundingClientRect().height > 2;
  const color = (one, part) => getComputedStyle(one, part).color;
  return {
    name, width, room: root.clientWidth, closed, opened: root.scrollWidth,
    beyond: beyond.slice(0, 5).map(one => one.tagName + "." + one.className),
    titles: all("h1, h2, h3").map(one => one.textContent.trim()),
    diff: all(".diff .new").length, cells: all(".heat td b").length, bars: all("svg rect").length,
    cut: all(".wide").filter(one => one.scrollWidth > one.clientWidth + 1).map(
      one => one.getAttribute("aria-label")),
    broken: all("thead th").filter(shown).flatMap(broken).map(word => word[0]),
    pale: all(":is(.g1, .g2, .g3, .l1, .l2, .l3, .z)[data-of]").filter(
      one => color(one, "::before") != color(one)).length,
    code: all("pre").map(one => one.textContent),
    back: getComputedStyle(page.body).backgroundColor,
    asked: frame.contentWindow.performance.getEntriesByType("resource").map(one => one.name),
    linked: [...page.querySelectorAll("a[href]")].filter(one => one.getAttribute("href")[0] == "#"
      && !page.getElementById(one.getAttribute("href").slice(1))).length,
  };
};
addEventListener("load", () => {
  const found = document.createElement("pre");
  found.id = "found";
  found.textContent = JSON.stringify(seen.map(told));
  document.body.replaceChildren(found);
});
</script>
"""


def browser() -> str:
    """The path of Chromium; where there is none the tests are skipped, with a warning."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        message = f"there is no browser ({', '.join(names)}): nobody looks at the reports"
        warnings.warn(message, stacklevel=2)
        pytest.skip(message)
    return found


def opened(pages: dict[str, str], folder: Path, *, dark: bool) -> list[dict[str, Any]]:
    """What the browser sees of each page at each width."""
    texts = json.dumps(pages).replace("</", "<\\/").replace("<!--", "<\\!--")
    file = folder / f"harness-{dark}.html"
    file.write_text(HARNESS.replace("PAGES", texts).replace("WIDTHS", str(list(WIDTHS))))
    ran = subprocess.run(
        [
            browser(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--enable-logging=stderr",
            f"--user-data-dir={folder / 'profile'}",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            "--window-size=1500,1000",
            "--dump-dom",
            file.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    # What a script does wrong, and what the policy of a page refuses, is said there.
    said = [line for line in ran.stderr.splitlines() if "CONSOLE" in line]
    assert not said, said
    found = re.search(r'<pre id="found">(.*?)</pre>', ran.stdout, re.DOTALL)
    assert found is not None, ran.stderr[-2000:]
    every: list[dict[str, Any]] = json.loads(html.unescape(found[1]))
    return every


def rewrite(folder: Path) -> str:
    """Of the command itself, on two files."""
    names = ("softmax.py", "variance.py")
    for name in names:
        (folder / name).write_text((EXAMPLES / name).read_text(encoding="utf-8"), encoding="utf-8")
    page = folder / "rewrite.html"
    places = [str(folder / name) for name in names]
    assert main(["rewrite", *places, "--passes", "rows", "--report", str(page)]) == 0
    return page.read_text(encoding="utf-8")


def verify(folder: Path) -> Contents:
    new = (EXAMPLES / "softmax.py").read_text().replace("tl.max(x, axis=0)", "tl.max(x)  # " + LONG)
    (folder / "after.py").write_text(new)
    verdict = Verdict(
        "counterexample",
        "cuda: NVIDIA H200, Triton 3.6.0",
        34,
        counterexample=f"softmax is called with\n  x = f32[2, 3] {LONG * 3}\nthe outputs differ",
        algebra=Algebra("different", 3, 1e-24),
    )
    paths = str(EXAMPLES / "softmax.py"), str(folder / "after.py")
    return verdict_page(PairFinding("after.py", *paths, verdict), FACTS)


def calls() -> tuple[Row, ...]:
    """Twenty of them, with gains and losses, two modes, machine code, and a failure."""
    found = []
    for m in (1024, 4096, 16384, 65536):
        for at, n in enumerate((256, 1024, 4096, 16384, 65536)):
            time, ratio = m * n / 50_000, 0.8 + 0.15 * at
            modes = (Mode(time, 0.4), Mode(2 * time, 0.6)) if at == 0 else ()
            times = {
                "before": Times(time, time, time, 90, 4.0),
                "after": Times(time / ratio, time, time, 90, 4.0, modes=modes),
            }
            interval = Ratio(ratio, ratio - 0.01, ratio + 0.01, 90)
            sizes = {"m": m, "n": n}
            found.append(Row("softmax", f"x f16[{m}, {n}]", sizes, times, interval, copy=time / 2))
    code = {"registers": 40, "bytes spilled": 128, "global loads of 128 bits": 6}
    both = tuple(Compiled(v, "softmax_kernel", "sm_90", code, digest=v) for v in found[0].times)
    found[0] = replace(found[0], compiled=both)
    failed = {"after": "out of memory: " + LONG}
    return (
        *found,
        Row("softmax", "x f16[262144, 65536]", {"m": 2**18, "n": 2**16}, {}, failures=failed),
    )


def tune() -> Contents:
    old = (EXAMPLES / "softmax.py").read_text(encoding="utf-8")
    times = {ORIGINAL: GAIN.times["before"], TUNED: GAIN.times["after"]}
    rows = []
    for n in (256, 1024, 4096):
        label, sizes = f"x f16[4096, {n}]", {"m": 4096, "n": n}
        fresh = Row("softmax", label, sizes, times, GAIN.ratio, copy=9.0)
        rows.append(
            TunedRow(label, sizes, fresh, best="rows", best_ratio=GAIN.ratio, uses_new=n > 256)
        )
    proof = Evidence("equivalent", "cuda: NVIDIA H200", 100, algebra="same")
    tried = (
        Tried(
            "one-tile{raise_block=32768} + BLOCK 1024 -> 4096", "", Fate.ACCEPTED, evidence=proof
        ),
        Tried("rows", "", Fate.REFUSED, f"the outputs differ {LONG * 3}"),
    )
    answer = Answer(
        f"{LONG}softmax.py", "softmax", old, old.replace("1024", "4096"), "one-tile", "n >= 1024",
        tuple(rows), tried, proof, notes=(LONG,), seconds=43.0,
    )  # fmt: skip
    return tuning_page([answer], FACTS, apply=f"{FACTS['Command']} --write")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    browser()
    folder = tmp_path_factory.mktemp("pages")
    compared = Comparison(("before", "after"), (f"{LONG}a.py", f"{LONG}b.py"), calls())
    return {
        "rewrite": rewrite(folder),
        "verify": rendered(verify(folder)),
        "bench": rendered(timing_page(compared, FACTS)),
        "tune": rendered(tune()),
    }


SECTIONS: dict[str, list[str]] = {
    "rewrite": ["Changes"],
    "verify": ["Changes"],
    "bench": ["What is faster", "Times, losses first", "Machine code"],
    "tune": ["Launchers", "Times, losses first", "Changes"],
}
HOLDS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "rewrite": lambda one: one["diff"] > 5 and any("tritonopt rewrite" in c for c in one["code"]),
    "verify": lambda one: one["diff"] > 0 and any("the outputs differ" in c for c in one["code"]),
    "bench": lambda one: one["cells"] >= 20 and one["bars"] >= 60,
    "tune": lambda one: (
        one["diff"] > 0
        and one["cells"] == 3
        and one["bars"] >= 9
        and any(code.strip().endswith("--write") for code in one["code"])
    ),
}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_pages_in_a_browser(pages: dict[str, str], tmp_path: Path, dark: bool) -> None:
    found = opened(pages, tmp_path, dark=dark)
    assert [(one["name"], one["width"]) for one in found] == [
        (name, width) for name in pages for width in WIDTHS
    ]
    for one in found:
        where = f"{one['name']} at {one['width']}"
        assert not one["asked"], f"{where} asks for {one['asked']}"
        assert max(one["closed"], one["opened"]) <= one["room"], f"{where}: {one['beyond']}"
        assert not one["beyond"], where
        assert not one["linked"], f"{where}: links that lead nowhere"
        assert not one["cut"], f"{where}: one has to roll to see all of {one['cut']}"
        assert not one["broken"], f"{where}: words of headers are broken: {one['broken']}"
        assert not one["pale"], f"{where}: labels of {one['pale']} shaded cells are pale"
        for title in SECTIONS[one["name"]]:
            assert any(title in t for t in one["titles"]), f"{where}: no {title}: {one['titles']}"
        assert HOLDS[one["name"]](one), f"{where}: {one}"
        light = sum(map(int, re.findall(r"\d+", one["back"])[:3])) > 3 * 128
        assert light is not dark, f"{where}: {one['back']}"
