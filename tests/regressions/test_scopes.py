"""Scopes: what belongs to one project stays there, in every face."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain import Brain
from tests.support.cli import Cli
from tests.support.hermes import Hermes, asked


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.mark.parametrize(
    ("word", "web", "api"),
    [
        ("login.py", "login.py 的跳转坏了", "login.py 的限流坏了"),
        ("settings.toml", "settings.toml 里改了端口", "settings.toml 里加了白名单"),
        ("值班群", "值班群是青鸟群", "值班群是白鹭群"),
    ],
)
def test_a_file_of_the_same_name_in_another_project_does_not_appear(
    brain: Brain, word: str, web: str, api: str
) -> None:
    """rohitg00/agentmemory PR 662: another project's notes came because file names are alike."""
    brain.add(web, scope="web")
    brain.add(api, scope="api")
    found = brain.recall(word, scope="api")
    assert [(h.text, h.to_dict()["scope"]) for h in found.hits] == [(api, "api")]
    block = brain.inject(word, scope="api").block
    assert api in block
    assert web not in block


@pytest.mark.parametrize("given", ["option", "environment"])
def test_what_is_taken_in_for_a_project_stays_in_it(cli: Cli, tmp_path: Path, given: str) -> None:
    """rohitg00/agentmemory PR 662: another project's notes came because file names are alike."""
    hermes = Hermes(tmp_path / "state.db")
    hermes.say("s1", *asked("login.py 的跳转为什么坏", "少了尾斜杠"))
    args = ("--scope", "web") if given == "option" else ()
    env = {"BRAIN_SCOPE": "web"} if given == "environment" else None
    assert cli("ingest", str(hermes.path), *args, env=env).code == 0
    assert cli("recall", "login.py", "--json").json["hits"] == []
    assert cli("recall", "login.py", "--scope", "api", "--json").json["hits"] == []
    (hit,) = cli("recall", "login.py", "--scope", "web", "--json").json["hits"]
    assert hit["scope"] == "web"


def test_the_same_file_may_be_taken_in_for_two_projects(brain: Brain, tmp_path: Path) -> None:
    """rohitg00/agentmemory PR 662: another project's notes came because file names are alike."""
    hermes = Hermes(tmp_path / "state.db")
    hermes.say("s1", *asked("缓存几分钟", "五分钟"))
    for scope in ("web", "api", "web"):
        brain.ingest(hermes.path, scope=scope)
    assert {s.scope: s.total for s in brain.scopes()} == {"web": 1, "api": 1}


@pytest.mark.parametrize("verb", ["recall", "search", "inject", "check"])
def test_without_a_scope_only_what_is_global_is_seen(cli: Cli, verb: str) -> None:
    """straff2002/OpenGlasses PR 193: no scope was read as every scope."""
    cli("add", "合同价八万", "--scope", "web")
    cli("add", "食堂在一楼")
    told = cli(verb, "合同价", "--json").json
    assert "八万" not in str(told)
    assert "八万" in str(cli("recall", "合同价", "--scope", "web", "--json").json)


def test_scopes_are_listed_with_their_counts(cli: Cli) -> None:
    assert cli("scopes", "--json").json == {"scopes": []}
    cli("add", "全局的一条")
    cli("add", "项目的一条", "--scope", "web")
    cli("add", "项目的另一条", "--scope", "web")
    cli("expire", "3")
    assert cli("scopes", "--json").json == {
        "scopes": [
            {"scope": "", "current": 1, "total": 1},
            {"scope": "web", "current": 1, "total": 2},
        ]
    }
    shown = cli("scopes").out.splitlines()
    assert shown == ["（全局）  当前 1，共 1", "web  当前 1，共 2"]


@pytest.mark.parametrize("verb", ["recall", "search", "check"])
def test_an_empty_scope_is_told_from_an_answer_of_no(cli: Cli, verb: str) -> None:
    cli("add", "食堂在一楼")
    cli("add", "合同价八万", "--scope", "web")
    empty = cli(verb, "会议室钥匙", "--scope", "wbe")
    assert "范围「wbe」里还没有记忆" in empty.err
    assert "范围" not in cli(verb, "会议室钥匙", "--scope", "web").err
    assert "范围" not in cli(verb, "会议室钥匙").err
    assert cli("inject", "会议室钥匙", "--scope", "web").err == ""
