"""Deserialisation: a server's answers as the engine's own results, for a face that prints those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

from brain import memory as m
from brain.serve.client.remote import Remote, UnreachableError
from brain.text.controls import visible

if TYPE_CHECKING:
    from brain import results as r

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RemoteBrief:
    """A brief, as far as a hook needs it."""

    block: str


class RemoteBrain:
    """What a command asks of a server: the part of :class:`brain.engine.Brain` it uses.

    Args:
        explain: have hits come with their evidence.
    """

    def __init__(self, remote: Remote, *, explain: bool = False) -> None:
        self._remote = remote
        self._explain = {"explain": True} if explain else {}

    def recall(self, query: str, k: int = 5, **options: Any) -> m.RecallResult:
        """The k best memories for a query."""
        given = self._remote.ask("recall", {"query": query, "k": k, **options, **self._explain})
        with _decoding():
            return m.RecallResult(
                given["query"],
                tuple(map(_hit, given["hits"])),
                tuple(map(_hit, given["skills"])),
                m.Gate(given["gate"]["answerable"], given["gate"]["probability"]),
                tuple(given["degraded"]),
                tuple(given.get("notes", ())),
                tuple(given.get("remarks", ())),
            )

    def explained(self, found: m.RecallResult) -> m.RecallResult:
        """As it is: the server has explained it."""
        return found

    def check(self, query: str, **options: Any) -> m.Gate:
        """Whether that memory can answer a query."""
        given = self._remote.ask("check", {"query": query, **options})
        with _decoding():
            return m.Gate(**_tuples(m.Gate, given))

    def inject(self, query: str, **options: Any) -> m.InjectResult:
        """The block for an agent's prompt."""
        given = self._remote.ask("inject", {"query": query, **options, **self._explain})
        with _decoding():
            known = _tuples(m.InjectResult, given)
            known["hits"] = tuple(map(_hit, given["hits"]))
            known["warnings"] = tuple(map(_reason, given.get("warnings", ())))
            known["left_out"] = tuple(m.LeftOut(**left) for left in given["left_out"])
            known["block"] = visible(given["block"])
            return m.InjectResult(**known)

    def brief(self, budget: int | None = None, **options: Any) -> RemoteBrief:
        """What an agent should know before any question."""
        given = self._remote.ask("brief", {"budget": budget, **options})
        with _decoding():
            return RemoteBrief(visible(given["block"]))

    def add(self, text: str, **options: Any) -> m.AddResult:
        """Stores one memory."""
        given = self._remote.ask("add", {"text": text, **options})
        with _decoding():
            known = _tuples(m.AddResult, given)
            known["similar"] = tuple(m.Similar(**_tuples(m.Similar, s)) for s in given["similar"])
            return m.AddResult(**known)

    def record(self, decision: str, outcome: str, **options: Any) -> r.RecordResult:
        """Stores what a decision led to."""
        from brain import results as r  # an answer to a turn needs none of them

        given = self._remote.ask("record", {"decision": decision, "outcome": outcome, **options})
        with _decoding():
            known = _tuples(r.RecordResult, given)
            known["similar"] = tuple(m.Similar(**_tuples(m.Similar, s)) for s in given["similar"])
            return r.RecordResult(**known)

    def before(self, action: str, **options: Any) -> r.BeforeResult:
        """What an action led to before."""
        from brain import results as r

        given = self._remote.ask("before", {"action": action, **options})
        with _decoding():
            other = given["alternative"]
            return r.BeforeResult(
                given["verdict"],
                tuple(map(_reason, given["reasons"])),
                None if other is None else _reason(other),
                tuple(given["degraded"]),
            )

    def why(self, outcome: str, **options: Any) -> r.WhyResult:
        """What an outcome came from."""
        from brain import results as r

        given = self._remote.ask("why", {"outcome": outcome, **options})
        with _decoding():
            return r.WhyResult(
                tuple(map(_reason, given["causes"])),
                tuple(map(_reason, given["preventers"])),
                tuple(given["degraded"]),
            )

    def compare(self, a: str, b: str, **options: Any) -> r.CompareResult:
        """Which of two actions went better."""
        from brain import results as r

        given = self._remote.ask("compare", {"a": a, "b": b, **options})
        with _decoding():
            return r.CompareResult(
                given["better"],
                _tally(given["a"]),
                _tally(given["b"]),
                given["reversed"],
                tuple(given["degraded"]),
            )

    def came_to_nothing(self, records: Iterable[m.Memory]) -> dict[int, str]:
        """Of some records the outcomes that did not come about."""
        out: dict[int, str] = {}
        for one in records:
            if one.kind == m.OUTCOME_KIND:
                found = self._remote.ask("links", {"id": one.id})
                with _decoding():
                    current = {
                        link["relation"]
                        for link in found
                        if link["outcome"] == one.id and link["retracted_at"] is None
                    }
                if current and not current & set(m.CAME_ABOUT):
                    out[one.id] = "prevented" if "prevented" in current else "no_effect"
        return out

    @property
    def made(self) -> None:
        """Nothing: the file is not here."""

    @property
    def warning(self) -> str:
        """Nothing, as well."""
        return ""

    def degraded(self) -> tuple[str, ...]:
        """Nothing that is missing here matters."""
        return ()


@contextmanager
def _decoding() -> Iterator[None]:
    """Turns an answer of another shape into "no server of ours"."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError):
        raise UnreachableError("回答看不懂，两边的版本可能不同") from None


def _tuples(of: type[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a class out of a JSON object, its lists as tuples."""
    return {
        f.name: tuple(given[f.name]) if isinstance(given[f.name], list) else given[f.name]
        for f in fields(of)
        if f.name in given
    }


def _reason(given: Mapping[str, Any]) -> m.Reason:
    sides = {name: m.Side(**given[name]) for name in ("decision", "outcome")}
    return m.Reason(**{**_tuples(m.Reason, given), **sides})


def _tally(given: Mapping[str, Any]) -> r.Tally:
    from brain import results as r

    return r.Tally(**{**_tuples(r.Tally, given), "reasons": tuple(map(_reason, given["reasons"]))})


def _hit(given: Mapping[str, Any]) -> m.Hit:
    return m.Hit(
        memory=_memory(given),
        text=given["text"],
        score=given["score"],
        lanes={name: _lane(lane) for name, lane in given.get("lanes", {}).items()},
        tokens_added=given["tokens_added"],
        recovery_handle=given["recovery_handle"],
        duplicate_of=given["duplicate_of"],
        suspect=given["suspect"],
        suspect_rule=given["suspect_rule"] or "",
        claims=_seen(given["claims"]) if "claims" in given else None,
    )


def _seen(given: Iterable[Mapping[str, Any]]) -> tuple[m.Seen, ...]:
    return tuple(m.Seen(**_tuples(m.Seen, one)) for one in given)


def _memory(given: Mapping[str, Any]) -> m.Memory:
    checks = tuple(m.Check(**_tuples(m.Check, one)) for one in given.get("checks", ()))
    return m.Memory(**{**_tuples(m.Memory, given), "checks": checks})


def _lane(given: Mapping[str, Any]) -> m.LaneRank:
    score = given["similarity"] if "similarity" in given else given["score"]
    terms = tuple(given.get("terms", ()))
    return m.LaneRank(given["rank"], score, terms, given.get("recency"), given.get("via"))
