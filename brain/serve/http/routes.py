"""HTTP routes and the call each makes, for the server, its OpenAPI document and the client."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Route:
    """A method and a path, ``{id}`` standing for a memory's number; and the call it makes."""

    method: str
    path: str
    call: str


ROUTES: tuple[Route, ...] = (
    Route("POST", "/inject", "inject"),
    Route("GET", "/inject", "inject"),
    Route("POST", "/recall", "recall"),
    Route("GET", "/recall", "recall"),
    Route("POST", "/check", "check"),
    Route("GET", "/check", "check"),
    Route("POST", "/search", "search"),
    Route("GET", "/search", "search"),
    Route("POST", "/before", "before"),
    Route("POST", "/why", "why"),
    Route("POST", "/compare", "compare"),
    Route("POST", "/record", "record"),
    Route("GET", "/links", "links"),
    Route("POST", "/links/{id}/unlink", "unlink"),
    Route("GET", "/stats", "stats"),
    Route("GET", "/brief", "brief"),
    Route("GET", "/memories", "list"),
    Route("POST", "/memories", "add"),
    Route("POST", "/verify", "verify"),
    Route("GET", "/memories/{id}", "show"),
    Route("POST", "/memories/{id}/supersede", "supersede"),
    Route("POST", "/memories/{id}/expire", "expire"),
    Route("POST", "/memories/{id}/conf", "conf"),
    Route("POST", "/memories/{id}/importance", "importance"),
    Route("POST", "/memories/{id}/tag", "tag"),
    Route("POST", "/memories/{id}/pin", "pin"),
    Route("POST", "/memories/{id}/unpin", "unpin"),
    Route("POST", "/memories/{id}/useful", "useful"),
    Route("POST", "/memories/{id}/wrong", "wrong"),
    Route("POST", "/memories/{id}/correct", "correct"),
    Route("POST", "/memories/{id}/retract", "retract"),
    Route("POST", "/memories/{id}/restore", "restore"),
    Route("POST", "/memories/{id}/forget", "forget"),
    Route("GET", "/memories/{id}/history", "history"),
    Route("POST", "/recover", "recover"),
    Route("POST", "/compress", "compress"),
    Route("GET", "/originals", "originals"),
)

TO_CALL: dict[str, Route] = {route.call: route for route in reversed(ROUTES)}
"""The first route of each call: POST where there is one, so that text stays out of logs."""
