"""ASGI application: every route of the table, the OpenAPI document, health, metrics, MCP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route as Path
from starlette.status import HTTP_503_SERVICE_UNAVAILABLE

from brain.errors import EXIT_BUSY, EXIT_DATA, EXIT_UNAVAILABLE, BrainError
from brain.serve import cache_events
from brain.serve.call_dispatch import Dispatcher
from brain.serve.catalog import CALLS
from brain.serve.http import auth
from brain.serve.http.errors import Json, error_response, internal_error
from brain.serve.http.openapi import MAX_GET_QUERY, document
from brain.serve.http.routes import ROUTES, Route
from brain.serve.mcp.tools import MemoryServer
from brain.serve.params import validated

_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

SESSION_SECONDS = 30 * 60.0
"""Without a request for so long an MCP session that was never closed ends; the client's next one
is told 404, on which it begins another (MCP, Streamable HTTP, session management)."""

MOST_SESSIONS = 1000
"""MCP sessions at once, about 35 KB each; one more is refused until some end."""

Endpoint = Callable[[Request], Awaitable[Response]]


def build(desk: Dispatcher, version: str) -> Starlette:
    """The application over a dispatcher, without authentication."""
    server = MemoryServer(desk, version)
    streamable = server.streamable_http_app(
        # AuthMiddleware has looked at Host and Origin of every request.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=auth.MAX_BODY,
        session_idle_timeout=SESSION_SECONDS,
        max_sessions=MOST_SESSIONS,
    )

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        desk.warm()
        async with server.session_manager.run():
            yield

    described = document(version, secured=auth.token() is not None)

    async def openapi(request: Request) -> Response:
        return Json(described)

    async def healthz(request: Request) -> Response:
        try:
            await asyncio.to_thread(desk.check)
        except BrainError as error:
            response = error_response(error)
            response.status_code = HTTP_503_SERVICE_UNAVAILABLE
            return response
        return Json({"status": "ok"})

    async def metrics(request: Request) -> Response:
        return PlainTextResponse(await _metrics(desk), media_type=_METRICS_TYPE)

    events = cache_events.CacheEvents(desk.metrics)

    async def cache_event(request: Request) -> Response:
        try:
            told = validated(cache_events.FIELDS, await _body(request), loose=False)
            return Json(events.note(told))
        except BrainError as error:
            return error_response(error)

    routes = [Path(r.path, _endpoint(desk, r), methods=[r.method]) for r in ROUTES]
    routes += [
        Path("/openapi.json", openapi, methods=["GET"]),
        Path("/healthz", healthz, methods=["GET"]),
        Path("/metrics", metrics, methods=["GET"]),
        Path("/cache-event", cache_event, methods=["POST"]),
    ]
    return Starlette(
        routes=[*_merged(routes), *streamable.routes],
        lifespan=lifespan,
        exception_handlers={
            HTTPException: _no_route,
            ClientDisconnect: _left,
            Exception: _broken,
        },
    )


def _merged(routes: list[Path]) -> list[Path]:
    """Routes of one path as one, so that a wrong method is told all the right ones."""
    by_path: dict[str, list[Path]] = {}
    for route in routes:
        by_path.setdefault(route.path, []).append(route)
    return [group[0] if len(group) == 1 else _one(group) for group in by_path.values()]


def _one(group: list[Path]) -> Path:
    endpoints = {
        method: route.endpoint for route in group for method in (route.methods or set()) - {"HEAD"}
    }

    async def endpoint(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        response = await endpoints[method](request)
        assert isinstance(response, Response)
        return response

    return Path(group[0].path, endpoint, methods=list(endpoints))


def _endpoint(desk: Dispatcher, route: Route) -> Endpoint:
    call = CALLS[route.call]

    async def endpoint(request: Request) -> Response:
        try:
            given = _query(request, route) if route.method == "GET" else await _body(request)
            loose = route.method == "GET"
            args = validated(call.fields, {**given, **request.path_params}, loose=loose)
            work = partial(desk.call, route.call, args)
            return Json(await desk.run(route.call, work, writes=call.writes))
        except BrainError as error:
            return error_response(error)

    return endpoint


def _query(request: Request, route: Route) -> Mapping[str, Any]:
    aliases = {f.alias or f.name: f.name for f in CALLS[route.call].fields}
    given: dict[str, Any] = {}
    for name, value in request.query_params.items():
        if len(value) > MAX_GET_QUERY:
            raise BrainError(
                "brain_url_too_long",
                f"地址里的文本最多 {MAX_GET_QUERY} 个字符；问题更长时请用 POST。",
                EXIT_DATA,
            )
        given[aliases.get(name, name)] = value
    return given


async def _body(request: Request) -> Mapping[str, Any]:
    try:
        data = await asyncio.wait_for(_read(request), auth.BODY_SECONDS)
    except TimeoutError:
        told = f"请求体没有在 {auth.BODY_SECONDS:.0f} 秒内到齐。"
        raise BrainError("brain_body_slow", told, EXIT_BUSY) from None
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        raise BrainError("brain_bad_json", "请求体不是 JSON（UTF-8）。", EXIT_DATA) from None
    if not isinstance(given, dict):
        raise BrainError("brain_bad_json", "请求体应为一个 JSON 对象。", EXIT_DATA)
    return given


async def _read(request: Request) -> bytes:
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > auth.MAX_BODY:
            await auth.drain(request.receive)
            raise auth.body_too_large()
    return bytes(data)


async def _metrics(desk: Dispatcher) -> str:
    lines = desk.metrics.text()
    try:
        stats = await desk.run("stats", lambda: desk.call("stats", {}), writes=False)
    except BrainError:
        return lines
    told = "# HELP brain_memories Records by state.\n# TYPE brain_memories gauge\n"
    states = ("current", "superseded", "expired", "retracted", "archived", "future")
    return (
        lines
        + told
        + "".join(f'brain_memories{{state="{state}"}} {stats[state]}\n' for state in states)
    )


async def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        code, told = "brain_method_refused", f"{request.url.path} 不接受 {request.method}。"
    else:
        code, told = "brain_route_unknown", f"没有 {request.url.path[:80]}；见 /openapi.json。"
    response = error_response(BrainError(code, told, EXIT_UNAVAILABLE))
    response.headers.update(error.headers or {})
    return response


async def _left(request: Request, error: Exception) -> Response:
    """Nobody is there to read it: a client that leaves is no fault of ours to log."""
    return Response(status_code=400)


async def _broken(request: Request, error: Exception) -> Response:
    return error_response(internal_error(error))
