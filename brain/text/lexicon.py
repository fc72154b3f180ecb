"""The word lists behind :mod:`brain.text.stopwords`: what carries grammar and what carries content.

Curated by hand for questions put to a memory, in folded form (Simplified, lower case). Lists are
strings of blank-separated words. Collisions were sought by putting every phrase before and after
the 12,000 most frequent content words of jieba's dictionary.
"""

from __future__ import annotations

REQUESTS = """
是不是 有没有 能不能 会不会 要不要 可不可以 可不可能 行不行 对不对 好不好 用不用 需不需要 知不知道
记不记得 还记不记得 在不在 请问 请教 敬请 请您 帮我 帮我看看 帮我看一下 帮我看下 帮我查 帮我查查
帮我查一下 帮我查下 帮我找 帮我找找 帮我找一下 帮我找下 告诉我 跟我说 跟我说说 我想知道 想知道
我想问 想问 想问问 想问一下 想请问 还记得 记得
"""
"""What makes a sentence a request or a yes-no question; cut wherever it stands."""

PHRASES = """
什么 什么样的 什么样子 什么时候 什么时间 什么地方 什么意思 什么东西 甚么 为什么 为啥 为何 干什么
干吗 干嘛 干啥 怎么 怎么样 怎么办 怎么回事 怎样 发生了什么 发生了什么事 发生什么事 发生了啥
出了什么事 出什么事 出了啥事 咋样 咋办 咋整 咋回事 啥时候 啥样 啥子 如何 何时
何地 何处 何种 何人 任何 哪里 哪儿 哪一个 哪怕 多少 多少钱 多久 多长时间 多长 多大 多高 多远 多重
多么 是否 能否 可否 与否 有无 叫什么 叫啥 叫什么名字 叫做什么 给我 帮忙 一下 说说 讲讲 看看 查查
问问 知道 说过 提到过 提过 的时候 这时候 那时候 的话 之类 等等 以及 还有 而且 但是 不过 所以 因为
因此 如果 要么 然后 那么 这么 这样 那样 这样子 那样子 这样的话 那样的话 这般 那般 这会儿 那会儿
这方面 那方面 这部分 那部分 哪部分 我们 你们 他们 她们 它们 咱们 大家 自己 其他 其它 现在 目前 已经
曾经 正在 一直 其实 还是 或者 或许 也许 就让 为了 除了 可以 能够 应该 关于 对于 由于 及其 一些 有些
有点 有点儿 有人 有时 有时候 许多 很多 很少 究竟 到底 的确 几乎 从而 从来 从此 第几 好几
"""
"""Phrases of two and more characters that are cut wherever they stand."""

SINGLES = (
    "的了吗呢吧啊呀嘛哦噢喔哇啦咯喽么咋啥谁哪是在有我你"
    "您他她它咱请和与或及也都就还很把被给让跟从这那"
)
"""Characters that are cut unless an entry of ``KEPT`` holds them."""

DEMONSTRATIVES = "这那哪"
"""With a counter they form phrases that are cut: 那个, 这次, 哪年."""

COUNTERS = """
个 些 种 次 里 儿 边 件 位 时 天 年 场 条 张 本 家 款 项 批 份 辆 台 部 句 篇 段 首 回 笔 群 套 间
座 支 片 双 类
"""
"""What follows ``DEMONSTRATIVES`` in such phrases."""

ASKED_COUNTERS = """
个 点 点钟 号 月 月份 年 天 次 岁 楼 层 位 人 种 家 件 本 台 条 张 块 辆 份 页 级 路 门 度 分钟 小时
秒 公里 周 晚 折 寸 斤 瓶 间 期 班 遍 倍 口 步 名 项 段 章 集 届
"""
"""With 几 before them, and 第 before that, these are cut: 几点, 第几层."""

KEPT_AFTER: dict[str, str] = {
    "这": (
        "时间 时期 时代 时刻 时段 部门 部队 部长 部署 部件 部位 条件 条款 条目 条例 年代 年度 "
        "年级 年龄 年份 位置 项目 项链 家庭 家具 家长 家乡 回答 回复 回忆 儿子 儿童 儿媳 天气 "
        "天线 天赋 场景 场所 场地 场馆 次数 次序 次品 种子 种类 种植 批评 批次 批注 边界 边缘 "
        "边框 片段 双方 座位 座谈 支付 支持 支出 支票 类型 类别 类似 类目 年底 年初 年轻 年轻人 "
        "天空 本质 场合 本月 本周 部落 条约 天然 里程 里程碑 段落 款式 款项 首都 首页 句子 句型 "
        "篇章 篇幅 台湾 台风 台词 台阶 本子 张三 间隔 群体 群众 群聊 群组 套路 套餐 套件 套房 "
        "笔记 笔记本 笔者 件数 份额 样本 样品 样式 样例 个体 个性"
    ),
    "那": (
        "时间 时期 时代 时刻 时段 部门 部队 部长 部署 部件 部位 条件 条款 条目 条例 年代 年度 "
        "年级 年龄 年份 位置 项目 项链 家庭 家具 家长 家乡 回答 回复 回忆 儿子 儿童 儿媳 天气 "
        "天线 天赋 场景 场所 场地 场馆 次数 次序 次品 种子 种类 种植 批评 批次 批注 边界 边缘 "
        "边框 片段 双方 座位 座谈 支付 支持 支出 支票 类型 类别 类似 类目 年底 年初 年轻 年轻人 "
        "天空 本质 场合 本月 本周 部落 条约 天然 里程 里程碑 段落 款式 款项 首都 首页 句子 句型 "
        "篇章 篇幅 台湾 台风 台词 台阶 本子 张三 间隔 群体 群众 群聊 群组 套路 套餐 套件 套房 "
        "笔记 笔记本 笔者 件数 份额 样本 样品 样式 样例 个体 个性 天津"
    ),
    "哪": (
        "时间 时期 时代 时刻 时段 部门 部队 部长 部署 部件 部位 条件 条款 条目 条例 年代 年度 "
        "年级 年龄 年份 位置 项目 项链 家庭 家具 家长 家乡 回答 回复 回忆 儿子 儿童 儿媳 天气 "
        "天线 天赋 场景 场所 场地 场馆 次数 次序 次品 种子 种类 种植 批评 批次 批注 边界 边缘 "
        "边框 片段 双方 座位 座谈 支付 支持 支出 支票 类型 类别 类似 类目 年底 年初 年轻 年轻人 "
        "天空 本质 场合 本月 本周 部落 条约 天然 里程 里程碑 段落 款式 款项 首都 首页 句子 句型 "
        "篇章 篇幅 台湾 台风 台词 台阶 本子 张三 间隔 群体 群众 群聊 群组 套路 套餐 套件 套房 "
        "笔记 笔记本 笔者 件数 份额 样本 样品 样式 样例 个体 个性"
    ),
    "的": "话题 话剧 话音 话语 话费 话筒 话术 话务 确定 确认 确切 确诊 确保 确立 确实",
    "有": (
        "人民 人口 人员 人物 人类 人数 人才 人家 人工 人事 人力 人体 人气 人性 人权 人名 人脸 "
        "人像 时间 时期 时代 时限 时长 时段 时差 时效 时机 无线 无人机 无障碍 点心 点赞 点击 "
        "点评 点餐 些许"
    ),
    "是": "否定 否认 否决",
    "怎么": "办理 办公 办事 办卡 办证 办学 办好",
    "想": "问题",
    "到": "底部 底层 底线 底端",
    "什么": "时间表 时间线 时间段 地方性 意思是",
    "为": "了解",
    "在": "有限",
    "从": "此处 此时",
    "一": "下午 下级 下子女",
}
"""After the key these words are kept: 这|项目 is not 这项|目, 有|人员 not 有人|员."""

KEPT = """
不是 不在 没有 不了 不和 不让 不就 不能 不用 不可 不会 这个月 那个月 不过期 不过敏 不过关 不过滤
不过夜 不过户 目的 项目 题目 栏目 节目 科目 数目 账目 书目 曲目 剧目 条目 类目 名目 头目 盲目 醒目
夺目 面目 注目 标的 目标 指标 图标 坐标 商标 投标 招标 中标 鼠标 光标 国标 游标 的士 的哥 的姐 美的
有的放矢 无的放矢 众矢之的 的黎波里 巴尔的摩 波罗的海 斯堪的 了解 了结 了断 了却 了然 了如指掌
了不起 了得 了事 未了 末了 明了 终了 吗啡 吗丁啉 吗替 呢绒 呢子 呢喃 毛呢 花呢 网吧 酒吧 氧吧 贴吧
书吧 水吧 清吧 吧台 吧主 吧友 喇嘛 哗啦 啦啦 呀诺达 咋舌 咋呼 么么 哪吒 爪哇 国是 是非 求是 皆是
头是道 为是 维也纳 也门 如也 名副其实 在线 在职 在校 在读 在建 在岗 在编 在家 在外 在内 在场 在位
在座 在世 在野 在押 在逃 在途 在库 在意 在乎 在即 在案 在售 在研 在册 存在 实在 潜在 内在 外在 所在
自在 健在 志在 旨在 贵在 意在 常在 好在 有效 有限 有关 有用 有名 有趣 有毒 有害 有氧 有声 有色 有机
有理 有利 有力 有意 有助 有形 有偿 有线 有界 有序 有向 有余 有望 有益 有权 有钱 有罪 有病 有期 有待
有所 有幸 有心 有事 有史 有别 有缘 有刷 有源 有轨 有闲 有喜 有误 有空 有假 有成 有志 有功 有情 有生
有性 有产 有神 有价 所有 拥有 具有 国有 私有 公有 含有 享有 占有 原有 特有 固有 稀有 持有 富有 独有
共有 专有 现有 自有 罕有 设有 建有 带有 装有 既有 唯有 惟有 少有 常有 素有 再有 应有 未有 万有 有容
有巢 有赞 有道 康有为 我国 我军 自我 忘我 敌我 小我 大我 吉他 维他 耳他 他汀 利他 他国 他乡 他杀
他妈 伐他 他克 你好 您好 请假 请求 请客 请示 请柬 请帖 请愿 请战 请缨 请辞 请款 请购 请安 请罪 申请
邀请 聘请 提请 宴请 恳请 报请 延请 和平 和谐 和解 和尚 和气 和睦 和服 和田 和弦 和约 和声 和蔼 和好
和顺 和善 和风 和缓 和谈 和议 和县 和珅 和府 和牛 和纸 和亲 和局 和棋 和面 和硕 和静 和林 和颜 和衷
和合 和悦 和丰 和龙 呼和 温和 缓和 柔和 饱和 总和 共和 调和 中和 随和 平和 祥和 暖和 亲和 谐和 协和
太和 保和 颐和 义和 郑和 永和 泰和 民和 仁和 兴和 雍和 议和 维和 求和 附和 掺和 搅和 软和 失和 谦和
唱和 媾和 宣和 怡和 元和 昭和 令和 人和 与会 与非 与众不同 与时俱进 与日俱增 与此 参与 给与 赠与
授与 付与 无与伦比 或缺 或非 及时 及格 及早 及第 及物 涉及 普及 埃及 提及 危及 波及 触及 遍及 顾及
谈及 论及 殃及 累及 伤及 惠及 念及 企及 未及 不及 尔及 来得及 所能及 首都 成都 大都 古都 故都 京都
魔都 帝都 陪都 商都 花都 新都 丰都 武都 于都 宁都 宜都 益都 曾都 江都 仙都 药都 钢都 天都 定都 迁都
建都 霍都 燕都 加德满都 都市 都城 都督 都统 都尉 都灵 都匀 都柏林 都江堰 都察院 洪都 都兰 都昌 都安
都司 就业 就医 就读 就任 就职 就近 就诊 就绪 就学 就位 就餐 就寝 就座 就坐 就义 就地 就范 就势 就此
成就 造就 练就 铸就 迁就 将就 高就 部就班 而就 就计 还款 还原 还债 还钱 还书 还车 还贷 还清 还击
还手 还价 还礼 还乡 还俗 还给 还愿 还本 还魂 归还 偿还 退还 返还 交还 奉还 送还 清还 发还 生还 讨还
借还 往还 代还 未还 把握 把手 把关 把柄 把戏 把控 把脉 把持 把守 把门 把玩 把酒 把子 把式 火把 拖把
车把 倒把 手把 一把 两把 三把 几把 门把 刀把 被子 被单 被套 被窝 被褥 被告 被动 被害 被捕 被迫 被俘
被盗 被窃 被选举 被统治 被保险 被执行 被申请 被上诉 被继承 被监护 被担保 被投资 棉被 植被 花被
毛巾被 夏被 冬被 蚕丝被 羽绒被 空调被 凉被 被芯 被面 被罩 给予 给付 给力 给水 给药 给排水 给养 供给
补给 自给 配给 送给 发给 借给 租给 转给 卖给 寄给 嫁给 交给 付给 教给 拨给 桑给 转让 让步 割让 出让
礼让 让座 让位 让利 让路 让渡 避让 谦让 退让 忍让 推让 受让 互让 让球 禅让 跟踪 跟进 跟随 跟团 跟班
跟帖 跟单 跟拍 跟头 跟腱 跟前 跟风 跟投 跟车 高跟 脚跟 紧跟 鞋跟 足跟 平跟 后跟 从事 从业 从军 从政
从商 从属 从容 从句 从严 从轻 从重 从犯 从前 从小 从师 从未 从不 从没 服从 自从 遵从 顺从 听从 随从
侍从 依从 屈从 主从 仆从 师从 无从 盲从 力不从心 言听计从 那英 那曲 刹那 支那 那不勒斯 圭亚那 塞罗那
麦地那 哈瓦那 热那亚 那达慕 那拉 那须 马那瓜 加那利 宏都 拔都 迷你 诉请 几何 几率 几内亚 茶几
窗明几净 欧几里得 无几 库几 出现 发现 表现 实现 体现 呈现 涌现 展现 再现 显现 重现 兑现 变现 贴现
提现 浮现 复现 修正 纠正 改正 更正 校正 公正 端正 真正 反正 雍正 严正 成为 认为 作为 称为 行为 分为
列为 改为 变为 视为 名为 转为 设为 定为 华为 身为 沦为 评为 誉为 代为 题为 化为 实为 应为 调为 换为
译为 删除 清除 解除 排除 移除 消除 扣除 免除 去除 拆除 开除 废除 卸除 根除 剔除 切除 铲除 骨干 树干
饼干 能干 才干 肉干 豆干 呼叫 重要 主要 需要 必要 概要 纪要 摘要 首要 次要 紧要 提要 简要 只要 功能
性能 智能 可能 职能 技能 效能 节能 动能 产能 热能 核能 电能 体能 机能 本能 势能 储能 社会 机会 大会
年会 工会 学会 协会 委员会 理事会 董事会 例会 晚会 周会 班会 集会 聚会 约会 晨会 开会 银行 执行 运行
进行 发行 旅行 航行 飞行 流行 支行 分行 总行 央行 使用 费用 应用 调用 作用 信用 采用 通用 专用 试用
启用 停用 联想 思想 理想 梦想 幻想 设想 感想 猜想 构想 允许 场所 研究所 事务所 派出所 厕所 交易所
诊所 许可 认可 大家庭 大家族 大家电
"""
"""Words of content that a phrase or single above would tear; they are kept whole."""

NEGATIONS = """
不 没 未 别 勿 莫 没有 不是 不会 不能 不要 不用 不可 不想 不在
"""
"""Content beside other words, none when they are all that is left of a run."""

ENGLISH = """
a an the this that these those here there i me my mine you your yours he him his she her hers it its
we us our ours they them their theirs who whom whose what which when where why how am is are was
were be been being do does did doing done have has had having can could will would shall should may
might must of in on at by for with about from to into onto over under between during as than then so
if or and but nor because while although though just also too very really please tell show give let
know remember what's who's where's when's how's why's that's it's there's here's i'm i've i'd i'll
you're you've you'd we're we've they're he's she's let's any some such
"""
"""English function and question words."""

ENGLISH_AMID_HAN = """
the how what when where why which who whose is are was were does did please of what's who's how's
"""
"""Those still cut from a query with Han in it, where IT, US, A, may or can is a name."""

TOKENS = """
会 能 要 想 去 来 到 得 地 着 过 为 以 于 之 其 此 该 各 每 某 所 而 但 则 又 再 才 只 已 最 更 太
挺 等 们 个 对 向 往 由 当 用 上 下 里 中 内 外 前 后 时 叫 做 说 问 查 看 找 讲 弄 搞 哈 嗯 呃 哎
唉 诶 哟 呗 耶 几 第 多 时候 可能 需要 想要 并 并且 以后 以前 之前 之后 之间 东西 事 人 有关 所有
是的 好的 一样 一个 一种 一点 不过 同样 比如 例如 即 便 虽然 然而 无论 不管 只要 只能 只有 只是 就是
但是 可是 要是 都是 总是 真的 真是 而是 于是 或是 别的 似的 他人 本人 咱 俺 另 另外 而言 来说 本
出来 起来 下来 过来 过去 出去 上来 具体 帮
"""
"""Words that say nothing as a whole token or run, but are parts of too many others."""

FAINT = """
问题 情况 事情 状况 处理 解决 方式 方法 办法 平时 平常 一般 通常 往往 习惯 打算 考虑 想法 进行
使用 需要 注意 原因 结果 内容 相关 有关 具体 主要 特别 比较 一共 总共 大概 大约 目前 如今 经常
总是 常常 最后 最终 上次 这次 下次 后来 分别 属于 出现 发生 影响 安排 准备 当时 当初 每次 来着
了解 适合 合适 必须 其实 实际上 真正 知道 觉得 认为 告诉 为止 左右 以前 之前 以后 之后 做法
要求 规定 请教 推荐 时候 地方 东西 方面 样子
"""
"""Words that say little of what a question is about: it can be asked without them, and a note that
answers need not hold them. They stay in the query, but count less (:func:`words.strong_runs`)."""

CHAT_PHRASES = """
你好 您好 大家好 你们好 老师好 早 早安 午安 晚安 早上好 上午好 中午好 下午好 晚上好 嗨 哈喽 哈啰
哈罗 喂 在吗 在么 在不在 有人吗 好久不见 新年好 新年快乐 节日快乐 周末愉快 谢谢 谢了 谢啦 谢 多谢
感谢 感恩 辛苦 辛苦了 麻烦了 麻烦你了 麻烦您了 有劳了 劳驾 再见 拜拜 回见 回头见 明天见 下次见
改天见 待会见 先这样 就这样 这样 就这些 没了 没事了 好 好的 好吧 好嘞 好哒 好滴 好呀 行 可以 是 是的
对 对的 对头 没错 知道 知道了 明白 明白了 了解 了解了 收到 懂 懂了 清楚 清楚了 没问题 没事 没关系
不客气 不用谢 不谢 不用 不用了 不是 不对 不行 不要 不 抱歉 对不起 不好意思 打扰了 打扰 赞 棒 真棒
太棒了 厉害 不错 很好 挺好 太好了 加油 哈 呵 嘿 嘻 嗯 恩 唔 哦 噢 喔 啊 呃 额 唉 哎 诶 呜 嗷 哇 呀
嘛 继续 接着 接着说 继续说 往下说 然后呢 还有呢 还有吗 所以呢 后来呢 下一个 hi hello hey hiya yo
morning thanks thank thx ty 3q ok okay okey yes yeah yep yup no nope nah sure fine cool great nice
good perfect awesome right gotcha bye goodbye cheers welcome sorry lol lmao haha hehe hmm hm oh wow
continue next understood agreed roger 666 emm orz good_morning good_afternoon good_evening
good_night good_job well_done see_you got_it go_on go_ahead no_problem no_worries sounds_good
就这样做 就这么做 就这么办 就这样办 就这么定 就这么定了 那就这样 那就这么办 这样做 这样就行 这样就好
这样最好 这样挺好 这样可以 按你说的做 按你说的来 按你说的办 听你的 你说得对 你说的对 再试一次 再试试
再试一下 再来一次 再来一遍 再说一遍 重新来 重来一遍 换个说法 继续吧 请继续 可以了 行了 够了 做得好
干得好 干得漂亮 等一下 稍等 等会儿 我看看 我试试 试试看 开始吧 没毛病 有道理 原来如此 不错不错
of_course you're_welcome thank_you thank_you_so_much thank_you_very_much thanks_a_lot
thanks_so_much many_thanks that's_all that's_it nice_work
"""
"""What alone makes a message chit-chat (``_`` is a blank). 谢谢谢谢 and 哈哈哈 are sequences."""

CHAT_INTENSIFIERS = """
非常 十分 太 真 真的 很 超 超级 特别 那 那就 都 so very really it all
"""
"""What may stand before such a phrase."""

CHAT_TAILS = """
你 您 你们 您们 大家 各位 亲 老师 同学们 朋友们 了 的 啊 呀 啦 呢 吧 嘛 吗 么 哦 噢 哟 喽 咯 哈 哒
滴 诶 哇 耶 呗 哎 嘞 you u all everyone guys there so much very lot a again then later
"""
"""What may follow one."""
