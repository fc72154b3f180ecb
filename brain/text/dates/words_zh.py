"""Temporal vocabulary of :mod:`brain.text.dates.zh`: what Chinese words name a time, and where not.

Curated by hand, Simplified. Guards (``NOT_BEFORE``, ``NOT_AFTER``, …) say where the characters of a
word belong to others; where that is undecided the word counts, since a time is only a preference.
"""

from __future__ import annotations

from collections.abc import Mapping

DAY_WORDS: Mapping[str, tuple[int, int, str]] = {
    **{f"今{tail}": (0, 1, "") for tail in ("天", "日", "儿", "儿个")},
    **{f"昨{tail}": (-1, 0, "") for tail in ("天", "日", "儿", "个", "儿个")},
    **{f"明{tail}": (1, 2, "") for tail in ("天", "日", "儿", "儿个")},
    **{f"{day}{part}": (n, n + 1, "早上") for day, n in (("今", 0), ("明", 1)) for part in "早晨"},
    **{
        f"{day}{part}": (n, n + 1, "晚上")
        for day, n in (("今", 0), ("明", 1), ("昨", -1))
        for part in "晚夜"
    },
    **{
        f"{day}{part}": (n, n + 1, part)
        for day, n in (("今", 0), ("明", 1), ("昨", -1))
        for part in ("早上", "晚上", "夜里")
    },
    "前晚": (-2, -1, "晚上"),
    **dict.fromkeys(("前天", "前日", "前儿", "前儿个"), (-2, -1, "")),
    "大前天": (-3, -2, ""),
    "后天": (2, 3, ""),
    "大后天": (3, 4, ""),
    "大大前天": (-4, -3, ""),
    "大大后天": (4, 5, ""),
    "今明两天": (0, 2, ""),
}
"""First day after today, the day after the last one, and the part of the day."""

SHIFTS: Mapping[str, int] = {"上": -1, "下": 1}
"""How far a word before 周, 个月, 年 … shifts it: 上周 is the week before this one."""

WEEKS = ("周", "星期", "礼拜")

NOT_AFTER_WEEK = ("期", "边", "围", "折", "岁")
"""What makes another word of 周: 周期, 周边, 周岁."""

YEAR_WORDS: Mapping[str, int] = {
    "大大前年": -4,
    "大前年": -3,
    "前年": -2,
    "去年": -1,
    "今年": 0,
    "本年": 0,
    "明年": 1,
    "后年": 2,
    "大后年": 3,
}

SOFT_WORDS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("最近", "近来", "近期", "这阵子", "这一阵", "这段时间", "这段日子"), (-30, 1)),
    **dict.fromkeys(("近日", "这些日子"), (-14, 1)),
    "这些天": (-10, 1),
    "这几天": (-5, 2),
    "这两天": (-2, 2),
    **dict.fromkeys(("前两天", "头两天"), (-4, 0)),
    **dict.fromkeys(("前几天", "头几天"), (-10, 0)),
    "前些天": (-14, -1),
    **dict.fromkeys(
        ("前阵子", "前一阵", "前段时间", "前段日子", "前一段时间", "前些日子", "前些时候"),
        (-90, -7),
    ),
    "过几天": (1, 8),
    "过两天": (1, 4),
}
"""Words without a width of their own: from so many days after today up to (half open)."""

HOLIDAYS: Mapping[str, tuple[int, int, int]] = {
    "元旦": (1, 1, 3),
    "情人节": (2, 14, 1),
    **dict.fromkeys(("妇女节", "三八节", "女神节"), (3, 8, 1)),
    "植树节": (3, 12, 1),
    "愚人节": (4, 1, 1),
    **dict.fromkeys(
        ("劳动节", "五一节", "五一假期", "五一长假", "五一期间", "五一小长假"), (5, 1, 5)
    ),
    "青年节": (5, 4, 1),
    **dict.fromkeys(("儿童节", "六一节", "六一儿童节"), (6, 1, 1)),
    "建党节": (7, 1, 1),
    "建军节": (8, 1, 1),
    "教师节": (9, 10, 1),
    **dict.fromkeys(("国庆", "十一假期", "十一长假", "十一期间", "十一黄金周"), (10, 1, 7)),
    "万圣节": (10, 31, 1),
    **dict.fromkeys(("双十一", "双11", "光棍节"), (11, 11, 1)),
    **dict.fromkeys(("双十二", "双12"), (12, 12, 1)),
    **dict.fromkeys(("平安夜", "圣诞前夜"), (12, 24, 1)),
    **dict.fromkeys(("圣诞节", "圣诞"), (12, 24, 3)),
    "跨年夜": (12, 31, 1),
}
"""Month, day and number of days."""

NTH_WEEKDAYS: Mapping[str, tuple[int, int, int]] = {
    "母亲节": (5, 6, 2),
    "父亲节": (6, 6, 3),
    "感恩节": (11, 3, 4),
}
"""Month, day of the week (0 is Monday) and the how manieth of the month."""

LUNAR_FESTIVALS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("元宵节", "元宵夜", "上元节"), (1, 15)),
    "龙抬头": (2, 2),
    **dict.fromkeys(("端午", "端阳节", "龙舟节"), (5, 5)),
    "七夕": (7, 7),
    **dict.fromkeys(("中元节", "盂兰盆节"), (7, 15)),
    "中秋": (8, 15),
    "重阳": (9, 9),
    "寒衣节": (10, 1),
    "腊八": (12, 8),
    "小年": (12, 23),
}
"""Lunar month and day; the last month is that of the lunar year before."""

NEW_YEAR_EVES = ("除夕", "大年夜")
SPRING_FESTIVALS = ("春节", "农历新年", "过年")

_SOLAR_TERMS = """
小寒 大寒 立春 雨水 惊蛰 春分 清明 谷雨 立夏 小满 芒种 夏至
小暑 大暑 立秋 处暑 白露 秋分 寒露 霜降 立冬 小雪 大雪 冬至
"""
SOLAR_TERMS: Mapping[str, int] = {name: n for n, name in enumerate(_SOLAR_TERMS.split())}
"""In the order of the Gregorian year, two a month."""

WEATHER_TERMS = frozenset(("雨水", "小雪", "大雪", "小满"))
"""Ordinary words and names besides: solar terms where 那天, 节气 or the like stands behind them."""

LUNAR_PREFIXES = ("农历", "阴历", "旧历", "古历", "夏历")
LUNAR_MONTHS: Mapping[str, int] = {"正月": 1, "冬月": 11, "腊月": 12}
NOT_AFTER_LUNAR_DAY = tuple("多几余来个次天周期批轮直级中步名岁万亿千元块秒分点楼层号%人位度度斤")
"""三月初|一次, 年|三十岁: then it counts something."""

SPOKEN_HOLIDAYS: Mapping[str, tuple[int, int]] = {"五一": (5, 7), "六一": (6, 1), "十一": (10, 7)}
"""Month and number of days that these stand for after a year: 去年十一."""

NOT_BEFORE_SPOKEN = tuple("周期拜月号日初第年点线室楼")
AFTER_SPOKEN = ("去", "那", "放", "期间", "假", "出去", "回", "玩", "出游", "旅", "在家", "长假")
AFTER_SPOKEN_ALONE = (
    *("在", "跟", "和", "我", "你", "咱", "想", "要", "有", "的", "是", "干", "做", "怎", "买"),
    *("，", ",", "。", "？", "?", " "),
)
"""五一|去哪玩了 is the holiday, 五一|广场 is none, and 十一 by itself is a number."""

NOT_BEFORE: Mapping[str, str] = {
    **dict.fromkeys(("今天", "今日", "今晚", "今年"), "如当现古"),
    **dict.fromkeys(
        ("前天", "前年", "前日", "前儿", "前儿个"), "以之目面提门午从生当眼跟史事会战婚产饭睡空"
    ),
    "过年": "不超经越通吃喝",
    **dict.fromkeys(("后天", "后年"), "以之然最今前背随午幕身先"),
    "明天": "聪透文光黎",
    "明年": "聪文光",
    "去年": "过",
    "本年": "日根基版样成书",
    **dict.fromkeys(("大前天", "大前年", "大大前天", "大后天"), "老"),
    "正月": "反真纯改修校公严方",
    "年": "全当同每两半几这那今去明前后本往整周青少中老成新旧一万",
    "春分": "青立新思迎",
    "夏至": "今去初入",
    "冬至": "今去初入",
    "清明": "治",
    "小年": "大",
    "重阳": "王",
    "国庆": "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕",
    "上": "早晚马以网线路身墙海陆街世史桌楼手",
    "下": "以天底楼如线手乡地脚当名",
    "本": "日根基版样成书资原",
    **dict.fromkeys(("近期", "近日", "近来"), "最将附接靠临"),
    **dict.fromkeys(("头两天", "头几天"), "开里前后外月年上下街路码回念老石木罐骨巨带"),
    **dict.fromkeys(("前两天", "前几天", "前些天"), "提之以目面赛试会节婚考线行期程业假"),
}
"""Characters with which a word that follows them is torn: 如今|天下, 以前|天天, 晚上|周杰伦."""

NOT_AFTER: Mapping[str, tuple[str, ...]] = {
    "今日": ("头条",),
    "明日": ("方舟", "之星", "黄花"),
    "前天": tuple("线窗台空才赋津"),
    "明天": ("系列", "系企", "系公", "集团"),
    "后天": ("性", "免疫", "因素", "培养", "习得", "教育", "努力", "失"),
    "前年": ("轻",),
    "后年": ("轻",),
    "本年": ("级", "轻"),
    "今年": ("轻",),
    "近日": ("点",),
    "近来": ("者",),
    "前儿": tuple("子女媳童"),
    "过年": tuple("底末中初会龄轻限级"),
    "圣诞": tuple("老树卡帽歌岛"),
    "国庆": ("路", "街"),
    "清明": ("上河", "路"),
    **dict.fromkeys(("春分", "秋分"), tuple("享手开钟公配别红成")),
    **dict.fromkeys(("小暑", "大暑"), ("假",)),
    "立秋": ("千",),
    "大寒": ("潮",),
    "小年": ("轻", "龄"),
    "重阳": tuple("木路区糕"),
    "腊八": tuple("粥蒜醋豆"),
    "端午": tuple("路街"),
    "中秋": tuple("路街"),
    "最近": (
        *("的地铁", "的车站", "的医院", "的超市", "的银行", "的餐", "的店", "的路"),
        *("的机场", "的酒店", "的出口", "的公交", "的加油"),
    ),
}
WEEKDAYS: Mapping[str, int] = {
    **{c: i for chars in ("一二三四五六日", "1234567") for i, c in enumerate(chars)},
    "天": 6,
    "末": 7,
}
"""What follows 周; 7 is the weekend."""
NOT_AFTER_WEEKDAY: Mapping[str, str] = {
    "一": "直起共些个次样切",
    "日": "程常志期元均语",
    "天": "气天空",
    **dict.fromkeys("二三四五六", "个次件十百份条位天周月年"),
}
"""上周|一直, 上周|三个, 上周|日程: then the character belongs to the next word."""
AFTER_WEEKDAY = frozenset(
    "的上下早晚中凌傍午夜要开去来有没是不我你他她它咱那这和跟与到至前后之就又也都还再会能可该想见做交给"
    "把被说讲提问买吃喝看写改发线出回放休加考测聚约订定完打在从起以几谁什哪为怎干安几吗吧呢了"
)
"""Han that may follow a bare 周三; others make it look like a name (周一鸣, 周三丰, 周六福)."""
WORDS_AFTER_WEEKDAY = (
    *WEEKS,
    "一起",
    "一块",
    "一同",
    "一整天",
    "一天",
    "全天",
    *"请陪带老小妈爸家孩娃同",
    "公司",
    "部门",
)
"""And words: 周五|一起."""
FREE_BEFORE = frozenset("我你他她它们在于将要会再就定约从是也都说到")
"""Han that may stand before 三天后; after others (手术三天后) it counts from something else."""
NOT_AFTER_AGO: Mapping[str, tuple[str, ...]] = {
    "前": tuple("端台锋后沿途提缀置夫任妻女男"),
    "后": tuple("端台续备卫勤缀面来悔期"),
}
NOT_AFTER_EARLY_LATE = tuple("就已点了到于退班餐饭早会宴年辈报安期")
"""昨天|早就, 周五|晚会: then 早 and 晚 are no part of the day."""

NOT_AFTER_PART = ("茶",)
"""昨天|下午茶."""

UNITS: Mapping[str, str] = {
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "季度": "quarter",
    "年": "year",
    "小时": "hour",
    "钟头": "hour",
    "分钟": "minute",
}
ORDINAL_UNITS: Mapping[str, str] = {
    **{word: unit for word, unit in UNITS.items() if unit in ("day", "week", "month", "quarter")},
}
"""What 第一 and 最后 count in a period."""

NOT_AFTER_ORDINAL: Mapping[str, tuple[str, ...]] = {
    "day": (
        *"堂气空报本语常程记志",
        *("上班", "上学", "上课", "上岗", "入职", "报到", "开学", "开工"),
    ),
    "week": (*"年期边围折岁刊报", "日程"),
    "month": tuple("球台亮光饼薪嫂子"),
}
"""第一|周年, 第三个|月饼; and 最后一天上班 is of the work and not of the year."""

HALVES: Mapping[str, tuple[str, ...]] = {
    "year": ("年", "段"),
    "month": ("个月", "月", "段"),
    "week": ("周", "个星期", "段"),
    "range": ("段",),
}
"""What 上半, 后半 … are halves of."""

UNITS_WITH_GE = frozenset(("星期", "礼拜", "月", "季度", "小时", "钟头"))

SAME_DAY = ("这一天", "同一天", "这天")
"""Behind 去年 they are today's."""

SAME_TIME = ("今天这个时候", "这个时候", "这时候", "这个时间", "这会儿", "此时", "同期")
"""Behind 去年 or 上个月: roughly the same day."""

NAMES_AFTER_WEEK = ("一鸣", "三丰", "六福", "日程", "末日")
"""After a second 周 they are names and words: 上周周三丰."""

COUNTERS = tuple("个人天件条次名位份本台辆页年月岁楼层点万千百亿元块米公斤分秒周号日多几度%种项")
"""三月|二十人: then the number is no day."""

NUMBERED_BEFORE = (
    *("路", "街", "弄", "巷", "胡同", "大道", "村", "苑", "庄", "厦", "栋", "幢", "楼", "座", "区"),
    *("牌", "编", "型", "铺", "柜", "桌", "床", "房", "门", "井", "台", "线", "站台", "仓", "库"),
    *(
        "学号",
        "工号",
        "车牌",
        "第",
        "每",
        "逢",
        "初",
        "地铁",
        "机场",
        "尾号",
        "单号",
        "排",
        "航站楼",
    ),
)
"""中山路|8号, 地铁|8号: then it is the number of something."""
NUMBERED_AFTER_DATE = tuple("楼线院厅机位门店")
NUMBERED_AFTER = (
    *("楼", "线", "院", "厅", "机", "位", "门", "店", "桌", "馆", "房", "室", "柜", "库", "井"),
    *("坑", "车", "舰", "船", "仓", "池", "站", "台", "栋", "球", "档", "炉", "矿", "笔", "箱"),
    *("床", "牌", "码", "选手", "人物", "电池", "文件", "汽油", "柴油", "公路", "染色体", "文档"),
    *("种子", "嘉宾", "病人", "患者", "楼层", "出口", "入口", "厂", "组", "卷", "窗口", "槽", "座"),
    *("公寓", "别墅", "航站", "令", "屏", "泊位"),
)
"""8号|楼."""
NOT_NUMBERED_AFTER = (
    "门诊",
    "线上",
    "线下",
    "机场",
    "车展",
    "厅长",
    "组织",
    "组会",
    "位于",
    "站会",
)
"""But these are words of their own: 8号|线上开会."""
AFTER_DAYS = tuple("内后前游线龄间均报志记程常薪租本语")
"""15日|内: then it counts days, or is another word."""
