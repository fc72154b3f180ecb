"""bge-small-zh: BAAI/bge-small-zh-v1.5 through onnxruntime and tokenizers.

A loader of our own instead of fastembed's class: importing onnxruntime and tokenizers takes
0.05 s, fastembed 0.35 s; it reads every layout the model is found in, among them the Maven
artifact's; and it has no code that could open a socket. fastembed also pads a batch, and with an
int8 model, whose activations are scaled over the whole batch, a text's vector then depends on its
neighbours (cosine down to .986), so here every text runs alone, which is no slower on a CPU.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from brain.embed.encode import model_input
from brain.embed.protocol import BGE_SMALL_ZH
from brain.errors import EXIT_UNAVAILABLE, BrainError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from brain.embed.paths import BgeFiles

QUERY_INSTRUCTION = "为这个句子生成表示以用于检索相关文章："
"""From the model card, for short queries against passages. v1.5 is meant to do without it as
well, and which is better depends on the notes (nDCG@10 with / without / sum of both vectors):
an assistant's notes .716 / .692 / .711, technical questions .711 / .730 / .726, paraphrases
.915 / .922 / .922, bare words .510 / .516 / .528. So a query is the sum: near the better one
everywhere."""

SHORT_QUERY_TOKENS = 64
"""Up to here a query also runs with the instruction; a longer one is a passage itself."""

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")

_MAX_THREADS = 4
"""A query is a few million multiplications; more threads only wake each other up."""

# The vocabulary has no upper-case and no full-width letter, and the tokenizer does not fold:
# "TiDB" and "ＡＰＩ" would all be the one unknown token.
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code).isalnum()}


class BgeSmallZh:
    """The model loaded from two files. onnxruntime and tokenizers are safe for many threads.

    Args:
        files: the ONNX file and its tokenizer.json, in whatever layout they were found.

    Raises:
        BrainError: ``brain_model_broken`` (69): damaged files, another architecture, another
            dimension (both are named).
    """

    name = BGE_SMALL_ZH.name
    dim = BGE_SMALL_ZH.dim
    max_tokens = BGE_SMALL_ZH.max_tokens
    languages = BGE_SMALL_ZH.languages

    def __init__(self, files: BgeFiles) -> None:
        from tokenizers import Tokenizer

        try:
            self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
            self._session = open_session(str(files.model))
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
            self._cls, self._sep = self._tokenizer.encode("").ids
        except Exception as error:  # both libraries raise bare Exception subclasses
            raise _broken(files, str(error).splitlines()[0][:200]) from error
        self._inputs = [entry.name for entry in self._session.get_inputs()]
        if not set(self._inputs) <= set(_INPUTS):
            raise _broken(files, f"输入是 {'、'.join(self._inputs)}，不是 BERT 模型")
        self._instruction = self._tokens(QUERY_INSTRUCTION)
        self._check(files)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of stored texts, shape (len(texts), 512), unit rows."""
        out = np.empty((len(texts), self.dim), dtype=np.float32)
        room = self.max_tokens - 2
        for row, text in enumerate(texts):
            out[row] = self._embed(self._tokens(model_input(text))[:room])
        return out

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Vector of a question, shape (512,), unit length."""
        tokens = self._tokens(model_input(text, keep_end=True))
        room = self.max_tokens - 2
        if len(tokens) > room:
            tokens = tokens[: room // 2] + tokens[-(room // 2) :]
        plain = self._embed(tokens)
        if len(tokens) > SHORT_QUERY_TOKENS:
            return plain
        return unit(plain + self._embed(self._instruction + tokens))

    def _tokens(self, text: str) -> list[int]:
        folded = text.translate(_NARROW).lower()
        ids: list[int] = self._tokenizer.encode(folded, add_special_tokens=False).ids
        return ids

    def _embed(self, tokens: list[int]) -> NDArray[np.float32]:
        return unit(self._run(tokens)[0, 0])  # the CLS token is the sentence

    def _run(self, tokens: list[int]) -> NDArray[np.float32]:
        ids = np.array([[self._cls, *tokens, self._sep]], dtype=np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        hidden: NDArray[np.float32] = self._session.run(
            None, {name: feed[name] for name in self._inputs}
        )[0]
        return hidden

    def _check(self, files: BgeFiles) -> None:
        # One real run: a declared shape may be symbolic, and damage can hide in the weights.
        try:
            hidden = self._run(self._tokens("你好"))
        except Exception as error:
            raise _broken(files, str(error).splitlines()[0][:200]) from error
        if hidden.ndim != 3 or hidden.shape[-1] != self.dim:
            raise _broken(files, f"向量应为 {self.dim} 维，这个模型给出 {hidden.shape[-1]} 维")
        if not np.isfinite(hidden).all() or not hidden[0, 0].any():
            raise _broken(files, "算出的向量不是有限的数")


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """A vector at length 1."""
    length = max(float(np.linalg.norm(vector)), 1e-12)
    return np.asarray(vector / length, dtype=np.float32)


def open_session(path: str) -> Any:
    """An ONNX model on the CPU, with few threads that do not spin."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 3  # errors alone; its warnings are not for our users
    options.intra_op_num_threads = min(_MAX_THREADS, os.cpu_count() or 1)
    options.inter_op_num_threads = 1
    # Spinning threads buy nothing here and slow everybody on a busy machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _broken(files: BgeFiles, reason: str) -> BrainError:
    return BrainError(
        "brain_model_broken",
        f"{files.model.parent} 里的 bge-small-zh 用不了（{reason}）；"
        "请换一份完好的：重新运行 brain model fetch bge-small-zh，"
        "或让 BRAIN_MODEL_DIR 指向好的文件夹。",
        EXIT_UNAVAILABLE,
    )
