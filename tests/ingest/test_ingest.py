"""The verb ``ingest`` as people and programs use it, and vectors that follow the text."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import apsw
import numpy as np
import pytest

from brain import Brain
from brain.embed.protocol import Embedder
from brain.store import memory_file, meta, schema
from brain.store.sql import rows
from tests.support import PATIENCE, until
from tests.support.cli import PROGRAM, Cli
from tests.support.engine import take_back, vector_of, vectors_out_of_step
from tests.support.hermes import Hermes, asked
from tests.support.servers import at_start


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


def notes(path: Path, count: int) -> Path:
    rows = (json.dumps({"text": f"第{n}号仓库的管理员是第{n}组"}) for n in range(count))
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def test_the_json_is_that_of_the_contract(cli: Cli, tmp_path: Path) -> None:
    path = notes(tmp_path / "notes.jsonl", 3)
    path.write_text(path.read_text() + "\n{坏的\n")
    done = cli("ingest", "notes.jsonl", "--json")
    assert done.code == 0
    told = done.json
    assert told["errors"][0]["line"] == 4
    assert told["errors"][0]["file"] == "notes.jsonl"
    assert "JSON" in told["errors"][0]["reason"]
    del told["errors"]
    assert told == {
        "source": "notes.jsonl",
        "format": "jsonl",
        "added": 3,
        "skipped": 0,
        "superseded": 0,
        "expired": 0,
        "retracted": 0,
        "unchanged": 0,
        "held": 0,
        "failed": 1,
        "vectors_pending": 0,
        "dry_run": False,
    }


def test_people_read_what_happened(cli: Cli, tmp_path: Path) -> None:
    notes(tmp_path / "notes.jsonl", 2)
    planned = cli("ingest", "notes.jsonl", "--dry-run")
    assert planned.out.splitlines()[-1] == "jsonl：会新增 2，已有 0"
    assert "第0号仓库" in planned.out
    assert not cli.db.exists()
    assert cli("ingest", "notes.jsonl").out == "jsonl：新增 2，已有 0\n"
    assert cli("ingest", "notes.jsonl", "--format", "jsonl").code == 0


@pytest.mark.parametrize(
    ("args", "code", "name"),
    [
        (["nowhere.jsonl"], 66, "brain_ingest_missing"),
        (["notes.jsonl", "--format", "docx"], 2, "brain_ingest_format_unknown"),
        (["image.bin"], 65, "brain_ingest_format"),
        ([], 2, "brain_usage"),
        (["notes.jsonl", "--scope", "a\nb"], 65, "brain_scope_invalid"),
        (["image.bin", "--format", "hermes"], 74, "brain_ingest_unreadable"),
    ],
)
def test_bad_use_has_its_code_and_leaves_no_file(
    cli: Cli, tmp_path: Path, args: list[str], code: int, name: str
) -> None:
    notes(tmp_path / "notes.jsonl", 1)
    (tmp_path / "image.bin").write_bytes(bytes(range(256)))
    done = cli("ingest", *args, "--json")
    assert (done.code, done.json["error"]["code"]) == (code, name)
    assert not cli.db.exists() or cli("list", "--json").json == []


MANY = 600
"""More than two batches."""

PAUSE = """
import time
from brain.ingest import ingestion
flush, done = ingestion._Ingestion._flush, []
def pausing(*given):
    flush(*given)
    done.append(1)
    time.sleep(600 if len(done) == 2 else 0)
ingestion._Ingestion._flush = pausing
"""
"""Run at the start of a process: it is still under way when its first batch is seen."""


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
def test_an_interrupt_keeps_what_is_done_and_the_next_run_goes_on(cli: Cli, tmp_path: Path) -> None:
    notes(tmp_path / "notes.jsonl", MANY)
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), "ingest", "notes.jsonl"],
        cwd=tmp_path,
        env=cli.env(at_start(tmp_path / "site", PAUSE)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts what it runs in the background deaf to interrupts, and children inherit it.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    until(lambda: cli.db.exists() and Brain.open(cli.db, read_only=True).stats().total)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert out == ""
    assert "再运行一次会接着做" in err
    assert "Traceback" not in err
    kept = cli("stats", "--json").json["total"]
    assert 0 < kept < MANY
    done = cli("ingest", "notes.jsonl", "--json").json
    assert (done["added"], done["skipped"]) == (MANY - kept, kept)


def test_a_file_of_the_first_schema_is_looked_at_and_then_migrated(
    make: Callable[..., Brain], tmp_path: Path
) -> None:
    old = apsw.Connection(str(tmp_path / "old.db"))
    with old:
        schema.MIGRATIONS[0](old)
        old.pragma("user_version", 1)
        old.pragma("application_id", schema.APPLICATION_ID)
    old.close()
    brain = make("old.db")
    path = notes(tmp_path / "notes.jsonl", 3)
    assert brain.ingest(path, dry_run=True).added == 3
    assert brain.stats().schema == 1
    assert brain.ingest(path).added == 3
    assert brain.ingest(path, dry_run=True).added == 0


def test_text_is_found_at_once_and_vectors_follow(
    make: Callable[..., Brain], e5: Embedder, tmp_path: Path
) -> None:
    brain = make("later.db", model=e5)
    hermes = Hermes(tmp_path / "state.db")
    for n in range(70):
        hermes.say(
            f"s{n}", *asked(f"第{n}间会议室在哪", f"在{n}层{'靠窗的那一侧，' * (n % 9)}出电梯左转")
        )
    done = brain.ingest(hermes.path, embed=False)
    assert (done.added, done.pending) == (70, 70)
    assert "vectors_pending" in brain.stats().degraded
    assert brain.recall("第7间会议室").hits[0].text.startswith("用户：第7间会议室")
    stages: list[tuple[str, int, int]] = []
    again = brain.ingest(hermes.path, progress=lambda *told: stages.append(told))
    assert (again.added, again.pending) == (0, 0)
    assert stages[-1] == ("embed", 70, 70)
    assert brain.stats().degraded == ()
    assert vectors_out_of_step(brain) == []


def test_vectors_broken_off_are_completed_by_the_next_run_or_by_reembed(
    make: Callable[..., Brain], e5: Embedder, tmp_path: Path
) -> None:
    brain = make("broken.db", model=e5)
    path = notes(tmp_path / "notes.jsonl", 200)

    def stop(stage: str, done: int, total: int) -> None:
        if stage == "embed" and done >= 64:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        brain.ingest(path, progress=stop)
    stats = brain.stats()
    assert (stats.total, stats.vectors_present, stats.vectors_missing) == (200, 64, 136)
    done = brain.reembed("e5-small")
    assert (done.embedded, done.total) == (136, 200)
    assert vectors_out_of_step(brain) == []


def test_vectors_of_a_bulk_are_those_of_single_adds(
    make: Callable[..., Brain], e5: Embedder, tmp_path: Path
) -> None:
    texts = [f"第{n}条：{'长短不一的话，' * (n % 7)}完" for n in range(40)]
    path = tmp_path / "notes.jsonl"
    path.write_text("\n".join(json.dumps({"text": t}) for t in texts))
    bulk, single = make("bulk.db", model=e5), make("single.db", model=e5)
    bulk.ingest(path)
    for text in texts:
        single.add(text)
    made = []
    for brain in (bulk, single):
        with brain._store.read() as db:
            table = memory_file.facts(db)[meta.VECTORS]
            made.append([vector_of(db, table, m.id) for m in brain.list(limit=None)])
    assert len(made[0]) == 40
    for one, other in zip(*made, strict=True):
        assert one is not None
        assert other is not None
        assert np.allclose(np.frombuffer(one, "f4"), np.frombuffer(other, "f4"), atol=1e-5)


def fingerprints(brain: Brain) -> list[tuple[str, bytes, int | None]]:
    with brain._store.read() as db:
        return rows(db, "SELECT key, digest, memory_id FROM taken ORDER BY id")


@pytest.mark.parametrize("by_migration", [False, True], ids=["forgotten now", "forgotten before"])
def test_what_was_forgotten_stays_away_and_no_plain_hash_of_it_is_kept(
    tmp_path: Path, by_migration: bool
) -> None:
    path = notes(tmp_path / "notes.jsonl", 6)
    with Brain.open(tmp_path / "b.db", model="none") as brain:
        brain.ingest(path)
        plain = fingerprints(brain)
        one = next(m for m in brain.list() if m.text.startswith("第3号"))
        brain.forget(one.id)
        if by_migration:  # as a file had it before they were keyed
            with brain._store.write() as db:
                for key, digest, memory_id in plain:
                    if memory_id == one.id:
                        values = (key, digest)
                        db.execute(
                            "UPDATE taken SET key = ?, digest = ? WHERE memory_id IS NULL", values
                        )
                meta.put(db, digest_key=None)
                take_back(db, schema.MIGRATIONS.index(schema._v7))
            brain._store.release()
            brain.add("打开来写，格式就升级")
        kept = fingerprints(brain)
        gone = [row for row in plain if row[2] == one.id]
        assert len(kept) == len(plain)
        assert not {row[1] for row in gone} & {row[1] for row in kept}
        assert not {row[0] for row in gone} & {row[0] for row in kept}
        again = brain.ingest(path)
        assert again.added == 0
        # Moved to another line of the same file it is still known.
        lines = path.read_text(encoding="utf-8").splitlines()
        path.write_text("\n".join([*lines[4:], *lines[:4]]), encoding="utf-8")
        assert brain.ingest(path).added == 0
        assert not [m for m in brain.list(limit=None) if m.text == one.text]


@pytest.mark.skipif(os.name == "nt", reason="needs a privilege there")
def test_links_that_lead_out_are_named_one_by_one(cli: Cli, tmp_path: Path) -> None:
    given, away = tmp_path / "given", tmp_path / "away"
    for folder in (given / "sub", given / ".hidden", away / "deep"):
        folder.mkdir(parents=True)
    for folder in (given, given / "sub", given / ".hidden", away):
        (folder / "notes.md").write_text(f"# 笔记\n\n- {folder.name}里的一句话\n", "utf-8")
    leads = {
        "out.md": away / "notes.md", "sub/up.md": tmp_path / "away" / "notes.md",
        "gone.md": away / "no such.md", "folder": away, "sub/parent": tmp_path,
        "hidden.md": given / ".hidden" / "notes.md",
    }  # fmt: skip
    inside = {"same.md": given / "sub" / "notes.md", "again": given / "sub", "self": given}
    for name, target in {**leads, **inside, "image.png": away / "notes.md"}.items():
        (given / name).symlink_to(target)
    (given / ".git").symlink_to(away)
    done = cli("ingest", "given", "--json")
    assert done.code == 0
    assert {e["file"] for e in done.json["errors"]} == set(leads)
    assert all("链接" in e["reason"] for e in done.json["errors"])
    assert done.json["failed"] == len(leads)
    assert done.json["added"] == 2
    shown = cli("ingest", "given")
    assert all(f"{name}  这是链接" in shown.err for name in leads)
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "a.md").symlink_to(away / "notes.md")
    alone = cli("ingest", "only", "--json")
    assert [e["file"] for e in alone.json["errors"]] == ["a.md"]
    # The folder that is given may itself be a link: that one was meant.
    (tmp_path / "door").symlink_to(away)
    assert cli("ingest", "door", "--json").json["added"] == 1
