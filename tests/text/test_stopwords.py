"""Words: content against grammar, own words, chit-chat, segmentation."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.errors import BrainError
from brain.text import stopwords
from brain.text.fold import fold
from brain.text.stopwords import (
    STOP_WORDS,
    content_words,
    is_chitchat,
    parse_own_word,
    segment,
    strip_function_words,
)

ADVERSE = "青鸟服务器端口的了吗什么时候在线有效目和 ,。?!-_.:/'abc12+#%\n\ud800👌食べ𠀀"


@pytest.mark.parametrize(
    ("query", "runs"),
    [
        ("服务器SSH端口是多少", ["服务器ssh端口"]),
        ("请问端到端测试结果是什么时候出来的？", ["端到端测试结果"]),
        ("能不能帮我查一下上次的超时阈值啊", ["上次", "超时阈值"]),
        ("那个在广州工作的同事叫什么", ["广州工作", "同事"]),
        ("我妈妈的生日是几号", ["妈妈", "生日"]),
        ("少女革命的漫畫在書架第幾層", ["少女革命", "漫画", "书架"]),
        ("门票多少钱？", ["门票"]),
        ("陆军总部在哪一年迁移", ["陆军总部", "迁移"]),
        ("小明的妈妈在哪家医院上班", ["小明", "妈妈", "医院上班"]),
        ("电影票在谁那儿呢", ["电影票"]),
        ("下单流程是怎样的", ["下单流程"]),
        ("“报销单”在哪？（邮箱）", ["报销单", "邮箱"]),
        ("名称:张三", ["名称", "张三"]),
        # Identifiers, numbers, signs.
        ("v1.2.3 和 .env 有什么不同", ["v1.2.3", ".env", "不同"]),
        ("重跑gen-itgc后50条的报错", ["重跑gen-itgc后50条", "报错"]),
        ("C++ 的 node.js，C# 呢", ["c++", "node.js", "c#"]),
        ("-5度的时候", ["-5度"]),
        ("50%的折扣", ["50%", "折扣"]),
        ("给 zhang.san@a.cn 的邮件", ["zhang.san@a.cn", "邮件"]),
        # English, alone and amid Han.
        ("how do i configure nginx", ["configure", "nginx"]),
        ("What’s the deploy window?", ["deploy", "window"]),
        ("don't use agents", ["don't", "use", "agents"]),
        ("IT 部门的电话是多少", ["it", "部门", "电话"]),
        ("A方案 和 B 方案 the 区别", ["a方案", "b", "方案", "区别"]),
        # Negation is content, unless it stands alone.
        ("不上线的原因", ["不上线", "原因"]),
        ("为什么没有上线", ["没有上线"]),
        ("我不知道", []),
        # Other scripts are not cut.
        ("リンゴを食べます", ["リンゴを食べます"]),
        ("오늘 게임", ["오늘", "게임"]),
        # Nothing but grammar.
        ("什么", []),
        ("这个呢？", []),
        ("怎么做", []),
        ("", []),
        (" ？！", []),
    ],
)
def test_strip_function_words(query: str, runs: list[str]) -> None:
    assert strip_function_words(fold(query)) == runs


GUARDED = """
目的 项目 的士 了解 国是 会议 有效 有限公司 在线 存在 首都 成都 和平 参与 及时 就业 还款 把握
被子 被告 给予 转让 跟踪 从事 几何 请假 邀请 自我 吉他 也门 维也纳 网吧 喇嘛 迷你 哪吒 类似 级别
功能 智能 主要 删除 预算 方便 传真 检查 访问 调查 允许 发现 出现 华为 表现 改正 饼干 题目 鼠标
时间 天气 条件 位置 部门 儿子 人员 话题 确认 办理 否定
"""


@pytest.mark.parametrize("word", GUARDED.split())
def test_words_are_not_torn_by_the_grammar_around_them(word: str) -> None:
    for query in (
        f"{word}",
        f"{word}的进度",
        f"这个{word}是什么",
        f"请问你们的{word}在哪里",
        f"有哪些{word}吗",
        f"{word}怎么样了",
        f"{word}和云图的关系",
        f"现在{word}还好吗",
    ):
        assert any(word in run for run in strip_function_words(query)), query


@pytest.mark.parametrize("head", ["这", "那", "哪", "有", "的", "在", "和", "把", "什么"])
def test_a_counter_is_not_torn_from_a_noun(head: str) -> None:
    for noun in ("项目进度", "时间表", "部门经理", "条件", "天气", "位置", "人员名单", "话题"):
        assert any(noun in run for run in strip_function_words(f"{head}{noun}"))


def test_a_query_of_one_word_is_that_word() -> None:
    for word in ("人", "做", "的", "没有", "it", "可能"):
        kept = strip_function_words(word)
        assert kept == ([word] if word not in {"的", "it"} else [])


def test_own_words_are_never_cut() -> None:
    assert strip_function_words("么么云怎么配的") == ["么么云", "配"]
    assert strip_function_words("什么是的云", ["的云 3 n"]) == ["的云"]
    assert strip_function_words("一下单就报错", ["下单"]) == ["一下单", "报错"]
    assert strip_function_words("请问谁的歌好听", ["谁的歌"]) == ["谁的歌好听"]
    assert strip_function_words("what is the who", ["the who"]) == ["the who"]
    assert strip_function_words("在那儿", ["Ｎａｒ", "那儿"]) == ["那儿"]


@given(st.text(ADVERSE, max_size=60), st.lists(st.text("青鸟的了什么a", min_size=1, max_size=4)))
def test_runs_stand_in_the_query_in_order(query: str, own: list[str]) -> None:
    folded = fold(query)
    at = 0
    for run in strip_function_words(folded, own):
        assert any(c.isalnum() or c == "_" for c in run)
        at = folded.index(run, at) + len(run)


CHAT = """
你好 您好！ 早上好呀 hi hello 谢谢啦 好的 嗯嗯 ok 哈哈哈 👌 继续 收到 辛苦了 拜拜 再见 谢谢你！ 早
非常感谢 好的，谢谢 OK,_thanks! thank_you 太谢谢你了～ 👍🏻 ❤️ 👨‍👩‍👧 。。。 ？？ Good_morning! 好嘞
明白了，谢谢老师 不客气 没问题 那就这样 可以的 對的對的 在吗 666 哈哈哈哈哈😂😂 hi_there ＯＫ
see_you_later 早上好☀️ 不好意思，打扰了 知道啦~ 嗯，晚安 you're_welcome (＾▽＾)你好
"""
REAL = """
k8s 青鸟 好的产品名是什么 谢谢参与活动的名单 history node hi-c 早餐 谢霆锋 可以部署吗 nginx ok镜
好利来 行李 继续教育 收到的发票 是非 no.5 早会 的 你 那 1 你是谁 加油站 good_wife thanksgiving
hibernate c++ $ + 你好世界的代码 再见阿郎 对账 了解项目 明天见客户 不上线
"""


@pytest.mark.parametrize("message", CHAT.split())
def test_chitchat(message: str) -> None:
    assert is_chitchat(fold(message.replace("_", " ")))


@pytest.mark.parametrize("message", [*REAL.split(), "", " ", "\n"])
def test_not_chitchat(message: str) -> None:
    assert not is_chitchat(fold(message.replace("_", " ")))


@given(st.text(ADVERSE, max_size=40))
def test_a_foreign_word_ends_chitchat(rest: str) -> None:
    assert not is_chitchat(fold(f"你好，{rest}青鸟"))


def test_the_hot_path_imports_no_segmenter_and_reads_a_long_text_once() -> None:
    """Work by the square of the long text would not end within the limit of a test."""
    code = (
        "import sys; from brain.text.stopwords import *;"
        "strip_function_words('服务器端口是多少'); is_chitchat('你好');"
        "print({'jieba', 'rjieba'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
    assert done.stderr == ""
    long = "能不能帮我查一下服务器的端口是多少，" * 40_000
    assert strip_function_words(long)
    assert not is_chitchat(long)


@pytest.mark.parametrize(
    ("line", "parsed"),
    [
        ("青鸟计划", ("青鸟计划", None, None)),
        (" 青鸟计划 10 n\n", ("青鸟计划", 10, "n")),
        ("青鸟计划 10", ("青鸟计划", 10, None)),
        ("青鸟计划 nz", ("青鸟计划", None, "nz")),
        ("C++ 3 n", ("C++", 3, "n")),
        ("Project Bluebird 5 nz", ("Project Bluebird", 5, "nz")),
        ("the who", ("the who", None, None)),
        ("2026", ("2026", None, None)),
    ],
)
def test_parse_own_word(line: str, parsed: tuple[str, int | None, str | None]) -> None:
    assert parse_own_word(line) == parsed


@pytest.mark.parametrize(
    "line",
    ["", "  ", "。。", "++", "词" * 65, "青\x00鸟", "青\n鸟", "青\ud800鸟", "青鸟 0", "青鸟 0 n"],
)
def test_own_words_that_are_refused(line: str) -> None:
    with pytest.raises(BrainError) as caught:
        parse_own_word(line)
    assert caught.value.code == "brain_word_invalid"
    assert caught.value.exit_code == 65
    caught.value.message.encode("utf-8")
    assert "\n" not in caught.value.message


def test_segment() -> None:
    assert segment("项目青鸟每周三发版") == ["项目", "青鸟", "每周三", "发版"]
    assert segment("重跑gen-itgc后50条") == ["重跑", "gen-itgc", "后", "50", "条"]
    assert segment("v1.2.3，C++ 和 .env") == ["v1.2.3", "，", "C++", " ", "和", " ", ".env"]
    assert segment("リンゴを食べます") == ["リンゴを", "食", "べます"]
    assert segment("") == []


def test_segment_knows_own_words() -> None:
    text = "云图搬到么云上，用 gen itgc 跑"
    assert "么云" not in segment(text)
    own = ["么云 1000 n", "gen itgc"]
    assert "么云" in segment(text, own)
    assert "gen itgc" in segment(text, own)
    assert "Gen ITGC" in segment("跑Gen ITGC", own)
    assert segment("regen itgc2", own) == ["regen", " ", "itgc2"]
    assert "么云" not in segment(text)


@given(st.text(ADVERSE + "Ａé \t", max_size=60))
def test_segments_join_to_the_text(text: str) -> None:
    assert "".join(segment(text)) == text
    assert "".join(segment(text, ["青鸟", "的了", "a b", "C++"])) == text


def test_content_words() -> None:
    assert content_words("能不能帮我查一下功能不能用的原因") == ["功能", "不能", "原因"]
    assert content_words("不上线的原因是什么？") == ["不", "上线", "原因"]
    assert content_words("服务器在2026-03-01换了v1.2.3吗") == [
        "服务器",
        "2026-03-01",
        "换",
        "v1.2.3",
    ]
    assert content_words("how do I configure nginx") == ["configure", "nginx"]
    assert content_words("这是什么呢？我要有个") == []
    assert content_words("什么是什么云", ["什么云 9999 n"]) == ["什么云"]


def test_stop_words_are_folded_and_hold_no_negation() -> None:
    assert all(fold(word) == word for word in STOP_WORDS)
    assert not STOP_WORDS & {"不", "没", "没有", "未", "别", "勿", "not", "no", "never"}
    assert {"的", "了", "什么", "怎么", "请问", "咋", "啥", "the", "how", "几点"} <= STOP_WORDS


def test_jieba_stands_in_silently_where_rjieba_is_missing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "会议决定下周三上线，由青鸟组的张三负责。重跑gen-itgc后50条，么云。"
    expected = segment(text), segment(text, ["么云 1000"])
    monkeypatch.setitem(sys.modules, "rjieba", None)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    stopwords._segmenter.cache_clear()
    try:
        assert (segment(text), segment(text, ["么云 1000"])) == expected
    finally:
        stopwords._segmenter.cache_clear()
    assert os.listdir(tmp_path) == []
    assert capfd.readouterr() == ("", "")
