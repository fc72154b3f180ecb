"""Builds a small memory from ``notes.jsonl`` and asks it questions through the real CLI.

Exits with 1 when an answer is not the one expected, so that the demo is a check as well.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from brain import Brain, Draft

HERE = Path(__file__).resolve().parent
PROGRAM = HERE.parent / "brain.py"


@dataclass(frozen=True)
class Question:
    """A question, what it shows, and a piece of the note that answers it ('' for silence).

    ``recall`` is not asked whether the memory can answer, ``inject`` is.
    """

    text: str
    shows: str
    answer: str
    verb: str = "inject"
    by_meaning: bool = False


QUESTIONS = (
    Question("脑袋疼怎么办", "换了说法，和答案没有相同的词", "止痛药", by_meaning=True),
    Question(
        "进不去家门找谁", "意思才对得上的问题，recall 不问能不能答", "备用钥匙", "recall", True
    ),
    Question("部署", "只有两个字的词", "蓝绿发布"),
    Question("測試環境的資料在幾號機", "用繁體问，记的是简体", "十号机"),
    Question("gen-itgc 用例全绿了吗", "英文标识粘在中文里：重跑gen-itgc后50条", "gen-itgc"),
    Question("跳板机从哪个端口登录", "旧的说法已被取代，只给新的", "49222"),
    Question("吉他换弦用什么型号", "记忆里没有，正确的回答是什么都不输出", ""),
)


def main() -> int:
    """Runs the demo and returns its exit status."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    with tempfile.TemporaryDirectory(prefix="brain-demo-") as folder:
        db = Path(folder) / "demo.db"
        model = build(db)
        failed = [q for q in QUESTIONS if not ask(db, q, with_model=model is not None)]
    if failed:
        print(f"有 {len(failed)} 个问题没有得到预期的结果。")
        return 1
    print(
        "全部符合预期。自己试（先 . .venv/bin/activate）："
        "python brain.py add 要记住的话；python brain.py inject 要问的话"
    )
    return 0


def build(db: Path) -> str | None:
    """Stores the notes, lets one be superseded, and returns the model's name."""
    lines = (HERE / "notes.jsonl").read_text(encoding="utf-8").splitlines()
    drafts = [Draft(**json.loads(line)) for line in lines]
    with Brain.open(db) as brain:
        added = brain.add_many(drafts)
        old = next(r.id for r, d in zip(added, drafts, strict=True) if "SSH 端口" in d.text)
        brain.supersede(old, text="跳板机远程登录改走 49222 端口，22 已经关掉。", why="安全组通知")
        model = brain.stats().model
    print(f"已把 {len(drafts)} 条笔记存进一个新的记忆文件，其中一条随后被新的说法取代。")
    print(f"向量模型：{model or '无，只按字面检索'}\n")
    return model


def ask(db: Path, question: Question, *, with_model: bool) -> bool:
    """Runs ``inject`` for one question, prints what happened, and judges it."""
    print(f"■ {question.shows}")
    if question.by_meaning and not with_model:
        print("  这台机器上没有向量模型，跳过。\n")
        return True
    words = [question.verb, question.text, *(["-k", "1"] if question.verb == "recall" else [])]
    command = [sys.executable, str(PROGRAM), *words, "--db", str(db)]
    env = {k: v for k, v in os.environ.items() if k not in {"BRAIN_SCOPE", "BRAIN_DB"}}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=env, check=False)
    print(f"  $ python brain.py {' '.join(words)}")
    for line in done.stdout.splitlines():
        print(f"  {line}")
    for line in done.stderr.splitlines():
        print(f"  （标准错误）{line}")
    if question.answer:
        right = done.returncode == 0 and question.answer in done.stdout
        print("  → 找到了。\n" if right else f"  → 没有找到「{question.answer}」，不对。\n")
    else:
        right = done.returncode == 0 and not done.stdout
        print("  → 没有输出，正该如此。\n" if right else "  → 不该有输出，不对。\n")
    return right


if __name__ == "__main__":
    sys.exit(main())
