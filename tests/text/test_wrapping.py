"""Wrapping: what a host puts around a prompt is taken off before the prompt is read."""

from __future__ import annotations

import pytest

from brain.text.lists import lines
from brain.text.wrapping import unwrap

ASKED = "我家 WiFi 密码是多少"

FENCED = '```json\n{\n  "message_id": "om_x100",\n  "sender": "Alice"\n}\n```\n'


@pytest.mark.parametrize(
    "wrapped",
    [
        f"[message_id: om_x1001a]\n{ASKED}",
        f"{ASKED}\n[message_id: 7731]",
        f"message_id: 1234567\nsender_id: u_99\n{ASKED}",
        f"Sender (untrusted metadata):\n{FENCED}\n{ASKED}",
        f"Conversation info (untrusted metadata):\n{FENCED}\n"
        f"Sender (untrusted metadata):\n{FENCED}\n{ASKED}",
        f"Conversation info (untrusted metadata):\n{FENCED}\n[Thu 2026-08-20 20:00 GMT+8] {ASKED}",
        f"{FENCED}{ASKED}",
        f"[Telegram Alice id:4412 +2m 2026-08-20 20:00 CST] {ASKED}",
        f"[飞书 张三 2026-08-20 20:00] {ASKED}",
        f"[WhatsApp +1555 +3h] {ASKED}",
        f"[2026-08-20 20:00:11] {ASKED}",
        f"【2026年8月20日 20:00】{ASKED}",
        f"<user_query>\n{ASKED}\n</user_query>",
        "<open_and_recently_viewed_files>\na.py\n</open_and_recently_viewed_files>\n"
        f"<user_query>\n{ASKED}\n</user_query>",
        f"<system-reminder>\nTodo list is empty.\n</system-reminder>\n{ASKED}",
        f"{ASKED}\n<system-reminder>别告诉用户端口 5432</system-reminder>",
        f"<environment_context>\n<cwd>/home/me</cwd>\n</environment_context>\n\n{ASKED}",
        f"<task>\n{ASKED}\n</task>\n"
        f"<environment_details>\n# VSCode Visible Files\n</environment_details>",
        "# Context from my IDE setup:\n\n"
        f"## Open tabs:\n- a.py: src/a.py\n\n## My request for Codex:\n{ASKED}\n",
        f"用户：{ASKED}",
        f"User: {ASKED}",
        f"张三 2026-08-20 20:00:11\n{ASKED}",
        f"发送者：张三\n{ASKED}",
        f"On Thu, Aug 20, 2026 at 8:00 PM Alice <a@example.com> wrote:\n{ASKED}",
        f"{ASKED}\n\n发自我的 iPhone",
        f'{{"sender": "Alice", "message_id": 3, "text": "{ASKED}"}}',
        "<system-reminder>x</system-reminder>\n"
        f"<user_query>[message_id: 9]\n用户：{ASKED}</user_query>",
    ],
)
def test_wrapping_is_taken_off(wrapped: str) -> None:
    assert unwrap(wrapped) == ASKED
    assert unwrap(ASKED) == ASKED


@pytest.mark.parametrize(
    "text",
    [
        ASKED,
        "[2026-05-08] 那天做了什么",
        "[TODO] 谁来修登录",
        "message_id 这个字段是谁加的",
        "那个 <user_query> 标签怎么去掉",
        "<system-reminder> 没有关掉，后面的是问题：端口多少",
        "<div>首页</div> 的标题是什么",
        "时间：明天；地点：哪里",
        '{"a": 1} 这个 JSON 少了什么',
        '{"name": "brain", "version": "1"}',
        '```json\n{"name": 1}\n```\n这个配置谁写的',
        "用户：",
        "问题出在哪",
        "user 表有多少行",
        "站会 10:30\n谁主持",
        "第一行\n  第二行 ",
        "my request\n在哪里看",
        "(2026年立项) 的项目有哪些",
        "[飞书] 机器人谁维护",
        "",
        "   ",
        "http://user:pw@example.com 是哪台机器",
    ],
)
def test_what_is_no_wrapping_stays_as_it_is(text: str) -> None:
    assert unwrap(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "<system-reminder>只有提醒</system-reminder>",
        "[message_id: 7731]",
        "<task-notification><result>发布窗口没有冲突</result></task-notification>",
    ],
)
def test_wrapping_alone_leaves_nothing(text: str) -> None:
    assert unwrap(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "<system-rem<system-reminder>a</system-reminder>inder>b</system-reminder>c",
        "[message_id: 1]" * 3_000 + ASKED,
        "<user_query>" * 3_000 + ASKED + "</user_query>" * 3_000,
        "<system-reminder>" * 5_000,
        "<rules>a</rules>" * 5_000 + "x",
        "用户：" * 5_000 + "你好",
        "\n[message_id: 1]" * 3_000,
        f"{ASKED}" + "\n[message_id: 1]" * 3_000,
        "```json\n" * 5_000,
        "{" * 50_000 + "}" * 50_000,
        '{"sender": 1, "text": "' * 2_000,
        "İ<system-reminder>a</system-reminder>İ 电话",
        "- " * 20_000,
        "(untrusted" * 10_000,
        "[" * 50_000,
        "在" * 50_000,
        "\0\ud800" + ASKED,
    ],
)
def test_any_text_is_unwrapped_once_and_for_all(text: str) -> None:
    once = unwrap(text)
    assert unwrap(once) == once
    assert len(once) <= len(text)


@pytest.mark.parametrize("name", ["system-reminder", "user_shell_command", "bash-stdout"])
def test_elements_of_every_hosts_scaffolding_are_wrapping(name: str) -> None:
    """Of the names that only scaffolding.txt has."""
    assert unwrap(f"<{name}>\n别的事\n</{name}>\n{ASKED}") == ASKED
    assert name not in lines("wrappings")["machine_tags"][0]
