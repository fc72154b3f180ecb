"""Bulk retract and forget, and the pages of a list: what is listed first is what is taken."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from brain import Brain, BrainError, Draft
from tests.support.cli import Cli
from tests.support.engine import NOON


def filled(brain: Brain) -> dict[str, int]:
    drafts = {
        "codex": Draft("优惠券按自然月过期", source="chat:codex"),
        "claude": Draft("优惠券的图片放在相册", source="chat:claude"),
        "chatty": Draft("优惠券改成三天", source="chatty"),
        "user": Draft("优惠券归小唐管", scope="shop"),
        "pinned": Draft("优惠券的预算是三万", source="chat:codex", pinned=True),
    }
    return {
        name: brain.add_many([draft], now=NOON + timedelta(hours=n))[0].id
        for n, (name, draft) in enumerate(drafts.items())
    }


def test_a_source_names_its_kinds_too(brain: Brain) -> None:
    ids = filled(brain)
    done = brain.forget_matching(source="chat")
    assert done.to_dict() == {
        "forgotten": False,
        "ids": [ids["codex"], ids["claude"]],
        "count": 2,
        "pinned": [ids["pinned"]],
        "words": [],
        "originals": [],
        "copies": [],
    }
    assert len(brain.list(limit=None, all_scopes=True)) == 5, "a list changes nothing"


def test_yes_takes_the_ids_of_that_list(brain: Brain) -> None:
    ids = filled(brain)
    listed = brain.forget_matching(query="优惠券 自然月")
    done = brain.forget_matching(query="优惠券 自然月", yes=True)
    assert (done.forgotten, done.ids) == (True, listed.ids) == (True, (ids["codex"],))
    with pytest.raises(BrainError):
        brain.get(ids["codex"])
    brain.close()
    assert "按自然月过期".encode() not in brain.path.read_bytes()


def test_forgotten_together_they_are_told_of_as_one_is(brain: Brain) -> None:
    """Originals and copies that hold any of them; the copy kept before a migration as well."""
    ids = filled(brain)
    rest = "\n".join(f"第{n}行：巡检正常，没有异常。" for n in range(300))
    handle = brain.compress(f"{rest}\n优惠券的图片放在相册\n{rest}").handle
    kept = Path(f"{brain.path}.schema-4")
    brain.backup(kept)
    done = brain.forget_matching(source="chat", yes=True, force=True)
    assert done.ids == (ids["codex"], ids["claude"], ids["pinned"])
    assert (done.originals, done.copies) == ((handle,), (str(kept),))
    assert brain.forget_matching(source="chat", yes=True).to_dict()["count"] == 0


def test_every_word_has_to_stand_there(brain: Brain) -> None:
    filled(brain)
    assert brain.retract_matching(query="优惠券 相册 三天").count == 0
    assert brain.retract_matching(query="優惠券", scope="shop").count == 1, "folded"


def test_a_scope_is_that_scope_alone(brain: Brain) -> None:
    ids = filled(brain)
    assert brain.retract_matching(scope="shop").ids == (ids["user"],)
    assert ids["user"] not in brain.retract_matching(scope="").ids


def test_pinned_ones_go_with_force_alone(brain: Brain) -> None:
    ids = filled(brain)
    kept = brain.retract_matching(source="chat:codex", yes=True)
    assert (kept.ids, kept.pinned) == ((ids["codex"],), (ids["pinned"],))
    assert brain.get(ids["pinned"]).retracted_at is None
    forced = brain.retract_matching(source="chat:codex", yes=True, force=True)
    assert forced.ids == (ids["pinned"],), "what is retracted already is left out"


def test_retracted_in_bulk_they_can_be_restored(brain: Brain) -> None:
    ids = filled(brain)
    brain.retract_matching(source="chat", yes=True)
    assert brain.restore(ids["claude"]).retracted_at is None


@pytest.mark.parametrize("verb", ["forget", "retract"])
def test_the_command_line(tmp_path: Path, verb: str) -> None:
    cli = Cli(tmp_path)
    cli("add", "优惠券归小唐管", "--source", "chat:codex")
    cli("add", "别的一条", "--scope", "work")
    listed = cli(verb, "--matching", "--source", "chat", "--json")
    deed = "forgotten" if verb == "forget" else "retracted"
    assert (listed.code, listed.json[deed], listed.json["ids"]) == (0, False, [1])
    env = {"BRAIN_SCOPE": "work"}
    none = cli(verb, "--matching", "--json", env=env)
    assert (none.code, none.json["error"]["code"]) == (2, "brain_usage")
    both = cli(verb, "1", "--matching", "--source", "chat", "--json")
    assert (both.code, both.json["error"]["code"]) == (2, "brain_usage")
    alone = cli(verb, "--source", "chat", "--yes", "--json")
    assert (alone.code, alone.json["error"]["code"]) == (2, "brain_usage")
    done = cli(verb, "--matching", "--source", "chat", "--yes", "--json", env=env)
    assert (done.code, done.json[deed], done.json["count"]) == (0, True, 1)
    assert [m["id"] for m in cli("list", "--all-scopes", "--json").json] == [2]


def test_a_list_by_time_source_and_page(brain: Brain) -> None:
    ids = filled(brain)
    hour = timedelta(hours=1)
    shown = brain.list(all_scopes=True, since=NOON + hour, until=NOON + 3 * hour)
    assert [m.id for m in shown] == [ids["chatty"], ids["claude"]]
    assert [m.id for m in brain.list(source="chat:claude")] == [ids["claude"]]
    first = brain.list(limit=2, all_scopes=True)
    second = brain.list(limit=2, all_scopes=True, after=first[-1].id)
    rest = brain.list(limit=9, all_scopes=True, after=second[-1].id, all=True)
    assert [m.id for m in (*first, *second, *rest)] == sorted(ids.values(), reverse=True)


def test_a_scope_is_trimmed(brain: Brain) -> None:
    made = brain.add("一句话", scope=" web ").id
    assert brain.get(made).scope == "web"
    assert [m.id for m in brain.list(scope="web ")] == [made]
