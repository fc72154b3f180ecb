"""Files that go wrong under a running program: replaced, deleted, on a network, closed, full."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from brain import Brain, BrainError
from brain.store import folder, memories, memory_file, wal
from brain.store.sql import one
from tests.support import PATIENCE, ROOT
from tests.support.cli import Cli
from tests.support.engine import EVERYDAY, Make, fill, indexes_are_whole, refused

posix = pytest.mark.skipif(os.name == "nt", reason="a file in use cannot be moved on Windows")


def start(script: str, *args: object) -> subprocess.Popen[str]:
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


def beside(path: Path) -> set[str]:
    """What lies beside a file and begins with its name."""
    return {p.name for p in path.parent.glob(path.name + "?*")}


def notes(path: Path, *notes: str) -> Path:
    with Brain.open(path, model="none") as brain:
        for note in notes:
            brain.add(note)
    return path


@pytest.fixture
def used(tmp_path: Path) -> Path:
    return notes(tmp_path / "used.db", *EVERYDAY[:6])


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A file with other notes, enough of them to have other pages."""
    return notes(tmp_path / "other.db", *EVERYDAY[10:25])


# Replaced or deleted -------------------------------------------------------------------------


REPLACING: dict[str, Callable[[Path, Path], object]] = {
    "moved over it": lambda new, path: os.replace(new, path),
    "deleted first": lambda new, path: (path.unlink(), os.replace(new, path)),
    "all three deleted first": lambda new, path: (
        [Path(f"{path}{s}").unlink(missing_ok=True) for s in ("", "-wal", "-shm")],
        os.replace(new, path),
    ),
    "copied under another name": lambda new, path: (path.unlink(), shutil.copy(new, path)),
}


@posix
@pytest.mark.parametrize("wrote", [False, True], ids=["reader", "writer"])
@pytest.mark.parametrize("how", REPLACING)
def test_who_has_a_file_open_reads_the_one_put_in_its_place(
    used: Path, other: Path, how: str, wrote: bool
) -> None:
    with Brain.open(used) as brain:
        assert brain.recall("水表").hits
        if wrote:
            brain.add("写在旧文件里的一条")
        REPLACING[how](other, used)
        assert [m.text for m in brain.list()] == list(reversed(EVERYDAY[10:25]))
        assert brain.recall("水表").hits == ()
        if wrote:
            refused("brain_db_replaced", 74, lambda: brain.add("写不进去的一条"))
        made = brain.add("写在新文件里的一条")
        assert brain.get(made.id).text == "写在新文件里的一条"
        assert indexes_are_whole(brain)
    with Brain.open(used) as brain:
        assert brain.stats().total == 16
        assert indexes_are_whole(brain)


@posix
def test_every_thread_notices(used: Path, other: Path) -> None:
    go, done = threading.Barrier(5), threading.Barrier(5)
    seen: list[int] = []

    def work() -> None:
        seen.append(brain.stats().total)
        go.wait(PATIENCE)
        done.wait(PATIENCE)
        seen.append(brain.stats().total)

    with Brain.open(used) as brain:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        go.wait(PATIENCE)
        os.replace(other, used)
        done.wait(PATIENCE)
        for thread in threads:
            thread.join()
    assert seen == [6] * 4 + [15] * 4


@posix
def test_a_deleted_file_reads_as_empty_and_is_made_anew(used: Path) -> None:
    with Brain.open(used, model="none") as brain:
        brain.add("写在旧文件里的一条")
        used.unlink()
        assert brain.list() == []
        refused("brain_db_replaced", 74, lambda: brain.add("还不知道没了"))
        assert not used.exists()
        assert brain.add("新的开始").id == 1
        assert indexes_are_whole(brain)
    assert [m.text for m in Brain.open(used).list()] == ["新的开始"]


DYING = """
import os, signal, sys
from brain import Brain
brain = Brain.open(sys.argv[1])
for n in range(8):
    brain.add(f"第{n}条，进了日志还没有合并进文件")
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(path: Path) -> None:
    """A process writes and dies, so that its log stays beside the file."""
    start(DYING, path).communicate(timeout=PATIENCE)
    assert wal.size(path) > 0


PUTTING: dict[str, Callable[[Path, Path], object]] = {
    "moved over it": lambda new, path: os.replace(new, path),
    "copied over it": lambda new, path: path.write_bytes(new.read_bytes()),
}


@posix
@pytest.mark.parametrize("how", PUTTING)
@pytest.mark.parametrize("which", ["another file", "an older copy"])
def test_the_log_of_another_file_is_not_read_into_the_one_in_its_place(
    used: Path, other: Path, how: str, which: str
) -> None:
    """SQLite would apply it without a word: its checksums tie a log to itself, not to a file."""
    new = used.with_name("new.db")
    shutil.copy(other if which == "another file" else used, new)
    if which == "an older copy":
        with Brain.open(used) as brain:
            brain.add("在复制之后、被杀之前写的")
    killed(used)
    PUTTING[how](new, used)
    before = used.read_bytes()
    for act in (lambda: Brain.open(used).list(), lambda: Brain.open(used).add("一条")):
        error = refused("brain_wal_foreign", 74, act)
        assert "doctor --repair" in error.message
    assert used.read_bytes() == before
    aside = wal.move_aside(used)
    assert aside is not None
    assert aside.exists()
    with Brain.open(used) as brain:
        assert brain.stats().total == (15 if which == "another file" else 6)
        assert indexes_are_whole(brain)


@posix
@pytest.mark.parametrize("wait", [0, 1, 2])
def test_the_log_of_the_file_itself_is_read_wherever_both_are_taken(used: Path, wait: int) -> None:
    """Also when it was merged in part, has begun anew, or the pair was copied elsewhere."""
    if wait:
        with Brain.open(used) as brain:
            db = apsw.Connection(str(used))
            brain.add("先写一条")
            db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            if wait == 2:
                brain.add("从头再写的日志")
            db.close()
            pair = used.with_name("pair.db")
            for suffix in ("", "-wal"):
                shutil.copy(f"{used}{suffix}", f"{pair}{suffix}")
        with Brain.open(pair) as brain:
            assert brain.stats().total == 6 + wait
    killed(used)
    pair = used.with_name("copy.db")
    for suffix in ("", "-wal"):
        shutil.copy(f"{used}{suffix}", f"{pair}{suffix}")
    for path in (used, pair):
        with Brain.open(path) as brain:
            assert brain.stats().total == 6 + wait + 8
            assert indexes_are_whole(brain)


# One file is left ----------------------------------------------------------------------------


@posix
def test_who_closes_last_leaves_one_file_that_cp_may_copy(used: Path) -> None:
    """Also when it only read, and another died without closing."""
    killed(used)
    with Brain.open(used, read_only=True) as brain:
        assert brain.stats().total == 14
    assert beside(used) == set()
    copy = used.with_name("copy.db")
    shutil.copy(used, copy)
    with Brain.open(copy, read_only=True) as brain:
        assert brain.stats().total == 14
    assert beside(copy) == set()


def test_reading_by_command_leaves_nothing_beside_the_file(used: Path) -> None:
    command = [sys.executable, str(ROOT / "brain.py"), "list", "--db", str(used)]
    before = used.read_bytes()
    subprocess.run(command, check=True, capture_output=True)
    assert beside(used) == set()
    assert used.read_bytes() == before


def test_while_another_has_it_open_a_reader_takes_nothing_away(used: Path) -> None:
    with Brain.open(used) as writer:
        writer.add("写的人还开着")
        with Brain.open(used, read_only=True) as reader:
            assert reader.stats().total == 7
        assert writer.add("之后照常写").created
        assert writer.stats().total == 8


# Closing -------------------------------------------------------------------------------------


def test_after_closing_every_use_says_so(used: Path) -> None:
    brain = Brain.open(used)
    brain.recall("水表")
    brain.close()
    brain.close()
    for act in (lambda: brain.recall("水表"), lambda: brain.add("一条"), lambda: brain.stats()):
        refused("brain_closed", 74, act)


def test_closing_while_threads_read_and_write_ends_them_with_a_clear_error(used: Path) -> None:
    for _ in range(5):
        brain = Brain.open(used)
        ends: list[object] = []
        working = threading.Barrier(5)

        def work(who: int, brain: Brain = brain, ends: list[object] = ends) -> None:
            try:
                working.wait(PATIENCE)  # noqa: B023 - each round's own
                for n in range(10_000):
                    brain.recall("水表什么时候抄")
                    brain.set_confidence(1 + who, (n % 9) / 10)
            except BrainError as e:
                ends.append(e.code)
            except BaseException as e:
                ends.append(e)

        threads = [threading.Thread(target=work, args=(who,)) for who in range(4)]
        for thread in threads:
            thread.start()
        working.wait(PATIENCE)
        time.sleep(0.05)
        brain.close()
        for thread in threads:
            thread.join(PATIENCE)
        assert ends == ["brain_closed"] * 4
        assert beside(used) == set()


def test_a_read_that_takes_too_long_is_interrupted(
    used: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_file, "PATIENCE_S", 0.3)
    store = memory_file.Store(used)
    ends: list[object] = []
    reading = threading.Event()

    def work() -> None:
        try:
            with store.read() as db:
                reading.set()
                one(
                    db,
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                    " SELECT sum(i) FROM n",
                )
        except BrainError as e:
            ends.append(e.code)

    thread = threading.Thread(target=work)
    thread.start()
    reading.wait(PATIENCE)
    store.close()
    thread.join(PATIENCE)
    assert ends == ["brain_closed"]  # the sum itself never ends


# Network -------------------------------------------------------------------------------------


def on_network(path: Path) -> Brain:
    return Brain(memory_file.Store(path, network=lambda where: "nfs4"), None, "none")


def journal_mode(path: Path) -> str:
    db = apsw.Connection(str(path))
    try:
        return str(db.pragma("journal_mode"))
    finally:
        db.close()


@pytest.mark.parametrize("before", ["new", "made on a disk"])
def test_on_a_network_the_file_has_a_rollback_journal(tmp_path: Path, before: str) -> None:
    """Signet-AI/signetai #1456: WAL on SMB or NFS, where it has no shared memory to work with."""
    path = tmp_path / "net.db"
    if before != "new":
        notes(path, "在本机磁盘上写的一条")
        assert journal_mode(path) == "wal"
    with on_network(path) as brain, on_network(path) as second:
        fill(brain, EVERYDAY[:4])
        with brain._store.write() as db:
            assert db.pragma("journal_mode") == "delete"
            assert db.pragma("synchronous") == 2
        assert second.recall("水表").hits
        assert second.add("另一个连接写的").created
        assert brain.list()[0].text == "另一个连接写的"
        assert beside(path) == set()
        assert indexes_are_whole(brain)
    assert journal_mode(path) == "delete"


def test_a_file_in_use_elsewhere_is_not_turned_to_a_rollback_journal(used: Path) -> None:
    with Brain.open(used) as local:
        local.add("本机开着的")
        with on_network(used) as brain:
            refused("brain_busy", 75, lambda: brain.add("一条"))
            assert brain.stats().total == 7


MOUNTINFO = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:30 / /home/wu/远程\\040盘 rw shared:9 - nfs4 srv:/vol rw
31 22 0:31 / /mnt/c rw - 9p C: rw
32 22 0:32 / /media/usb rw - fuseblk /dev/sdb1 rw
33 22 0:33 / /srv/cloud rw master:2 - fuse.rclone remote: rw
34 22 0:34 / /srv/cloud/local rw - tmpfs tmpfs rw
35 22 0:35 / /mnt/over rw - ext4 /dev/vdb rw
36 22 0:36 / /mnt/over rw - cifs //nas/a rw
"""


@pytest.mark.parametrize(
    ("path", "kind", "shared"),
    [
        ("/home/wu/brain.db", "ext4", False),
        ("/home/wu/远程 盘/brain.db", "nfs4", True),
        ("/home/wu/远程 盘外/brain.db", "ext4", False),
        ("/mnt/c/brain.db", "9p", True),
        ("/media/usb/brain.db", "fuseblk", False),
        ("/srv/cloud/brain.db", "fuse.rclone", True),
        ("/srv/cloud/local/brain.db", "tmpfs", False),
        ("/mnt/over/brain.db", "cifs", True),
    ],
)
def test_the_file_system_is_that_of_the_deepest_latest_mount(
    path: str, kind: str, shared: bool
) -> None:
    assert folder.kind_in(MOUNTINFO, path) == kind
    assert folder.is_network(kind) is shared


def test_this_machines_own_disk_is_no_network(tmp_path: Path) -> None:
    assert folder.network(tmp_path / "not" / "there" / "brain.db") is None


# A full disk ---------------------------------------------------------------------------------


READING_FULL = """
import resource, sys
from brain import Brain, BrainError
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
try:
    with Brain.open(sys.argv[1]) as brain:
        print(len(brain.list()), brain.recall("水表").hits[0].id, brain.stats().total)
        try:
            brain.add("一条")
        except BrainError as e:
            print(e.code in ("brain_db_io", "brain_disk_full", "brain_db_cannot_open"), e.exit_code)
except BrainError as e:
    print(e.code, e.exit_code)
"""


@posix
def test_a_file_is_read_where_not_one_byte_more_can_be_written(used: Path) -> None:
    before = used.read_bytes()
    first, second = finished(start(READING_FULL, used)).splitlines()
    assert first == "6 1 6"
    assert second.split()[0] == "True"
    assert used.read_bytes() == before
    killed(used)
    Path(f"{used}-shm").unlink(missing_ok=True)
    assert finished(start(READING_FULL, used)) == "brain_db_read_only 73\n"


# The folder ----------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize(
    ("mode", "open_to_others"),
    [(0o700, False), (0o755, False), (0o775, True), (0o777, True), (0o1777, False)],
)
def test_a_folder_others_may_write_is_told_of(
    tmp_path: Path, mode: int, open_to_others: bool
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    place.chmod(mode)
    assert folder.others_may_write(place) is open_to_others
    hint = Brain.create(place / "m.db", model="none").hint
    assert ("chmod go-w" in hint) is open_to_others
    assert "chmod" not in Brain.create(place / "m.db", model="none").hint
    cli = Cli(place)
    told = [cli("add", text, "--db", "by-add.db").err for text in ("第一条", "第二条")]
    assert ["chmod go-w" in err for err in told] == [open_to_others, False]


# Memory --------------------------------------------------------------------------------------


def test_texts_are_read_one_by_one(make: Make) -> None:
    """A file of many long memories is indexed anew without holding all of it."""
    brain = make()
    fill(brain, EVERYDAY)
    with brain._store.read() as db:
        stream = memories.iter_texts_after(db, 0)
        assert next(stream)[1] == EVERYDAY[0]
        assert len(list(stream)) == len(EVERYDAY) - 1
        assert [m.text for m in memories.iter_all(db)] == list(EVERYDAY)


def test_a_file_replaced_while_open_is_not_written_over(tmp_path: Path) -> None:
    """A backup put in place of a file in use must survive the process that had it open."""
    used, backup = tmp_path / "used.db", tmp_path / "backup.db"
    with Brain.open(backup, model="none") as brain:
        for n in range(5):
            brain.add(f"备份里的第{n}条")
    with Brain.open(used, model="none") as brain:
        brain.add("正在用的文件")
        os.replace(backup, used)
        refused("brain_db_replaced", 74, lambda: brain.add("换掉之后"))


def test_a_file_deleted_while_open_is_no_success(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Brain.open(path, model="none") as brain:
        brain.add("一")
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        refused("brain_db_replaced", 74, lambda: brain.add("二"))


CHANGES: dict[str, Callable[[Brain], object]] = {
    "expire": lambda b: b.expire(1),
    "conf": lambda b: b.set_confidence(1, 0.5),
    "supersede by id": lambda b: b.supersede(1, 2),
    "supersede by text": lambda b: b.supersede(1, text="新的说法"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_a_record_makes_no_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / "deep" / "m.db"
    with Brain.open(path, model="none") as brain:
        refused("brain_not_found", 1, lambda: CHANGES[name](brain))
    assert not path.parent.exists()


def test_a_file_with_an_impossible_format_number_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Brain.open(path, model="none") as brain:
        brain.add("一条")
    db = apsw.Connection(str(path))
    db.pragma("user_version", -5)
    db.close()
    with Brain.open(path) as brain:
        refused("brain_db_damaged", 74, lambda: brain.recall("一条"))
        refused("brain_db_damaged", 74, lambda: brain.add("两条"))


# The log, under an open process ---------------------------------------------------------------


HOLDING = """
import sys
from brain import Brain
brain = Brain.open(sys.argv[1], model="none")
print(brain.add("先开着的人写的").id, flush=True)
for line in sys.stdin:
    try:
        print("ok", brain.add(line.strip()).id, flush=True)
    except Exception as e:
        print(getattr(e, "code", repr(e)), flush=True)
brain.close()
"""

CARELESS = """
import apsw, sys
db = apsw.Connection(sys.argv[1])
db.execute("CREATE TABLE theirs (x)")
db.execute("INSERT INTO theirs VALUES (7)")
print(*db.execute("SELECT x FROM theirs").fetchall()[0], flush=True)
sys.stdin.readline()
print(*db.execute("SELECT x FROM theirs").fetchall()[0])
"""

MISSING = [("-shm",), ("-wal",), ("-wal", "-shm")]


@posix
@pytest.mark.parametrize("gone", MISSING, ids="+".join)
def test_nothing_acknowledged_is_lost_when_the_log_is_deleted_under_an_open_process(
    used: Path, gone: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal, "_LOCK_TRIES", 5)
    before = len(EVERYDAY[:6])
    with start(HOLDING, used) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        assert first.stdout.readline()
        for suffix in gone:
            Path(f"{used}{suffix}").unlink()
        with Brain.open(used) as brain:
            refused("brain_wal_missing", 75, lambda: brain.add("第二个进程写的"))
            refused("brain_wal_missing", 75, lambda: brain.list())
            assert "wal_missing" in {f.code for f in brain.doctor().findings}
        first.stdin.write("删了以后又写\n")
        first.stdin.flush()
        assert first.stdout.readline().split()[0] == "ok"
        # The first has noticed, saved what it had and begun a new log: now both may write.
        with Brain.open(used) as brain:
            assert brain.add("第二个进程后来写的").created
        first.stdin.write("最后一句\n")
        first.stdin.close()
        assert first.stdout.readline().split()[0] == "ok"
        first.wait(PATIENCE)
    with Brain.open(used) as brain:
        said = [m.text for m in brain.list(limit=None)]
        assert said[:4] == ["最后一句", "第二个进程后来写的", "删了以后又写", "先开着的人写的"]
        assert len(said) == before + 4
        assert indexes_are_whole(brain)


@posix
def test_where_another_program_made_a_log_of_its_own_nothing_is_merged_over_it(used: Path) -> None:
    """One that does not look, as any SQLite tool: what we have is copied out, what it has stays."""
    with Brain.open(used) as brain:
        brain.add("我们写的")
        for suffix in ("-wal", "-shm"):
            Path(f"{used}{suffix}").unlink()
        careless = start(CARELESS, used)
        assert careless.stdout is not None
        assert careless.stdout.readline() == "7\n"
        told = refused("brain_wal_lost", 74, lambda: brain.add("再写一句"))
        (aside,) = wal.copies_beside(used)
        assert str(aside) in told.message
    assert finished(careless) == "7\n"
    with Brain.open(aside) as brain:
        assert "我们写的" in [m.text for m in brain.list()]


@posix
@pytest.mark.parametrize("merged", [False, True], ids=["a log", "no log"])
@pytest.mark.parametrize("then", ["add", "close"])
def test_bytes_copied_over_an_open_file_stay_as_they_are(
    used: Path, other: Path, merged: bool, then: str
) -> None:
    brain = Brain.open(used)
    brain.add("只有开着的人知道的一句")
    if merged:
        assert brain._store.merge_log()
    new = other.read_bytes()
    with used.open("r+b") as f:  # as cp does
        f.truncate()
        f.write(new)
    if then == "add":
        code = "brain_db_replaced" if merged else "brain_wal_foreign"
        refused(code, 74, lambda: brain.add("这句写不进去"))
    brain.close()
    assert used.read_bytes() == new
    with Brain.open(used) as brain:
        if not merged:
            refused("brain_wal_foreign", 74, lambda: brain.list())
            assert "wal_foreign" in brain.doctor(repair=True).repaired
        assert [m.text for m in brain.list()] == list(reversed(EVERYDAY[10:25]))
        assert indexes_are_whole(brain)


@posix
def test_a_reader_sees_what_was_copied_over_an_open_file(used: Path, other: Path) -> None:
    with Brain.open(used) as brain:
        assert len(brain.list()) == 6
        used.write_bytes(other.read_bytes())
        assert [m.text for m in brain.list()] == list(reversed(EVERYDAY[10:25]))


@posix
@pytest.mark.parametrize("wrote", [False, True], ids=["reader", "writer"])
def test_a_folder_that_is_gone_is_no_empty_memory(tmp_path: Path, wrote: bool) -> None:
    place = tmp_path / "deep" / "er"
    place.mkdir(parents=True)
    path = notes(place / "m.db", *EVERYDAY[:3])
    with Brain.open(path) as brain:
        assert len(brain.list()) == 3
        if wrote:
            brain.add("又一条")
        shutil.rmtree(tmp_path / "deep")
        for _ in range(2):
            refused("brain_db_replaced", 74, lambda: brain.list())
            refused("brain_db_replaced", 74, lambda: brain.add("不能当新的开始"))
        assert not (tmp_path / "deep").exists()


@posix
def test_a_reader_is_told_once_that_the_file_is_gone_before_another_is_made(used: Path) -> None:
    with Brain.open(used, model="none") as brain:
        assert len(brain.list()) == 6
        used.unlink()
        assert brain.list() == []
        refused("brain_db_replaced", 74, lambda: brain.add("还不知道没了"))
        assert brain.add("知道了").id == 1


# Others on the machine ------------------------------------------------------------------------


@posix
def test_a_link_at_the_part_files_place_is_not_followed(used: Path, tmp_path: Path) -> None:
    """Names of the kind earlier versions gave, laid out beforehand for every process number."""
    victim = notes(tmp_path / "victim.db", "别人的一条")
    before = victim.read_bytes()
    place = tmp_path / "shared"
    place.mkdir()
    for process in range(os.getpid() - 2, os.getpid() + 3):
        (place / f".b.db.part-{process}").symlink_to(victim)
    with Brain.open(used) as brain:
        brain.backup(place / "b.db")
    assert victim.read_bytes() == before
    assert (place / "b.db").stat().st_mode & 0o777 == 0o600


@posix
@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("how", ["another name", "a link", "another user"])
def test_what_somebody_else_put_there_is_not_written_to(
    tmp_path: Path, suffix: str, how: str
) -> None:
    path = tmp_path / "m.db"
    if suffix:
        notes(path, "一条")
    lure, theirs = Path(f"{path}{suffix}"), tmp_path / "theirs"
    theirs.touch(0o666)
    if how == "another name":
        os.link(theirs, lure)
    elif how == "a link":
        lure.symlink_to(theirs)
    elif os.geteuid() == 0:
        lure.touch()
        lure.chmod(0o666)
        os.chown(lure, 65534, 65534)
    else:
        pytest.skip("only root can give a file away")
    with pytest.raises(BrainError) as caught, Brain.open(path, model="none") as brain:
        brain.add("秘密的一条")
    assert caught.value.exit_code == 73
    assert caught.value.code in {"brain_db_unsafe", "brain_db_symlink", "brain_db_cannot_open"}
    assert theirs.read_bytes() == b""
    assert lure.read_bytes() == b""


@posix
def test_folders_above_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Brain.create(tmp_path / "a" / "b" / "c" / "m.db", model="none")
    finally:
        os.umask(before)
    for place in ("a", "a/b", "a/b/c"):
        assert (tmp_path / place).stat().st_mode & 0o777 == 0o700
