"""One text, several spellings: scripts, widths, compositions."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest

from brain import Brain
from brain.embed.protocol import Embedder
from tests.support.engine import EVERYDAY, Make, fill, ids, texts

MIXED_SCRIPTS = (
    "舊漫畫收在閣樓的紙箱裏",
    "新漫画订的是月刊",
    "後臺報錯先看網關的日誌",
    "网关日志保留两周",
    "颱風天停工要主管簽字",
    "台风过后检查屋顶",
    "麵條和醬油在櫥櫃左邊",
    "发票和收据都交给会计",
)
PAIRS = (
    ("旧漫画收在哪", "舊漫畫收在哪"),
    ("后台报错看网关日志", "後臺報錯看網關日誌"),
    ("台风天停工谁签字", "颱風天停工誰簽字"),
    ("面条酱油", "麵條醬油"),
    ("会计收发票", "會計收發票"),
    ("闺房", "閨房"),
    ("网关", "網關"),
)


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brain]:
    with Brain.open(tmp_path_factory.mktemp("scripts") / "brain.db", model="none") as brain:
        fill(brain, (*MIXED_SCRIPTS, *EVERYDAY))
        yield brain


@pytest.fixture(scope="module")
def meaning(tmp_path_factory: pytest.TempPathFactory, e5: Embedder) -> Iterator[Brain]:
    with Brain.open(tmp_path_factory.mktemp("scripts") / "brain.db", model=e5) as brain:
        fill(brain, (*MIXED_SCRIPTS, *EVERYDAY[:12]))
        yield brain


@pytest.mark.parametrize(("simplified", "traditional"), PAIRS)
def test_both_scripts_of_a_question_give_the_same_hits(
    words: Brain, simplified: str, traditional: str
) -> None:
    """gotson/komga #2441: nobody knows which script a record has."""
    one, other = words.recall(simplified, k=20), words.recall(traditional, k=20)
    assert [(h.id, h.score) for h in one.hits] == [(h.id, h.score) for h in other.hits]
    assert words.check(simplified).probability == words.check(traditional).probability


@pytest.mark.parametrize(("simplified", "traditional"), PAIRS)
def test_both_scripts_give_the_same_hits_by_meaning_too(
    meaning: Brain, simplified: str, traditional: str
) -> None:
    """gotson/komga #2441, in the semantic lane: a model that knows Simplified best sees
    Simplified."""
    one, other = meaning.recall(simplified, k=20), meaning.recall(traditional, k=20)
    assert [(h.id, h.score) for h in one.hits] == [(h.id, h.score) for h in other.hits]


def test_a_record_is_as_near_in_either_script(make: Make, e5: Embedder) -> None:
    """gotson/komga #2441: the same note, stored in one script or the other, has the same vector."""
    simplified, traditional = make("s.db", e5), make("t.db", e5)
    simplified.add("鱼缸的过滤棉每月换一次")
    traditional.add("魚缸的過濾棉每月換一次")
    one = simplified.recall("水族箱怎么保养").hits[0]
    other = traditional.recall("水族箱怎么保养").hits[0]
    assert one.lanes["semantic"] == other.lanes["semantic"]
    assert other.text == "魚缸的過濾棉每月換一次"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("旧漫画", MIXED_SCRIPTS[0]),
        ("后台", MIXED_SCRIPTS[2]),
        ("報錯", MIXED_SCRIPTS[2]),
        ("面条", MIXED_SCRIPTS[6]),
        ("發票", MIXED_SCRIPTS[7]),
        ("保險箱裏的房產證", "老家的房产证锁在银行保险箱"),
        ("鋼琴課", "孩子的钢琴课改到周六下午"),
    ],
)
def test_a_record_is_found_across_scripts_and_stays_as_written(
    words: Brain, question: str, answer: str
) -> None:
    assert words.recall(question).hits[0].text == answer


@pytest.mark.parametrize(
    ("wanted", "decoy", "question"),
    [
        ("太后合唱团的谢幕场", "後院的篱笆要刷漆", "太后"),
        ("理发师推荐短一点", "發货单贴错了仓库", "理发"),
        ("头发掉得厉害去看皮肤科", "开發板少了一块", "头发"),
        ("这里程表走得不准", "柜子裏层放围巾", "里程"),
        ("擀面皮要用高筋粉", "地麵积水没人管", "面皮"),
        ("第四季營收持平", "露營地在水库边", "营收"),
        ("干燥剂放进相机包", "樹幹上钉了牌子", "干燥"),
    ],
)
def test_folding_lifts_no_other_word_above_the_right_one(
    brain: Brain, wanted: str, decoy: str, question: str
) -> None:
    """Ontos-AI/knowhere PR 234: 後 becomes 后, but 后面 is still not 皇后."""
    fill(brain, (decoy, *EVERYDAY[:8], wanted))
    assert texts(brain.recall(question))[0] == wanted


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("ＨＤＭＩ２．１的线在抽屉最里面", "hdmi2.1 线"),
        ("HDMI2.1 的线在抽屉最里面", "ＨＤＭＩ２．１"),
        ("ＳＵＶ的备胎在后备箱下面", "suv备胎"),
        ("Type-C 口松了", "Ｔｙｐｅ－Ｃ"),
        ("门禁密码是＃８８１２", "#8812"),
        ("ﾌﾟﾘﾝﾀｰの設定は総務に聞く", "プリンター"),
        ("プリンターの設定は総務に聞く", "ﾌﾟﾘﾝﾀｰ"),
        ("预算５０万，已批", "50万"),
    ],
)
def test_wide_and_narrow_forms_are_one(brain: Brain, text: str, question: str) -> None:
    """yomidevs/yomitan #961: full-width in the data, half-width in the query, and the reverse."""
    fill(brain, (*EVERYDAY[:10], text))
    assert texts(brain.recall(question))[0] == text


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("crème 蛋糕的订单在邮箱", "crème 蛋糕"),
        ("résumé 模板放在共享盘", "résumé"),
        ("한글 자판 설정", "한글"),
        ("ガイドブックを借りた", "ガイド"),
    ],
)
@pytest.mark.parametrize("stored", ["NFC", "NFD"])
def test_composed_and_decomposed_texts_find_each_other(
    brain: Brain, text: str, question: str, stored: str
) -> None:
    """lidge-jun/aside-codemode #30: a text from macOS against a query typed elsewhere, and the
    reverse."""
    asked = "NFD" if stored == "NFC" else "NFC"
    fill(brain, EVERYDAY[:10])
    kept = unicodedata.normalize(stored, text)
    added = brain.add(kept)
    hit = brain.recall(unicodedata.normalize(asked, question)).hits[0]
    assert (hit.id, hit.text) == (added.id, kept)
    again = brain.add(unicodedata.normalize(asked, text))
    assert (again.id, again.created) == (added.id, False)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("网关\u200b证书下月到期", "网关证书"),
        ("网关证书下月到期", "网关\u200b证\ufeff书"),
        ("值班表在❤\ufe0f文档里", "❤"),
        ("GATEWAY 证书下月到期", "gateway"),
        ("iOS 证书下月到期", "IOS"),
    ],
)
def test_invisible_characters_and_case_make_no_difference(
    brain: Brain, text: str, question: str
) -> None:
    fill(brain, EVERYDAY[:10])
    brain.add(text)
    assert texts(brain.search(question))[0] == text


def test_the_order_does_not_depend_on_the_spelling_of_the_question(words: Brain) -> None:
    spellings = ("API 网关日志", "ＡＰＩ　網關日誌", "api\u200b 网关日志")
    found = [ids(words.recall(q, k=10)) for q in spellings]
    assert found[0] == found[1] == found[2] != []
