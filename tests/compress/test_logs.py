"""Logs: errors with their surroundings and what is asked stay, repeats are counted."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.compress import detect, logs
from tests.support.compress import INJECT, squeeze, told

BUDGETS = [None, INJECT, 180]
TRACE = (
    "Traceback (most recent call last):\n"
    '  File "worker.py", line 41, in run\n    send(batch)\n'
    "ConnectionResetError: 对端关闭连接"
)


def quiet(count: int = 150) -> list[str]:
    return [
        f"2026-04-0{n % 9 + 1} 10:{n // 60:02d}:{n % 60:02d} "
        f"INFO 【队列】取出任务 {n * 37} 耗时：{n % 9}ms"
        for n in range(count)
    ]


def with_line(line: str, place: int = 70) -> str:
    lines = quiet()
    lines[place:place] = [line]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("query", ["", "队列任务", "今天怎么样"])
@pytest.mark.parametrize(
    "line",
    [
        "2026-04-02 10:01:10 ERROR 写入磁盘失败",
        "2026-04-02 10:01:10 【错误】连接数据库超时：重试三次",
        "2026-04-02 10:01:10 [异常] 用户被拒绝访问",
        "2026-04-02 10:01:10 状态：错误",
        "2026-04-02 10:01:10 FATAL out of memory",
        "2026-04-02 10:01:10 java.lang.IllegalStateException: 重复提交",
        "2026-04-02 10:01:10 panic: runtime error: index out of range",
        "2026-04-02 10:01:10 WARN 磁盘剩余 3%",
        f"2026-04-02 10:01:10 ERROR 发送失败\n{TRACE}",
    ],
)
def test_the_line_that_went_wrong_stays_whole(line: str, query: str, budget: int | None) -> None:
    done = squeeze(with_line(line), query, budget)
    assert (done.content_type, done.compressor) == (detect.LOG, "log")
    assert line in done.text


def test_the_lines_beside_an_error_stay() -> None:
    text = with_line("2026-04-02 10:01:10 ERROR 写入磁盘失败")
    before, after = quiet()[69:71]
    assert f"{before}\n2026-04-02 10:01:10 ERROR 写入磁盘失败\n{after}" in squeeze(text).text


@pytest.mark.parametrize("budget", [*BUDGETS, 120])
def test_the_line_that_is_asked_for_stays(budget: int | None) -> None:
    line = "2026-04-02 10:01:10 INFO 【入库】托盘 TP-8841 放到 C 区"
    assert line in squeeze(with_line(line), "托盘放到哪个区", budget).text


@pytest.mark.parametrize("calm", ["0 errors", "错误：0", "未发现异常", "没有错误", "failed: 0"])
def test_a_line_that_says_there_was_no_error_is_no_error(calm: str) -> None:
    entries = [logs._entry(f"2026-04-02 10:01:{n:02d} 自检 {calm}") for n in range(3)]
    assert not any(entry.error for entry in entries)


def test_repeats_are_counted() -> None:
    done = squeeze(with_line("2026-04-02 10:01:10 ERROR 写入磁盘失败"), "", None)
    kept = done.text.count("取出任务 ") - told(done).count("取出任务")
    assert f"级别：INFO {150 - kept}" in told(done)
    assert f"{150 - kept} 次" in told(done)


def test_a_thousand_errors_of_one_kind_are_one_and_a_count() -> None:
    lines = [
        f"2026-04-02 10:{n // 60:02d}:{n % 60:02d} ERROR 连接 10.0.0.{n} 超时" for n in range(500)
    ]
    lines[300] = "2026-04-02 10:05:00 ERROR 证书过期"
    done = squeeze("\n".join(lines), "", None)
    assert "证书过期" in done.text
    assert done.tokens_after < 300


def test_control_sequences_and_progress_go() -> None:
    bar = "\r".join(f"\x1b[2K下载 {n}%" for n in range(101))
    lines = [f"\x1b[32m[信息]\x1b[0m 步骤 {n} 完成" for n in range(60)]
    text = "\n".join([*lines[:30], bar, *lines[30:]]) + "\n"
    done = squeeze(text, "下载")
    assert "\x1b" not in done.text
    assert "\r" not in done.text
    assert "下载 100%" in done.text
    assert "下载 50%" not in done.text
    assert [one.unit for one in done.left_out] == ["条", "处控制码"]


def test_a_long_trace_keeps_its_ends() -> None:
    trace = "\n".join(f"    at com.tea.Shop.step{n}(Shop.java:{n})" for n in range(80))
    line = f"2026-04-02 10:01:10 ERROR 结账失败\n{trace}\nCaused by: java.io.IOException: 断网"
    done = squeeze(with_line(line), "", INJECT)
    assert "ERROR 结账失败" in done.text
    assert "Caused by: java.io.IOException: 断网" in done.text
    assert "step0(" in done.text


@pytest.mark.parametrize(
    "secret", ["password=Zx81Qpq", "验证码 839201", "token: tk9988aabb", "13912345678", "密码：Abc"]
)
def test_no_mark_quotes_a_secret(secret: str) -> None:
    lines = [f"2026-04-02 10:{n // 60:02d}:{n % 60:02d} INFO 登录 {secret} 次序" for n in range(99)]
    done = squeeze("\n".join(lines), "", None)
    assert done.left_out
    assert "重复" not in told(done)


# NDJSON --------------------------------------------------------------------------------------


def events(count: int = 80, **changed: object) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = [
        {"time": f"2026-04-02T10:00:{n % 60:02d}Z", "level": "info", "事件": "扫码", "ms": n % 13}
        for n in range(count)
    ]
    rows[33] |= changed
    return rows


def lines_of(rows: list[dict[str, object]]) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n"


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize(
    "changed",
    [{"level": "error"}, {"事件": "支付失败"}, {"ms": 99999}, {"事件": "鲸落"}, {"error": "断网"}],
)
def test_ndjson_keeps_what_matters_and_every_line_is_json(
    changed: dict[str, object], budget: int | None
) -> None:
    rows = events(**changed)
    done = squeeze(lines_of(rows), "鲸落", budget)
    assert (done.content_type, done.compressor) == (detect.NDJSON, "ndjson")
    found = [json.loads(line) for line in done.text.splitlines()]
    assert rows[33] in found
    assert all(one in rows for one in found if isinstance(one, dict))
    assert isinstance(found[-1], str)


def test_ndjson_states_facts() -> None:
    done = squeeze(lines_of(events(事件="支付失败")), "", None)
    assert "level 都是 info" in told(done)
    assert "ms 0～12" in told(done)


def test_a_huge_record_in_ndjson_is_cut_inside() -> None:
    rows = events(正文="长文，" * 2000, 事件="支付失败")
    found = [json.loads(x) for x in squeeze(lines_of(rows), "支付失败").text.splitlines()]
    row = next(one for one in found if isinstance(one, dict) and one["事件"] == "支付失败")
    assert "……（略 " in row["正文"]


PIECE = st.sampled_from(
    [
        "2026-04-02 10:01:10 INFO 好\n",
        "2026-04-02 10:01:11 ERROR 失败 x=3\n",
        "\tat a.b(C.java:3)\n",
        "\x1b[31m红\x1b[0m\n",
        "进度 1%\r进度 2%\r\n",
        "（略 3 条；全文：<<ccr:ccr_" + "b" * 32 + ">>）\n",
        "……\n",
        "\n",
        "【警告】密码=abc123\n",
    ]
)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(PIECE, max_size=90).map("".join),
    st.sampled_from(["", "失败", "密码"]),
    st.sampled_from([None, 100, INJECT]),
)
def test_any_log(text: str, query: str, budget: int | None) -> None:
    assert "abc123" not in told(squeeze(text, query, budget))


def python_trace(frames: int) -> str:
    return (
        "Traceback (most recent call last):\n"
        + "".join(
            f'  File "/srv/shop/m{n}.py", line {n}, in step_{n}\n    return step_{n + 1}(order)\n'
            for n in range(frames)
        )
        + "shop.errors.PaymentError: 网关返回 502\n"
    )


@pytest.mark.parametrize("budget", [None, 420, INJECT, 120])
@pytest.mark.parametrize("frames", [12, 60, 300])
def test_a_bare_python_traceback_keeps_its_inner_frames(frames: int, budget: int | None) -> None:
    done = squeeze(python_trace(frames), "", budget)
    assert done.content_type == detect.LOG
    assert "PaymentError: 网关返回 502" in done.text
    assert f"in step_{frames - 1}\n" in done.text
    assert done.text.startswith("Traceback (most recent call last):")


def test_a_java_trace_keeps_the_frames_beside_its_message() -> None:
    trace = "java.lang.IllegalStateException: 重复提交\n" + "".join(
        f"\tat com.tea.Shop.step{n}(Shop.java:{n})\n" for n in range(90)
    )
    shown = squeeze(trace, "", INJECT).text
    assert "重复提交" in shown
    assert "step0(" in shown
    assert "step3(" in shown
