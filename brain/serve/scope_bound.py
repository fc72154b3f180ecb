"""Scope bound to a server: of other scopes nothing is found, whatever is asked for and how.

A scope sees its own records and the global ones, as everywhere; a bound server changes its own
alone. What is another's is told as what is not there, so that nothing can be learnt by trying.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from brain import validate
from brain.errors import EXIT_CANT_CREATE, EXIT_NO, BrainError
from brain.serve.catalog import CALLS

GLOBAL = ""

_WHOLE_FILE = frozenset({"stats", "recover"})
"""Calls without a ``scope`` of their own that the engine does for one."""


class Backend(Protocol):
    """What gives the answers. One may be asked from several threads."""

    def call(self, name: str, args: Mapping[str, Any]) -> Any:
        """The JSON of a call. Raises :class:`BrainError`."""

    def warm(self) -> None:
        """Gets ready for the first call."""

    def check(self) -> None:
        """Raises :class:`BrainError` where it could not answer a call now."""

    def rest(self) -> None:
        """Lets go of what others may want while nobody asks."""

    def close(self) -> None:
        """Lets go of what it holds."""


class ScopeBound:
    """Answers as another backend does, for one scope.

    Args:
        backend: gives the answers.
        scope: the only one.
    """

    def __init__(self, backend: Backend, scope: str) -> None:
        self._backend = backend
        self._scope = scope
        self.warm = backend.warm
        self.check = backend.check
        self.rest = backend.rest
        self.close = backend.close

    def call(self, name: str, args: Mapping[str, Any]) -> Any:
        """The JSON of a call.

        Raises:
            BrainError: what the call raises; ``brain_not_found`` (1) for what is another scope's,
                ``brain_scope_refused`` (73) where what is global would be changed.
        """
        call = CALLS[name]
        args = dict(args)
        if name in _WHOLE_FILE:
            return self._backend.call(name, {**args, "scope": self._scope})
        if any(field.name == "scope" for field in call.fields):
            args["scope"] = self._allowed(args.get("scope", self._scope), writes=call.writes)
            args.pop("all_scopes", None)
            return self._told(self._backend.call(name, args))
        if name == "links":
            return self._links(args)
        if name == "unlink":
            from brain.causal.record import parse_link  # rare, and the room is large

            number = parse_link(args["id"])
            if all(link["link"] != number for link in self._links({}, writes=True)):
                raise BrainError("brain_not_found", f"没有编号为 L{number} 的观察。", EXIT_NO)
            return self._backend.call(name, args)
        for given in ("id", "new"):
            if given in args:
                self._require(args[given], writes=call.writes)
        answer = self._backend.call(name, args)
        return self._past(answer) if name == "history" else answer

    def _told(self, answer: Any) -> Any:
        """An answer whose remarks name no scope that is like this one."""
        if isinstance(answer, dict):
            for part in ("remarks", "notes"):
                if isinstance(answer.get(part), list):
                    head = f"范围「{self._scope}」里还没有记忆"
                    said = [f"{head}。" if one.startswith(head) else one for one in answer[part]]
                    answer = {**answer, part: said}
        return answer

    def _allowed(self, scope: str, *, writes: bool) -> str:
        """A scope that was named, if it may be."""
        if scope == self._scope or (scope == GLOBAL and not writes):
            return scope
        if scope == GLOBAL:
            raise self._refused()
        raise BrainError("brain_not_found", "没有这个范围。", EXIT_NO)

    def _refused(self) -> BrainError:
        told = f"这个服务器只管范围「{self._scope[:80]}」，不改全局的记忆。"
        return BrainError("brain_scope_refused", told, EXIT_CANT_CREATE)

    def _require(self, memory_id: int | str, *, writes: bool = False) -> None:
        """Refuses the number of a record that is another's, as one that nobody has."""
        number = validate.parse_id(memory_id)
        scope = self._scope_of(number)
        if scope is None or (scope != self._scope and scope != GLOBAL):
            raise BrainError("brain_not_found", f"没有编号为 #{number} 的记忆。", EXIT_NO)
        if writes and scope == GLOBAL:
            raise self._refused()

    def _scope_of(self, number: int) -> str | None:
        try:
            return str(self._backend.call("show", {"id": number})["scope"])
        except BrainError as error:
            if error.code != "brain_not_found":
                raise
            return None

    def _links(self, args: Mapping[str, Any], *, writes: bool = False) -> list[dict[str, Any]]:
        """The observations both of whose records may be seen, or with ``writes`` are its own."""
        if "id" in args:
            self._require(args["id"])
        wanted = {self._scope} if writes else {self._scope, GLOBAL}
        found: list[dict[str, Any]] = self._backend.call("links", args)
        ends = {link[end] for link in found for end in ("decision", "outcome")}
        seen = {number for number in ends if self._scope_of(number) in wanted}
        return [link for link in found if {link["decision"], link["outcome"]} <= seen]

    def _past(self, answer: dict[str, Any]) -> dict[str, Any]:
        """A history without the versions that stand in another scope."""
        mine = {self._scope, GLOBAL}
        versions = [one for one in answer["history"] if one["scope"] in mine]
        ids = {one["id"] for one in versions}
        out = {**answer, "history": versions}
        out["events"] = [one for one in answer["events"] if one.get("id") in {None, *ids}]
        if "links" in answer:
            seen = {link["link"] for link in self._links({})}
            out["links"] = [link for link in answer["links"] if link["link"] in seen]
        return out
