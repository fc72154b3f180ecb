"""Words of work that stand for each other: groups for :mod:`brain.text.rewrite`.

By the rule and in the form of :mod:`brain.text.synonyms`.
"""

from __future__ import annotations

RUNNING = """
宕机 挂了 挂掉 崩了 > 崩溃 停机
不可用 用不了 无法使用
连不上 连接失败 无法连接
打不开 无法打开
卡死 卡住 无响应 假死
变慢 很慢 缓慢
重试 再试
报错信息 错误信息
错误码 错误代码 报错代码
堆栈 调用栈
排障 排错 排查
根因 根本原因
值班 轮值 oncall
扩容 加机器
限流 限速 流控
主库 主数据库
从库 备库 只读库
备份 > 快照 转储
清理 清空 清除
到期 过期 失效
到期日 到期时间 有效期 > 到期 过期
续期 续签
鉴权 认证 身份验证 身份认证
两步验证 二次验证 双因素 动态码 > otp 2fa mfa
重置密码 改密码 修改密码 找回密码
锁定 锁住 被锁
封号 封禁
配额 额度 限额 > 上限 最多
网盘 云盘
共享盘 共享文件夹 共享目录
文件夹 目录
存放 放在 保存在 > 位于
放哪 > 放在 存放
存在哪 > 放在 存放 保存在
启用 开启 激活
禁用 停用 关掉
功能开关 特性开关
预发环境 预发布环境 预发 预生产 staging
本地 本机 localhost
内网 局域网
外网 公网
跳板机 堡垒机
网速 带宽
第三方库 依赖库 依赖包
更新日志 变更日志 发布说明 changelog
上线时间 发版时间 发布时间
上线窗口 发布窗口 发版窗口
紧急修复 热修复 hotfix
回滚 撤回 > 退回
合并请求 pull_request merge_request
编码规范 代码规范 代码风格
单元测试 单测
流水线 持续集成 ci
打包 构建
消息队列 mq
接口文档 api文档
监控面板 仪表盘 监控大盘 dashboard
埋点 打点
脱敏 打码
数仓 数据仓库
慢查询 慢sql
内存泄漏 内存泄露
内存溢出 oom 爆内存
磁盘满 磁盘写满 磁盘空间不足 硬盘满
网页 页面
弹窗 弹框
深色模式 暗色模式 夜间模式
退出登录 登出
登不上 > 无法登录 登录失败
用户名 登录名 账号名
解绑 取消绑定
复制 拷贝
收藏夹 书签
提示词 prompt
大模型 大语言模型 llm
智能体 agent
微调 精调
向量库 向量数据库
源程序 源码 源代码
拉取 下载
应用程序 app
日活 dau
月活 mau
接入 对接
下线 下架
工单 ticket
读写分离 主从分离
热更新 热加载
误删 删错
巡检 例行检查
"""
"""Building and running software."""

OFFICE = """
设计稿 设计图
需求文档 prd
产品经理 pm
程序员 开发人员 > 工程师
运维 sre
负责人 owner 牵头人 > 负责 维护者
对接人 接口人 联系人
管理员 admin
保管 看管 > 存放
审批 审核 批准
交接 移交
排期 时间表
站会 晨会 早会
幻灯片 ppt 演示文稿
汇报 报告
电子表格 excel
视频会议 线上会议 远程会议
居家办公 在家办公 远程办公
绩效 考核
团建 团队建设
新人培训 入职培训
人事 人力资源 hr
供应商 供货商
业务员 销售员 推销员
合约 合同 契约
签约 签合同 签合约
保密协议 nda
发货 出货
库存 存货
缺货 断货
工位 座位
报修 > 维修
加急 优先处理
抄送 cc
草稿 初稿
定稿 终稿
原件 正本
电子版 扫描件
大纲 提纲
注销账号 销户
开票 > 发票
招标 投标
分公司 分部
总部 总公司
出勤率 > 考勤
轮休 调休
"""
"""What goes on in an office."""

LATIN = """
go golang
cpp c++
es elasticsearch
repo repository
config configuration
env environment
app application
pwd password passwd
msg message
mac macos
win windows
ml machine_learning
ai artificial_intelligence
infra infrastructure
perf performance
spec specification
admin administrator
param parameter
mongo mongodb
mq message_queue
aws amazon_web_services
gcp google_cloud
lib library
deps dependencies
docs documentation
"""
"""Latin names and their short forms."""

GROUPS = "\n".join((RUNNING, OFFICE, LATIN))
