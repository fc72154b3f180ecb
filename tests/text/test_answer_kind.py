"""Answer kinds: what a question wants, and whether a note holds such a thing."""

from __future__ import annotations

import pytest

from brain.text.answer_kind import FAR, LONGEST, UNKNOWN, Kind, answers, asked, held
from brain.text.fold import fold


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("谁负责发版？", {Kind.WHO}),
        ("王师傅的电话是多少", {Kind.PHONE}),
        ("物业的号码发我一下", {Kind.PHONE}),
        ("小林微信多少", {Kind.PHONE}),
        ("客户的邮箱是什么", {Kind.MAIL}),
        ("什么时候体检", {Kind.WHEN}),
        ("瑜伽课几点开始", {Kind.CLOCK}),
        ("垃圾车礼拜几来", {Kind.WEEKDAY}),
        ("小雨的生日是哪天", {Kind.DAY}),
        ("小雨的生日", {Kind.DAY}),
        ("备用钥匙放哪儿了", {Kind.WHERE}),
        ("快递的收货地址是什么", {Kind.WHERE}),
        ("相机多少钱买的", {Kind.PRICE}),
        ("房租多少", {Kind.PRICE}),
        ("现在的工资是多少", {Kind.PRICE}),
        ("仓库里有几台服务器", {Kind.COUNT}),
        ("一共来了多少人", {Kind.COUNT}),
        ("体检要多久", {Kind.DURATION}),
        ("我身高多少", {Kind.MEASURE}),
        ("他穿多大码的鞋", {Kind.MEASURE}),
        ("外婆今年多大年纪了", {Kind.AGE}),
        ("服务器内存多大", {Kind.AGE, Kind.MEASURE}),
        ("这药一天吃几次", {Kind.COUNT}),
        ("为什么换供应商", {Kind.REASON}),
        ("当时不选 MongoDB 的原因是什么", {Kind.REASON}),
        ("怎么给客户开发票", {Kind.HOW_TO}),
        ("回滚的步骤", {Kind.HOW_TO}),
        ("那家店叫什么名字", {Kind.NAME}),
        ("保险箱的密码是什么来着", {Kind.CODE}),
        ("车牌号", {Kind.CODE}),
        ("redis 端口是哪个", {Kind.PORT}),
        ("现在用的什么版本", {Kind.VERSION}),
        ("打印机是什么型号", {Kind.MODEL}),
        ("门是什么颜色的", {Kind.COLOUR}),
        ("内网 IP 是多少", {Kind.LINK}),
        ("发布了吗", {Kind.YES_NO}),
        ("他那边进展如何", {Kind.OPEN}),
        ("那台坏的电脑怎么处理的", {Kind.OPEN}),
        ("他在哪个组", {Kind.OPEN}),
        ("邊個負責值班", {Kind.WHO}),
        ("房東電話幾多號", {Kind.PHONE}),
        ("喺邊度食飯", {Kind.WHERE}),
        ("who owns the billing service", {Kind.WHO}),
        ("how much is the rent", {Kind.PRICE}),
        ("what time is standup", {Kind.CLOCK}),
        ("what's the phone number of the plumber", {Kind.PHONE}),
        ("why did we drop kafka", {Kind.REASON}),
        ("how many seats does the plan have", {Kind.COUNT}),
        ("今天吃了火锅", set()),
        ("", set()),
    ],
)
def test_asked(question: str, kinds: set[Kind]) -> None:
    assert asked(fold(question)) == kinds


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("房租什么时候交", {Kind.WHEN}),
        ("密码是谁改的", {Kind.WHO}),
        ("电话几点打过来的", {Kind.CLOCK}),
        ("她六岁生日做的什么造型的蛋糕", {Kind.OPEN}),
    ],
)
def test_a_word_of_asking_stands_above_an_attribute(question: str, kinds: set[Kind]) -> None:
    assert asked(fold(question)) == kinds


def test_each_clause_asks_for_itself() -> None:
    assert asked(fold("多少钱一张，货号是什么？")) == {Kind.PRICE, Kind.CODE}


@pytest.mark.parametrize(
    ("kind", "holds", "lacks"),
    [
        (Kind.PHONE, "水管工老贾 138-0000-1234", "水管工老贾周六来修过一次"),
        (Kind.PRICE, "换屏花了八百块", "屏幕送去修了，下周取"),
        (Kind.PRICE, "月租 3,400", "房子搬到三楼了"),
        (Kind.CLOCK, "站会改到九点半", "站会不开了"),
        (Kind.WEEKDAY, "理疗改到周四", "理疗换了一位大夫"),
        (Kind.DAY, "合同 2027年3月1日 到期", "合同签了，老板很高兴"),
        (Kind.WHERE, "备用钥匙在鞋柜里", "备用钥匙丢了"),
        (Kind.DURATION, "康复要六周", "康复得很好"),
        (Kind.MEASURE, "体重 62 公斤", "体重又涨上去啦"),
        (Kind.AGE, "外婆八十三岁", "外婆很健康"),
        (Kind.MAIL, "发 billing@example.com", "邮件发过去啦"),
        (Kind.LINK, "文档在 https://docs.example.com", "文档写好啦"),
        (Kind.CODE, "门禁密码 7731#", "门禁密码不能告诉别人"),
        (Kind.VERSION, "升到 v2.3.1", "升级完成"),
        (Kind.PORT, "redis 端口 6380", "redis 重启过"),
        (Kind.COLOUR, "车是墨绿的", "车送去保养"),
        (Kind.REASON, "没选它是因为太贵", "没选它"),
        (Kind.HOW_TO, "先停消费者，再跑迁移", "迁移完成"),
        (Kind.NAME, "狗叫奥利奥", "狗很乖"),
        (Kind.WHO, "房东姓褚", "房子很大"),
    ],
)
def test_held_tells_a_note_with_such_a_thing(kind: Kind, holds: str, lacks: str) -> None:
    assert held(kind, fold(holds)) >= 0.6
    assert held(kind, fold(holds)) > held(kind, fold(lacks)) + 0.2


def test_what_no_shape_tells_is_unknown() -> None:
    assert held(Kind.YES_NO, "服务已经发布") == UNKNOWN
    assert answers(asked("发布了吗"), "服务已经发布") == UNKNOWN
    assert answers((), "什么都行") == UNKNOWN


def test_near_the_matched_place_counts_more() -> None:
    note = fold("老莫一天1200，" + "会开车，人也好，大家都喜欢他，" * 12 + "小莫拍新娘房")
    there = note.index("老莫")
    far = note.index("小莫")
    close = held(Kind.PRICE, note, [(there, there + 2)])
    assert close > held(Kind.PRICE, note, [(far, far + 2)]) >= 0.6 * FAR


def test_the_question_s_own_words_are_no_answer() -> None:
    note = "小龚负责打包"
    assert held(Kind.WHO, note) == 1.0
    assert held(Kind.WHO, note, [(0, 2)]) < 0.5


def test_a_price_is_wanted_and_the_note_tells_of_a_repair() -> None:
    kinds = asked(fold("投影仪多少钱买的"))
    assert answers(kinds, fold("投影仪灯泡坏了，送去修了"), [(0, 3)]) < 0.3
    assert answers(kinds, fold("投影仪 3299 元，京东买的"), [(0, 3)]) == 1.0


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("piece", ["1", "一", "a", "1,", "a-", "a.", "(1 ", "在", "李", " "])
def test_long_text_is_looked_at_in_part(kind: Kind, piece: str) -> None:
    text = piece * 300_000
    assert 0.0 <= held(kind, text) <= 1.0
    assert held(kind, text) == held(kind, text[: 2 * LONGEST])


def test_of_a_long_note_the_matched_places_are_looked_at() -> None:
    note = "天气很好。" * 2_000 + "相机 5200 元" + "天气很好。" * 2_000
    at = note.index("相机")
    assert held(Kind.PRICE, note) < 0.5
    assert held(Kind.PRICE, note, [(at, at + 2)]) == 1.0
