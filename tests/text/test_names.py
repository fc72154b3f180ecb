"""Names: who a question asks for, and whether a note names the same one or another."""

from __future__ import annotations

import pytest

from brain.text import lists
from brain.text.fold import fold
from brain.text.names import LONGEST, MAYBE, MOST_NAMES, RIVAL, SILENT, WHOLE, asked, match


def names(question: str) -> list[tuple[str, str]]:
    return [(name.text, name.kind) for name in asked(fold(question))]


def said(question: str, note: str) -> float:
    (name,) = asked(fold(question))
    return match(name, fold(note))


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("孙晓梅的手机号是多少", [("孙晓梅", "person")]),
        ("何建国在哪退休的", [("何建国", "person")]),
        ("周敏生日哪天", [("周敏", "person")]),
        ("王伟明天来吗", [("王伟", "person")]),
        ("汤敏老公做什么", [("汤敏", "person")]),
        ("歐陽靜對什麼過敏", [("欧阳静", "person")]),
        ("上次跟许砺和蒋婉婷吃的什么", [("许砺", "person"), ("蒋婉婷", "person")]),
        ("Fiona 哪天到", [("fiona", "person")]),
        ("张总是谁", [("张总", "title")]),
        ("章医生和小骆医生谁坐诊", [("章医生", "title"), ("小骆医生", "title")]),
        ("米米老师姓什么", [("米米老师", "title")]),
        ("欧阳老师教什么", [("欧阳老师", "title")]),
        ("小邹住哪", [("小邹", "title")]),
        ("老K换工作了没", [("老k", "title")]),
        ("阿芬几点下班", [("阿芬", "title")]),
        ("Dr. Okafor 要什么", [("dr. okafor", "title")]),
        ("二舅的电话", [("二舅", "kin")]),
        ("我妈和表姐谁先到", [("我妈", "kin"), ("表姐", "kin")]),
        ("妈的降压药还吃不吃", [("妈", "kin")]),
        ("gen-itgc 是什么意思", [("gen-itgc", "identifier")]),
        ("v2.3.1 修了什么", [("v2.3.1", "identifier")]),
        ("A7M4 的快门数", [("a7m4", "identifier")]),
    ],
)
def test_a_question_names(question: str, found: list[tuple[str, str]]) -> None:
    assert names(question) == found


@pytest.mark.parametrize(
    "question",
    [
        "周末去哪玩",
        "高中同学聚会定在哪",
        "马上要交的方案是什么",
        "黄金涨了多少",
        "任务安排好了吗",
        "石头剪刀布谁赢了",
        "成本和温度各是多少",
        "时间应该来得及吧",
        "于是我们改坐高铁",
        "上周医生怎么说",
        "年终总结写完没",
        "小时候住过哪",
        "小程序什么时候上线",
        "养老金每月多少",
        "姑娘们几点到",
        "外公布置是什么",
        "单反和三脚架放哪了",
        "常用的快捷键有哪些",
        "帮我把这段改成英文",
        "what did we decide about the budget",
    ],
)
def test_ordinary_words_are_no_names(question: str) -> None:
    assert names(question) == []


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("李梦瑶的生日", "李梦琪的生日是三月九号"),
        ("王薇在哪上班", "王伟在税务局上班"),
        ("刘阳的车牌", "刘洋的车牌是浙A"),
        ("欧阳静吃不吃虾", "欧阳岚对虾过敏"),
        ("周岚的导师", "周敏的导师姓李"),
        ("赵倩的工资", "钱倩的工资是八千"),
        ("张梦瑶的学校", "李梦瑶在四中"),
        ("章总爱喝什么", "张总爱喝龙井"),
        ("汪阿姨几点来", "王阿姨七点半来"),
        ("小龚的工资", "小谢做裱花，4200"),
        ("小莫的日薪", "老莫一天1200"),
        ("二舅家在哪", "大舅家在城南"),
        ("我爸的生日", "我妈的生日是腊八"),
        ("表姐几月结婚", "表哥五月结婚"),
        ("外婆住几楼", "奶奶住三楼"),
        ("order-api 用什么库", "order-core 用 PostgreSQL"),
        ("dev-04 跑什么", "dev-01 跑 staging，dev-02 跑回归"),
        ("v2.2.0 哪天发的", "v2.1.0 上线，英文界面"),
        ("Emma 的邮箱", "Emily 的邮箱是 e@example.com"),
    ],
)
def test_another_one_is_a_rival(question: str, note: str) -> None:
    assert said(question, note) == RIVAL


@pytest.mark.parametrize(
    ("question", "note", "found"),
    [
        ("李梦瑶的生日", "李梦琪三月，李梦瑶五月", WHOLE),
        ("王伟住哪", "王伟明天搬家", WHOLE),
        ("骆医生怎么说", "小骆医生说多喝水", WHOLE),
        ("周医生怎么说", "周大夫说多喝水", WHOLE),
        ("爸爸的血压", "父亲血压130", WHOLE),
        ("我老公对什么过敏", "丈夫花生过敏", WHOLE),
        ("order-core 用什么", "order_core 用的是 pg", WHOLE),
        ("2.3.1.0 修了什么", "V2.3.1.0 修了闪退", WHOLE),
        ("李梦瑶的生日", "梦瑶生日五月三号", MAYBE),
        ("刘芳芬工资多少", "阿芬工资5000", MAYBE),
        ("周敏的电话", "周老师电话139", MAYBE),
        ("张总是做什么的", "张建国做建材，都叫他总经理", MAYBE),
        ("莫建军会开车吗", "老莫会开车", MAYBE),
        ("大舅住哪", "舅舅住城南", MAYBE),
        ("Hannah 的狗", "Hanah's dog is called Biscuit", MAYBE),
        ("周敏的电话", "周末去爬山，高中同学都在", SILENT),
        ("石磊住哪", "石家庄出差，石头很多", SILENT),
        ("张总爱喝什么", "年终总结写完了，张罗聚餐", SILENT),
        ("小程住哪", "小程序上线了", SILENT),
        ("我妈的生日", "他妈妈的生日是腊八", SILENT),
        ("大舅住哪", "和同事吃饭", SILENT),
        ("order-core 用什么", "部署在阿里云", SILENT),
    ],
)
def test_what_a_note_says_of_a_name(question: str, note: str, found: float) -> None:
    assert said(question, note) == found


def test_a_longer_name_is_another_one() -> None:
    assert said("王伟住哪", "王伟明负责招聘，电话在群里") == RIVAL


def test_another_persons_relative_is_not_the_speakers_own() -> None:
    assert names("周敏的妈妈几岁") == [("周敏", "person")]
    assert names("他妈妈几岁") == []


def test_spans_and_parts() -> None:
    name, title = asked(fold("问问李梦瑶，再问张总"))
    assert (name.start, name.end, name.parts) == (2, 5, ("梦瑶",))
    assert (title.start, title.end, title.parts) == (8, 10, ("张", "总"))


def test_long_texts_are_bounded() -> None:
    assert asked("的" * LONGEST + "李梦瑶") == ()
    many = "、".join(f"dev-{n}" for n in range(40))
    assert len(asked(many)) == MOST_NAMES


@pytest.mark.parametrize(
    "text", ["", "\x00", "阿", "小", "周", "欧阳", "李\ud800", "dr. ", "我", "总"]
)
def test_any_text_is_read(text: str) -> None:
    for name in asked(text):
        assert text[name.start : name.end] == name.text
    for question in ("李梦瑶在哪", "张总在哪", "小邹在哪", "大舅在哪", "dev-1 在哪", "emily 在哪"):
        assert match(asked(question)[0], text) == SILENT


def test_the_lists_are_well_formed() -> None:
    for surname in lists.words("names", "surnames"):
        assert len(surname) == 1
    # Each relative stands once: two lines would make rivals of its words.
    relatives = " ".join(lists.lines("names")["kin"]).replace("|", " ").split()
    assert len(relatives) == len(set(relatives))
    titles = " ".join(lists.lines("names")["titles"]).split()
    assert len(titles) == len(set(titles))
    for name in ("names", "name_words"):
        for word in " ".join(lists.groups(name)).split():
            assert fold(word) == word
