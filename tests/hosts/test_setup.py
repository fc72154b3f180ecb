"""Setup of a host: what is written, what stays, what is refused with nothing changed."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from brain.errors import BrainError
from brain.hosts import config_file, jsonc, registry
from brain.hosts.setup import set_up, states
from brain.results import HostSetup
from tests.support.cli import Cli

PROGRAM = ("/opt/brain/bin/brain",)
HOOKED = ("claude-code", "codex", "cursor", "qoder", "trae", "hermes")
FILED = (*HOOKED, "openclaw", "claude-desktop")

Setup = Callable[..., HostSetup]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "HERMES_HOME", "OPENCLAW_CONFIG_PATH"):
        monkeypatch.delenv(name, raising=False)
    for name in ("APPDATA", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def setup(home: Path) -> Setup:
    def run(name: str, *options: str, program: tuple[str, ...] = PROGRAM, **more: Any) -> HostSetup:
        given = {"level": "user", "remove": False, "dry_run": False, **more}
        return set_up(name, program, options, home=home, project=home / "project", **given)

    return run


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def read(path: str) -> Any:
    text = Path(path).read_text(encoding="utf-8-sig")
    if path.endswith(".toml"):
        return tomllib.loads(text)
    return (yaml.safe_load(text) or {}) if path.endswith(".yaml") else jsonc.parse(text)


@pytest.mark.parametrize("level", registry.LEVELS)
def test_every_host_is_written_and_cleared_and_a_second_run_changes_nothing(
    level: str, setup: Setup, home: Path
) -> None:
    for name in FILED:
        host = registry.find(name, home, home / "project")
        if level not in host.files:
            with pytest.raises(BrainError) as refused:
                setup(name, level=level)
            assert refused.value.code == "brain_setup_refused"
            continue
        looked = setup(name, level=level, dry_run=True)
        assert not any(Path(one.path).exists() for one in looked.files)
        done = setup(name, "--scope", "web", level=level)
        assert [one.diff for one in looked.files] != [one.diff for one in done.files]
        told = "".join(Path(one.path).read_text(encoding="utf-8") for one in done.files)
        if any(file.servers for file in host.files[level]):
            assert "/opt/brain/bin/brain" in told
            assert '"mcp", "--scope", "web"' in " ".join(told.split())
        if host.hook:
            assert f"/opt/brain/bin/brain hook {host.hook} --scope web" in told
        before = tree(home)
        again = setup(name, "--scope", "web", level=level)
        assert not any(one.changed for one in again.files)
        assert tree(home) == before
        assert any(state.mcp or state.hook for state in states(home, home / "project", probe=False))
        gone = setup(name, level=level, remove=True)
        assert all(one.backup for one in gone.files if one.changed)
        for one in gone.files:
            assert "brain" not in Path(one.path).read_text(encoding="utf-8")
            assert read(one.path) in ({}, {"version": 1})
        for one in (*done.files, *gone.files):
            Path(one.path).unlink(missing_ok=True)
            if one.backup:
                Path(one.backup).unlink(missing_ok=True)


OTHERS: dict[str, tuple[str, str]] = {
    "claude-code": (
        ".claude/settings.json",
        '{\n    // mine\n    "model": "opus", /* so */\n    "hooks": {\n        "Stop": [],\n'
        '        "UserPromptSubmit": [\n'
        '            {"hooks": [{"type": "command", "command": "x"}]}'
        ", // last\n        ],\n    },\n}\n",
    ),
    "cursor": (
        ".cursor/mcp.json",
        '{"mcpServers": {"other": {"command": "npx", "args": ["-y", "o"]}}, "k": "中文 // no"}',
    ),
    "claude-desktop": (
        ".config/Claude/claude_desktop_config.json",
        '{\n\t"mcpServers": {\n\t\t"other": {\n\t\t\t"command": "npx"\n\t\t} // it\n\t}\n}',
    ),
    "openclaw": (
        ".openclaw/openclaw.json",
        "{\n  // JSON5\n  gateway: {port: 18789, bind: 'it\\'s'},\n  mcp: {\n    servers: {\n"
        "      docs: {command: 'x'},\n    },\n  },\n}\n",
    ),
    "codex": (
        ".codex/config.toml",
        '# mine\nmodel = "o"  # this one\n\n'
        '[mcp_servers.other]\ncommand = "x"\nargs = [\n  "a",\n]\n'
        '\n[[hooks.UserPromptSubmit]]\n[[hooks.UserPromptSubmit.hooks]]\ntype = "command"\n'
        'command = "mine"\n',
    ),
    "hermes": (
        ".hermes/config.yaml",
        "# mine\nmodel: 'a'  # this\nmcp_servers:\n  other:\n    command: x\n    args: [a, b]\n"
        "  # behind\n\nhooks:\n  pre_llm_call:\n    - command: mine\n      timeout: 3\n\n# end\n"
        "text: |\n  one\n\n  two\n",
    ),
}


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "bom"])
@pytest.mark.parametrize("name", OTHERS)
def test_what_others_wrote_stays_to_the_byte(
    name: str, mark: bytes, ends: str, setup: Setup, home: Path
) -> None:
    where, text = OTHERS[name]
    file = home / where
    file.parent.mkdir(parents=True)
    old = mark + text.replace("\n", ends).encode()
    file.write_bytes(old)
    file.chmod(0o640)
    if name == "claude-desktop" and registry.find(name, home, home).home != file.parent:
        pytest.skip("its folder is another one on this system")
    done = setup(name, "--db", "/n/工作 db.db")
    (one,) = [one for one in done.files if one.path == str(file)]
    assert one.backup
    assert Path(one.backup).read_bytes() == old
    new = file.read_bytes()
    assert new.startswith(mark)
    assert ends == "\n" or b"\n" not in new.replace(b"\r\n", b"")
    assert os.name == "nt" or file.stat().st_mode & 0o777 == 0o640
    for line in text.splitlines():
        # A comma may have come behind a value; in one line, an entry before the brackets.
        assert name == "cursor" or line.partition("} //")[0].rstrip(", ").encode() in new
    assert "/n/工作 db.db" in json.dumps(read(str(file)), ensure_ascii=False)
    assert not any(again.changed for again in setup(name, "--db", "/n/工作 db.db").files)
    setup(name, remove=True)
    assert file.read_bytes() == old


def test_an_older_entry_becomes_the_new_one_and_keeps_what_was_added_to_it(
    setup: Setup, home: Path
) -> None:
    for name in ("claude-code", "codex", "hermes", "cursor"):
        setup(name, program=("/old/brain",))
        files = [Path(one.path) for one in setup(name, program=("/old/brain",)).files]
        for file in files:
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace(f"hook {name}", f"hook {name} --budget 300"), "utf-8")
        setup(name, "--scope", "web")
        told = "".join(file.read_text(encoding="utf-8") for file in files)
        assert "/old/brain" not in told
        assert f"{PROGRAM[0]} hook {name} --scope web --budget 300" in told


def test_the_words_the_reader_is_given_are_what_is_written(setup: Setup, home: Path) -> None:
    """The page of the hosts and this verb say the same."""
    from tests.test_hosts import HOME, configurations

    setup("codex", program=(f"{HOME}/brain/.venv/bin/brain",))
    told = configurations("Codex CLI")[0]
    told["mcp_servers"]["brain"].pop("startup_timeout_sec")
    assert read(str(home / ".codex" / "config.toml")) == told
    setup("claude-code", program=(f"{HOME}/brain/.venv/bin/brain",))
    assert read(str(home / ".claude" / "settings.json")) == configurations("Claude Code")[0]
    setup("hermes", program=(f"{HOME}/brain/.venv/bin/brain",))
    assert read(str(home / ".hermes" / "config.yaml")) == configurations("Hermes Agent")[0]


BAD = {
    "no json": b'{"mcpServers": {',
    "a key twice": b'{"a": 1, "a": 2}',
    "a list": b"[1]",
    "servers are a list": b'{"mcpServers": []}',
    "utf-16": '{"a": 1}'.encode("utf-16"),
    "gbk": '{"a": "中"}'.encode("gbk"),
    "another brain": b'{"mcpServers": {"brain": {"command": "npx", "args": ["other-brain"]}}}',
    "two line ends": b'{\r\n"a": 1,\n"b": 2}',
    "deep": b"[" * 5000,
}


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_written_right_is_refused_and_nothing_changes(
    what: str, setup: Setup, home: Path
) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_bytes(BAD[what])
    before = tree(home)
    with pytest.raises(BrainError) as refused:
        setup("cursor")
    assert (refused.value.code, refused.value.exit_code) == ("brain_setup_refused", 73)
    assert tree(home) == before


def test_a_second_file_that_is_refused_leaves_the_first_alone(setup: Setup, home: Path) -> None:
    hooks = home / ".cursor" / "hooks.json"
    hooks.parent.mkdir()
    hooks.write_text("{oops")
    with pytest.raises(BrainError):
        setup("cursor")
    assert tree(home) == {str(Path(".cursor", "hooks.json")): b"{oops"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("codex", 'mcp_servers = {other = {command = "x"}}\n'),
        ("codex", "x = [\n"),
        ("hermes", "a: [\n"),
        ("hermes", "mcp_servers: [1]\n"),
        ("hermes", "!!python/object/apply:os.system ['true']\n"),
    ],
)
def test_forms_that_cannot_be_extended_are_refused(
    name: str, text: str, setup: Setup, home: Path
) -> None:
    file = registry.find(name, home, home).files["user"][0].path
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(BrainError) as refused:
        setup(name)
    assert refused.value.code == "brain_setup_refused"
    assert file.read_text() == text
    assert len(tree(home)) == 1


@pytest.mark.parametrize("text", ["hooks: {}\nmcp_servers: {}\n", "hooks:\nmcp_servers: {}  # x\n"])
def test_empty_yaml_is_filled(text: str, setup: Setup, home: Path) -> None:
    file = home / ".hermes" / "config.yaml"
    file.parent.mkdir()
    file.write_text(text)
    setup("hermes")
    told = yaml.safe_load(file.read_text())
    assert told["mcp_servers"]["brain"]["args"] == ["mcp"]
    assert len(told["hooks"]["pre_llm_call"]) == 1


@pytest.mark.skipif(os.name == "nt", reason="links and modes as Unix has them")
def test_links_and_files_that_are_read_only(setup: Setup, home: Path) -> None:
    repo, folder = home / "dotfiles", home / ".cursor"
    repo.mkdir()
    folder.mkdir()
    (repo / "mcp.json").write_text('{"a": 1}')
    (folder / "mcp.json").symlink_to(repo / "mcp.json")
    done = setup("cursor")
    assert (folder / "mcp.json").is_symlink()
    assert "brain" in (repo / "mcp.json").read_text()
    assert done.files[0].backup
    assert Path(done.files[0].backup).parent == folder
    assert [file.name for file in repo.iterdir()] == ["mcp.json"]
    for spoil in (
        lambda: (repo / "mcp.json").chmod(0o444),
        lambda: (os.link(repo / "mcp.json", repo / "same"), (repo / "mcp.json").chmod(0o644)),
        lambda: ((folder / "mcp.json").unlink(), (folder / "mcp.json").symlink_to(home / "no")),
        lambda: ((folder / "mcp.json").unlink(), (folder / "mcp.json").mkdir()),
    ):
        spoil()
        before = tree(home)
        with pytest.raises(BrainError) as refused:
            setup("cursor", "--scope", "other")
        assert refused.value.code == "brain_setup_refused"
        assert tree(home) == before


def test_an_edit_in_between_is_not_lost(
    setup: Setup, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text("{}")
    check = config_file.ConfigFile.check_writable

    def edited(held: config_file.ConfigFile) -> None:
        check(held)
        file.write_text('{"theirs": 1}')

    monkeypatch.setattr(config_file.ConfigFile, "check_writable", edited)
    with pytest.raises(BrainError) as refused:
        setup("cursor")
    assert refused.value.code == "brain_setup_refused"
    assert tree(home) == {str(Path(".cursor", "mcp.json")): b'{"theirs": 1}'}


def test_hooks_a_host_reads_elsewhere_are_not_written_twice(setup: Setup, home: Path) -> None:
    setup("claude-code")
    assert not any(one.changed for one in setup("trae").files)


def test_the_command_line_writes_lists_and_answers(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    (tmp_path / ".cursor").mkdir()
    looked = cli("setup", "cursor", "--dry-run")
    assert (looked.code, "+++ " in looked.out) == (0, True)
    done = cli("setup", "cursor", "--db", "notes.db", "--json").json
    assert [one["created"] for one in done["files"]] == [True, True]
    told = json.loads((tmp_path / ".cursor" / "mcp.json").read_text(encoding="utf-8"))
    assert told["mcpServers"]["brain"]["args"][-2:] == ["--db", str(tmp_path / "notes.db")]
    listed = cli("setup", "--json", env={"BRAIN_URL": "http://127.0.0.1:9"}).json["hosts"]
    (cursor,) = [one for one in listed if one["host"] == "cursor"]
    assert (cursor["mcp"], cursor["hook"], cursor["answers"]) == (True, True, True)
    assert not any(one["found"] for one in listed if one["host"] != "cursor")
    unknown = cli("setup", "emacs", "--json")
    assert (unknown.code, unknown.json["error"]["code"]) == (65, "brain_hook_unknown")
    assert cli("setup", "cursor", "--level", "all").code == 2
    assert "brain serve" in cli("setup", "dify").out
    assert '"mcpServers"' in cli("setup", "cherry-studio").out
