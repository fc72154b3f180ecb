"""An English question reaches Chinese notes, and a Chinese one English notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain import Brain, Draft
from brain.recall import gate, language

CHINESE = (
    "我对花生过敏，吃了会起疹子",
    "停车位在B2层东区37号",
    "年假还剩六天半，年底前要用完",
    "备份脚本每天凌晨三点半跑一次",
    "周二和周四可以发版，其余时间冻结",
    "女儿怕打雷，下雨晚上要陪着睡",
    "书房的路由器换到了走廊",
    "团建定在郊区的农庄，自己开车去",
)
ENGLISH = (
    "The bastion host is reached through port 2200 with the hardware key.",
    "We keep the checkout as a monolith because three people maintain it.",
    "The staging data is refreshed from production every Sunday night.",
    "My passport expires in the spring of next year.",
    "Unit tests must not open any network connection.",
    "The landlord wants the rent before the fifth of the month.",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What am I allergic to?", "en"),
        ("where is the car parked and who has the key", "en"),
        ("The landlord wants the rent before the fifth.", "en"),
        ("nginx", "zh"),
        ("gen-itgc v1.2.3 /etc/nginx/nginx.conf", "zh"),
        ("k8s ingress nginx timeout 504", "zh"),
        ("我们的 CI 用 GitHub Actions，on push 才跑", "zh"),
        ("停车位在哪", "zh"),
        ("", "zh"),
        ("リンゴを食べます", "zh"),
        ("SELECT id FROM memories WHERE id = 3", "zh"),
    ],
)
def test_running_english_is_told_from_identifiers(text: str, expected: str) -> None:
    assert language.of(text) == expected


def test_a_long_text_is_judged_by_its_beginning() -> None:
    assert language.of("这是中文。" * 100 + "this is the end of it all " * 1000) == "zh"


def test_a_model_without_measurements_lifts_nothing() -> None:
    assert gate.lift(None, "en") == 0.0
    assert gate.lift("none", "en") == 0.0
    assert gate.lift("no-such-model", "zh") == 0.0
    assert gate.lift("e5-small", "zh") > 0.03
    assert gate.lift("e5-small", "en") > 0.03


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mixed") / "brain.db"
    with Brain.open(path, model="e5-small") as brain:
        brain.add_many([Draft(text) for text in (*CHINESE, *ENGLISH)])
    return path


ENGLISH_ASKED = (
    ("What food am I allergic to?", "花生"),
    ("When does the backup script run?", "备份"),
    ("What is my daughter afraid of at night?", "打雷"),
    ("Which days can we release?", "发版"),
)
CHINESE_ASKED = (
    ("怎么连跳板机，走哪个端口", "bastion"),
    ("房东要求几号以前交房租", "landlord"),
    ("护照什么时候到期", "passport"),
)


@pytest.mark.parametrize(("query", "answer"), [*ENGLISH_ASKED, *CHINESE_ASKED])
def test_the_answer_in_the_other_language_comes_first(mixed: Path, query: str, answer: str) -> None:
    with Brain.open(mixed, read_only=True) as brain:
        assert answer in brain.recall(query).hits[0].text


@pytest.mark.parametrize(("query", "answer"), ENGLISH_ASKED)
def test_an_english_question_gets_the_chinese_note_injected(
    mixed: Path, query: str, answer: str
) -> None:
    with Brain.open(mixed, read_only=True) as brain:
        assert answer in brain.inject(query).block


@pytest.mark.parametrize(
    "query",
    [
        "Who won the football world cup in 1998?",
        "What is the capital of Australia?",
        "Is it going to snow in Boston tomorrow?",
        "best way to learn guitar chords at home",
        "珠穆朗玛峰有多高",
        "怎么学会蝶泳",
    ],
)
def test_what_neither_language_answers_stays_silent(mixed: Path, query: str) -> None:
    with Brain.open(mixed, read_only=True) as brain:
        assert brain.inject(query).block == ""


def test_notes_in_the_question_s_language_keep_their_similarity(mixed: Path) -> None:
    with Brain.open(mixed, read_only=True) as brain:
        hits = brain.recall("备份脚本什么时候跑", k=10).hits
    seen = {h.text: h.lanes["semantic"].score for h in hits if "semantic" in h.lanes}
    assert max(seen, key=lambda t: seen[t]) == CHINESE[3]
    assert all(value <= 1.0 for value in seen.values())


@pytest.mark.parametrize(("first", "last"), [(0x3400, 0x9FFF), (0xF900, 0xFAFF)])
def test_a_twentieth_of_han_makes_a_text_chinese_to_the_ends_of_its_blocks(
    first: int, last: int
) -> None:
    english = " how is it done and who does it"
    for code in (first, first + 0x40, last - 0x40, last):
        assert language.of(chr(code) * 3 + english) == language.CHINESE
    for code in (first - 1, last + 1, 0xD800, 0x3042, 0xAC00):
        assert language.of(chr(code) * 3 + english) == language.ENGLISH
