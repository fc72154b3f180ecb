"""The file: who may read it, what is refused, what survives damage, locks, full disks and kill."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from brain import Brain, BrainError, Draft
from brain.embed.protocol import Embedder
from brain.store import connection, fts, journal, memories, schema
from brain.store.sql import one, rows
from brain.store.vectors import blocks
from tests.support import PATIENCE, ROOT
from tests.support.engine import (
    EVERYDAY,
    Make,
    fill,
    indexes_are_whole,
    refused,
    texts,
    vectors_out_of_step,
)

posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX modes and signals")


def opened(path: Path, act: Callable[[Brain], object], model: Embedder | None = None) -> object:
    with Brain.open(path, model=model) as brain:
        return act(brain)


READING: dict[str, Callable[[Brain], object]] = {
    "stats": lambda b: b.stats(),
    "list": lambda b: b.list(all=True),
    "recall": lambda b: b.recall("水表什么时候抄"),
    "search": lambda b: b.search("水表"),
    "check": lambda b: b.check("水表什么时候抄"),
    "inject": lambda b: b.inject("水表什么时候抄"),
    "brief": lambda b: b.brief(),
    "words": lambda b: b.words(),
}
WRITING: dict[str, Callable[[Brain], object]] = {
    "add": lambda b: b.add("刚刚记下的一条"),
    "add_many": lambda b: b.add_many([Draft("第一条"), Draft("第二条")]),
    "add_word": lambda b: b.add_word("青鸟计划"),
    "expire": lambda b: b.expire(1),
    "conf": lambda b: b.set_confidence(1, 0.2),
    "supersede": lambda b: b.supersede(1, text="物业改到周三抄表"),
}


def run(script: str, *args: object) -> subprocess.Popen[str]:
    """Starts a Python process of its own on our code."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def finished(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert err == ""
    return out


@pytest.fixture
def path(make: Make) -> Path:
    """A closed file with a few notes."""
    brain = make()
    fill(brain, EVERYDAY[:12])
    brain.close()
    return brain.path


# Who may read it -----------------------------------------------------------------------------


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_the_file_and_its_companions_are_for_the_owner_alone(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with Brain.open(tmp_path / "新 文件夹" / "brain.db", model="none") as brain:
            brain.add("一条")
            brain.recall("一条")
            for suffix in ("", "-wal", "-shm"):
                assert _mode(Path(f"{brain.path}{suffix}")) == 0o600
            assert _mode(brain.path.parent) & 0o077 == 0
    finally:
        os.umask(before)


@posix
def test_an_empty_file_made_by_someone_else_becomes_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "brain.db"
    path.touch()
    path.chmod(0o644)
    with Brain.open(path, model="none") as brain:
        assert brain.stats().total == 0
        brain.add("一条")
        assert [_mode(Path(f"{path}{s}")) for s in ("", "-wal")] == [0o600, 0o600]


def test_closing_leaves_one_file(path: Path) -> None:
    assert [p.name for p in path.parent.iterdir()] == ["brain.db"]


# What is there at the path -------------------------------------------------------------------


def _symlink(path: Path) -> None:
    with Brain.open(path.with_name("real.db"), model="none") as brain:
        brain.add("一条")
    path.symlink_to(path.with_name("real.db"))


def _other_program(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE memories (id INTEGER PRIMARY KEY, text TEXT); PRAGMA user_version = 1")
    db.close()


def _other_application(path: Path) -> None:
    with Brain.open(path, model="none") as brain:
        brain.add("一条")
    db = apsw.Connection(str(path))
    db.pragma("application_id", 0x47504B47)
    db.close()


def _newer(path: Path) -> None:
    with Brain.open(path, model="none") as brain:
        brain.add("一条")
    db = apsw.Connection(str(path))
    db.pragma("user_version", schema.SCHEMA_VERSION + 1)
    db.close()


def _header_alone(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0")


STRANGE: dict[str, tuple[Callable[[Path], object], str, int]] = {
    "a symlink": (_symlink, "brain_db_symlink", 73),
    "a dangling symlink": (lambda p: p.symlink_to(p.with_name("no")), "brain_db_symlink", 73),
    "a directory": (lambda p: p.mkdir(), "brain_db_not_file", 66),
    "a pipe": (lambda p: os.mkfifo(p), "brain_db_not_file", 66),
    "a text": (lambda p: p.write_text("# 笔记\n" * 50, "utf-8"), "brain_db_not_ours", 66),
    "a short text": (lambda p: p.write_text("x"), "brain_db_not_ours", 66),
    "a picture": (lambda p: p.write_bytes(b"\x89PNG\r\n" + bytes(9000)), "brain_db_not_ours", 66),
    "another program's file": (_other_program, "brain_db_not_ours", 66),
    "another application's id": (_other_application, "brain_db_not_ours", 66),
    "a newer file": (_newer, "brain_schema_newer", 78),
    "a header alone": (_header_alone, "brain_db_not_ours", 66),
}


@posix
@pytest.mark.parametrize("what", list(STRANGE))
def test_anything_else_at_the_path_is_refused_and_left_alone(tmp_path: Path, what: str) -> None:
    put, code, exit_code = STRANGE[what]
    path = tmp_path / "brain.db"
    put(path)

    def look() -> dict[str, bytes]:
        """All files but those SQLite puts beside one that somebody reads."""
        kept = (p for p in tmp_path.iterdir() if p.is_file() and p.suffix == ".db")
        return {p.name: p.read_bytes() for p in kept}

    before = look()
    for act in (*READING.values(), *WRITING.values()):
        refused(code, exit_code, lambda act=act: opened(path, act))
    refused(code, exit_code, lambda: Brain.create(path))
    refused(code, exit_code, lambda: Brain.open(path, model="none"))
    assert look() == before


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("a" * 300, {"brain_db_unreadable"}),
        ("brain.db/unter.db", {"brain_db_not_file"}),
        ("nul\0.db", {"brain_db_unreadable"}),
        ("surrogate\udcff.db", {"brain_db_unreadable"}),
    ],
)
def test_a_path_that_cannot_be_is_refused(path: Path, name: str, codes: set[str]) -> None:
    for act in (READING["recall"], WRITING["add"]):
        with pytest.raises(BrainError) as caught:
            opened(path.parent / name, act)
        assert caught.value.code in codes
        assert caught.value.exit_code in {66, 73}
        caught.value.message.encode()
    assert len(list(path.parent.iterdir())) == 1


@pytest.mark.parametrize(
    "name",
    [":memory:", "file:x.db", "记忆 库.db", "a?mode=ro&x=1.db", "100%.db", "#12.db", "'\".db"],
)
def test_any_other_name_is_only_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with Brain.open(name, model="none") as brain:
        brain.add("只是一个文件")
    with Brain.open(name) as brain:
        assert texts(brain.recall("文件")) == ["只是一个文件"]
    # A reader closing last leaves SQLite's companions behind.
    assert set(os.listdir(tmp_path)) <= {name, f"{name}-wal", f"{name}-shm"}
    assert (tmp_path / name).stat().st_size > 0


def test_a_missing_file_reads_as_empty_and_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "brain.db"
    with Brain.open(path) as brain:
        assert brain.stats().total == 0
        assert brain.list() == []
        assert brain.recall("问题").hits == ()
        assert not brain.check("问题").answerable
        assert brain.inject("问题").block == ""
        assert brain.brief().block == ""
        refused("brain_not_found", 1, lambda: brain.get(1))
    assert list(tmp_path.iterdir()) == []


def test_a_file_somebody_began_to_make_reads_as_empty_and_is_finished(tmp_path: Path) -> None:
    """A process that died, or is still busy, between turning on WAL and making the tables."""
    path = tmp_path / "brain.db"
    begun = apsw.Connection(str(path))
    begun.pragma("journal_mode", "wal")
    begun.execute("CREATE TABLE t (x); DROP TABLE t")
    begun.close()
    assert path.stat().st_size > 0
    with Brain.open(path) as running, Brain.open(path, model="none") as brain:
        assert running.stats().total == 0
        assert running.recall("一条").hits == ()
        assert brain.add("一条").created
        assert texts(running.recall("一条")) == ["一条"]


def test_the_default_place_is_the_variables_else_the_home_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("BRAIN_DB", raising=False)
    with Brain.open() as brain:
        assert brain.path == tmp_path / ".brain" / "brain.db"
    monkeypatch.setenv("BRAIN_DB", "~/elsewhere.db")
    with Brain.open() as brain:
        assert brain.path == tmp_path / "elsewhere.db"
    with Brain.open("~/given.db") as brain:
        assert brain.path == tmp_path / "given.db"


# Damage --------------------------------------------------------------------------------------


def damaged(pages: Path, rnd: random.Random, step: int = 1) -> Iterator[tuple[str, bytes]]:
    """Copies of a file with one page garbled, zeroed or exchanged, and with its end cut off."""
    whole = pages.read_bytes()
    size = 4096
    count = len(whole) // size
    for n in range(0, count, step):
        start = n * size + (100 if n == 0 else 0)
        end = (n + 1) * size
        yield f"page {n} garbled", whole[:start] + rnd.randbytes(end - start) + whole[end:]
        yield f"page {n} zeroed", whole[:start] + bytes(end - start) + whole[end:]
        if 0 < n < count - 1:
            other = whole[end : end + size]
            yield f"page {n} is another", whole[:start] + other + whole[end:]
    for cut in (17, 512, 4095, 4096, 8192, len(whole) // 2, len(whole) - 4096, len(whole) - 1):
        yield f"cut at {cut}", whole[:cut]


def exit_code(act: Callable[[], object]) -> int:
    try:
        act()
    except BrainError as e:
        return e.exit_code
    return 0


def only_our_errors(path: Path, what: str) -> int:
    """Runs every verb on a damaged file; gives how many of them were refused."""
    data = path.read_bytes()
    errors = 0
    for verbs in (READING, WRITING):
        for name, act in verbs.items():
            for suffix in ("-wal", "-shm"):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
            path.write_bytes(data)
            code = exit_code(lambda act=act: opened(path, act))
            assert code in {0, 1, 66, 74, 78}, (what, name)
            errors += code > 1
            if verbs is READING:
                assert path.read_bytes() == data, (what, name)
    return errors


def test_damage_anywhere_is_a_clear_error_or_does_no_harm(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "damaged.db"
    refusals = 0
    for what, data in damaged(path, random.Random(11), step=2):
        target.write_bytes(data)
        refusals += only_our_errors(target, what)
    assert refusals > 50


def test_damage_in_the_vectors_is_a_clear_error_or_does_no_harm(make: Make, e5: Embedder) -> None:
    brain = make(model=e5)
    fill(brain, EVERYDAY[:8])
    brain.close()
    whole = brain.path.read_bytes()
    target = brain.path.with_name("damaged.db")
    rnd = random.Random(5)
    refusals = 0
    for n in range(25, len(whole) // 4096, 31):
        target.write_bytes(whole[: n * 4096] + rnd.randbytes(4096) + whole[(n + 1) * 4096 :])
        for act in (READING["recall"], WRITING["add"], WRITING["expire"]):
            code = exit_code(lambda act=act: opened(target, act, e5))
            assert code in {0, 74}
            refusals += code > 0
    assert refusals > 3


def test_a_strange_log_beside_the_file_does_no_harm(path: Path) -> None:
    Path(f"{path}-wal").write_bytes(random.Random(2).randbytes(50_000))
    with Brain.open(path) as brain:
        assert texts(brain.recall("水表"))[0] == EVERYDAY[0]
        assert brain.add("还能写").created
        assert indexes_are_whole(brain)


# Locks ---------------------------------------------------------------------------------------


HOLD = """
import sys, apsw
db = apsw.Connection(sys.argv[1])
db.execute(sys.argv[2])
print("held", flush=True)
sys.stdin.readline()
db.execute("ROLLBACK")
print("free", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def hold(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Callable[[], None]]]:
    """Lets another process hold a lock; what it gives releases that."""
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_MS", 150)
    started: list[subprocess.Popen[str]] = []

    def _hold(how: str) -> Callable[[], None]:
        process = run(HOLD, path, how)
        started.append(process)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"

        def release() -> None:
            process.stdin.write("\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            assert process.stdout.readline() == "free\n"  # type: ignore[union-attr]

        return release

    yield _hold
    for process in started:
        process.communicate("\n\n", timeout=PATIENCE)


def test_while_another_process_writes_all_reading_goes_on_and_writing_says_busy(
    path: Path, hold: Callable[[str], Callable[[], None]]
) -> None:
    release = hold("BEGIN IMMEDIATE")
    with Brain.open(path) as brain:
        for act in READING.values():
            act(brain)
        assert texts(brain.recall("水表"))[0] == EVERYDAY[0]
        for act in WRITING.values():
            refused("brain_busy", 75, lambda act=act: act(brain))
        assert brain.stats().total == 12
        release()
        for act in WRITING.values():
            act(brain)
        assert brain.stats().total == 16


def test_waiting_for_a_lock_has_an_end_in_rollback_mode_too(
    path: Path, hold: Callable[[str], Callable[[], None]]
) -> None:
    """A copy made by another tool may have left WAL mode: then readers can be locked out."""
    db = apsw.Connection(str(path))
    assert db.pragma("journal_mode", "delete") == "delete"
    db.close()
    release = hold("BEGIN EXCLUSIVE")
    with Brain.open(path) as brain:
        refused("brain_busy", 75, lambda: brain.recall("水表"))
        refused("brain_busy", 75, lambda: brain.add("一条"))
        release()
        assert brain.add("一条").created
        assert texts(brain.recall("水表"))[0] == EVERYDAY[0]


def test_a_reader_of_ours_keeps_no_lock(path: Path) -> None:
    """A transaction left open would let the log of every other process grow for ever."""
    with Brain.open(path) as brain:
        for act in READING.values():
            act(brain)
        db = apsw.Connection(str(path))
        db.execute("UPDATE memories SET use_count = use_count")
        assert db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0] == 0
        db.close()


# Read-only -----------------------------------------------------------------------------------


def test_opened_read_only_everything_is_read_and_nothing_written(path: Path) -> None:
    before = path.read_bytes()
    with Brain.open(path, read_only=True) as brain:
        for act in READING.values():
            act(brain)
        for act in WRITING.values():
            refused("brain_db_read_only", 73, lambda act=act: act(brain))
    assert path.read_bytes() == before
    missing = path.with_name("missing.db")
    with Brain.open(missing, read_only=True) as brain:
        assert brain.recall("一条").hits == ()
        refused("brain_db_read_only", 73, lambda: brain.add("一条"))
    assert not missing.exists()


AS_NOBODY = """
import json, os, sys, tempfile
from brain import Brain, BrainError
import brain.engine
os.environ["BRAIN_MODEL"] = "none"
with Brain.open(tempfile.mkdtemp() + "/warm.db", model="none") as warm:
    warm.add("warm"), warm.recall("warm"), warm.stats()  # every import is done as ourselves
if os.geteuid() == 0:
    os.setegid(65534), os.seteuid(65534)
out = []
def opened(path, act):
    with Brain.open(path) as b:
        return act(b)
for path in sys.argv[1:]:
    for act in (lambda b: [m.text for m in b.list()], lambda b: b.recall("水表").hits[0].text,
                lambda b: b.add("一条").created, lambda b: b.expire(1).id):
        try:
            out.append(opened(path, act))
        except IndexError:
            out.append("nothing")
        except BrainError as e:
            out.append([e.code, e.exit_code])
print(json.dumps(out))
"""


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder other users can enter (pytest's own cannot be)."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for entry in (folder, *folder.rglob("*")):
        if entry.is_dir():
            entry.chmod(0o755)
    shutil.rmtree(folder)


def as_nobody(*paths: Path) -> list[Any]:
    return list(json.loads(finished(run(AS_NOBODY, *paths))))


@posix
def test_without_the_right_to_write_a_file_is_read_and_writing_refused(
    path: Path, public: Path
) -> None:
    """A read-only file in a folder that can be written, and in one that cannot."""
    places = [public / "open", public / "closed"]
    for place in places:
        place.mkdir()
        shutil.copy(path, place / "brain.db")
        (place / "brain.db").chmod(0o444)
    places[0].chmod(0o777)
    places[1].chmod(0o555)
    everything = [*reversed(EVERYDAY[:12])]
    no = ["brain_db_read_only", 73]
    assert as_nobody(*(p / "brain.db" for p in places)) == [everything, EVERYDAY[0], no, no] * 2
    assert (places[1] / "brain.db").read_bytes() == path.read_bytes()


@posix
def test_without_the_right_to_read_or_create_it_is_said(path: Path, public: Path) -> None:
    shutil.copy(path, public / "brain.db")
    (public / "brain.db").chmod(0o000)
    (public / "closed").mkdir(mode=0o555)
    no = ["brain_db_unreadable", 73]
    cannot = ["brain_db_cannot_create", 73]
    missing = public / "closed" / "new.db"
    out = as_nobody(public / "brain.db", missing)
    assert out[:4] == [no] * 4
    assert out[4:7] == [[], "nothing", cannot]
    assert not missing.exists()


@posix
def test_a_log_that_cannot_be_read_is_not_passed_over_in_silence(make: Make, public: Path) -> None:
    """A copy of file and log on a read-only medium: answering from the file alone is half."""
    brain = make()
    fill(brain, EVERYDAY[:3])
    place = public / "medium"
    place.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{brain.path}{suffix}", place / f"brain.db{suffix}")
        (place / f"brain.db{suffix}").chmod(0o444)
    place.chmod(0o555)
    assert (place / "brain.db-wal").stat().st_size > 0
    said = as_nobody(place / "brain.db")
    assert said[:2] == [["brain_db_read_only", 73]] * 2
    assert [exit_code for _, exit_code in said] == [73] * 4


# A full disk ---------------------------------------------------------------------------------


def counts(brain: Brain) -> dict[str, int]:
    """How many rows each part of the file has; a record without its index rows would show."""
    tables = ("memories", "passages", "journal", "grams_docsize", "trigrams_docsize", "scopes")
    with brain._store.read() as db:
        found = {name: int(one(db, f"SELECT count(*) FROM {name}")) for name in tables}
        for (name,) in rows(db, "SELECT name FROM sqlite_schema WHERE name GLOB 'vectors_[0-9]'"):
            found[name] = int(one(db, f"SELECT count(*) FROM {name}"))
    return found


def test_a_full_disk_is_one_clear_error_and_the_file_stays_whole(make: Make) -> None:
    """tinyhumansai/openhuman PR 3911: one path after another reported it as something else, or
    tried again for ever."""
    brain = make()
    fill(brain, EVERYDAY[:5])
    with brain._store.write() as db:
        limit = int(db.pragma("page_count")) + 12
        db.pragma("max_page_count", limit)
    notes = (f"第{n}份巡检记录：" + "压力正常，阀门无渗漏，" * 40 for n in range(1000))
    refused("brain_disk_full", 74, lambda: [brain.add(note) for note in notes])
    stored = brain.stats().total - 5
    assert 0 < stored < 1000
    assert len(brain.list(limit=None)) == 5 + stored
    before = counts(brain)
    for act in (
        lambda: brain.add_many([Draft(f"整批里的第{n}条" * 300) for n in range(60)]),
        lambda: brain.supersede(1, text="物业改到周三" * 4000),
    ):
        refused("brain_disk_full", 74, act)
        assert counts(brain) == before
    assert brain.get(1).superseded_by is None
    assert texts(brain.recall("水表"))[0] == EVERYDAY[0]
    with brain._store.write() as db:
        db.pragma("max_page_count", 1_000_000)
    assert brain.add("腾出地方以后又能写了").created
    assert indexes_are_whole(brain)


FULL = """
import resource, sys
from brain import Brain, BrainError
with Brain.open(sys.argv[1]) as brain:
    brain.add("限额以前的一条")
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
    stored = 1
    try:
        for n in range(10_000):
            brain.add(f"第{n}份巡检记录：" + "压力正常，阀门无渗漏，" * 200)
            stored += 1
    except BrainError as e:
        print(e.code, e.exit_code)
    try:
        brain.add("再来" * 30_000)
    except BrainError as e:
        print(e.code, e.exit_code)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    brain.add("腾出地方以后又能写了")
    print(stored + 1)
"""


@posix
def test_a_disk_that_takes_no_more_bytes_in_real_leaves_the_file_whole(path: Path) -> None:
    limit = path.stat().st_size + 300_000
    first, second, stored = finished(run(FULL, path, limit)).splitlines()
    assert {first, second} <= {"brain_db_io 74", "brain_disk_full 74"}
    with Brain.open(path) as brain:
        assert brain.stats().total == 12 + int(stored)
        assert texts(brain.recall("腾出地方"))[0] == "腾出地方以后又能写了"
        assert indexes_are_whole(brain)


# All or nothing ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "name", "at"),
    [
        (memories, "insert", 2),
        (fts, "add", 2),
        (memories, "add_passages", 2),
        (blocks, "put", 1),  # a batch's vectors are written block by block
        (journal, "write", 2),
    ],
)
@pytest.mark.parametrize("error", [RuntimeError("in the middle"), KeyboardInterrupt()])
def test_what_fails_in_the_middle_leaves_nothing(
    make: Make,
    e5: Embedder,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    at: int,
    error: BaseException,
) -> None:
    brain = make(model=e5)
    first = brain.add(EVERYDAY[0], valid_from="2025-01-01").id
    before, record = counts(brain), brain.get(first)
    real = getattr(module, name)
    calls = []

    def breaks(*args: Any, **kwargs: Any) -> Any:
        out = real(*args, **kwargs)
        calls.append(1)
        if len(calls) % at == 0:
            raise error
        return out

    for act in (
        lambda: brain.add_many([Draft("前半条"), Draft("后半条", scope="新的范围")]),
        lambda: brain.supersede(first, text="物业改到每周三上午抄水表") and brain.add("下一条"),
    ):
        calls.clear()
        with monkeypatch.context() as patched:
            patched.setattr(module, name, breaks)
            with pytest.raises(type(error)):
                act()
    if name == "journal.write":
        assert counts(brain) == before
    total = brain.stats().total
    assert total in (1, 2)  # the supersede before the failing add may be whole
    parts = counts(brain)
    assert parts["grams_docsize"] == parts["trigrams_docsize"] == parts["memories"] == total
    assert parts["passages"] == parts["vectors_1"] == total
    assert parts["scopes"] == before["scopes"]
    if total == 1:
        assert brain.get(first) == record
    assert vectors_out_of_step(brain) == []
    assert indexes_are_whole(brain)
    assert texts(brain.search("前半条")) == []
    assert brain.add("之后照常").created


def test_a_batch_with_one_bad_note_stores_none(brain: Brain) -> None:
    brain.add("已有的一条")
    before = counts(brain)
    for bad in (Draft(""), Draft("有\0的"), Draft("x", confidence=2), Draft("y", kind="大写")):
        with pytest.raises(BrainError):
            brain.add_many([Draft("好的一条"), bad, Draft("又一条")])
        assert counts(brain) == before


ADDING = """
import os, sys
from brain import Brain
with Brain.open(sys.argv[1]) as brain:
    for n in range(100_000):
        made = brain.add(f"{os.getpid()}号机第{n}次进出仓登记，都已签字", scope=f"库{n % 5}")
        print(made.id, flush=True)
        if n % 3 == 0:
            brain.expire(made.id, at="2031-01-01")
        if n % 7 == 0:
            brain.supersede(made.id, text=f"{os.getpid()}号机第{n}次登记作废", at="2030-01-01")
"""


@posix
def test_killed_at_any_moment_what_was_confirmed_is_there_and_whole(
    tmp_path: Path, e5: Embedder
) -> None:
    path = tmp_path / "brain.db"
    with Brain.open(path, model=e5) as brain:
        brain.add("开头")
    confirmed = 0
    for lines in (7, 23):
        process = run(ADDING, path)
        assert process.stdout is not None
        for _ in range(lines):
            confirmed = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with Brain.open(path) as brain:
            for n in range(1, confirmed + 1):
                brain.get(n)
            parts = counts(brain)
            assert parts["grams_docsize"] == parts["trigrams_docsize"] == parts["memories"]
            assert vectors_out_of_step(brain) == []
            assert indexes_are_whole(brain)


# Many at once --------------------------------------------------------------------------------


def test_one_object_serves_eight_threads(make: Make, e5: Embedder) -> None:
    brain = make(model=e5)
    fill(brain, EVERYDAY[:5])
    errors: list[BaseException] = []
    gate = threading.Barrier(8)

    def work(who: int) -> None:
        try:
            gate.wait()
            for n in range(6):
                made = brain.add(f"第{who}组的第{n}次点名，都到了", scope=f"组{who}")
                found = brain.recall(f"第{who}组第{n}次点名", scope=f"组{who}", k=20)
                assert made.id in [hit.id for hit in found.hits]
                brain.inject("水表哪天来抄")
                brain.set_confidence(made.id, 0.5)
                assert brain.stats().total >= 5
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert (brain.stats().total, len(brain.list(limit=None, all_scopes=True))) == (53, 53)
    assert vectors_out_of_step(brain) == []
    assert indexes_are_whole(brain)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files in /proc")
def test_threads_that_have_ended_leave_no_file_open(brain: Brain) -> None:
    """A server with a thread for each request would run out of descriptors."""
    fill(brain, EVERYDAY[:3])
    opened = []
    for n in range(30):
        thread = threading.Thread(target=lambda n=n: (brain.recall("水表"), brain.add(f"第{n}条")))
        thread.start()
        thread.join()
        opened.append(len(os.listdir("/proc/self/fd")))
    assert opened[-1] <= opened[0] + 3


WRITER = """
import sys
from brain import Brain
path, who = sys.argv[1:]
sys.stdin.readline()
with Brain.open(path, model="none") as brain:
    for n in range(25):
        brain.add(f"第{who}个进程写的第{n}条，大家都要看得见")
        assert brain.recall(f"第{who}个进程写的第{n}条").hits
        brain.set_confidence(brain.add("谁先写都只有一条").id, (n % 9 + 1) / 10)
"""


def test_four_processes_write_at_once_and_none_is_lost(tmp_path: Path) -> None:
    """mem0ai/mem0 #7196: no 'database is locked', also when none of them finds the file there."""
    path = tmp_path / "brain.db"
    processes = [run(WRITER, path, who) for who in range(4)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        finished(process)
    with Brain.open(path) as brain:
        assert brain.stats().total == 101
        assert indexes_are_whole(brain)


class Meanwhile:
    """The real model; while it works on a note, something else happens once."""

    name, dim, max_tokens, languages = "e5-small", 384, 512, ("zh",)

    def __init__(self, real: Embedder) -> None:
        self.embed_query = real.embed_query
        self.real = real
        self.act: Callable[[], object] | None = None

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        act, self.act = self.act, None
        if act is not None:
            act()
        return self.real.embed_documents(texts)


def test_what_another_process_stored_meanwhile_is_not_stored_twice(
    make: Make, e5: Embedder
) -> None:
    model = Meanwhile(e5)
    brain = make(model=model)
    brain.add("先有文件")
    for how in (brain.add, lambda text: brain.add_many([Draft(text), Draft("另一条")])[0]):
        text = f"同一句话，{brain.stats().total}"
        model.act = lambda text=text: make(model=e5).add(text)
        assert not how(text).created
    assert brain.stats().total == 4


def test_what_another_process_replaced_meanwhile_is_not_replaced_twice(
    make: Make, e5: Embedder
) -> None:
    model = Meanwhile(e5)
    brain = make(model=model)
    old = brain.add("机房在三楼", valid_from="2025-01-01").id
    model.act = lambda: make(model=e5).supersede(old, text="机房搬到五楼")
    error = refused("brain_not_current", 65, lambda: brain.supersede(old, text="机房搬到六楼"))
    assert "#2" in error.message
    assert brain.stats().total == 2


CREATOR = """
import sys, time
from brain import Brain
start, folder, who = float(sys.argv[1]), sys.argv[2], sys.argv[3]
for n in range(12):
    time.sleep(max(0, start + n * .1 - time.time()))
    path = f"{folder}/{n}.db"
    if n % 2:
        Brain.create(path, model="none")
    with Brain.open(path, model="none") as brain:
        brain.recall("什么"), brain.stats()
        brain.add(f"第{who}个进程的一条")
print("done")
"""


def test_processes_that_make_the_file_at_the_same_moment_get_along(tmp_path: Path) -> None:
    start = time.time() + 1.5
    processes = [run(CREATOR, start, tmp_path, who) for who in range(3)]
    assert [finished(process) for process in processes] == ["done\n"] * 3
    for n in range(12):
        with Brain.open(tmp_path / f"{n}.db") as brain:
            assert brain.stats().total == 3
            assert brain.stats().model is None


MAKER = """
import sys
from pathlib import Path
from brain.store import connection
for n in range(int(sys.argv[2])):
    path = Path(sys.argv[1], f"{n}.db")
    connection.create(path)
    connection.connect(path, writable=True).close()
"""


def test_a_look_at_a_file_that_is_just_being_made_is_never_wrong(tmp_path: Path) -> None:
    """Its first page comes into it after its size: one look in a few was at zeros."""
    maker = run(MAKER, tmp_path, 150)
    for n in range(150):
        while not connection.check_file(tmp_path / f"{n}.db"):
            assert maker.poll() in (None, 0)
    finished(maker)


@pytest.mark.parametrize("end", ["written", "undone", "gone"])
def test_a_look_waits_for_the_first_page_of_a_file(tmp_path: Path, end: str) -> None:
    path = tmp_path / "brain.db"
    path.write_bytes(bytes(4096))
    maker = apsw.VFSFile("", str(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE, 0])
    for lock in (apsw.SQLITE_LOCK_SHARED, apsw.SQLITE_LOCK_RESERVED, apsw.SQLITE_LOCK_EXCLUSIVE):
        maker.xLock(lock)
    found: list[bool] = []
    look = threading.Thread(target=lambda: found.append(connection.check_file(path)))
    look.start()
    look.join(0.1)
    assert found == []
    if end == "written":
        maker.xWrite(b"SQLite format 3\0", 0)
    elif end == "undone":
        maker.xTruncate(0)
    else:
        path.unlink()
    maker.xUnlock(apsw.SQLITE_LOCK_NONE)
    look.join(PATIENCE)
    maker.xClose()
    assert found == [end == "written"]


def test_a_file_whose_maker_lost_power_at_its_first_page_is_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "brain.db"
    path.write_bytes(bytes(4096))
    magic = bytes.fromhex("d9d505f920a163d7")  # https://sqlite.org/fileformat2.html, 3
    head = magic + struct.pack(">5I", 0, 7, 0, 512, 4096)
    Path(f"{path}-journal").write_bytes(head.ljust(512, b"\0"))
    with Brain.open(path, model="none") as brain:
        assert brain.stats().total == 0
        brain.add("一条")
        assert brain.stats().total == 1


ONE = """
import sys
from brain import Brain
with Brain.open(sys.argv[1], model=sys.argv[2] if len(sys.argv) > 2 else None) as brain:
    brain.add("食堂周三有红烧肉")
    brain.supersede(1, text="物业改到每周三抄水表") if brain.stats().total > 1 else None
"""


def test_a_running_program_sees_at_once_what_another_writes(path: Path) -> None:
    """TencentCloud/TencentDB-Agent-Memory #987: rows that every other process saw."""
    with Brain.open(path) as brain:
        assert brain.recall("红烧肉").hits == ()
        assert brain.get(1).superseded_by is None
        finished(run(ONE, path))
        assert texts(brain.recall("红烧肉"))[0] == "食堂周三有红烧肉"
        assert brain.get(1).superseded_by == 14
        assert brain.list()[0].text == "物业改到每周三抄水表"


def test_a_running_program_sees_a_file_that_was_not_there(tmp_path: Path) -> None:
    path = tmp_path / "brain.db"
    with Brain.open(path) as brain:
        assert brain.recall("红烧肉").hits == ()
        finished(run(ONE, path, "none"))
        assert texts(brain.recall("红烧肉")) == ["食堂周三有红烧肉"]


@pytest.mark.skipif(not connection._LOOK, reason="looks by descriptor on Linux alone")
def test_a_log_that_goes_while_it_is_looked_at_is_no_danger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, log = tmp_path / "brain.db", tmp_path / "brain.db-wal"
    path.touch()
    log.touch(0o600)
    stat_of = os.fstat

    def late(descriptor: int) -> os.stat_result:
        log.unlink(missing_ok=True)
        return stat_of(descriptor)

    monkeypatch.setattr(os, "fstat", late)
    connection.require_private_beside(path)
    assert not log.exists()
