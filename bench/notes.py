"""Seeded Chinese notes and questions about them, for measuring time; they say nothing of quality.

Words are drawn with falling frequency (the n-th of a list about 1/n as often as the first), so
that the index has its few words in every tenth note and its many words in a handful.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass


def _list(words: str) -> list[str]:
    return words.split()


_SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余"
_GIVEN = "伟芳娜敏静丽强磊军洋勇艳杰涛明超霞平刚桂文辉玲华红健鹏飞宇欣雨晨浩然子涵思远嘉琪梓"
_ROLES = _list("同事 同学 邻居 客户 室友 老师 表哥 堂妹 舅舅 房东 教练 医生 主管 实习生 供应商")
_CITIES = _list(
    "北京 上海 广州 深圳 杭州 成都 武汉 南京 西安 重庆 苏州 长沙 青岛 厦门 昆明 大连 "
    "合肥 郑州 宁波 无锡 佛山 济南 福州 南昌 贵阳 太原 兰州 海口 珠海 洛阳 桂林 扬州"
)
_THINGS = _list(
    "数据库 网关 缓存 消息队列 日志系统 监控面板 支付接口 登录页 推荐模块 搜索服务 报表 "
    "定时任务 配置中心 镜像仓库 测试环境 预发布环境 客户端 小程序 后台管理 短信通道 "
    "对象存储 域名证书 灰度开关 权限系统 发票系统 客服机器人 数据看板 爬虫 语音识别 "
    "向量检索"
)
_TOOLS = _list(
    "PostgreSQL Redis Kafka nginx Docker Kubernetes GitLab Grafana MySQL "
    "RabbitMQ MinIO Consul Jenkins Elasticsearch ClickHouse Terraform Ansible "
    "Vault Prometheus TiDB"
)
_STATES = _list("超时 报错 卡住 变慢 重启 升级 回滚 迁移 扩容 下线 上线 告警 抖动 恢复 切换 停用")
_FOODS = _list("花生 海鲜 牛奶 香菜 咖啡 火锅 豆浆 辣椒 面条 饺子 榴莲 芒果 啤酒 红茶 酸奶 羊肉")
_HOBBIES = _list("爬山 游泳 摄影 下棋 钓鱼 跑步 书法 弹琴 露营 骑车 画画 打球 滑雪 唱歌 园艺 看展")
_PLACES = _list("会议室 食堂 地铁站 医院 图书馆 健身房 机场 超市 公园 银行 仓库 展厅 停车场 前台")
_WHEN = _list("今天 昨天 下周三 月底 周五下午 明天早上 上个月 年初 国庆前 春节后 每周一 晚上八点")
_FRAMES = (
    "{role}{name}住在{city}，喜欢{hobby}",
    "{thing}用的是{tool}，端口是{port}，由{name}负责",
    "{when}{thing}{state}了，{name}说要等{tool}升到{version}再处理",
    "{name}对{food}过敏，聚餐的时候别点",
    "{when}和{name}在{place}见面，谈{thing}的预算，大概{money}万元",
    "{thing}的负责人从{name}换成了{other}，{when}开始",
    "{name}的生日是{month}月{day}日，送过一本讲{hobby}的书",
    "{tool}的错误码{code}是{thing}{state}引起的，重试{small}次就好",
    "{city}的仓库搬到了{place}旁边，联系人{name}，分机{port}",
    "{name}说什么时候都可以去{city}，只要提前{small}天告诉他",
    "不知道{thing}为什么又{state}，{when}问问{name}",
    "我们决定{thing}不再用{tool}，改用{tool2}，因为{version}之后不兼容",
    "{when}要去{city}出差，住{place}附近，房费每晚{port}元",
    "{role}{name}的手机尾号是{port}，微信同号",
    "{thing}的发布窗口是{when}，回滚要找{other}批准",
    "{name}这周在学{hobby}，晚上没什么空",
    "{tool}升级到{version}以后，{thing}的内存从{small}GB降到{half}GB",
    "订单{code}的发票抬头写错了，{name}{when}重开",
    "{name}最爱吃{food}，不吃{food2}",
    "{thing}的接口文档放在/docs/{tool}/{code}.md，改了要通知{name}",
)
_QUESTIONS = (
    "{name}住在哪个城市",
    "{thing}用的是什么端口",
    "{thing}现在谁负责？",
    "{name}对什么过敏来着",
    "{tool}的错误码{code}是怎么回事",
    "{name}的生日是几月几日",
    "为什么不再用{tool}了",
    "{when}要和谁在{place}见面",
    "{city}的仓库联系人是谁",
    "{thing}{state}的时候应该找谁批准回滚",
)
_FREQUENT = ("什么", "我们", "的", "今天", "负责", "说", "时候", "不再用")
_ABSENT = (
    "量子纠缠能不能用来超光速通信",
    "帮我写一首关于秋天的七言绝句",
    "光合作用的暗反应发生在哪里",
    "how do I bake sourdough bread at high altitude",
    "莎士比亚的十四行诗有多少首",
    "把这段话翻译成法语再润色一下",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what kind it is."""

    kind: str
    text: str


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def _falling(self, items: list[str]) -> str:
        # The integral of 1/n turned round: place = N ** u.
        return items[min(len(items) - 1, int(len(items) ** self.random.random()) - 1)]

    def _name(self) -> str:
        given = self._falling(list(_GIVEN))
        if self.random.random() < 0.7:
            given += self._falling(list(_GIVEN[::-1]))
        return self._falling(list(_SURNAMES)) + given

    def fill(self, frame: str) -> str:
        r = self.random
        return frame.format(
            role=self._falling(_ROLES),
            name=self._name(),
            other=self._name(),
            city=self._falling(_CITIES),
            thing=self._falling(_THINGS),
            tool=self._falling(_TOOLS),
            tool2=self._falling(_TOOLS[::-1]),
            state=self._falling(_STATES),
            food=self._falling(_FOODS),
            food2=self._falling(_FOODS[::-1]),
            hobby=self._falling(_HOBBIES),
            place=self._falling(_PLACES),
            when=self._falling(_WHEN),
            version=f"v{r.randint(1, 9)}.{r.randint(0, 20)}.{r.randint(0, 9)}",
            code=f"{r.choice('ABEKRT')}{r.randint(1000, 99999)}",
            port=r.randint(1000, 9999),
            money=r.randint(2, 300),
            month=r.randint(1, 12),
            day=r.randint(1, 28),
            small=r.randint(2, 30),
            half=r.randint(1, 9),
        )

    def sentence(self) -> str:
        return self.fill(self._falling(list(_FRAMES)))

    def note(self) -> str:
        # Nine of ten are one sentence; the rest up to a page.
        many = 1 if self.random.random() < 0.9 else self.random.randint(3, 12)
        return "。".join(self.sentence() for _ in range(many)) + "。"

    def question(self) -> str:
        return self.fill(self.random.choice(_QUESTIONS))


def notes(count: int, seed: int = 1) -> list[str]:
    """``count`` different notes, the same for the same seed."""
    writer = _Writer(seed)
    out: dict[str, None] = {}
    while len(out) < count:
        out[writer.note()] = None
    return list(out)


def questions(each: int, seed: int = 2) -> list[Asked]:
    """``each`` questions of every kind, mixed, the same for the same seed."""
    writer = _Writer(seed)
    found = [asked for _ in range(each) for asked in _one_of_each(writer)]
    random.Random(seed).shuffle(found)
    return found


def _one_of_each(writer: _Writer) -> Iterator[Asked]:
    pick = writer.random
    yield Asked("bare word", writer.fill(pick.choice(("{name}", "{thing}", "{city}", "{hobby}"))))
    yield Asked("frequent word", pick.choice(_FREQUENT))
    yield Asked("identifier", writer.fill(pick.choice(("{code}", "{tool} {version}", "{port}"))))
    yield Asked("question", writer.question())
    chatter = "，".join(writer.sentence() for _ in range(10))
    yield Asked("long message", f"{chatter}。对了，{writer.question()}？")
    yield Asked("topic not there", pick.choice(_ABSENT))
