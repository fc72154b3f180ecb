"""consolidate on the command line: a plan for people, a file, applying, undoing, wrong use."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from brain import Brain
from brain.cli.program import run
from tests.cli.test_docs import example, keys, section

TALK = "用户：我不吃香菜\n助手：好的"


@pytest.fixture
def said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    for name in ("BRAIN_SCOPE", "BRAIN_URL", "BRAIN_MODEL_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BRAIN_MODEL", "none")
    db = str(tmp_path / "work.db")
    with Brain.open(db, model="none") as brain:
        brain.add("站会十点开")
        brain.add("站会十点开。")
        brain.add("值班群是老群", valid_from="2026-01-01")
        brain.add("值班群是青鸟群", valid_from="2026-02-01")
        brain.add(TALK, kind="episode")

    def ask(*args: str) -> tuple[int, str, str]:
        code = run(["consolidate", *args, "--db", db])
        told = capfd.readouterr()
        return code, told.out, told.err

    return ask


def test_a_plan_is_read_applied_and_undone(
    said: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    code, out, _ = said()
    assert code == 0
    for told in ("# 整理计划", "## 说了两遍的", "2026-01-01", "（要点名）", "我不吃香菜"):
        assert told in out
    path = str(tmp_path / "计划.jsonl")
    code, out, err = said("--out", path, "--json")
    plan = json.loads(out)
    assert path in err
    shape = example(section("consolidate"))
    assert plan.keys() == shape.keys()
    line = next(one for one in plan["lines"] if one["act"] == "merge")
    assert line.keys() == shape["lines"][0].keys()
    assert {"text", "links", "content_hash", "recorded_at"} <= line["before"][0].keys()
    waiting = next(one["id"] for one in plan["lines"] if one["act"] == "contradiction")
    code, out, _ = said("--apply", path, "--json")
    done = json.loads(out)
    assert (code, done["run"], done["probe"]["ok"]) == (0, plan["run"], True)
    assert [one["id"] for one in done["refused"]] == [waiting]
    shown = section("consolidate").split("```json")[2].split("```")[0]
    assert done.keys() == json.loads(shown).keys()
    assert keys(done["probe"]["parts"]["counts"]) == keys(
        json.loads(shown)["probe"]["parts"]["counts"]
    )
    code, out, err = said("--apply", path)
    assert (code, "什么也没有变" in out, waiting in err) == (0, True, True)
    code, out, _ = said("--apply", path, "--only", waiting)
    assert "已做 1 行" in out
    code, out, err = said("--undo", done["run"])
    assert code == 0
    assert "已撤销" in out
    assert "已经撤销过" in said("--undo", done["run"])[1]


def test_what_stdout_prints_as_json_is_a_plan_as_well(
    said: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    path = tmp_path / "p.json"
    path.write_text(said("--json")[1], encoding="utf-8")
    assert json.loads(said("--apply", str(path), "--json")[1])["applied"]


def test_nothing_to_do(said: Callable[..., tuple[int, str, str]]) -> None:
    assert "没有要整理的" in said("--scope", "别处")[1]


@pytest.mark.parametrize(
    ("args", "code", "name"),
    [
        (("--apply", "a", "--undo", "b"), 2, "brain_usage"),
        (("--apply", "a", "--since", "2026-01-01"), 2, "brain_usage"),
        (("--only", "m1"), 2, "brain_usage"),
        (("--llm", "http://127.0.0.1:9/v1"), 2, "brain_usage"),
        (("--llm", "nichts", "--llm-model", "m"), 2, "brain_url_invalid"),
        (("--apply", "/nichts/plan.jsonl"), 66, "brain_import_missing"),
        (("--undo", "nichts"), 1, "brain_not_found"),
        (("--since", "某天"), 65, "brain_date_invalid"),
    ],
)
def test_wrong_use(
    said: Callable[..., tuple[int, str, str]], args: tuple[str, ...], code: int, name: str
) -> None:
    got, out, err = said(*args, "--json")
    assert got == code, err
    assert json.loads(out)["error"]["code"] == name
    assert f"错误[{name}]" in err
