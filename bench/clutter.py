"""Random stores that want cleaning up: records told twice, values that changed, talk, old ones."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from brain import Brain, Draft

START = datetime(2025, 1, 6, 2, 0, tzinfo=UTC)
NOW = datetime(2026, 3, 2, 4, 0, tzinfo=UTC)

_NAMES = "陈岚 金晓 李雷 韩梅 王小明 赵一 周舟 吴迪 孙悦 钱进".split()  # noqa: SIM905
_THINGS = "值班群 数据库 服务端口 主分支 入口文件 会议室 部署方式 构建工具 域名".split()  # noqa: SIM905
_VALUES = (  # noqa: SIM905
    "青鸟群 老群 mysql postgresql 8080 9090 main dev src/main.py src/app/main.py 三楼 五楼 蓝绿"
    " 滚动 make ninja info debug"
).split()
_DEEDS = (
    "对花生过敏", "每周三值班", "管着测试环境", "住在杭州", "下午三点以后才回消息", "不吃香菜",
    "用 C++", "喝两杯咖啡",
)  # fmt: skip
_SAID = (
    "记住：{name}{deed}", "以后都用中文回答我", "我叫{name}", "我不吃香菜", "我们决定用{value}",
    "From now on, answer in English", "I don't eat pork", "今天天气不错", "帮我看看这段代码",
    "如果下雨，活动取消", "{name}是谁？", "remember that the {value} is down",
)  # fmt: skip
_ENDS = ("", "。", "了", " ", "呢")


def _text(chance: random.Random) -> str:
    form = chance.choice(("{name}{deed}", "{thing}是 {value}", "{thing}换成 {value}", "{free}"))
    free = "".join(chance.choice("门窗灯水电桌椅书本笔墨纸砚山川河海") for _ in range(9))
    return form.format(
        name=chance.choice(_NAMES),
        deed=chance.choice(_DEEDS),
        thing=chance.choice(_THINGS),
        value=chance.choice(_VALUES),
        free=free,
    )


def _episode(chance: random.Random) -> str:
    turns = []
    for _ in range(chance.randint(1, 4)):
        said = chance.choice(_SAID).format(
            name=chance.choice(_NAMES), deed=chance.choice(_DEEDS), value=chance.choice(_VALUES)
        )
        turns += [f"用户：{said}", f"助手：{chance.choice(('好的', '我叫小助', '记住了'))}"]
    return "\n".join(turns)


def _moment(chance: random.Random) -> datetime:
    return START + timedelta(minutes=chance.randint(0, 600_000))


def fill(brain: Brain, seed: int, records: int = 24) -> None:
    """Fills an empty file; the same seed, the same records."""
    chance = random.Random(seed)
    texts: list[str] = []
    ids: list[int] = []
    moments = sorted(_moment(chance) for _ in range(records))
    for moment in moments:
        if chance.random() < 0.3:
            draft = Draft(_episode(chance), kind="episode", source="chat:codex", valid_from=moment)
        else:
            again = texts and chance.random() < 0.35
            text = chance.choice(texts) + chance.choice(_ENDS) if again else _text(chance)
            texts.append(text)
            draft = Draft(
                text,
                kind=chance.choice(("note", "fact", "fact", "preference", "skill")),
                scope=chance.choice(("", "", "web")),
                importance=chance.choice((0.3, 0.5, 0.8)),
                valid_from=moment,
                pinned=chance.random() < 0.08,
                tags=tuple(chance.sample(("运维", "生活", "项目"), chance.randint(0, 2))),
            )
        result = brain.add_many([draft], now=moment)[0]
        if result.created:
            ids.append(result.id)
    for number in chance.sample(ids, min(len(ids), 5)):
        record = brain.get(number)
        later = datetime.fromisoformat(record.recorded_at) + timedelta(days=chance.randint(1, 30))
        match chance.randint(0, 3):
            case 0 if not record.pinned:
                brain.expire(number, now=later)
            case 1:
                brain.supersede(number, text=f"{record.text}，后来改了", now=later)
            case 2:
                brain.useful(number, now=later)
            case _:
                brain.record(f"{record.text}就发布", "线上白屏", now=later)
    brain.compress("\n".join(f"第 {n} 行 {_text(chance)}" for n in range(300)), budget=200, now=NOW)
    brain.add_word("青鸟群 100 n", now=NOW)
