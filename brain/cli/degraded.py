"""One warning line for what could not take part; the codes are those of the JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brain.cli.console import note

SENTENCES: Mapping[str, str] = {
    "no_model": "这个文件的向量模型在这台机器上用不了，只按字面检索；brain model list 会说怎么取得",
    "model_mismatch": "装着的模型和文件记下的不是同一个，只按字面检索；"
    "要换模型请运行 brain reembed --model 名字",
    "no_vec": "加载不了 sqlite-vec 扩展，只按字面检索",
    "no_trigram": "这个 SQLite 没有 trigram 分词器，词的一部分可能找不到",
    "uncalibrated": "这个模型没有校准过闸门，能不能答只看字面",
    "vectors_pending": "有些记忆还没有向量，按意思暂时找不到它们；"
    "运行 brain reembed --model 名字 补齐",
    "timeout": "语义检索没有在时限内完成，结果只来自字面检索",
}


def warn(codes: Sequence[str]) -> None:
    """Says on stderr, in one line, what was degraded; nothing when nothing was."""
    if codes:
        told = "；".join(SENTENCES.get(code, code) for code in codes)
        note(f"警告[{','.join(codes)}]: {told}。")
