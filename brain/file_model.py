"""Which model a file has, and the embedder behind it: settled once, loaded once, waited for."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from brain.embed.protocol import canonical, read_setup, setup_of
from brain.errors import EXIT_CONFIG, EXIT_UNAVAILABLE, BrainError
from brain.recall import gate, pipeline
from brain.store import memory_file, meta
from brain.store.vectors import vector_index
from brain.text.fold import simplify

if TYPE_CHECKING:
    from pathlib import Path

    from numpy import float32
    from numpy.typing import NDArray

    from brain.embed.protocol import Embedder, Settings
    from brain.recall.query import Question
    from brain.results import InitResult
    from brain.store.protocol import Store, Transaction


DEGRADED = {
    "brain_model_elsewhere": "model_mismatch",
    "brain_embed_dimension": "model_mismatch",
    "brain_embed_timeout": "timeout",
}
"""How recall calls an embedder's error; any other is ``no_model``."""


LEAST_PATIENCE = 0.25
"""Seconds a question's vector may take where nobody waits for a model to be loaded: one that is
there needs a tenth of it."""


class Model:
    """The model of one memory file.

    Args:
        store: the file.
        embedder: one to use as it is; None to open what the file says.
        asked: the name of the model wanted, ``'none'``, or None for what the file says.
        patience: seconds a question waits for the model to be loaded and for its vectors; None as
            long as it takes.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None,
        asked: str | None,
        patience: float | None,
    ) -> None:
        self._store = store
        self._asked = asked and canonical(asked)
        self.embedder = embedder
        self._given = embedder is not None
        self._lock = Lock()
        self._missing: str | None = None
        self._why = "no_model"
        self._late: Thread | None = None
        self._patience = patience
        self._loading: Thread | None = None
        self._loading_lock = Lock()

    def _facts(self) -> dict[str, Any]:
        with self._store.read() as db:
            return memory_file.facts(db)

    def refuse_other(self) -> None:
        """Raises ``brain_model_mismatch`` (78) where the file was made with another model."""
        if self._asked is None:
            return
        facts = self._facts()
        recorded = facts.get(meta.MODEL) or "none"
        if meta.MODEL in facts and recorded != self._asked:
            raise BrainError(
                "brain_model_mismatch",
                f"这个记忆文件用的是模型 {recorded}，不能和 {self._asked} 混用；"
                f"要换模型请运行 brain reembed --model {self._asked}。",
                EXIT_CONFIG,
            )

    @staticmethod
    def _choose(model: str | None) -> str | None:
        """The model's name for a new file; None for no model."""
        from brain.embed import registry

        name = model or os.environ.get("BRAIN_MODEL") or registry.default_name()
        return None if name == "none" else name

    def settle(self, asked: str | None = None, settings: Settings | None = None) -> dict[str, Any]:
        """Records the model in a file that has none recorded yet, and makes its vector table.

        Args:
            asked: a model's name, ``'none'``, or None for what the file was opened with.
            settings: for a model of the user's own.

        Returns:
            What the file says of itself.
        """
        known = self._facts()
        if meta.MODEL in known:
            return known
        embedder = self.embedder
        if embedder is None:
            name = self._choose(asked or self._asked)
            if name is not None:
                from brain.embed import registry

                embedder = registry.open_embedder(name, settings)
        measured = calibration(embedder) if embedder is not None else None
        with self._store.write() as db:
            known = memory_file.facts(db)
            if meta.MODEL in known:
                return known
            if embedder is None:
                meta.put(db, **{meta.MODEL: ""})
                return memory_file.facts(db)
            if not self._store.vectors_loaded:
                raise BrainError(
                    "brain_vec_missing",
                    "这台机器加载不了 sqlite-vec 扩展；可以不用模型（none），只按字面检索。",
                    EXIT_UNAVAILABLE,
                )
            table = "vectors_1"
            vector_index.create_table(db, table, embedder.dim)
            meta.put(
                db,
                **{
                    meta.MODEL: embedder.name,
                    meta.DIM: embedder.dim,
                    meta.VECTORS: table,
                    meta.SETUP: setup_of(embedder),
                    meta.CALIBRATION: measured,
                },
            )
            known = memory_file.facts(db)
        self.embedder = embedder if self._given else self._guarded(embedder)
        return known

    def for_writing(self) -> Embedder | None:
        """The embedder of what is about to be written, the model settled and the gate calibrated
        for it: a file may have been made where its model was not."""
        facts = self.settle()
        embedder = self.load(facts)
        if embedder is not None and meta.CALIBRATION not in facts:
            measured = calibration(embedder)
            if measured is not None:
                with self._store.write() as db:
                    if meta.read(db).get(meta.MODEL) == embedder.name:
                        meta.put(db, **{meta.CALIBRATION: measured})
        return embedder

    def load(self, facts: dict[str, Any]) -> Embedder | None:
        """The file's embedder, or None where it cannot be had; loaded once for each model."""
        name = facts.get(meta.MODEL)
        if not name or not self._store.vectors_loaded or facts.get(meta.VECTORS) is None:
            return None
        setup = facts.get(meta.SETUP)
        with self._lock:
            held = self.embedder
            other = held is not None and (held.name != name or setup_of(held) != setup)
            if other and not self._given:
                # Another process has re-embedded the file.
                self.embedder = None
            if self.embedder is None and self._missing != name:
                from brain.embed import registry

                try:
                    recorded = (
                        read_setup(facts.get(meta.SETUP), facts.get(meta.DIM))
                        if registry.is_own(name)
                        else None
                    )
                    self.embedder = self._guarded(registry.open_embedder(name, None, recorded))
                except BrainError as error:
                    self._missing = name
                    self._why = DEGRADED.get(error.code, "no_model")
            if self.embedder is not None and (
                self.embedder.name != name or self.embedder.dim != facts.get(meta.DIM)
            ):
                return None
            return self.embedder

    def within_patience(self, facts: dict[str, Any]) -> bool:
        """Whether the model is there, or was loaded in the seconds a question waits for it."""
        name = facts.get(meta.MODEL)
        here = self.embedder is not None and self.embedder.name == name
        if self._patience is None or not name or here or self._given:
            return True
        with self._loading_lock:
            if self._loading is None or not self._loading.is_alive():
                if self._missing == name:
                    return True
                self._loading = Thread(target=self.load, args=(facts,), daemon=True)
                self._loading.start()
            loading = self._loading
        loading.join(self._patience)
        return not loading.is_alive()

    def degraded_unloaded(self, facts: dict[str, Any]) -> tuple[str, ...]:
        """As :meth:`degraded`, judged without loading a model only to look."""
        from brain.embed import registry

        name = facts.get(meta.MODEL)
        if self.embedder is not None or not name or not self._store.vectors_loaded:
            return self.degraded(facts, self.load(facts))
        if registry.is_own(name):
            return self.degraded(facts, self.load(facts))
        if not registry.is_available(name):
            return ("no_model",)
        return () if registry.info(name).dim == facts.get(meta.DIM) else ("model_mismatch",)

    def degraded(self, facts: dict[str, Any], embedder: Embedder | None) -> tuple[str, ...]:
        """Codes of what cannot take part in recall, given what :meth:`load` gave."""
        if not facts.get(meta.MODEL):
            return ()
        if not self._store.vectors_loaded:
            return ("no_vec",)
        if embedder is None:
            wrong = self.embedder is not None
            return ("model_mismatch",) if wrong else (self._why,)
        return ()

    def embed_questions(
        self, facts: dict[str, Any], asked: Sequence[Question]
    ) -> pipeline.QueryVectors:
        """Vectors of questions, as far as they ask for something and the model is there in time."""
        if not asked[0].searchable or asked[0].chitchat:
            return pipeline.WORDS_ALONE
        began = monotonic()
        if not self.within_patience(facts):
            return pipeline.QueryVectors(degraded=("timeout",))
        embedder = self.load(facts)
        degraded = self.degraded(facts, embedder)
        if embedder is None:
            return pipeline.QueryVectors(degraded=degraded)
        texts = [simplify(one.text) for one in asked]
        try:
            found = self._in_time(embedder, texts, began)
        except BrainError as error:
            why = DEGRADED.get(error.code, "no_model")
            return pipeline.QueryVectors(degraded=(*degraded, why))
        except TimeoutError:
            return pipeline.QueryVectors(degraded=(*degraded, "timeout"))
        except Exception:  # whatever a native library raises: words still answer
            return pipeline.QueryVectors(degraded=(*degraded, "no_model"))
        return pipeline.QueryVectors(embedder.name, found, degraded)

    def _in_time(
        self, embedder: Embedder, texts: Sequence[str], began: float
    ) -> tuple[NDArray[float32], ...]:
        """The texts' vectors, in what is left of the patience with which a question began.

        An embedder that is late is left to end by itself, and one that still works on an earlier
        question is given no other.

        Raises:
            TimeoutError: it was late.
        """
        if self._patience is None:
            return _embedded(embedder, texts)
        until = max(began + self._patience, monotonic() + LEAST_PATIENCE)
        late = self._late
        if late is not None:
            late.join(max(until - monotonic(), 0.0))
            if late.is_alive():
                raise TimeoutError
        box: list[tuple[NDArray[float32], ...] | Exception] = []

        def work() -> None:
            try:
                box.append(_embedded(embedder, texts))
            except Exception as error:
                box.append(error)

        worker = Thread(target=work, daemon=True)
        worker.start()
        worker.join(max(until - monotonic(), 0.0))
        if not box:
            self._late = worker
            failed = getattr(embedder, "failed", None)
            if failed is not None:
                failed("brain_embed_timeout")
            raise TimeoutError
        if isinstance(box[0], Exception):
            raise box[0]
        return box[0]

    def _guarded(self, embedder: Embedder) -> Embedder:
        """The embedder, behind the file's circuit breaker where it is on a server."""
        if not is_remote(embedder):
            return embedder
        from brain.embed.breaker import Guarded

        return Guarded(embedder, self._store.path)

    def forget(self) -> None:
        """Takes the file's word for its model from now on: it was re-embedded."""
        with self._lock:
            self.embedder = None
            self._given = False
            self._missing = None
            self._asked = None


def calibration(embedder: Embedder) -> str | None:
    """What the gate needs to know of a model that nobody has fitted, as JSON for the file; None of
    any other, and where the embedder fails."""
    if gate.load(embedder.name) is not None:
        return None
    from brain.embed import background

    try:
        return json.dumps(background.measure(embedder), sort_keys=True)
    except Exception:  # whatever an embedder raises: the next write measures again
        return None


def is_remote(embedder: Embedder | None) -> bool:
    """Whether texts leave this machine to be embedded: a write stores them first."""
    return bool(getattr(embedder, "remote", False))


def _embedded(embedder: Embedder, texts: Sequence[str]) -> tuple[NDArray[float32], ...]:
    many = getattr(embedder, "embed_queries", None)
    return tuple(many(texts)) if many else tuple(map(embedder.embed_query, texts))


def table_for(db: Transaction, embedder: Embedder | None) -> str | None:
    """The vector table for what an embedder made; None where the file's model is another by now."""
    facts = memory_file.facts(db)
    if embedder is None or facts.get(meta.MODEL) != embedder.name:
        return None
    return facts.get(meta.VECTORS) if facts.get(meta.DIM) == embedder.dim else None


def hint(facts: dict[str, Any], chosen: bool, warning: str) -> str:
    """What the person should know of a new file, in Chinese lines.

    Args:
        facts: what the file says of itself.
        chosen: the file was there, or its model was named.
        warning: a line about the file's place, or ''.
    """
    if chosen or facts.get(meta.MODEL) == "bge-small-zh":
        return warning
    return (
        warning
        + "\n" * bool(warning)
        + (
            "想用中文模型 bge-small-zh（512 维）：先 brain model fetch bge-small-zh，"
            "再 brain reembed --model bge-small-zh。"
        )
    )


def created(path: Path, facts: dict[str, Any], existed: bool, hint: str) -> InitResult:
    """What ``create`` reports of a file."""
    from brain.results import InitResult

    model, dim = facts.get(meta.MODEL) or None, facts.get(meta.DIM)
    return InitResult(str(path), model, dim, not existed, hint)
