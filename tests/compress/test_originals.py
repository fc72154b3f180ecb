"""The recovery store: what is cut was kept first, once, whole, within its budget, and stays."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from brain import Brain
from brain.compress import originals
from brain.compress.handles import handle_of
from brain.store import originals as stored
from tests.support import PATIENCE, ROOT
from tests.support.cli import Cli
from tests.support.engine import NOON, refused

ORDERS = json.dumps(
    [{"编号": n, "状态": "已完成", "门店": "城西店", "金额": n * 3} for n in range(400)],
    ensure_ascii=False,
).encode()
LOG = "".join(
    f"2026-03-01 10:{n // 60:02}:{n % 60:02} INFO 心跳正常，耗时 {n % 7} 毫秒\n" for n in range(600)
).encode()
MINUTES = "".join(
    f"第{n}项，各组汇报了本周的进度，没有需要协调的事情。\n\n" for n in range(200)
).encode()
PICTURE = bytes(range(256)) * 40
LONG = {"orders": ORDERS, "log": LOG, "minutes": MINUTES, "picture": PICTURE}


def kept(brain: Brain) -> int:
    with brain._store.read() as db:
        return stored.count(db)


@pytest.mark.parametrize("what", list(LONG))
def test_what_is_cut_is_kept_whole_under_its_hash(brain: Brain, what: str) -> None:
    data = LONG[what]
    made = brain.compress(data)
    assert made.handle == "ccr_" + hashlib.sha256(data).hexdigest()[:32]
    assert made.compressor != "none"
    assert made.tokens_after < made.tokens_before
    assert made.handle in made.text
    assert brain.recover(made.handle) == data
    with Brain.open(brain.path, read_only=True) as other:
        assert other.recover(made.handle) == data


@pytest.mark.parametrize("what", list(LONG))
def test_the_same_bytes_are_one_row(brain: Brain, what: str) -> None:
    first = brain.compress(LONG[what], now=NOON)
    assert brain.compress(LONG[what]) == first
    assert kept(brain) == 1
    with brain._store.read() as db:
        row = stored.get(db, bytes.fromhex(str(first.handle)[4:]))
    assert row is not None
    assert (row.compressor, row.tokens_before, row.tokens_after) == (
        first.compressor,
        first.tokens_before,
        first.tokens_after,
    )
    assert row.stored_at == "2026-03-02T04:00:00.000Z"


def test_text_and_its_bytes_are_the_same(brain: Brain) -> None:
    assert brain.compress(MINUTES.decode()) == brain.compress(MINUTES)


@pytest.mark.parametrize("data", [b"", "门禁码是4471".encode(), b"a\r\nb\n"])
def test_short_text_goes_through_untouched(brain: Brain, data: bytes) -> None:
    made = brain.compress(data)
    assert (made.text.encode(), made.compressor) == (data, "none")
    assert made.tokens_before == made.tokens_after
    assert brain.recover(str(made.handle)) == data


def test_a_lone_surrogate_is_refused(brain: Brain) -> None:
    refused("brain_text_surrogate", 65, lambda: brain.compress("甲\ud800" * 500))


# The budget ----------------------------------------------------------------------------------


def test_a_new_original_beyond_the_budget_is_refused_and_nothing_is_evicted(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_CCR_MAX_BYTES", str(len(ORDERS) + 10))
    first = brain.compress(ORDERS)
    refused("brain_ccr_budget_exceeded", 65, lambda: brain.compress(LOG))
    assert kept(brain) == 1
    assert brain.recover(str(first.handle)) == ORDERS
    assert brain.compress(ORDERS) == first, "what is there already needs no room"
    refused("brain_ccr_not_found", 1, lambda: brain.recover(handle_of(LOG)))
    monkeypatch.setenv("BRAIN_CCR_MAX_BYTES", str(len(ORDERS) + len(LOG)))
    assert brain.compress(LOG).compressor != "none"


def test_what_stays_whole_goes_through_a_full_store(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_CCR_MAX_BYTES", "1")
    made = brain.compress("门禁码是4471")
    assert (made.text, made.handle) == ("门禁码是4471", None)


@pytest.mark.parametrize("value", ["0", "-1", "512MiB", "1.5", "", " 5", "５", "1_000", "9" * 30])
def test_a_limit_that_is_no_positive_integer_is_refused(
    brain: Brain, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("BRAIN_CCR_MAX_BYTES", value)
    refused("brain_ccr_max_bytes_invalid", 2, lambda: brain.compress(ORDERS))
    assert not brain.path.exists()


def test_the_limit_is_half_a_gibibyte_unless_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BRAIN_CCR_MAX_BYTES", raising=False)
    assert originals.most_bytes() == 512 * 1024 * 1024


# When keeping fails --------------------------------------------------------------------------


@pytest.mark.parametrize("what", list(LONG))
def test_nothing_cut_goes_out_where_it_cannot_be_kept(brain: Brain, what: str) -> None:
    brain.add("外婆爱听评弹")
    with Brain.open(brain.path, read_only=True) as other:
        refused("brain_db_read_only", 73, lambda: other.compress(LONG[what]))
        assert other.compress("短的").text == "短的"


def test_the_original_is_committed_before_the_text_goes_out(tmp_path: Path) -> None:
    """The moment the verb prints, another process must find the original."""
    db = str(tmp_path / "m.db")
    code = (
        "import subprocess, sys\n"
        f"p = subprocess.Popen([sys.executable, {str(ROOT / 'brain.py')!r}, 'compress', '-',"
        f" '--db', {db!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "p.stdin.write(sys.stdin.buffer.read()); p.stdin.close()\n"
        "p.stdout.read(1); p.kill()\n"
    )
    subprocess.run([sys.executable, "-c", code], input=LOG, check=True, timeout=PATIENCE)
    with Brain.open(db, read_only=True) as brain:
        assert brain.recover(handle_of(LOG)) == LOG


def test_damage_is_found_and_never_handed_out(brain: Brain) -> None:
    handle = str(brain.compress(ORDERS).handle)
    with brain._store.write() as db:
        db.execute("UPDATE ccr SET original = ?", (ORDERS[:-2] + b" ]",))
    refused("brain_ccr_damaged", 74, lambda: brain.recover(handle))
    assert brain.compress(ORDERS).handle == handle, "seen again, it is made whole"
    assert brain.recover(handle) == ORDERS
    assert kept(brain) == 1


def test_a_damaged_memory_is_not_handed_out_either(brain: Brain) -> None:
    brain.add("外婆爱听评弹")
    with brain._store.write() as db:
        db.execute("UPDATE memories SET text = '外婆爱听京剧'")
    refused("brain_ccr_damaged", 74, lambda: brain.recover(handle_of("外婆爱听评弹".encode())))


def test_processes_that_keep_the_same_bytes_at_once_make_one_row(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    command = [sys.executable, str(ROOT / "brain.py"), "compress", "-", "--json", "--db", str(db)]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(4)
    ]
    outs = []
    for process in running:
        assert process.stdin is not None
        process.stdin.write(ORDERS)
        process.stdin.close()
    for process in running:
        assert process.stdout is not None
        outs.append(process.stdout.read())
        assert process.wait(PATIENCE) == 0
    assert len(set(outs)) == 1
    with Brain.open(db, read_only=True) as brain:
        assert kept(brain) == 1
        assert brain.recover(json.loads(outs[0])["handle"]) == ORDERS


# Forgetting ----------------------------------------------------------------------------------


def gone(brain: Brain, memory_id: int) -> None:
    with brain._store.write() as db:
        db.execute("DELETE FROM memories WHERE id = ?", (memory_id,))


def test_an_original_is_erased_when_no_memory_refers_to_it(brain: Brain) -> None:
    data = MINUTES
    handle = str(brain.compress(data).handle)
    text_id = brain.add(data.decode()).id
    note_id = brain.add(f"周会的纪要存在 <<ccr:{handle}>>").id
    sha256 = hashlib.sha256(data).digest()
    for memory_id in (text_id, note_id):
        with brain._store.write() as db:
            assert not stored.erase(db, sha256)
        gone(brain, memory_id)
    with brain._store.write() as db:
        assert stored.erase(db, sha256)
        assert not stored.erase(db, sha256)
    refused("brain_ccr_not_found", 1, lambda: brain.recover(handle))
    brain.close()
    assert "第199项".encode() not in brain.path.read_bytes()


def test_forgetting_a_memory_takes_the_originals_it_names_with_it(brain: Brain) -> None:
    orders, log = (str(brain.compress(x).handle) for x in (ORDERS, LOG))
    first = f"三月的订单 {orders}，日志 {log}"
    first_id = brain.add(first).id
    brain.add(f"日志还要用：<<ccr:{log}>>")
    gone(brain, first_id)
    with brain._store.write() as db:
        assert stored.erase_of(db, first) == 1
    refused("brain_ccr_not_found", 1, lambda: brain.recover(orders))
    assert brain.recover(log) == LOG


# The verb ------------------------------------------------------------------------------------


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.mark.parametrize("what", list(LONG))
@pytest.mark.parametrize("source", ["-", "--stdin"])
def test_the_verb_prints_the_text_and_keeps_the_bytes(cli: Cli, what: str, source: str) -> None:
    told = cli("compress", source, "--json", stdin=LONG[what]).json
    assert told.keys() == {
        "text", "handle", "tokens_before", "tokens_after", "compressor", "basis",
    }  # fmt: skip
    assert told["basis"] == "inferred"
    assert cli("compress", source, stdin=LONG[what]).out == told["text"]
    command = [sys.executable, str(ROOT / "brain.py"), "recover", told["handle"]]
    done = subprocess.run(command, env=cli.env(), capture_output=True, check=True)
    assert done.stdout == LONG[what]


def test_the_verb_answers_wrong_use(cli: Cli) -> None:
    for args in (("compress",), ("compress", "一段文字"), ("compress", "-", "--budget", "3")):
        assert cli(*args).code == 2
    assert not cli.db.exists()
    full = cli("compress", "-", "--json", stdin=LOG, env={"BRAIN_CCR_MAX_BYTES": "100"})
    assert full.code == 65
    assert full.json["error"]["code"] == "brain_ccr_budget_exceeded"
    wrong = cli("compress", "-", stdin=LOG, env={"BRAIN_CCR_MAX_BYTES": "many"})
    assert (wrong.code, wrong.out) == (2, "")
    assert cli("compress", "-", stdin=b"a" * (16 * 1024 * 1024 + 1)).code == 65


def test_asking_keeps_the_answer(cli: Cli) -> None:
    """A needle that look-alikes hide stays when it is asked for."""
    needle = "2026-03-01 10:05:00 INFO 网关切换到备用线路 青鸟七号\n"
    lines = LOG.decode().splitlines(keepends=True)
    data = "".join([*lines[:300], needle, *lines[300:]]).encode()
    out = cli("compress", "-", "--query", "青鸟七号线路", stdin=data).out
    assert "青鸟七号" in out
    assert len(out) < len(data.decode()) / 2


PASSWORD, KEY = "Xk29fjw2Qz", "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
SECRETIVE = {
    "log": "".join(
        f"2026-03-01 10:{n // 60:02}:{n % 60:02} INFO 登录 password={PASSWORD} token={KEY} n={n}\n"
        for n in range(200)
    ),
    "prose": "".join(f"第{n}项，密码是{PASSWORD}，key={KEY}，会上定的。\n\n" for n in range(200)),
    "records": json.dumps([{"n": n, "password": PASSWORD, "备注": KEY} for n in range(200)]),
    "escaped": json.dumps([{"n": n, "备注": f"密码是{PASSWORD}，{KEY}"} for n in range(200)]),
    "lines": "".join(f'{{"n": {n}, "password": "{PASSWORD}", "k": "{KEY}"}}\n' for n in range(200)),
    "table": "编号,口令说明\n" + "".join(f"{n},口令是{PASSWORD} {KEY}\n" for n in range(200)),
    "code": f"PASSWORD = '{PASSWORD}'\n"
    + "".join(f"def f{n}():\n    return '{KEY}'\n\n\n" for n in range(200)),
    "short": f"密码是{PASSWORD}，key={KEY}",
}


@pytest.mark.parametrize("query", [None, "password token 密码"])
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16"])
@pytest.mark.parametrize("what", list(SECRETIVE))
def test_no_secret_goes_out_and_the_handle_is_that_of_the_original(
    brain: Brain, what: str, encoding: str, query: str | None
) -> None:
    data = SECRETIVE[what].encode(encoding)
    made = brain.compress(data, query)
    assert "已隐去" in made.text or what not in {"log", "prose", "short"}
    for secret in (PASSWORD, KEY):
        assert not any(secret[at : at + 6] in made.text for at in range(len(secret) - 5))
    assert made.handle == handle_of(data)
    assert brain.recover(str(made.handle)) == data
    assert brain.compress(made.text).text == made.text


def test_a_number_hidden_in_records_leaves_them_records(brain: Brain) -> None:
    rows = [{"编号": n, "卡": 6222021234567894, "金额": n * 3} for n in range(400)]
    made = brain.compress(json.dumps(rows, ensure_ascii=False))
    assert made.compressor == "json"
    assert "6222021234567894" not in made.text


def test_a_key_of_many_lines_leaves_the_lines_their_numbers(brain: Brain) -> None:
    body = "\n".join(["MIIEowIBAAKCAQEA7bq0zK1mVQp3xk9nQm5sT2uY8wE4rT6yU1iO3pA5sD7fG9h"] * 20)
    text = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n"
    from brain.compress.document import _without_secrets

    hidden = _without_secrets(text + LOG.decode())
    assert hidden.split("\n")[22:] == LOG.decode().split("\n")
    assert "MIIE" not in brain.compress(text.encode() + LOG).text
