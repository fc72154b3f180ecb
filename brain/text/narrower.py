"""Wider words and the narrower ones that answer for them: kind "narrower" of the variants.

Who asks with the wider word (what stands before ``>``) would be glad of a note with one of the
narrower: 养了什么宠物 is answered by 家里有只橘猫. Never the other way, and never between two that
stand on the right: a question about a cat is not answered by a dog. In folded form; a line that
begins with a blank goes on with the line before. 猫 alone would be found in 熊猫, so it stands here
with what counts or owns it.
"""

from __future__ import annotations

LIFE = """
运动 锻炼 健身 > 跑步 慢跑 夜跑 晨跑 游泳 瑜伽 篮球 足球 羽毛球 乒乓球 网球 排球 骑行 骑车 爬山
 登山 跳绳 徒步 滑雪 滑冰 举重 撸铁 深蹲 俯卧撑 仰卧起坐 健身房 普拉提 拳击 太极 攀岩 马拉松 拉伸
 跳操 高尔夫 广场舞 动感单车 散步
打球 球类 > 篮球 足球 羽毛球 乒乓球 网球 排球 台球 棒球 高尔夫
宠物 > 养猫 养狗 猫咪 小猫 小狗 金毛 柯基 泰迪 哈士奇 拉布拉多 布偶 英短 美短 橘猫 柴犬 边牧 兔子
 仓鼠 鹦鹉 乌龟 金鱼 龙猫 只猫 只狗 条狗 家猫 家狗
水果 > 苹果 香蕉 橙子 橘子 葡萄 西瓜 草莓 芒果 榴莲 桃子 樱桃 荔枝 龙眼 菠萝 柚子 猕猴桃 蓝莓
 哈密瓜 火龙果 柠檬 车厘子 山竹 椰子 杨梅 枇杷 石榴 柿子 李子 梨子
蔬菜 青菜 > 白菜 菠菜 芹菜 西红柿 番茄 黄瓜 土豆 茄子 萝卜 西兰花 生菜 韭菜 豆角 南瓜 香菜 洋葱
 苦瓜 秋葵 莲藕 冬瓜 卷心菜 空心菜 油麦菜
肉类 荤菜 > 猪肉 牛肉 羊肉 鸡肉 鸭肉 排骨 牛排 五花肉
海鲜 > 大虾 虾仁 螃蟹 龙虾 生蚝 扇贝 三文鱼 鱿鱼 蛤蜊 鲍鱼 海参 带鱼 贝类 大闸蟹
主食 > 米饭 面条 馒头 饺子 包子 米粉
面条 面食 > 拉面 牛肉面 意面 方便面 炸酱面 刀削面 担担面 热干面 馄饨 饺子
饮料 饮品 > 咖啡 奶茶 可乐 果汁 豆浆 牛奶 啤酒 红茶 绿茶 雪碧 气泡水 柠檬水 椰汁 拿铁 美式 矿泉水
咖啡 > 拿铁 美式 卡布奇诺 摩卡 手冲 澳白 冷萃 意式浓缩
茶叶 喝茶 > 绿茶 红茶 乌龙 普洱 铁观音 龙井 碧螺春 白茶 花茶 大红袍 毛尖
喝酒 酒水 酒类 > 白酒 啤酒 红酒 葡萄酒 威士忌 黄酒 清酒 鸡尾酒 茅台 米酒
零食 > 薯片 饼干 巧克力 坚果 瓜子 果冻 辣条 话梅 糖果
甜食 甜点 甜品 > 蛋糕 巧克力 冰淇淋 布丁 蛋挞 马卡龙 提拉米苏 双皮奶 汤圆
菜系 > 川菜 粤菜 湘菜 鲁菜 淮扬菜 东北菜 本帮菜 日料 西餐 韩餐
口味 > 清淡 重口 吃辣 不吃辣 偏甜 偏咸 微辣 少盐 少糖 无糖
调料 调味料 > 酱油 生抽 老抽 蚝油 花椒 八角 胡椒 孜然 豆瓣酱
忌口 饮食习惯 > 吃素 素食 不吃辣 清真 少盐 低糖 无麸质 不吃猪肉 不吃香菜
交通工具 出行方式 通勤 > 地铁 公交 自行车 高铁 飞机 打车 出租车 开车 骑车 电动车 摩托车 火车 大巴
 单车 步行 走路 班车
汽车 轿车 > 特斯拉 比亚迪 宝马 奔驰 奥迪 丰田 本田 大众 suv 新能源车
乐器 > 钢琴 吉他 小提琴 古筝 二胡 笛子 长笛 萨克斯 架子鼓 尤克里里 大提琴 琵琶 口琴 贝斯 电子琴
 葫芦丝 手风琴 小号 单簧管
音乐 > 摇滚 爵士 民谣 古典乐 流行歌 说唱 嘻哈 轻音乐 交响 粤语歌
舞蹈 跳舞 > 街舞 芭蕾 拉丁舞 民族舞 爵士舞 广场舞 探戈 华尔兹
下棋 棋类 > 围棋 象棋 五子棋 跳棋 军棋
家电 电器 家用电器 > 冰箱 洗衣机 空调 电视 微波炉 烤箱 电饭煲 热水器 吸尘器 洗碗机 加湿器
 空气净化器 扫地机器人 油烟机 烧水壶 电风扇 吹风机 豆浆机 空气炸锅 投影仪 烘干机 除湿机 破壁机
家具 > 沙发 衣柜 书桌 餐桌 椅子 床垫 书架 茶几 柜子 鞋柜 床头柜
电子产品 数码产品 > 手机 电脑 笔记本 平板 耳机 相机 手表 音箱 游戏机
手机 > iphone 安卓
电脑 > macbook thinkpad 台式机 笔记本 imac
外设 > 键盘 鼠标 显示器 耳机 摄像头
疾病 慢性病 病史 > 高血压 糖尿病 哮喘 胃炎 鼻炎 关节炎 心脏病 痛风 甲状腺 偏头痛 颈椎病 肝炎 贫血
 湿疹 高血脂 脂肪肝 胃溃疡 结石 冠心病 抑郁症 甲亢 甲减
生病 > 感冒 发烧 咳嗽 肺炎 流感 肠胃炎 拉肚子 住院
症状 不舒服 > 头疼 头晕 恶心 呕吐 发烧 咳嗽 腹泻 胃疼 失眠 心慌 拉肚子 想吐 会吐
受伤 伤病 > 骨折 扭伤 拉伤 烫伤 韧带 脱臼 崴脚 擦伤 腰伤 摔断
药物 药品 吃药 > 阿司匹林 布洛芬 头孢 降压药 抗生素 感冒药 退烧药 胰岛素 二甲双胍 褪黑素 止痛药
 胃药 阿莫西林 青霉素 药膏 眼药水
体检 > b超 ct 核磁 抽血 胃镜 心电图 彩超
腿部 > 膝盖 小腿 大腿 脚踝
保险 > 车险 医保 社保 寿险 重疾险 意外险
理财 投资 > 基金 股票 国债 定期 余额宝 黄金 债券 炒股 定投 信托 存款
贷款 > 房贷 车贷 助学贷款 花呗
支出 开销 花费 开支 > 房租 水电费 伙食费 学费 话费 物业费 电费
收入 > 工资 薪水 奖金 兼职 稿费 年终奖 月薪 年薪
证件 > 身份证 护照 驾照 户口本 居住证 社保卡 学生证 驾驶证 结婚证 通行证 工牌
家人 家里人 亲戚 亲属 > 爸爸 妈妈 爷爷 奶奶 外公 外婆 哥哥 姐姐 弟弟 妹妹 叔叔 舅舅 姑姑 姨妈
 表哥 表弟 表姐 表妹 堂哥 堂弟 侄子 外甥 女儿 儿子 老婆 老公 父亲 母亲 妻子 丈夫 岳父 岳母 婶婶
 伯父 嫂子 爸妈 父母 我爸 我妈 二姨 小姨 大伯
孩子 小孩 > 儿子 女儿 闺女 宝宝
父母 爸妈 > 爸爸 妈妈 父亲 母亲 我爸 我妈 老爸 老妈
兄弟姐妹 > 哥哥 姐姐 弟弟 妹妹
长辈 老人 > 爷爷 奶奶 外公 外婆 姥姥 姥爷
邻居 > 楼上 楼下 对门 隔壁
学校 > 小学 中学 初中 高中 大学 幼儿园 学院
科目 学科 > 数学 语文 英语 物理 化学 生物 历史 地理 政治
考试 > 高考 中考 期末 期中 四六级 雅思 托福 考研 模考 月考
学历 > 本科 硕士 博士 大专 高中 研究生 中专 初中 mba
外语 > 英语 日语 法语 德语 韩语 西班牙语 俄语
颜色 > 红色 蓝色 绿色 黑色 白色 黄色 紫色 灰色 粉色 橙色 米色 银色 藏青 深蓝 墨绿 棕色
生肖 属相 > 属鼠 属牛 属虎 属兔 属龙 属蛇 属马 属羊 属猴 属鸡 属狗 属猪
爱好 > 钓鱼 摄影 书法 画画 跑步 游泳 下棋 集邮 养花 唱歌 跳舞 看电影 看书 打游戏 烘焙 露营 骑行
 追剧 拼图 手工 刺绣 观鸟 滑雪 种花 爬山 弹琴
游戏 > 王者荣耀 原神 switch steam 英雄联盟 塞尔达 我的世界 ps5 xbox
植物 绿植 > 多肉 绿萝 玫瑰 月季 茉莉 兰花 仙人掌 吊兰 薄荷 栀子 发财树 百合 桂花
衣服 服装 > 外套 裤子 裙子 衬衫 毛衣 羽绒服 t恤 西装 牛仔裤 卫衣 大衣 睡衣 夹克
鞋子 > 运动鞋 皮鞋 靴子 拖鞋 凉鞋 高跟鞋 跑鞋 帆布鞋
首饰 > 戒指 项链 耳环 手镯 手链
化妆品 护肤品 > 口红 粉底 防晒霜 面膜 眼霜 爽肤水 洗面奶
节日 > 春节 中秋 端午 国庆 元旦 清明 圣诞 情人节 重阳 元宵 七夕
住宿 > 酒店 民宿 宾馆 旅馆 客栈 青旅 公寓
餐厅 饭店 > 火锅店 面馆 烧烤店 日料店 西餐厅 小馆子
城市 > 北京 上海 广州 深圳 杭州 南京 成都 武汉 西安 重庆 苏州 天津 长沙 青岛 厦门 大连 昆明 郑州
 宁波
国家 > 日本 美国 英国 法国 德国 韩国 泰国 新加坡 澳大利亚 加拿大 意大利 西班牙 马来西亚 越南
 俄罗斯
会议 开会 > 周会 例会 站会 晨会 评审会 复盘会 早会 月会
假期 放假 休假 > 年假 病假 产假 事假 婚假 暑假 寒假 陪产假
职业 干啥的 做什么的 干什么的 > 医生 老师 律师 工程师 程序员 会计 护士 设计师 司机 厨师 警察
 公务员 销售 记者 教师 产品经理 农民 军人 建筑师 药剂师 翻译 编辑 演员 教授 经理 厨师长 导游 店主
性格 脾气 > 内向 外向 开朗 急躁 温柔 幽默 腼腆 慢热 随和
作息 > 早睡 早起 晚睡 熬夜 起床 睡觉
家务 > 洗碗 拖地 扫地 做饭 洗衣服 倒垃圾
快递公司 > 顺丰 圆通 中通 韵达 申通 邮政
支付方式 付款方式 > 支付宝 微信支付 信用卡 现金 花呗 刷卡 云闪付
聊天软件 聊天工具 通讯工具 > 微信 qq 钉钉 飞书 企业微信 slack telegram
社交平台 社交媒体 > 微博 抖音 小红书 b站 知乎 快手 twitter
购物平台 网购 > 淘宝 京东 拼多多 天猫 亚马逊 闲鱼
"""
"""Daily life."""

WORK = """
数据库 > mysql postgres postgresql mongodb redis sqlite oracle tidb clickhouse mariadb
编程语言 开发语言 > python java go golang rust c++ javascript typescript php ruby kotlin swift
 scala
编辑器 > vscode vim emacs sublime neovim pycharm idea cursor webstorm
操作系统 > linux windows macos ubuntu centos debian ios android
浏览器 > chrome firefox safari edge
云服务 云厂商 云平台 > 阿里云 腾讯云 华为云 aws azure gcp
框架 > django flask spring react vue fastapi springboot
前端框架 > react vue angular svelte
测试框架 > pytest junit jest
消息队列 > kafka rabbitmq rocketmq pulsar
缓存 > redis memcached
监控 > prometheus grafana zabbix
容器 > docker podman containerd
编排 > k8s kubernetes
版本控制 > git svn
代码托管 代码仓库 > github gitlab gitee
网盘 云盘 > 百度网盘 onedrive dropbox 坚果云 icloud
项目管理工具 > jira 禅道 trello tapd
笔记软件 笔记工具 > notion obsidian 印象笔记 flomo onenote logseq
设计工具 设计软件 > figma sketch photoshop
办公软件 > office wps excel word ppt
密码管理 密码管理器 > 1password bitwarden keepass
大模型 模型 > gpt claude llama qwen deepseek gemini kimi
漏洞 > sql注入 xss csrf
日志系统 > elk loki kibana
"""
"""Software."""

GROUPS = "\n".join((LIFE, WORK))
