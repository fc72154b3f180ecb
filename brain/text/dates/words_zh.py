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
    "前晚": (-2, -1, "晚上"),
    "前天": (-2, -1, ""),
    "大前天": (-3, -2, ""),
    "后天": (2, 3, ""),
    "大后天": (3, 4, ""),
    "今明两天": (0, 2, ""),
}
"""First day after today, the day after the last one, and the part of the day."""

YEAR_WORDS: Mapping[str, int] = {
    "大前年": -3,
    "前年": -2,
    "去年": -1,
    "今年": 0,
    "本年": 0,
    "明年": 1,
    "后年": 2,
}

SOFT_WORDS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("最近", "近来", "近期", "这阵子", "这一阵", "这段时间", "这段日子"), (-30, 1)),
    **dict.fromkeys(("近日", "这些日子"), (-14, 1)),
    "这些天": (-10, 1),
    "这几天": (-5, 2),
    "这两天": (-2, 2),
    "前两天": (-4, 0),
    "前几天": (-10, 0),
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
    "劳动节": (5, 1, 5),
    "五一节": (5, 1, 5),
    "五一假期": (5, 1, 5),
    "五一长假": (5, 1, 5),
    "五一期间": (5, 1, 5),
    "国庆": (10, 1, 7),
    "圣诞节": (12, 24, 3),
}
"""Month, day and number of days; 春节 has :data:`NEW_YEARS`."""

SPOKEN_HOLIDAYS: Mapping[str, int] = {"五一": 5, "十一": 10}
"""Month of the week that these stand for after a year: 去年十一."""

_NEW_YEARS = """
0205 0124 0212 0201 0122 0209 0129 0218 0207 0126 0214 0203 0123 0210 0131 0219 0208
0128 0216 0205 0125 0212 0201 0122 0210 0129 0217 0206 0126 0213 0203 0123 0211 0131
0219 0208 0128 0215 0204 0124 0212 0201 0122 0210 0130 0217 0206 0126 0214 0202 0123
"""
NEW_YEARS = tuple(_NEW_YEARS.split())
"""Month and day of the first day of the lunar year, 2000 to 2050 (package lunardate)."""

NOT_BEFORE: Mapping[str, str] = {
    **dict.fromkeys(("今天", "今日", "今晚", "今年"), "如当现古"),
    **dict.fromkeys(("前天", "前年"), "以之目面提门午从生当眼跟史事会战婚产饭睡空"),
    **dict.fromkeys(("后天", "后年"), "以之然最今前背随午幕身先"),
    "明天": "聪透文光黎",
    "明年": "聪文光",
    "去年": "过",
    "本年": "日根基版样成书",
    "国庆": "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕",
    "上": "早晚马以网线路身墙海陆街世史桌楼手",
    "下": "以天底楼如线手乡地脚当名",
    "本": "日根基版样成书资原",
    **dict.fromkeys(("近期", "近日", "近来"), "最将附接靠临"),
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
    "国庆": ("路", "街"),
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
FREE_BEFORE = frozenset("我你他她它们在于将要会再就定约从是也都说到")
"""Han that may stand before 三天后; after others (手术三天后) it counts from something else."""
NOT_AFTER_AGO: Mapping[str, tuple[str, ...]] = {
    "前": tuple("端台锋后沿途提缀置夫任妻女男"),
    "后": tuple("端台续备卫勤缀面来悔期"),
}
NOT_AFTER_EARLY_LATE = tuple("就已点了到于退班餐饭早会宴年辈报安期")
"""昨天|早就, 周五|晚会: then 早 and 晚 are no part of the day."""

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
UNITS_WITH_GE = frozenset(("星期", "礼拜", "月", "季度", "小时", "钟头"))
