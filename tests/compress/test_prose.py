"""Prose: what is asked stays, what its look-alikes do not say stays, whole sentences only."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.compress import detect
from brain.compress.compressor import compress
from brain.compress.handles import handle_of
from brain.text.sentences import sentences
from brain.text.tokens import estimate
from tests.support.compress import INJECT, LEAST, nested, squeeze, told

FILLER = "大家看了演示，讨论很热烈，气氛不错，会后一起吃了晚饭。"
PLAIN = (
    "老城的茶馆开在河边，院子里种着两棵枇杷树。",
    "客人大多是街坊，喝茶聊天，看看报纸。",
    "掌柜姓沈，说话慢条斯理，爱听评弹。",
    "后院有一口老井，井水泡茶最好喝。",
    "每逢雨天，屋檐下挂满了油纸伞。",
    "孩子们放学路过，总要进来讨一块糖。",
)


def diary(special: str, day: int = 17) -> str:
    lines = []
    for n in range(1, 32):
        usual = f"{n}日，早上血压{120 + n % 9}/{78 + n % 5}，心率{66 + n % 6}，散步半小时。"
        lines.append(special if n == day else usual)
    return "\n".join(lines) + "\n"


def minutes(special: str, place: int = 9) -> str:
    parts = [
        FILLER.replace("演示", f"{part}组的演示") * 2 for part in "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳"
    ]
    parts[place] += special
    return "\n\n".join(parts) + "\n"


@pytest.mark.parametrize("budget", [None, INJECT, 160])
@pytest.mark.parametrize("query", ["", "吃药", "血压", "散步"])
@pytest.mark.parametrize(
    "special",
    [
        "17日，早上血压192/125，心率70，散步半小时。",
        "17日，早上血压126/82，心率141，散步半小时。",
        "17日，早上血压126/82，心率70，没有吃药，晕倒送急诊。",
    ],
)
def test_the_one_line_that_differs_from_its_look_alikes_survives(
    special: str, query: str, budget: int | None
) -> None:
    done = squeeze(diary(special), query, budget)
    assert special in done.text


@pytest.mark.parametrize("budget", [None, INJECT, 200])
@pytest.mark.parametrize("query", ["", "晚饭", "丙组的演示"])
@pytest.mark.parametrize(
    "special",
    [
        "会上决定不上线新版本。",
        "最后决定取消三号的发布。",
        "老板拍板，合同作废，不再续签。",
        "部署失败，数据丢失，需要回滚。",
    ],
)
def test_a_decision_or_a_failure_among_minutes_survives(
    special: str, query: str, budget: int | None
) -> None:
    assert special in squeeze(minutes(special), query, budget).text


@pytest.mark.parametrize(
    ("special", "word"),
    [
        ("大家同意把预算加到37.5万元。", "同意"),
        ("没有人反对。", "没有"),
        ("别忘了关窗。", "别忘"),
    ],
)
def test_what_is_dropped_of_telling_words_is_said_by_the_mark(special: str, word: str) -> None:
    done = squeeze(minutes(special), "丙组的演示", 150)
    assert special in done.text or word in told(done) or "否定" in told(done)


@pytest.mark.parametrize("place", [0, 3, 40, 79])
@pytest.mark.parametrize("budget", [LEAST + 60, INJECT, None])
def test_what_is_asked_stays_wherever_it_stands(place: int, budget: int | None) -> None:
    lines = [PLAIN[n % len(PLAIN)] for n in range(80)]
    lines[place] = "地窖的钥匙挂在灶台左边第三个钩子上。"
    done = squeeze("".join(lines), "地窖的钥匙挂在哪里", budget)
    assert lines[place] in done.text


def test_the_neighbours_of_the_hit_stay() -> None:
    lines = [PLAIN[n % len(PLAIN)] for n in range(60)]
    lines[30] = "顾师傅修好了座钟。"
    lines[31] = "他收了八十块钱。"
    assert lines[30] + lines[31] in squeeze("".join(lines), "座钟是顾师傅修的吗").text


def test_the_second_hit_answers_the_rest_of_the_question() -> None:
    subject = "望江茶馆的望江亭在望江路，望江路上的望江茶馆人人都知道。"
    lines = [subject if n % 3 == 0 else PLAIN[n % len(PLAIN)] for n in range(60)]
    lines[37] = "茶馆的营业执照在第二格抽屉。"
    assert lines[37] in squeeze("".join(lines), "望江茶馆的营业执照放在哪里").text


def test_a_heading_stays_with_what_stands_under_it() -> None:
    parts = [
        f"## 第{n}节 {part}\n\n{FILLER}{FILLER}\n\n"
        for n, part in enumerate(["采买", "仓储", "运输", "门店", "客服", "财务"])
    ]
    parts[3] += "冷柜坏了，先借隔壁的用。\n\n"
    done = squeeze("# 手册\n\n" + "".join(parts), "冷柜坏了怎么办", 160)
    assert "门店\n" in done.text
    assert "冷柜坏了，先借隔壁的用。" in done.text


def test_what_began_a_line_begins_one() -> None:
    text = "".join(f"{FILLER}{FILLER}\n\n# 第{n}章\n\n{PLAIN[n % 6]}\n\n" for n in range(20))
    shown = squeeze(text, "第13章").text
    assert f"\n# 第13章\n\n{PLAIN[1]}\n" in shown
    assert "……\n# " in shown
    assert all(line.startswith("#") or "#" not in line for line in shown.splitlines())


def test_a_fenced_block_is_one_unit() -> None:
    fence = "```bash\nsystemctl stop tea\nsystemctl start tea\n```\n"
    text = "\n".join([*PLAIN * 5, "重启茶水机的命令如下。", fence, *PLAIN * 5])
    assert fence.strip() in squeeze(text, "重启茶水机的命令").text


@pytest.mark.parametrize("budget", [LEAST, 90, 150, INJECT, 600])
def test_it_ends_at_a_sentence_and_fits(budget: int) -> None:
    text = "".join(f"{PLAIN[n % 6][:-1]}，这是第{n}遍。" for n in range(120))
    done = squeeze(text, "油纸伞", budget)
    body = done.text[: done.text.rindex("（略")]
    pieces = [p for p in body.split("……") if p]
    assert all(piece in text and piece.endswith("。") for piece in pieces)
    assert pieces or budget == LEAST
    whole = {text[a:b] for a, b in sentences(text)}
    # With room for no whole sentence, the clause that is asked for.
    assert budget == LEAST or {p[a:b] for p in pieces for a, b in sentences(p)} <= whole
    missing = done.left_out[0]
    assert budget == LEAST or missing.count == 120 - sum(len(sentences(piece)) for piece in pieces)


def test_a_sentence_longer_than_the_budget_is_cut_at_a_clause() -> None:
    text = "，".join(f"第{n}站停靠{n + 3}分钟" for n in range(200)) + "，终点是白鹭洲。"
    done = squeeze(text, "终点白鹭洲", 120)
    assert "终点是白鹭洲。" in done.text


@pytest.mark.parametrize("text", ["", "。", "短", "好的。" * 100, FILLER * 10])
def test_a_short_text_passes_through(text: str) -> None:
    assert len(text) < 400
    assert squeeze(text, "演示", None).compressor == "none"


@pytest.mark.parametrize("size", [30, 60, 100])
def test_a_text_that_fits_the_budget_passes_through(size: int) -> None:
    assert squeeze(FILLER * size, "演示", 10_000).compressor == "none"


@pytest.mark.parametrize(
    "text",
    [
        "[注] 这不是 JSON，\n[二] 也不是，\n[三] 只是带括号的散文。\n",
        "{花括号}开头的一句话。\n第二行，有逗号，有顿号、还有句号。\n第三行，也有。\n",
        "Well, we met, and talked, a lot.\nThen, after that, he left, alone.\nIt was, yes, fine.\n",
        "小王: 到了吗\n小李: 快了\n小王: 带伞了吗\n小李: 带了\n小王: 好\n",
        "- 买米\n- 买面\n- 买油\n- 交水费\n",
        "今天1,000人，明天2,000人。\n后天3,000人，大后天4,000人。\n没有表头，没有列。\n",
        "引一张表：\n\n| 甲 | 乙 |\n|---|---|\n| 1 | 2 |\n\n下面是说明。\n说明很长。\n还有。\n",
        "首先，import 这个词的意思是进口。\n其次，class 是班级。\n最后，return 是回来。\n",
        "error 这个词在第一行。\n第二行没有。\n第三行也没有。\n",
        "2024年我们去了青岛。\n2025年去了大连。\n2026年打算去厦门。\n",
    ],
)
def test_prose_that_looks_like_something_else_is_prose(text: str) -> None:
    assert detect.content_type(text) == detect.PROSE


SECRET_LINES = {
    "password": "服务器密码是 Hunter2Xy99，别告诉别人，没有例外。",
    "identity": "身份证 11010519491231002X 丢失，已报警。",
    "code": "验证码 839201，五分钟有效，超时作废。",
    "key": "密钥 sk-abcd1234efgh5678 已作废，不再使用。",
    "phone": "电话 13912345678 停机，联系失败。",
}


@pytest.mark.parametrize("what", list(SECRET_LINES))
def test_no_secret_is_quoted_in_a_mark(what: str) -> None:
    line = SECRET_LINES[what]
    lines = [f"第{n}段，{PLAIN[n % 6]}决定{n}，异常{n}，没有{n}。" for n in range(60)]
    lines[30] = line
    for budget in (LEAST, 100, INJECT):
        done = squeeze("".join(lines), "油纸伞", budget)
        for secret in re.findall(r"[0-9A-Za-z-]{6,}", line):
            assert secret not in told(done)


def test_compressing_a_compressed_text_for_less_never_nests_marks() -> None:
    text = "".join(f"{PLAIN[n % 6][:-1]}，这是第{n}遍。" for n in range(120))
    once = squeeze(text, "油纸伞", 600).text
    twice = squeeze(once, "油纸伞", 200)
    assert handle_of(text.encode()) in twice.text, "the first mark is kept"
    assert handle_of(once.encode()) in twice.text
    assert not nested(twice.text)
    assert estimate(twice.text) <= 200


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_encodings_are_understood(encoding: str) -> None:
    text = diary("17日，早上血压192/125，心率70，散步半小时。")
    data = text.encode(encoding)
    assert "192/125" in compress(data, (), INJECT, handle_of(data)).text


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n\0\0" + bytes(range(256)) * 9, b"\xff\xfe\xff" * 99]
)
def test_what_is_no_text_is_named_and_not_shown(data: bytes) -> None:
    done = compress(data, (), INJECT, handle_of(data))
    assert done.compressor == "binary"
    assert done.text == f"（略 {len(data)} 字节；全文：<<ccr:{handle_of(data)}>>）"


PIECES = (
    *(*PLAIN, FILLER, "决定不上线。", "花了37元！", "# 标题\n", "\n\n", "“好吗？”他问。"),
    *("see v1.2.3. Then go. ", "……", "（略 3 句）", "```\n", "| a | b |\n", "\u202e", "\t"),
    *("密码是abc123。", f"（略 3 句；全文：<<ccr:ccr_{'a' * 32}>>）"),
)
WORDS = st.sampled_from(PIECES)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(WORDS | st.text(max_size=30), max_size=60).map("".join),
    st.sampled_from(["", "枇杷树", "上线", "密码"]),
    st.sampled_from([None, LEAST, 100, INJECT]),
)
def test_any_prose(text: str, query: str, budget: int | None) -> None:
    text = text.encode("utf-8", "ignore").decode()
    if "\0" in text or text.startswith("\ufeff"):
        return
    done = squeeze(text, query, budget)
    assert not nested(done.text)
    assert "abc123" not in told(done)
