"""The word lists behind :mod:`brain.text.rewrite`: what a memory may call a thing instead.

Curated by hand for questions put to a memory, in folded form (Simplified, lower case). A group
stands here only if a person who asks with one of its words would be glad to get a note that has
another; words that are merely related are left to the embedding (部署 and 服务器), narrower ones to
:mod:`brain.text.narrower`. More groups stand in :mod:`brain.text.everyday` and
:mod:`brain.text.trade`. Each line is a group:

    爱好 兴趣 > 喜欢    # the first ones stand for each other and also for 喜欢, not 喜欢 for them

``_`` is a blank inside a phrase; what follows ``#`` is for the reader.
"""

from __future__ import annotations

# --- everyday words: kind "colloquial" -----------------------------------------------------------

KIN = """
妈妈 母亲 老妈 我妈
我妈妈 > 母亲 老妈
爸爸 父亲 老爸 我爸
我爸爸 > 父亲 老爸
老公 丈夫          # 先生 is any man
老婆 妻子 太太 媳妇
爷爷 祖父
奶奶 祖母
外公 姥爷 外祖父    # south, north, on paper
外婆 姥姥 外祖母
女儿 闺女
孩子 小孩
男朋友 男友
女朋友 女友
岳父 老丈人
岳母 丈母娘
舅妈 舅母
上司 领导
上司 老板          # but 领导 and 老板 are not always one
下属 手下            # 部下 is 部 and 下 too often
老师 教师
医生 大夫
司机 驾驶员
"""
"""Who: how one addresses or speaks of a person, and the word of a form or a report."""

PROFILE = """
电话号码 联系电话 联系方式
手机号 手机号码 > 电话号码 电话    # who asks for 电话 may mean a call
电话号码 > 手机号
生日 出生日期 出生年月 > 出生
住址 地址 > 住在
职业 > 工作            # a job is said with 工作, but 工作 is much more
职位 职务 岗位
学历 文化程度 教育程度 教育背景
爱好 兴趣 喜好 兴趣爱好 > 喜欢
年龄 年纪 岁数
老家 家乡 故乡 籍贯
身高 > 个子            # 这个子任务
性格 脾气
邮箱 电子邮件
工资 薪水 薪资 薪酬
单位 > 公司            # 单位 also measures
"""
"""What a form asks about a person, and how one says it."""

ASKED = """
住哪 > 住址 地址 住在
干啥的 > 职业 工作
做什么的 > 职业 工作
干什么的 > 职业 工作
几岁 > 年龄
多大年纪 > 年龄
多高 > 身高 高度
多少钱 > 价格 价钱
哪天生的 > 生日 出生
叫啥 > 名字 姓名
"""
"""Questions that name what they ask for by a verb or a measure; only from question to answer."""

PLACES = """
酒店 宾馆 旅馆
餐厅 餐馆 饭馆 饭店
厕所 洗手间 卫生间
商场 购物中心
药店 药房
理发店 发廊 美发店
"""
"""Two names of one kind of place."""

FOOD = """
土豆 马铃薯 洋芋
西红柿 番茄
红薯 地瓜 番薯
玉米 苞米
菠萝 凤梨
猕猴桃 奇异果
樱桃 车厘子
卷心菜 圆白菜 包菜 高丽菜
香菜 芫荽
奶酪 芝士 起司
三文鱼 鲑鱼
方便面 泡面
冰淇淋 冰激凌 雪糕
馄饨 云吞 抄手
外卖 外送
早饭 早餐              # 早点 is earlier as well
午饭 午餐 中饭
晚饭 晚餐
夜宵 宵夜
"""
"""Dishes and meals: the same thing in another region or on another menu."""

HEALTH = """
拉肚子 腹泻
发烧 发热
看病 就诊 就医
吃药 服药
减肥 瘦身 减重
健身 锻炼
打针 注射
"""
"""The patient's word and the doctor's."""

THINGS = """
电脑 计算机
机器 > 电脑 服务器
笔记本电脑 手提电脑 笔电
充电宝 移动电源
u盘 优盘
照片 相片
衣服 服装
行李箱 拉杆箱 旅行箱
插排 插线板 接线板
快递 包裹
礼物 礼品
房租 租金
自行车 单车
公交 公车 巴士
摩托车 机车
电动车 电瓶车
航班 班机
空调 冷气
"""
"""Things one owns, pays for or rides."""

DOINGS = """
旅游 旅行 出游
辞职 离职 > 辞掉 辞去
启动 > 开机
跳槽 换工作
聚餐 饭局
结婚 成婚
搬家 搬迁
购买 > 买了
付款 付钱 支付
还钱 还款
借钱 借款
爬山 登山
唱歌 唱k 卡拉ok
洗澡 淋浴 沐浴
打扫 清扫
理发 剪头发
看电影 观影
跑步 慢跑
预约 预订
开会 > 会议
招聘 招人
收集 搜集
"""
"""What people do: said and written."""

FEELINGS = """
高兴 开心
难过 伤心
生气 发火
害怕 恐惧
喜欢 喜爱 > 爱吃 爱看    # 爱 alone says too little for the index
不喜欢 讨厌            # also keeps 喜欢 from being read into 不喜欢
漂亮 美丽
便宜 廉价
干净 整洁
"""
"""Likes and judgements."""

TIMES = """
周一 星期一 礼拜一
周二 星期二 礼拜二
周三 星期三 礼拜三
周四 星期四 礼拜四
周五 星期五 礼拜五
周六 星期六 礼拜六
周日 星期日 星期天 礼拜天
上周 上星期 上礼拜
下周 下星期 下礼拜
本周 这周 这星期 这礼拜
本月 这个月
早上 早晨 清晨
中午 正午
下午 午后
晚上 夜里 夜晚 夜间
傍晚 黄昏
最近 近期 近来
周末 双休日
半小时 半个小时 30分钟 三十分钟
半年 六个月 6个月
每天 每日
每周 每星期
每月 每个月
春节 过年
"""
"""Days and parts of the day under their other names."""

WORK = """
部署 上线 发布 发版        # one act, from the engineer's side and from the product's
配置 设置 设定
报错 错误 出错 异常
崩溃 闪退 宕机 死机
卡顿 很卡
故障 事故
回滚 回退
重启 重新启动
升级 更新
删除 移除 删掉
新增 添加 增加
修改 更改 改动 变更
查询 查找 搜索 检索
修复 修好
排查 > 定位              # 定位 is also a place on a map
优化 改进 改善
账号 账户
登录 登入
密码 口令
服务器 主机
生产环境 线上环境 正式环境
后端 服务端
代码 源码
代码库 > 仓库            # 仓库 may hold goods
网址 链接
告警 报警 警报
定时任务 计划任务
命令行 终端
快捷键 热键
截图 截屏
默认 缺省 预设
延迟 时延
阈值 门限 临界值
灰度 金丝雀
压测 压力测试
迁移 搬迁
恢复 还原
截止日期 截止时间 最后期限
进度 进展
计划 规划
会议纪要 会议记录
代码评审 代码审查
客户 顾客
合同 > 协议              # 协议 is also a protocol
价格 价钱
说明书 使用手册
上限 最大值
下限 最小值
"""
"""What a colleague calls it and what the runbook calls it."""

SHORT_NAMES = """
k8s kubernetes
js javascript
ts typescript
pg postgres postgresql
py python
prod production
dev development
auth authentication
vscode vs_code
"""
"""Latin names and their short forms."""

COLLOQUIAL = "\n".join(
    (KIN, PROFILE, ASKED, PLACES, FOOD, HEALTH, THINGS, DOINGS, FEELINGS, TIMES, WORK, SHORT_NAMES)
)

# --- kind "homophone" ----------------------------------------------------------------------------

HOMOPHONES = """
账号 帐号
账户 帐户
账单 帐单
账本 帐本
账目 帐目
账务 帐务
记账 记帐
转账 转帐
结账 结帐
报账 报帐
对账 对帐
入账 入帐
做账 做帐
帐篷 账篷
登录 登陆
部署 布署
安装 按装
安排 按排
按钮 按扭
配置 配制
身份证 身分证
身份 身分
成分 成份
部分 部份
水分 水份
图像 图象
头像 头象
录像 录象
影像 影象
摄像 摄象
想象 想像
像素 象素
工作 工做
作业 做业
作品 做品
制作 制做
订单 定单
订制 定制
订阅 定阅
订做 定做
订金 定金
预订 预定
签订 签定
订婚 定婚
座位 坐位
坐标 座标
坐落 座落
链接 连接
联系 连系
度假 渡假
度过 渡过
截止 截至
凌晨 零晨
粘贴 黏贴
模板 模版
版本 板本
样板 样版
覆盖 复盖
回复 回覆
答复 答覆
反复 反覆
撤销 撤消
报销 报消
取消 取销
注销 注消
销售 消售
销毁 消毁
重启 重起
启动 起动
启用 起用
候选 侯选
气候 气侯
候机 侯机
编辑 编缉
逻辑 逻缉
记录 纪录
制定 制订
型号 形号
标识 标示
反映 反应
报道 报导
交代 交待
摩擦 磨擦
震动 振动
必需 必须
需求 须求
权利 权力
密钥 秘钥
曝光 暴光
精简 精减
精彩 精采
沟通 勾通
竞争 竟争
竞赛 竟赛
幅度 辐度
辐射 幅射
蓝牙 兰牙
篮球 蓝球
手续 手序
连续 连序
顺序 顺续
驾驶 驾使
抱歉 报歉
抱怨 报怨
耽误 担误
保姆 保母
急躁 急燥
烦躁 烦燥
干燥 干躁
松弛 松驰
脉搏 脉博
赌博 赌搏
震撼 震憾
妨碍 防碍
针灸 针炙
璀璨 璀灿
寒暄 寒喧
国籍 国藉
籍贯 藉贯
书籍 书藉
瑕疵 暇疵
"""
"""Right and wrong by one sound or one look, or two spellings in use; what is meant is one thing."""

# --- kind "translation" --------------------------------------------------------------------------

TRANSLATIONS = """
部署 发布 上线 | deploy deployment release
发布 | launch publish
数据库 | database db
服务器 | server
缓存 | cache
密码 | password passwd
账号 账户 | account
登录 | login sign_in log_in
注册 | signup register sign_up
用户 | user
用户名 | username
权限 | permission
令牌 | token
密钥 | secret api_key
证书 | certificate cert
加密 | encryption encrypt
配置 设置 | config configuration settings
环境 | environment env
变量 | variable
参数 | parameter argument
函数 | function
接口 | api interface
界面 | ui interface
端口 | port
域名 | domain
网络 | network
防火墙 | firewall
代理 | proxy
网关 | gateway
负载均衡 | load_balancer
日志 | log
备份 | backup
恢复 | restore recovery
回滚 | rollback
迁移 | migration migrate
升级 | upgrade
更新 | update
安装 | install installation
卸载 | uninstall
删除 | delete remove
添加 新增 | add
查询 | query
搜索 检索 | search
索引 | index
错误 报错 | error
异常 | exception
失败 | failure fail
崩溃 | crash
缺陷 | bug
修复 | fix
超时 | timeout
延迟 | latency delay
性能 | performance
内存 | memory
磁盘 硬盘 | disk
队列 | queue
消息队列 | message_queue
线程 | thread
进程 | process
容器 | container
集群 | cluster
节点 | node
镜像 | image
虚拟机 | vm virtual_machine
前端 | frontend front_end
后端 | backend back_end
客户端 | client
框架 | framework
脚本 | script
代码 | code
仓库 代码库 | repo repository
分支 | branch
合并 | merge
提交 | commit
代码评审 代码审查 | code_review
测试 | test testing
单元测试 单测 | unit_test
构建 | build
编译 | compile
调试 | debug
依赖 | dependency
流水线 | pipeline
版本 | version
文档 | document documentation docs
到期 过期 | expire expiry expiration
文件 | file
文件夹 目录 | folder directory
路径 | path
表格 | spreadsheet
模板 | template
监控 | monitor monitoring
告警 报警 | alert alarm
定时任务 | cron scheduled_job
命令 | command
终端 | terminal
浏览器 | browser
链接 网址 | link url
邮箱 邮件 | email mail
模型 | model
训练 培训 | training
数据 | data
项目 | project
需求 | requirement
任务 | task
截止日期 截止时间 | deadline due_date ddl
进度 | progress
计划 | plan
报告 | report
预算 | budget
会议 开会 | meeting
日程 | schedule calendar
评审 | review
团队 | team
客户 | customer
合同 | contract
订单 | order
发票 | invoice
报销 | reimbursement expense
价格 | price
工资 薪水 | salary
生日 | birthday
地址 | address
电话 | phone telephone
手机号 电话号码 | phone_number
名字 姓名 | name
年龄 | age
工作 职业 | job occupation
公司 | company
同事 | colleague coworker
老板 上司 | boss manager
朋友 | friend
妈妈 母亲 | mother mom
爸爸 父亲 | father dad
妻子 老婆 | wife
丈夫 老公 | husband
儿子 | son
女儿 | daughter
孩子 | child children kid
哥哥 弟弟 | brother
姐姐 妹妹 | sister
医生 | doctor
医院 | hospital
过敏 | allergy allergic
药 | medicine
学校 | school
大学 | university college
老师 | teacher
爱好 兴趣 | hobby hobbies interest
喜欢 | favorite favourite
结婚 婚礼 | wedding married
宠物 | pet
猫 | cat
狗 | dog
咖啡 | coffee
茶 | tea
牛奶 | milk
花生 | peanut
海鲜 | seafood
素食 吃素 | vegetarian
早餐 早饭 | breakfast
午餐 午饭 | lunch
晚餐 晚饭 | dinner
餐厅 餐馆 | restaurant
酒店 宾馆 | hotel
机票 航班 | flight
火车 | train
地铁 | subway metro
旅行 旅游 | trip travel
假期 休假 | vacation holiday
音乐 | music
电影 | movie film
游戏 | game
书 | book
手机 | mobile smartphone
电脑 | computer laptop
自行车 | bike bicycle
汽车 | car
房租 | rent
护照 | passport
颜色 | color colour
尺码 | size
中文 | chinese
英语 英文 | english
中国 | china
美国 | america usa
英国 | britain uk
日本 | japan
北京 | beijing
上海 | shanghai
广州 | guangzhou
深圳 | shenzhen
杭州 | hangzhou
南京 | nanjing
成都 | chengdu
武汉 | wuhan
香港 | hong_kong
台北 | taipei
东京 | tokyo
纽约 | new_york
伦敦 | london
巴黎 | paris
微信 | wechat
支付宝 | alipay
淘宝 | taobao
谷歌 | google
微软 | microsoft
周一 星期一 | monday
周二 星期二 | tuesday
周三 星期三 | wednesday
周四 星期四 | thursday
周五 星期五 | friday
周六 星期六 | saturday
周日 星期日 星期天 | sunday
一月 1月 | january
二月 2月 | february
三月 3月 | march
四月 4月 | april
六月 6月 | june
七月 7月 | july
八月 8月 | august
九月 9月 | september
十月 10月 | october
十一月 11月 | november
十二月 12月 | december
昨天 | yesterday
今天 | today
明天 | tomorrow
周末 | weekend
"""
"""Chinese words, a bar, what an English note or question says for them (may is too many things)."""

# --- what is left as it is -----------------------------------------------------------------------

GUARDS = """
喀布尔 伊斯坦布尔 理查德 安全局 体系结构 一夜间 方程式 士大夫 大丈夫 电容器 祖母绿 曾祖父 老板娘
老师傅 儿媳妇 老太太 姨太太 老婆婆 老婆子 老公公 少奶奶 姑奶奶 孙女儿 红头文件 生气勃勃 万象更新
包罗万象 自变量 巴士拉 老家伙 只言片语 反反复复 不胜枚举 发烧友 头脑发热 发热量 软体动物 计划生育
登陆舰 登陆艇 登陆战 中国籍 手下留情 更新换代 工作站 工作室 工作表 工作簿 工作区 工作流
工作台 手工作坊 分工作业 线上线下 上线路 上线索 上线程 上线条 上线性 开发布局 开发布置 沙发布料
会议题 会议程 预定义 上限制 上限定 下限制 下限定 日本周边 本周期 本周边 这周边 这周围 上周围
上周边 上周期 下周围 下周期 一周一次 周一次 周二次 周三次 周四次 周五次 周六次 一周一
学生日记 学生日常 学生日程 医生日记 医生日程 新生日 女儿童 对外公开 对外公布 国外公司 海外公司
境外公司 国家乡村 自身高 本身高 提高兴趣 公开心得 开心理 生气体 生气质 生气候
过年度 过年级 过年龄 过年份 上半年 下半年 多工作 多工人 多工程 子音乐 数位于 公开会 发热门 看病毒
手下载 手下单 手下来 下属性 下属于 司机车 飞机车 单车间 发火箭 附近来 附近期 时延迟 时延长 时延期
时延后 门限制 门限定 门限额 进展示 进展开 进展览 一起动 一起用 定单独 定单位 定单个 制订单 操作数据
物体检测 人体检测 整体检查 全体检查 具体检查 抗体检测 部分数据 部分数量 手续费 座位于 国外网
额外网 过世界 破坏了 国家政 额外设 营运维 普通话 以上学 人事件 无限流 大学科学 出家人 国家队
国家级 国家标准 运动会 运动员 音乐会 音乐剧 植物油 会议室
"""
"""What holds an entry only by its characters, or where two words meet (时|延迟); left as it is."""
