"""Query: what is taken off a question and what it is turned into before any lane looks."""

from __future__ import annotations

import pytest

from brain.recall import query
from brain.text.fold import fold
from tests.support.engine import NOON, Make, fill

ASKED = "跳板机端口是多少"


@pytest.mark.parametrize(
    "wrapped",
    [
        f"[message_id: 4711]\n{ASKED}",
        f"<user_query>{ASKED}</user_query>",
        f"<system-reminder>别忘了跑测试</system-reminder>\n{ASKED}",
    ],
)
def test_the_host_s_wrapping_is_no_part_of_a_question(wrapped: str) -> None:
    assert query.read(wrapped, NOON)[0].folded == ASKED


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("而家邊個負責網關", ("现在", "谁")),
        ("我部電腦擺咗喺邊度", ("在", "哪里")),
        ("呢個月幾時出糧", ("这个", "什么时候")),
    ],
)
def test_a_question_in_dialect_is_read_in_standard_mandarin(
    said: str, meant: tuple[str, ...]
) -> None:
    asked = query.read(said, NOON)[0]
    assert asked.folded != fold(said)
    assert all(word in asked.folded for word in meant)
    assert asked.text == asked.folded


@pytest.mark.parametrize(
    ("defined", "told", "asked"),
    [
        ("豆包大名沈知夏，前年冬天生的", "豆包得了甲流，烧了三天", "沈知夏的事"),
        ("柯俊写前端，大家叫他老K", "老K下周调去平台组", "柯俊的事"),
    ],
)
def test_a_name_that_a_note_defines_leads_to_the_notes_about_the_other(
    make: Make, defined: str, told: str, asked: str
) -> None:
    brain = make()
    brain.add(defined, now=NOON)
    one = brain.add(told, now=NOON).id
    fill(brain)
    assert one in [hit.id for hit in brain.recall(asked, now=NOON).hits]


def test_other_names_lead_over_one_in_between_and_from_a_part_of_the_name() -> None:
    notes = ["大名张可馨，英文名 mia，我们家叫米粒", "安宁家里喊她年年，疫苗本写串过一次"]
    asked = query.also_called(query.read("张可馨的拖鞋掉哪了", NOON)[0], map(fold, notes))
    assert asked.aliases["张可馨"] == ("mia", "米粒")
    asked = query.also_called(query.read("顾安宁做雾化的步骤", NOON)[0], map(fold, notes))
    assert asked.aliases["顾安宁"] == ("年年",)


@pytest.mark.parametrize("text", ["唉，老了老了", "累，好累", "哈哈 厉害"])
def test_a_mood_is_no_word_to_look_up(text: str) -> None:
    assert not query.read(text, NOON)[0].bare


def test_what_only_ends_a_pasted_log_is_not_asked_by_itself() -> None:
    log = 'Traceback (most recent call last):\n  File "rename.py", line 18, in <module>\n'
    log += (
        "    os.rename(src, dst)\nPermissionError: [Errno 13] Permission denied: 'IMG_0032.jpg'\n"
    )
    assert all(
        any(len(run) > 1 for run in one.runs) for one in query.read(f"{log}怎么改", NOON)[1:]
    )
    asked = [one.text for one in query.read(f"{log}磁盘配额是多少", NOON)]
    assert "磁盘配额是多少" in asked
