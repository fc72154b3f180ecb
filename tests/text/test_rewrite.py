"""Variants: what stands in place of what, where, and where nothing does."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.errors import BrainError
from brain.text import lists
from brain.text.fold import fold
from brain.text.rewrite import KINDS, other_terms, phrase_terms, variants

CHARS = "部署上线服务器帐账号登陆录软体件三月3日第两万20我妈生的在 ,-_.dbeploycahserv软體設定u盘é"


def found(query: str, kind: str | None = None, own: tuple[str, ...] = ()) -> set[str]:
    return {
        f"{v.phrase}>{v.other}"
        for v in variants(fold(query), own)
        if kind is None or v.kind == kind
    }


# --- each kind -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "query", "pairs"),
    [
        ("numeral", "三月的账单", ["三月>3月"]),
        ("numeral", "3月的账单", ["3月>三月"]),
        ("numeral", "預算兩萬", ["两万>20000"]),
        ("numeral", "下午三点开会", ["下午三点>15:00"]),
        # Taiwan's words, in Traditional or folded, and the Mainland's.
        ("region", "軟體的設定", ["软体>软件", "设定>设置"]),
        ("region", "软件的设置", ["软件>软体", "设置>设定"]),
        ("region", "印表機壞了", ["印表机>打印机"]),
        ("region", "打印机坏了", ["打印机>印表机"]),
        ("region", "滑鼠和網路", ["滑鼠>鼠标", "网路>网络"]),
        ("region", "鼠标和网络", ["鼠标>滑鼠", "网络>网路"]),
        ("region", "計程車發票", ["计程车>出租车"]),
        ("region", "会议视频", ["视频>影片", "视频>视讯"]),
        ("region", "SQL隱碼攻擊", ["sql隐码攻击>sql注入攻击"]),
        ("region", "去紐西蘭", ["纽西兰>新西兰"]),
        # Everyday and trade words.
        ("colloquial", "老婆的生日", ["老婆>妻子", "老婆>太太", "生日>出生"]),
        ("colloquial", "妻子的出生日期", ["妻子>老婆", "出生日期>出生年月"]),
        ("colloquial", "我妈爱喝什么", ["我妈>妈妈", "我妈>母亲"]),
        ("colloquial", "母亲爱喝什么", ["母亲>妈妈", "母亲>我妈"]),
        ("colloquial", "上次上线谁负责", ["上线>部署", "上线>发布"]),
        ("colloquial", "上次部署谁负责", ["部署>上线", "部署>发布"]),
        ("colloquial", "土豆怎么做", ["土豆>马铃薯"]),
        ("colloquial", "马铃薯怎么做", ["马铃薯>土豆"]),
        ("colloquial", "他住哪", ["住哪>地址", "住哪>住在"]),
        ("colloquial", "下礼拜三的安排", ["下礼拜>下周"]),
        ("colloquial", "周三的安排", ["周三>星期三", "周三>礼拜三"]),
        ("colloquial", "k8s 怎么配", ["k8s>kubernetes"]),
        ("colloquial", "how we run kubernetes", ["kubernetes>k8s"]),
        ("colloquial", "auth 报错", ["auth>authentication"]),
        ("colloquial", "authentication error", ["authentication>auth"]),
        ("colloquial", "优盘在哪", ["优盘>u盘"]),
        ("colloquial", "U盘在哪", ["u盘>优盘"]),
        ("colloquial", "续签合约", ["续签>续期", "合约>合同"]),
        ("colloquial", "限额是多少", ["限额>配额", "限额>额度"]),
        ("colloquial", "年底奖金", ["年底奖金>年终奖"]),
        # A wider word and the narrower ones.
        ("narrower", "养了什么宠物", ["宠物>橘猫", "宠物>金毛"]),
        ("narrower", "喜欢的运动", ["运动>羽毛球", "运动>慢跑"]),
        ("narrower", "数据库的选型", ["数据库>mysql", "数据库>postgres"]),
        # Slips of the input method.
        ("homophone", "帐号登陆不了", ["帐号>账号", "登陆>登录"]),
        ("homophone", "账号登录不了", ["账号>帐号", "登录>登陆"]),
        ("homophone", "布署脚本", ["布署>部署"]),
        ("homophone", "怎么按装驱动", ["按装>安装"]),
        ("homophone", "身分证放哪了", ["身分证>身份证"]),
        ("homophone", "身份证放哪了", ["身份证>身分证"]),
        # English.
        ("translation", "部署的步骤", ["部署>deploy"]),
        ("translation", "when do we deploy", ["deploy>部署"]),
        ("translation", "the deployments of May", ["deployments>部署"]),
        ("translation", "My wife's birthday", ["wife>妻子", "birthday>生日"]),
        ("translation", "妻子的生日", ["妻子>wife", "生日>birthday"]),
        ("translation", "boss's phone number", ["phone number>手机号"]),
        ("translation", "手机号是多少", ["手机号>phone number"]),
        ("translation", "cats and dogs", ["cats>猫", "dogs>狗"]),
        ("translation", "server 的密码", ["server>服务器", "密码>password"]),
        ("translation", "meetings in march", ["meetings>会议", "march>三月", "march>3月"]),
    ],
)
def test_a_kind_finds_the_other_way(kind: str, query: str, pairs: list[str]) -> None:
    assert set(pairs) <= found(query, kind)


def test_one_way_only() -> None:
    assert "职业>工作" in found("他的职业")
    assert "工作>职业" not in found("他在哪工作")
    assert "合同>协议" in found("租房合同")
    assert "协议>合同" not in found("http协议")


def test_one_stretch_has_all_its_kinds_in_their_order() -> None:
    kinds = dict.fromkeys(v.kind for v in variants("登录超时") if v.phrase == "登录")
    assert list(kinds) == ["homophone", "region", "translation"]
    kinds = dict.fromkeys(v.kind for v in variants("三月"))
    assert list(kinds) == ["numeral", "translation"]


def test_a_phrase_that_stands_twice_comes_twice() -> None:
    places = [(v.start, v.end) for v in variants("老公说老公") if v.other == "丈夫"]
    assert places == [(0, 2), (3, 5)]


def test_the_longest_word_is_meant() -> None:
    assert "喜欢>喜爱" not in found("他不喜欢香菜")
    assert "不喜欢>讨厌" in found("他不喜欢香菜")
    assert "数据>资料" not in found("数据库在哪", "region")
    assert "数据库>资料库" in found("数据库在哪", "region")
    assert "兴趣>爱好" not in found("兴趣爱好是什么")


def test_parts_of_each_other_are_no_variants() -> None:
    assert not {"手机号>手机号码", "手机号码>手机号"} & found("手机号 手机号码")


# --- where nothing stands in place ---------------------------------------------------------------

NOTHING = """
学生日记 线上线下 沙发布料 方程式 喀布尔 体系结构 老太太 对外公开 临时延迟 上半年 物体检测 一周一次
随手下载 提高兴趣 公开心得 一起动手 自身高度 预定义 三明治 你好 什么 v1.2.3 db-prod prod_db /var/log
a.server cafédb 2db C++
"""


@pytest.mark.parametrize("query", [*NOTHING.split(), "", " ", "？！", "。", "the", "x" * 300])
def test_nothing_stands_in_place(query: str) -> None:
    assert found(query) == set()


def test_a_quotation_amid_han_is_not_translated() -> None:
    assert found("启动报错 fail to load cluster config", "translation") == {"报错>error"}
    assert "cluster>集群" in found("cluster 的配置")
    assert "cluster>集群" in found("which cluster failed to load the config")


def test_own_words_are_kept_whole() -> None:
    assert "软体>软件" in found("软体动力的发票")
    assert found("软体动力的发票", own=("软体动力 10 nz",)) == found("的发票")
    assert "三月>3月" not in found("三月兔咖啡", own=("三月兔",))
    assert "部署>上线" in found("部署", own=("部署",))
    assert "deploy>部署" not in found("deploy bird wiki", own=("Deploy Bird",))
    with pytest.raises(BrainError):
        variants("部署", ["。。"])


# --- the grams of a unit -------------------------------------------------------------------------


def unit(query: str, other: str) -> tuple[list[str], list[str]]:
    folded = fold(query)
    one = next(v for v in variants(folded) if v.other == other)
    return phrase_terms(folded, one), other_terms(folded, one)


def test_a_unit_lends_the_characters_beside_it() -> None:
    assert unit("电子資訊工程", "信息") == (["子资", "资讯", "讯工"], ["子信", "信息", "息工"])
    assert unit("软体", "软件") == (["软体"], ["软件"])
    assert unit("查部署 now", "deploy") == (["查部", "部署"], ["deploy"])
    assert unit("deployment 窗口", "部署") == (["deploy"], ["部署"])
    assert unit("三月的账单", "3月") == (["三月", "月的"], ["3", "月的"])
    assert unit("my cat", "猫") == (["cat"], ["猫*"])


# --- properties ----------------------------------------------------------------------------------


@given(st.text(CHARS, max_size=40) | st.text(max_size=20))
def test_stretches_are_right_equal_or_disjoint(query: str) -> None:
    folded = fold(query)
    last = (0, 0)
    for v in variants(folded):
        assert v.phrase == folded[v.start : v.end] != ""
        assert v.other not in ("", v.phrase)
        assert v.kind in KINDS
        assert (v.start, v.end) == last or v.start >= last[1]
        last = (v.start, v.end)
        assert phrase_terms(folded, v)
        assert other_terms(folded, v)


@given(st.text(CHARS, max_size=30))
def test_the_same_query_has_the_same_variants(query: str) -> None:
    folded = fold(query)
    assert variants(folded) == variants(folded)
    assert len(set(variants(folded))) == len(variants(folded))


# --- the lists -----------------------------------------------------------------------------------

GROUPS = [
    line.replace(">", " ").replace("|", " ").split()
    for name in ("synonyms", "homophones", "translations", "narrower")
    for line in lists.groups(name)
]


def test_lists_are_folded_and_without_repeats() -> None:
    for group in GROUPS:
        assert len(group) == len(set(group)) >= 2, group
        for phrase in group:
            assert fold(phrase) == phrase
    lines = [tuple(group) for group in GROUPS]
    assert len(lines) == len(set(lines))


def test_a_wider_word_has_only_so_many_narrower_ones() -> None:
    # Each is looked up in the index of every file a question is put to.
    for line in lists.groups("narrower"):
        wider, _, narrow = line.partition(">")
        assert all(len(word) > 1 for word in (wider + narrow).split()), line
        assert len(narrow.split()) <= 60, line


def test_every_pair_of_the_lists_is_found() -> None:
    for line in lists.groups("homophones"):
        one, other = line.split()
        assert {f"{one}>{other}", f"{other}>{one}"} <= found(f"{one}。{other}", "homophone")
    for line in lists.groups("translations"):
        chinese, english = (half.split()[0].replace("_", " ") for half in line.split("|"))
        assert f"{english}>{chinese}" in found(english, "translation")
        if len(chinese) > 1:
            assert f"{chinese}>{english}" in found(chinese, "translation")


def test_each_guard_holds_a_word_that_would_be_replaced() -> None:
    for guard in lists.words("compounds"):
        assert found(guard) == set(), guard
        pieces = (guard[i:j] for i in range(len(guard)) for j in range(i + 2, len(guard) + 1))
        assert any(variants(piece) for piece in pieces), guard


# --- cost ----------------------------------------------------------------------------------------


def test_cost() -> None:
    """Work by the square of the long texts would not end within the limit of a test."""
    code = (
        "import sys; from brain.text.fold import fold; fold('試')\n"
        "from brain.text.rewrite import variants\n"
        "variants('where is it'); variants('服务器端口是多少')\n"
        "print({'jieba', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
    variants("能不能帮我查一下服务器的端口，三月十五号部署的版本报错了" * 5600)
    variants("deploy the server " * 8000)
    variants("a" * 160_000)
