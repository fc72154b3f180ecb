"""Times in questions, in texts and in the file, by the user's own days."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from brain import Brain, Draft
from brain.embed.protocol import Embedder
from brain.lifecycle import lineage
from brain.text.timestamps import to_iso
from tests.support.cli import Cli
from tests.support.engine import (
    EVERYDAY,
    NOON,
    Make,
    fill,
    ids,
    shares_no_word,
    texts,
    told_apart,
)

EAST_EIGHT = timezone(timedelta(hours=8))

SetZone = Callable[[str], None]


@pytest.fixture
def set_zone() -> Iterator[SetZone]:
    """Sets the zone of this process; the one before comes back at the end."""
    if not hasattr(time, "tzset"):
        pytest.skip("the zone cannot be set here")
    before = os.environ.get("TZ")

    def _set(name: str) -> None:
        os.environ["TZ"] = name
        time.tzset()

    yield _set
    if before is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.fixture
def shanghai(set_zone: SetZone) -> None:
    set_zone("Asia/Shanghai")


@pytest.fixture(params=["meaning", "words"])
def model(request: pytest.FixtureRequest) -> str | Embedder:
    if request.param == "words":
        return "none"
    embedder: Embedder = request.getfixturevalue("e5")
    return embedder


# Times in a question (doobidoo/mcp-memory-service #396) --------------------------------------


WEDNESDAY = datetime(2026, 3, 18, 10, tzinfo=EAST_EIGHT)
MEETINGS = {
    "2026-03-18": "组会定了用松木做样品",
    "2026-03-17": "组会定了用榉木做样品",
    "2026-03-16": "组会定了用橡木做样品",
    "2026-03-15": "组会定了用杉木做样品",
    "2026-03-11": "组会定了用柚木做样品",
    "2026-03-09": "组会定了用桦木做样品",
    "2026-02-12": "组会定了用樟木做样品",
    "2025-10-20": "组会定了用榆木做样品",
    "2025-03-10": "组会定了用枫木做样品",
    "2023-07-01": "组会定了用桐木做样品",
}


TIMELESS = tuple(EVERYDAY[n] for n in (1, 2, 5, 7, 8, 12, 13, 16, 17, 23))
"""Notes that name no time; they hold from days that nothing here asks about."""


def _meetings(factory: pytest.TempPathFactory, model: str | Embedder) -> Iterator[Brain]:
    with Brain.open(factory.mktemp("meetings") / "brain.db", model=model) as brain:
        brain.add_many(told_apart(TIMELESS, start=datetime(2022, 6, 1, tzinfo=UTC)))
        for day, text in MEETINGS.items():
            at = datetime.fromisoformat(day).replace(hour=9, tzinfo=EAST_EIGHT)
            brain.add(text, now=at)
        yield brain


@pytest.fixture(scope="module")
def meetings_meaning(tmp_path_factory: pytest.TempPathFactory, e5: Embedder) -> Iterator[Brain]:
    yield from _meetings(tmp_path_factory, e5)


@pytest.fixture(scope="module")
def meetings_words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brain]:
    yield from _meetings(tmp_path_factory, "none")


@pytest.fixture(params=["meaning", "words"])
def meetings(request: pytest.FixtureRequest, shanghai: None) -> Brain:
    brain: Brain = request.getfixturevalue(f"meetings_{request.param}")
    return brain


LAST_WEEK = ("2026-03-09", "2026-03-11", "2026-03-15")
PHRASES: dict[str, tuple[str, ...]] = {
    "今天": ("2026-03-18",),
    "今早": ("2026-03-18",),
    "昨天": ("2026-03-17",),
    "昨日上午": ("2026-03-17",),
    "昨儿": ("2026-03-17",),
    "yesterday": ("2026-03-17",),
    "前天": ("2026-03-16",),
    "两天前": ("2026-03-16",),
    "這週一": ("2026-03-16",),
    "大前天": ("2026-03-15",),
    "三天前": ("2026-03-15",),
    "3天前": ("2026-03-15",),
    "３ 天之前": ("2026-03-15",),
    "3 days ago": ("2026-03-15",),
    "上周日": ("2026-03-15",),
    "上週三": ("2026-03-11",),
    "上星期三": ("2026-03-11",),
    "一周前": ("2026-03-11",),
    "3月11日": ("2026-03-11",),
    "2026-03-11": ("2026-03-11",),
    "九天前": ("2026-03-09",),
    "上周一": ("2026-03-09",),
    "三月九号": ("2026-03-09",),
    "上周": LAST_WEEK,
    "上个礼拜": LAST_WEEK,
    "last week": LAST_WEEK,
    "上个月": ("2026-02-12",),
    "二月": ("2026-02-12",),
    "去年三月": ("2025-03-10",),
    "去年十月": ("2025-10-20",),
    "二〇二三年": ("2023-07-01",),
    "2023年7月": ("2023-07-01",),
}


@pytest.mark.parametrize("phrase", list(PHRASES))
def test_the_right_day_comes_first(meetings: Brain, phrase: str) -> None:
    """doobidoo/mcp-memory-service #396: 'last week' and '3 days ago' returned nothing, 'yesterday'
    worked."""
    right = {MEETINGS[day] for day in PHRASES[phrase]}
    question = f"{phrase}组会定了用什么做样品"
    found = texts(meetings.recall(question, k=10, now=WEDNESDAY))
    assert found[0] in right
    assert len([text for text in found if text in MEETINGS.values()]) > len(right), "a filter"
    # The time alone, with next to nothing beside it.
    assert texts(meetings.recall(f"{phrase}定的事", now=WEDNESDAY))[0] in right


@pytest.mark.parametrize("phrase", list(PHRASES))
def test_a_time_alone_is_a_question(meetings: Brain, phrase: str) -> None:
    right = {MEETINGS[day] for day in PHRASES[phrase]}
    assert texts(meetings.recall(phrase, now=WEDNESDAY))[0] in right


@pytest.mark.parametrize(
    "phrase",
    [
        *("上上上周", "大大前天", "三五天前", "那天", "不久以前", "很早以前", "2月30日", "改天"),
        *("星期八", "13月", "2026-02-31", "明年三月", "一百年前", "公元前三世纪", "下下周", "最近"),
        *(
            "a fortnight ago",
            "the other day",
            "前年冬天",
            "农历二月初二",
            "上学期",
            "周末",
            "24:70",
        ),
    ],
)
def test_a_time_that_cannot_be_read_or_fits_nothing_empties_nothing(
    meetings: Brain, phrase: str
) -> None:
    """doobidoo/mcp-memory-service #396: the words beside it still answer."""
    found = texts(meetings.recall(f"{phrase}组会定了用什么做样品", now=WEDNESDAY))
    assert len(found) == 5
    assert set(found) <= set(MEETINGS.values())


@pytest.mark.parametrize("phrase", ["昨天", "上周", "三天前", "大大前天", "2月30日"])
def test_a_time_hides_no_answer_of_another_day(meetings: Brain, phrase: str) -> None:
    """Who misremembers the day still gets the note: what answers comes before what is near."""
    question = f"{phrase}说的外婆的收音机在哪"
    assert texts(meetings.recall(question, now=WEDNESDAY))[0] == EVERYDAY[2]


# Relative days (rlaope/oh-my-hermes #910) ----------------------------------------------------


@pytest.mark.usefixtures("shanghai")
@pytest.mark.parametrize(
    ("text", "question", "anchors"),
    [
        ("昨天定了用榉木做门", "用榉木做门是哪天定的", ("昨天=2026-03-17",)),
        ("前天和泥瓦匠谈妥了工钱", "泥瓦匠的工钱谈妥了吗", ("前天=2026-03-16",)),
        ("明天去领消防验收单", "消防验收单哪天领", ("明天=2026-03-19",)),
        ("下周三交展台图纸", "展台图纸什么时候交", ("下周三=2026-03-25",)),
        ("上周五退了三箱瓷砖", "瓷砖哪天退的", ("上周五=2026-03-13",)),
        ("上个月换了净水器的滤芯", "净水器滤芯什么时候换的", ("上个月=2026-02",)),
        ("去年签的仓库租约", "仓库租约哪年签的", ("去年=2025",)),
        ("三天前漆匠来过，后天再来", "漆匠什么时候再来", ("三天前=2026-03-15", "后天=2026-03-20")),
        ("the boiler was fixed yesterday", "boiler fixed when", ("yesterday=2026-03-17",)),
    ],
)
@pytest.mark.parametrize("months", [0, 1, 14])
def test_a_relative_day_keeps_meaning_the_day_it_was_said(
    make: Make, text: str, question: str, anchors: tuple[str, ...], months: int
) -> None:
    """rlaope/oh-my-hermes #910: stored without anchor, it became the reader's yesterday."""
    brain = make()
    fill(brain, EVERYDAY[:10])
    made = brain.add(text, now=WEDNESDAY).id
    reader = WEDNESDAY + timedelta(days=31 * months)
    (entry,) = [
        line
        for line in brain.inject(question, now=reader).block.splitlines()
        if line.startswith(f"#{made} ")
    ]
    assert text in entry
    for anchor in anchors:
        assert anchor in entry
    assert "自2026-03-18" in entry
    if months:
        assert (reader - timedelta(days=1)).date().isoformat() not in entry
    assert brain.get(made).text == text


@pytest.mark.usefixtures("shanghai")
def test_the_day_said_is_the_day_it_held_and_not_the_day_it_was_copied_in(brain: Brain) -> None:
    """An old diary taken in today: its yesterday is the day before the entry."""
    brain.add("昨天把风筝修好了", valid_from="2024-05-06 21:00", now=WEDNESDAY)
    assert "昨天=2024-05-05" in brain.inject("风筝修好了吗", now=WEDNESDAY).block


@pytest.mark.usefixtures("shanghai")
@pytest.mark.parametrize("text", ["每周三下午练琴", "一天到晚都在打孔", "《明天》的谱子在琴凳里"])
def test_what_is_no_day_gets_no_anchor(brain: Brain, text: str) -> None:
    brain.add(text, now=WEDNESDAY)
    block = brain.inject(text, now=WEDNESDAY).block
    assert text in block
    assert "=2026" not in block


# The user's day (openclaw/openclaw #64990) ---------------------------------------------------


SMALL_HOURS = datetime(2026, 3, 3, 19, 53, tzinfo=UTC)
"""03:53 on 4 March in Shanghai, 14:53 on the 3rd in New York."""


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("Asia/Shanghai", "2026-03-04"),
        ("Pacific/Auckland", "2026-03-04"),
        ("UTC", "2026-03-03"),
        ("America/New_York", "2026-03-03"),
    ],
)
def test_the_small_hours_are_filed_under_the_users_day(
    make: Make, set_zone: SetZone, zone: str, day: str
) -> None:
    """openclaw/openclaw #64990: 03:53 in UTC+8 was filed under yesterday."""
    set_zone(zone)
    brain = make()
    made = brain.add("凌晨把网关的超时调短了", kind="preference", now=SMALL_HOURS).id
    assert brain.get(made).recorded_at == "2026-03-03T19:53:00.000Z"
    later = SMALL_HOURS + timedelta(minutes=5)
    assert f"自{day}]" in brain.inject("网关的超时", now=later).block
    assert f"自{day}]" in brain.brief(now=later).block


@pytest.mark.usefixtures("shanghai")
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("今天改了什么", "把网关的重试关了"),
        ("今天凌晨网关改了什么", "把网关的重试关了"),
        ("昨天网关改了什么", "把网关的缓存开了"),
        ("前天网关改了什么", "把网关的限流放宽了"),
        ("3月4日网关改了什么", "把网关的重试关了"),
        ("3月3日网关改了什么", "把网关的缓存开了"),
    ],
)
def test_today_and_yesterday_are_the_users(
    make: Make, model: str | Embedder, question: str, first: str
) -> None:
    """openclaw/openclaw #64990: the note of 03:53 and the one of 21:00 before it lie on one day of
    UTC."""
    brain = make(model=model)
    fill(brain, EVERYDAY[:5])
    brain.add("把网关的限流放宽了", now=datetime(2026, 3, 2, 21, tzinfo=EAST_EIGHT))
    brain.add("把网关的缓存开了", now=datetime(2026, 3, 3, 21, tzinfo=EAST_EIGHT))
    brain.add("把网关的重试关了", now=SMALL_HOURS)
    at_nine = datetime(2026, 3, 4, 9, tzinfo=EAST_EIGHT)
    assert texts(brain.recall(question, now=at_nine))[0] == first


# The rules of the zone (agentscope-ai/ReMe PR 461) -------------------------------------------


SUMMER = datetime(2026, 7, 9, 12, tzinfo=UTC)
WINTER = datetime(2026, 1, 9, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "instant", "now", "day"),
    [
        ("America/New_York", "2026-01-01T04:30Z", SUMMER, "2025-12-31"),
        ("America/New_York", "2026-07-01T04:30Z", WINTER, "2026-07-01"),
        ("Europe/Berlin", "2025-12-31T22:30Z", SUMMER, "2025-12-31"),
        ("Europe/Berlin", "2025-06-30T22:30Z", WINTER, "2025-07-01"),
        ("Australia/Sydney", "2025-12-31T13:30Z", SUMMER, "2026-01-01"),
        # China kept summer time from 1986 to 1991.
        ("Asia/Shanghai", "1988-07-01T15:30Z", WINTER, "1988-07-02"),
    ],
)
def test_a_day_is_shown_by_the_rules_of_its_own_date(
    make: Make, set_zone: SetZone, zone: str, instant: str, now: datetime, day: str
) -> None:
    """agentscope-ai/ReMe PR 461: 'the local zone' was today's offset, and a January date landed on
    the wrong day."""
    set_zone(zone)
    brain = make()
    brain.add("温室的地契换了新证", valid_from=instant, kind="preference", now=now)
    # What begins in the future is asked about where it holds.
    at = max(now, datetime.fromisoformat(instant) + timedelta(minutes=1))
    assert f"自{day}]" in brain.inject("温室的地契", now=at).block
    assert f"自{day}]" in brain.brief(now=at).block


@pytest.mark.parametrize(
    ("day", "stored"),
    [("2026-01-15", "2026-01-15T05:00:00.000Z"), ("2026-07-15", "2026-07-15T04:00:00.000Z")],
)
def test_a_day_without_a_clock_begins_at_the_midnight_of_that_season(
    make: Make, set_zone: SetZone, day: str, stored: str
) -> None:
    set_zone("America/New_York")
    brain = make()
    made = brain.add("花房换班", valid_from=day, now=NOON).id
    assert brain.get(made).valid_from == stored


def test_the_command_line_shows_the_users_day(tmp_path: Path) -> None:
    """openclaw/openclaw #64990 and agentscope-ai/ReMe PR 461, from outside: one file, read in two
    zones."""
    cli = Cli(tmp_path)
    shanghai, new_york = {"TZ": "Asia/Shanghai"}, {"TZ": "America/New_York"}
    made = cli(
        "add", "凌晨给温室补了水", "--valid-from", "2025-12-31 03:53", "--json", env=shanghai
    )
    assert made.code == 0
    stored = cli("show", "1", "--json", env=new_york).json
    assert stored["valid_from"] == "2025-12-30T19:53:00.000Z"
    assert "2025-12-31" in cli("list", env=shanghai).out
    assert "2025-12-30" in cli("list", env=new_york).out
    assert "自2025-12-31]" in cli("inject", "温室补水", env=shanghai).out
    assert "自2025-12-30]" in cli("inject", "温室补水", env=new_york).out


# The past, on every path (joshuaswarren/remnic PR 713) ---------------------------------------


EARLY = NOON - timedelta(days=400)
CHANGE = NOON - timedelta(days=100)
BEFORE = NOON - timedelta(days=200)
OLD_FACTS = (
    ("孩子在城西的小学念书", "娃在哪儿上课", "转到河东的学堂了"),
    ("奶奶住进了康复医院", "姥姥人在什么地方疗养", "回老屋静养了"),
    ("轿车停在地库负二层", "爸爸的座驾放哪儿了", "挪到楼后空地了"),
)


@pytest.fixture(params=["words", "meaning"])
def changed(
    request: pytest.FixtureRequest, make: Make, e5: Embedder
) -> tuple[Brain, dict[str, int]]:
    """Facts that were superseded; one that ended; one that was put away after it was replaced."""
    brain = make(model="none" if request.param == "words" else e5)
    brain.add_many([Draft(text, valid_from=EARLY) for text in EVERYDAY[:15]], now=EARLY)
    old = {}
    for text, _, after in OLD_FACTS:
        old[text] = brain.add(text, now=EARLY).id
        brain.supersede(old[text], text=after, now=CHANGE)
    last = old[OLD_FACTS[2][0]]
    with brain._store.write() as db:
        record = lineage.require(db, last)
        lineage.change(db, record, to_iso(NOON), "decay", "", strength=0.05)
    ended = brain.add("后院的秋千能坐两个人", now=EARLY).id
    brain.expire(ended, at=CHANGE, now=CHANGE)
    old["后院的秋千能坐两个人"] = ended
    return brain, old


def test_the_past_is_seen_by_the_words(changed: tuple[Brain, dict[str, int]]) -> None:
    """joshuaswarren/remnic PR 713: one path dropped what was superseded before it looked at the
    date."""
    brain, old = changed
    for text, made in old.items():
        question = text[:-2]
        found = brain.recall(question, as_of=BEFORE, now=NOON)
        assert ids(found)[0] == made
        assert found.hits[0].lanes["lexical"].rank == 1
        assert ids(brain.search(question, as_of=BEFORE, now=NOON))[0] == made
        assert text in brain.inject(question, as_of=BEFORE, now=NOON).block
        assert brain.check(question, as_of=BEFORE, now=NOON).ids[0] == made
        for found in (brain.recall(question, k=50, now=NOON), brain.search(question, k=50)):
            assert made not in ids(found)


def test_the_past_is_seen_by_meaning_alone(make: Make, e5: Embedder) -> None:
    """joshuaswarren/remnic PR 713: the vector lane filters by its own copy of the dates."""
    brain = make(model=e5)
    brain.add_many([Draft(text, valid_from=EARLY) for text in EVERYDAY[:15]], now=EARLY)
    for text, paraphrase, after in OLD_FACTS:
        assert shares_no_word(paraphrase, text)
        made = brain.add(text, now=EARLY).id
        brain.supersede(made, text=after, now=CHANGE)
        found = brain.recall(paraphrase, as_of=BEFORE, now=NOON)
        assert made in ids(found)[:3]
        hit = next(h for h in found.hits if h.id == made)
        assert "lexical" not in hit.lanes
        assert hit.lanes["semantic"].rank >= 1
        assert made not in ids(brain.recall(paraphrase, k=50, now=NOON))


def test_every_path_sees_the_same_past(changed: tuple[Brain, dict[str, int]]) -> None:
    brain, old = changed
    listed = {one.id for one in brain.list(limit=None, as_of=BEFORE, now=NOON)}
    assert set(old.values()) <= listed
    assert listed == set(range(1, 16)) | set(old.values())
    for text in old:
        assert set(ids(brain.recall(text, k=50, as_of=BEFORE, now=NOON))) <= listed
    now = {one.id for one in brain.list(limit=None, now=NOON)}
    assert not now & set(old.values())


def test_the_instant_of_the_change_belongs_to_the_new_one(
    changed: tuple[Brain, dict[str, int]],
) -> None:
    brain, old = changed
    text, _, after = OLD_FACTS[0]
    for question in (text, after):
        at = ids(brain.recall(question, k=50, as_of=CHANGE, now=NOON))
        just = ids(brain.recall(question, k=50, as_of=CHANGE - timedelta(milliseconds=1), now=NOON))
        heir = brain.get(old[text]).superseded_by
        assert old[text] not in at
        assert heir not in just
    assert heir in at


# Every field is read back (getzep/graphiti #1661) --------------------------------------------


GIVEN: dict[str, Any] = {
    "kind": "fact",
    "scope": "谷仓",
    "source": "chat:邮件",
    "importance": 0.7,
    "confidence": 0.35,
    "pinned": True,
    "evidence": "产权登记第7页",
}
FIELDS = {
    **GIVEN,
    "id": 1,
    "text": "谷仓的产权归合作社",
    "strength": 1.0,
    "valid_from": "2024-12-09T00:00:00.000Z",
    "valid_to": "2099-12-09T00:00:00.000Z",
    "recorded_at": "2026-03-02T04:00:00.000Z",
    "retracted_at": None,
    "supersedes": None,
    "superseded_by": None,
    "archived_at": None,
    "use_count": 0,
    "last_used_at": None,
}


def _same(found: dict[str, Any]) -> None:
    assert {name: found[name] for name in FIELDS} == FIELDS
    assert len(found["content_hash"]) == 64


def test_every_stored_field_is_read_back_on_every_path(make: Make, model: str | Embedder) -> None:
    """getzep/graphiti #1661: a time was written on every record and returned by no reader."""
    brain = make(model=model)
    times = {"valid_from": "2024-12-09T08:00+08:00", "valid_to": "2099-12-09T00:00Z"}
    brain.add(FIELDS["text"], **GIVEN, **times, now=NOON)
    question = "谷仓的产权归谁"
    _same(brain.get(1).to_dict())
    _same(brain.list(scope="谷仓")[0].to_dict())
    _same(brain.recall(question, scope="谷仓").to_dict()["hits"][0])
    _same(brain.search(question, scope="谷仓").to_dict()["hits"][0])
    injected = brain.inject(question, scope="谷仓").to_dict()
    _same(injected["hits"][0])
    assert "置信0.35 自2024-12-09 至2099-12-09" in injected["block"]


def test_links_and_ends_are_read_back_on_every_path(brain: Brain) -> None:
    """getzep/graphiti #1661: what changes a record later is a field of it as well."""
    old = brain.add("谷仓归大队", valid_from=EARLY, now=EARLY).id
    new = brain.supersede(old, text="谷仓归合作社", at=CHANGE, now=NOON).new
    was = brain.recall("谷仓归谁", as_of=BEFORE, now=NOON).to_dict()["hits"][0]
    assert (was["id"], was["superseded_by"], was["valid_to"]) == (old, new, to_iso(CHANGE))
    now = brain.recall("谷仓归谁", now=NOON).to_dict()["hits"][0]
    assert (now["id"], now["supersedes"], now["valid_from"]) == (new, old, to_iso(CHANGE))
    listed = {one.id: one.to_dict() for one in brain.list(all=True)}
    assert listed[old] == brain.get(old).to_dict()
    assert {name: was[name] for name in listed[old]} == listed[old]


def test_the_command_line_reads_back_what_it_was_given(tmp_path: Path) -> None:
    """getzep/graphiti #1661, from outside: add, then show, list, recall and inject as JSON."""
    cli = Cli(tmp_path)
    options = (
        *("--kind", "fact", "--scope", "谷仓", "--source", "chat:邮件", "--importance", "0.7"),
        *("--confidence", "0.35", "--pin", "--evidence", "产权登记第7页"),
        *("--valid-from", "2024-12-09T00:00Z", "--valid-to", "2099-12-09T00:00Z"),
    )
    assert cli("add", FIELDS["text"], *options, "--json").json["created"]
    scope = ("--scope", "谷仓", "--json")
    whole = cli("show", "1", "--json").json
    _same({**whole, "recorded_at": FIELDS["recorded_at"]})
    assert whole["recorded_at"][:10] >= date(2026, 1, 1).isoformat()
    found = [
        cli("list", *scope).json[0],
        cli("recall", "谷仓产权", *scope).json["hits"][0],
        cli("inject", "谷仓产权", *scope).json["hits"][0],
    ]
    for one in found:
        assert {name: one[name] for name in whole} == whole


def test_a_time_alone_brings_out_only_what_is_of_that_time(
    make: Callable[..., Brain], e5: Embedder
) -> None:
    now = datetime(2026, 11, 30, 12, 0).astimezone()
    brain = make(model=e5)
    last_week = brain.add("和供应商谈妥了价格", valid_from="2026-11-25", now=now).id
    others = [
        brain.add("所有项目都用pnpm", now=now).id,
        brain.add("团建去了郊区的农庄", valid_from="2026-09-12", now=now).id,
        brain.add("会议室的投影仪坏了", valid_from="2026-10-12", now=now).id,
    ]
    shown = [h.id for h in brain.inject("上周做了什么", now=now).hits]
    assert shown == [last_week]
    assert not set(others) & set(shown)
    assert any(
        f"#{last_week} 在所问的时间里" in r for r in brain.check("上周做了什么", now=now).reasons
    )
