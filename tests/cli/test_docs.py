"""docs/cli.md tells what the program does: its options, its JSON, its codes."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from brain.cli.command import COMMON, build, signature_of
from brain.cli.parse import HELP_FLAGS
from brain.cli.program import run
from brain.cli.render import SENTENCES
from brain.cli.verbs import VERBS, load
from brain.embed.protocol import Embedder
from brain.serve.catalog import CALLS
from brain.serve.http.routes import ROUTES
from tests.support import ROOT
from tests.support.cli import Say

TEXT = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `([^`]+)`.*?\n(.*?)(?=^##|\Z)", TEXT, re.M | re.S))


def section(verb: str) -> str:
    """The heading and body of a verb's section."""
    (found,) = [(h, b) for h, b in SECTIONS.items() if h == verb or h.startswith(verb + " ")]
    return "\n".join(found)


def example(text: str) -> Any:
    """The first JSON block of a text."""
    block = re.search(r"^```json\n(.*?)^```", text, re.M | re.S)
    assert block
    return json.loads(block.group(1))


def keys(value: Any) -> Any:
    """The shape of a JSON value: its keys, and that of the first element of its arrays."""
    if isinstance(value, dict):
        return {key: keys(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [keys(value[0])] if value else []
    return None


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_option_is_told(verb: str) -> None:
    shape = signature_of(build(load(verb)))
    told = section(verb)
    if verb == "search":
        assert "同 `recall`" in told
    for option in (shape.flags | shape.valued) - COMMON - HELP_FLAGS - {"--json"}:
        assert f"`{option}" in told or f" {option}" in told or f"[{option}" in told, option


@pytest.fixture
def asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Any:
    for name in ("BRAIN_SCOPE", "BRAIN_MODEL_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BRAIN_MODEL", "none")

    def ask(*args: str) -> Any:
        run([*args, "--db", str(tmp_path / "work.db"), "--json"])
        return json.loads(capfd.readouterr().out)

    return ask


def test_the_examples_have_the_fields_there_are(asked: Any, tmp_path: Path) -> None:
    assert keys(asked("init")) == keys(example(section("init")))
    assert keys(asked("add", "生产环境部署走蓝绿发布")) == keys(example(section("add")))
    asked("add", "值班群是老群", "--valid-from", "2024-05-06")
    done = asked("supersede", "2", "--text", "值班群换成青鸟群")
    assert keys(done) == keys(example(section("supersede")))
    memory = keys(example(TEXT[TEXT.index("**Memory**") :]))
    assert keys(asked("show", "1")) == memory
    assert keys(asked("list")) == [memory]
    assert keys(asked("conf", "1", "0.9")) == memory
    assert keys(asked("useful", "1")) == keys(asked("wrong", "1")) == memory
    assert asked("decay").keys() == example(section("decay")).keys()
    for verb in ("recall", "inject", "check"):
        assert asked(verb, "部署", "--json").keys() == example(section(verb)).keys() - {"notes"}
    found, told = asked("recall", "部署", "--explain"), example(section("recall"))
    assert found.keys() == told.keys()
    assert found["hits"][0].keys() == told["hits"][0].keys()
    for verb in ("stats", "brief", "model list", "words list"):
        assert asked(*verb.split()).keys() == example(section(verb)).keys()
    for verb in ("doctor", "optimize"):
        assert keys(asked(verb)).keys() == keys(example(section(verb))).keys()
    finding = example(section("doctor"))["findings"][0]
    assert all(f.keys() == finding.keys() for f in asked("doctor")["findings"])
    copy = str(tmp_path / "copy.db")
    assert keys(asked("backup", copy)) == keys(example(section("backup")))
    assert keys(asked("restore-backup", copy)) == keys(example(section("restore-backup")))
    assert keys(asked("reembed", "--model", "none")) == keys(example(section("reembed")))
    assert keys(asked("words", "add", "青鸟计划 100 n")) == keys(example(section("words add")))
    assert keys(asked("words", "list")) == keys(example(section("words list")))
    assert keys(asked("words", "remove", "青鸟")) == keys(example(section("words remove")))
    out = str(tmp_path / "记忆")
    told = asked("export", "--format", "markdown", "--out", out)
    assert told.keys() == example(section("export")).keys()
    note = tmp_path / "记忆" / "note.md"
    note.write_text(note.read_text(encoding="utf-8") + "\n## 新\n班车七点\n", encoding="utf-8")
    assert keys(asked("import", out)) == keys(example(section("import")))
    assert keys(asked("show", "99")) == keys(example(TEXT[TEXT.index("### 出错时") :]))


def test_every_finding_of_the_doctor_is_told() -> None:
    source = "".join(
        (ROOT / "brain" / "maintenance" / name).read_text(encoding="utf-8")
        for name in ("doctor.py", "health.py")
    )
    used = set(re.findall(r"(?:Finding|_all_or)\(\s*\"([a-z0-9_]+)\"", source))
    used |= {
        f"{i}_{what}" for i in ("grams", "trigrams") for what in ("missing", "ghosts", "words")
    }
    told = section("doctor")
    assert len(used) > 30
    assert [code for code in sorted(used) if f"`{code}`" not in told] == []


def test_every_code_is_told() -> None:
    used = {
        code
        for file in [*(ROOT / "brain").rglob("*.py"), ROOT / "mcp_server.py"]
        for code in re.findall(r"[\"\[](brain_[a-z0-9_]+)[\"\]]", file.read_text(encoding="utf-8"))
    }
    told = set(re.findall(r"`(brain_[a-z0-9_]+)`", TEXT))
    assert used <= told, used - told
    assert told <= used, told - used
    for code in SENTENCES:
        assert f"| `{code}` |" in TEXT


def test_no_readme_gives_ingest_an_option_it_refuses() -> None:
    refused = {"--valid-from", "--valid-to"}
    for name, heading in (("README.md", "## 把已有的收进来"), ("README.en.md", "## Taking in")):
        text = (ROOT / name).read_text(encoding="utf-8")
        part = text[text.index(heading) :].split("\n## ")[0]
        for sentence in re.split(r"[。；;]|\. ", part):
            if refused & set(re.findall(r"--[a-z-]+", sentence)):
                assert "`add`" in sentence


def told_in_blocks(name: str) -> str:
    """The console blocks of a README."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return "".join(re.findall(r"^```console\n(.*?)^```", text, re.M | re.S))


def without_values(line: str) -> str:
    """A printed line without its day, folder and decimals, which machines and models change."""
    line = re.sub(r"(?<=：)/\S+(?=/\.brain)", "", line)
    return re.sub(r"\d{4}-\d\d-\d\d|\d+\.\d+", "…", line)


def test_what_the_readme_shows_is_printed(
    say: Say, e5: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_MODEL", e5.name)
    shown = told_in_blocks("README.md")
    assert shown == told_in_blocks("README.en.md")
    for part in shown.removeprefix("$ ").split("\n$ "):
        typed, *lines = part.splitlines()
        done = say(*shlex.split(typed)[2:])
        # Which of the two streams a terminal shows first is not told.
        printed = sorted(map(without_values, (done.err + done.out).splitlines()))
        assert printed == sorted(map(without_values, lines)), typed


def test_the_page_on_http_names_what_each_route_takes() -> None:
    rows = (ROOT / "docs" / "http.md").read_text(encoding="utf-8").splitlines()
    by_rule = {"allow_secrets"}  # told once, of every route that stores a text
    as_typed = {"/search", "/record", "/before", "/why", "/compare"}  # as another row, or cli.md
    for route in ROUTES:
        if route.path in as_typed or (
            route.method == "GET" and route.path in {"/inject", "/recall", "/check"}
        ):
            continue
        tail = "…/" + route.path.rsplit("/", 1)[-1]
        told = [
            row for row in rows if f"`{route.method} {route.path}`" in row or f"`{tail}`" in row
        ]
        assert told, route.path
        names = set(re.findall(r"[a-z_]+", " ".join(told)))
        assert {field.name for field in CALLS[route.call].fields} - by_rule <= names, route.path
