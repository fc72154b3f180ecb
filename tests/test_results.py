"""The JSON of every result, to the byte: keys, their order, rounding, and what is left out."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from brain import memory as m
from brain import results as r

MEMORY = m.Memory(
    id=7,
    kind="fact",
    text="值班群是青鸟群",
    scope="web",
    source="user",
    importance=0.5,
    confidence=0.95,
    strength=1.0,
    pinned=True,
    valid_from="2026-03-01T00:00:00.000Z",
    valid_to=None,
    recorded_at="2026-03-02T00:00:00.000Z",
    retracted_at=None,
    supersedes=5,
    superseded_by=None,
    archived_at=None,
    evidence="a.md",
    content_hash="ab12",
    use_count=2,
    last_used_at=None,
)
FINDINGS = (
    r.Finding("header", "ok", "好"),
    r.Finding("hashes", "error", "坏", fixable=True, asks=True),
)
HOST_FILE = r.HostFile("/a", True, False, "/a.brain-1", "--- /a")
FAULT = r.Fault(line=3, reason="不是 JSON", file="决定.md")
CHANGE = r.Change(what="correct", id=3, new=None, before="旧", after="新", file="a.md", line=9)
LANES = {
    "lexical": m.LaneRank(1, 2.3456789, terms=("值班",), via=3),
    "semantic": m.LaneRank(2, 0.87654321),
    "quality": m.LaneRank(3, 0.5, recency=0.12345678),
}
HIT = m.Hit(
    memory=MEMORY,
    text="值班群…",
    score=0.0123456789123,
    lanes=LANES,
    tokens_added=9,
    recovery_handle="ccr_1",
    duplicate_of=4,
    suspect=True,
    suspect_rule="orders",
)
STATS = {
    "total": 9,
    "current": 5,
    "archived": 1,
    "superseded": 1,
    "expired": 1,
    "retracted": 1,
    "future": 0,
    "by_kind": {"fact": 5},
    "by_scope": {"": 5},
    "model": "e5-small",
    "dim": 384,
    "languages": ("zh", "en"),
    "vectors_present": 4,
    "vectors_missing": 1,
    "bytes": 4096,
    "schema": 4,
    "last_decay": None,
    "degraded": ("vectors_pending",),
}
INGESTED = {
    "source": "a",
    "format": "csv",
    "added": 1,
    "skipped": 2,
    "superseded": 3,
    "expired": 4,
    "retracted": 5,
    "failed": 6,
    "errors": (r.IngestError("a.csv", 3, "缺 text"),),
    "pending": 7,
    "preview": (r.IngestPreview("一", "fact", None, "import:csv"),),
    "unchanged": 8,
    "held": 9,
}
RECALLED = {
    "query": "谁",
    "hits": (m.Hit(MEMORY, "值班", 0.5),),
    "skills": (HIT,),
    "degraded": ("no_vec",),
    "notes": ("因为",),
    "gate": m.Gate(True, 0.123456, ("有",), (7,)),
}

REASON = m.Reason(
    3, m.Side(1, "跳过测试"), m.Side(2, "线上白屏"), "caused", "bad", "赶工",
    "2026-03-01T00:00:00.000Z", 2, 0.712345, (3,),
)  # fmt: skip
LINK = r.Link(
    3, 1, 2, "caused", None, "bad", "", "2026-03-01T00:00:00.000Z", "2026-03-02T00:00:00.000Z",
    None, "user", "",
)  # fmt: skip
SEEN = m.Seen("file", "a.py", "failed", "b/a.py", "a.py 不在了，现为 b/a.py")
CLAIM = r.ClaimResult(3, "file", "a.py", "failed", "b/a.py", "a.py 不在了", "b/a.py", "a.py")
FIX = r.PlannedFix(3, "supersede", "a.py", "b/a.py", (m.Check("file", "b/a.py"),), "a.py 不在了")
OBSERVED = r.Observed("file-observation", "s1", "ab12", "a.py", "stale", "a.py 改过了")

COST = r.CacheCost(1.23456789, 2.0, 0.76543211, 0.0)
DROP = r.CacheDrop(2, 3000, "idle", "隔了 9 分钟", "2026-03-01T00:00:00.000Z", 9000, 6000)
CACHED = r.CacheSession(
    "s", "codex", 2, 0.123456, 15000, 0, 9000, (DROP,), None, "说不准", COST, (0.5, 0.25)
)
LINE = r.PlanLine("m1", "merge", "说了两遍", (3, 8), ({"id": 3}, {"id": 8}), 3, (8,))

GIVEN: dict[str, Any] = {
    "InitResult": r.InitResult("a.db", "e5-small", 384, True, "下载"),
    "SupersedeResult": r.SupersedeResult(1, 2, "2026-03-01T00:00:00.000Z"),
    "BulkForgetResult": r.BulkForgetResult(False, (3, 8), 2, (5,)),
    "BulkRetractResult": r.BulkRetractResult(True, (3,), 1),
    "DecayedMemory": r.DecayedMemory(1, "开头", 0.123456789, 91.23456),
    "DecayResult": r.DecayResult(
        1.23456789, 3, 2, (1,), (r.DecayedMemory(1, "开头", 0.1, 91.0),), None, "2026", False
    ),
    "DecayUndone": r.DecayUndone(7300.123456789, 3, (1,), None, "2046"),
    "CorrectResult": r.CorrectResult(1, 2),
    "ForgetResult": r.ForgetResult(3, ("青鸟",), ("ccr_1",), ("a.db",)),
    "OriginalEntry": r.OriginalEntry("ccr_1", "text/plain", "prose", 9000, "2026"),
    "OriginalForgotten": r.OriginalForgotten("ccr_1"),
    "HistoryEvent": r.HistoryEvent(
        at="2026", id=None, what="add", why="因为", detail={"kind": ["note", "fact"]}
    ),
    "History": r.History(
        (MEMORY,), (r.HistoryEvent(at="2026", id=7, what="add", why="", detail={}),)
    ),
    "IngestError": r.IngestError("a.csv", 3, "缺 text"),
    "IngestPreview": r.IngestPreview("一", "fact", None, "import:csv"),
    "IngestResult": r.IngestResult(**INGESTED),
    "IngestResult, dry": r.IngestResult(**{**INGESTED, "dry_run": True, "preview": ()}),
    "IngestResult, dry with a preview": r.IngestResult(**INGESTED, dry_run=True),
    "ScopeCount": r.ScopeCount("", 1, 2),
    "OwnWord": r.OwnWord("青鸟", None, "n"),
    "Recovered": r.Recovered("ccr_1", "text/plain", "原文".encode()),
    "Recovered, no text": r.Recovered("ccr_1", "application/octet-stream", b"\xff\x00"),
    "CompressResult": r.CompressResult("短", None, 900, 90, "prose"),
    "Stats": r.Stats(**STATS),
    "BackupResult": r.BackupResult("b.db", 4096, 5, 4),
    "RestoreResult": r.RestoreResult("a.db", "b.db", 4096, 5, 4, None),
    "OptimizeResult": r.OptimizeResult("a.db", 9, 8, 7, 6, 5, False),
    "Finding": FINDINGS[1],
    "DoctorResult": r.DoctorResult("a.db", FINDINGS, ("header",), "s.db", 4, 74),
    "DoctorResult, well": r.DoctorResult("a.db", FINDINGS[:1], (), None, None, 0),
    "Fault": FAULT,
    "Fault, of a single file": r.Fault(3, "不是 JSON"),
    "Change": CHANGE,
    "ExportResult": r.ExportResult("a.db", "markdown", "out", 5, files=("事实.md",)),
    "ImportResult": r.ImportResult(
        "in", "jsonl", 1, 2, 3, 4, 5, 6, 7, (FAULT,), (CHANGE,), 8, 9, 10, 11, True
    ),
    "ReembedResult": r.ReembedResult("e5-small", 384, 3, 9),
    "Brief": r.Brief("⟦记忆⟧", "12ab", 12, (m.LeftOut(3, "放不下"),), "34cd", "56ef"),
    "CacheCost": COST,
    "CacheDrop": DROP,
    "CacheSession": CACHED,
    "CacheFault": r.CacheFault("a.jsonl", 3, "没写完"),
    "CacheAudit": r.CacheAudit((CACHED,), 2, 0.123456, {"idle": 1}, 3000, (), None),
    "ProbePart": r.ProbePart(False, 12, (3,), "#3 用它自己的话找不到"),
    "ProbeResult": r.ProbeResult(
        {"counts": r.ProbePart(True, 5), "lexical": r.ProbePart(False, 2, (3,), "找不到")}
    ),
    "PlanLine": LINE,
    "PlanLine, to remember": r.PlanLine(
        "r1",
        "remember",
        "对话里说了",
        (9,),
        ({"id": 9},),
        text="我不吃香菜",
        kind="preference",
        quote="我不吃香菜",
        source="llm:m",
        confirm=True,
    ),
    "Plan": r.Plan("78a6", (LINE,), "web", None, "2026", ("3:ab",)),
    "RefusedLine": r.RefusedLine("m1", "#3 变了"),
    "ConsolidateResult": r.ConsolidateResult(
        "78a6", ("m1",), (r.RefusedLine("m2", "#3 变了"),), r.ProbeResult(), (7,)
    ),
    "Memory": MEMORY,
    "AddResult": m.AddResult(
        3, True, (m.Similar(2, 0.9123, ("number",)), m.Similar(1, 0.2, changes=True))
    ),
    "Gate": m.Gate(True, 0.123456, ("有",), (7,), ("no_vec",)),
    "Gate, with remarks": m.Gate(False, 0.0, remarks=("没有这个范围",)),
    "Hit": HIT,
    "Hit, bare": m.Hit(MEMORY, "值班", 0.5),
    "RecallResult": m.RecallResult(**RECALLED),
    "RecallResult, no gate": m.RecallResult(
        **{**RECALLED, "gate": None, "remarks": ("没有这个范围",)}
    ),
    "Reason": REASON,
    "Side": REASON.decision,
    "RecordResult": r.RecordResult(1, 2, 3, True, (m.Similar(4, 0.91234),)),
    "Link": LINK,
    "UnlinkResult": r.UnlinkResult(3),
    "BeforeResult": r.BeforeResult("danger", (REASON,), None, ("no_model",)),
    "WhyResult": r.WhyResult((REASON,), ()),
    "Tally": r.Tally(1, 2, 3, 4, (REASON,)),
    "CompareResult": r.CompareResult("a", r.Tally(1, 0, 0, 0, ()), r.Tally(0, 1, 0, 0, ()), True),
    "History, with links": r.History((), (), (LINK,)),
    "ImportResult, with links": r.ImportResult("in", "jsonl", links=2),
    "InjectResult": m.InjectResult(
        "⟦记忆⟧", True, 0.98765432, 40, (HIT,), (m.LeftOut(3, "放不下"),), ("no_vec",), found=2
    ),
    "InjectResult, behind a brief": m.InjectResult(
        "⟦记忆⟧", False, 0.0, 0, brief_fingerprint="12ab"
    ),
    "Observed": OBSERVED,
    "OriginalLooked": r.OriginalLooked(
        "ccr_1", "s1", "file-observation", "a.py", "failed", "a.py", "a.py 改过了"
    ),
    "Check": m.Check("file", "src/main.py"),
    "Seen": SEEN,
    "Hit, looked at": m.Hit(MEMORY, "值班", 0.5, claims=(SEEN,)),
    "ClaimResult": CLAIM,
    "PlannedFix": FIX,
    "VerifyResult": r.VerifyResult("/w", 1, 1, 0, (CLAIM,), (FIX,)),
    "HostFile": HOST_FILE,
    "HostSetup": r.HostSetup("cursor", "user", (HOST_FILE,), dry_run=True),
    "HostState": r.HostState("codex", True, True, False, None, True, ("/a",)),
    "InjectResult, none": m.InjectResult("", False, 0.0, 0, remarks=("没有这个范围",)),
}

WANTED: dict[str, str] = json.loads(
    Path(__file__).with_name("results.json").read_text(encoding="utf-8")
)
EXPLAINED = " explained"


@pytest.mark.parametrize("name", WANTED)
def test_a_result_is_the_same_json_to_the_byte(name: str) -> None:
    one = GIVEN[name.removesuffix(EXPLAINED)]
    told = one.to_dict(True) if name.endswith(EXPLAINED) else one.to_dict()
    assert json.dumps(told, ensure_ascii=False) == WANTED[name]


def test_every_result_is_compared() -> None:
    results = {
        name
        for module in (m, r)
        for name, of in inspect.getmembers(module, inspect.isclass)
        if hasattr(of, "to_dict") and of is not m.JsonObject
    }
    inside = {"Similar", "LeftOut"}
    assert results - inside <= {name.split(",")[0] for name in GIVEN}
    assert set(GIVEN) == {name.removesuffix(EXPLAINED) for name in WANTED}
