"""The command cache-audit: what it prints, draws and refuses."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from brain.prompt_cache.plot import MARK
from tests.support.cli import Say
from tests.support.transcripts import claude, write


def test_on_the_command_line(say: Say, tmp_path: Path) -> None:
    rows = [claude(n, 0 if n == 2 else 20_000, session="<s&1>") for n in range(5)]
    path = str(write(tmp_path / "会话.jsonl", [*rows, '{"type": "assi'], end=""))
    done = say("cache-audit", path, "--plot", "图.svg")
    assert done.code == 0
    assert "第 3 轮少读 20,000：看不出原因" in done.out
    assert "没有写完" in done.err
    picture = (tmp_path / "图.svg").read_text(encoding="utf-8")
    assert picture.startswith(MARK)
    root = ElementTree.fromstring(picture.removeprefix(MARK))
    assert "<s&1>" in "".join(root.itertext())
    assert say("cache-audit", path, "--plot", "图.svg").code == 0  # its own it may replace
    prices = ("--price-input", "3", "--price-cached", "0.3")
    told = say("cache-audit", path, path, *prices, "--json").json
    assert told["sessions"][0]["drops"][0]["cause"] == "unexpected"
    assert told["cost"].keys() == {"spent", "without_cache", "saved", "lost_to_drops"}
    (tmp_path / "别的.svg").write_text("<svg/>", encoding="utf-8")
    for args, code, name in (
        ((), 2, "brain_usage"),
        ((path, "--price-input", "3"), 2, "brain_usage"),
        ((path, "--price-input", "3", "--price-cached", "-1"), 2, "brain_usage"),
        ((path, "--price-input", "1e308", "--price-cached", "1"), 2, "brain_usage"),
        ((path, "--price-input", "贵", "--price-cached", "1"), 2, "brain_usage"),
        ((path, "--cache-life", "0"), 2, "brain_usage"),
        ((path, "--plot", "别的.svg"), 73, "brain_export_exists"),
        ((path, "--plot", "没有/图.svg"), 73, "brain_export_write"),
        (("没有.jsonl",), 66, "brain_ingest_missing"),
        (("别的.svg",), 65, "brain_transcript_invalid"),
    ):
        wrong = say("cache-audit", *args, "--json")
        assert (wrong.code, wrong.json["error"]["code"]) == (code, name), args
        plain = say("cache-audit", *args)
        assert plain.out == ""
        assert f"错误[{name}]" in plain.err
        assert "--force" not in plain.err  # which this verb does not have
    assert (tmp_path / "别的.svg").read_text(encoding="utf-8") == "<svg/>"
    assert not (tmp_path / ".brain").exists()
