"""OpenAPI document, made from the tables the server itself runs on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from brain.serve import cache_events
from brain.serve.catalog import CALLS
from brain.serve.http.routes import ROUTES, Route
from brain.serve.params import Field, object_schema
from brain.serve.schemas import SCHEMAS

MAX_GET_QUERY = 2000
"""Longest text a GET takes, in characters; addresses end up in logs and have limits on the way."""

_REFUSED = {
    "400": "请求体不是 JSON 对象",
    "401": "缺少令牌或令牌不对",
    "403": "来自网页的请求，或服务器只读",
    "404": "没有这个编号或句柄",
    "408": "请求体来得太慢",
    "409": "和已有的记录冲突",
    "413": "请求体太大",
    "414": "GET 的文本太长，请用 POST",
    "415": "Content-Type 不是 application/json",
    "421": "不认识的 Host",
    "422": "参数或数据不接受",
    "500": "文件或程序出错",
    "503": "正忙，或缺少需要的部分",
}


def document(version: str, *, secured: bool) -> dict[str, Any]:
    """The document of OpenAPI 3.1.

    Args:
        secured: a bearer token is required.
    """
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        call = CALLS[route.call]
        operation = _operation(route, call.about, call.fields, call.answer)
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    paths["/healthz"] = {"get": _plain("healthz", "活着吗", "application/json")}
    paths["/metrics"] = {"get": _plain("metrics", "Prometheus 文本", "text/plain")}
    event = Route("POST", "/cache-event", "cache_event")
    told = (cache_events.ABOUT, cache_events.FIELDS, cache_events.ANSWER)
    paths[event.path] = {"post": _operation(event, *told)}
    out: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "brain",
            "version": version,
            "description": "中文长期记忆，见 docs/http.md",
        },
        "paths": paths,
        "components": {"schemas": dict(SCHEMAS)},
    }
    if secured:
        out["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        out["security"] = [{"token": []}]
    return out


def _operation(route: Route, about: str, takes: Sequence[Field], answer: str) -> dict[str, Any]:
    in_path = {"id"} if "{id}" in route.path else set()
    fields = [f for f in takes if f.name not in in_path]
    parameters = [
        {"name": f.name, "in": "path", "required": True, "schema": f.schema()}
        for f in takes
        if f.name in in_path
    ]
    out: dict[str, Any] = {
        "operationId": f"{route.call}_{route.method.lower()}",
        "summary": about,
        "responses": {"200": _ok(f"#/components/schemas/{answer}"), **_refusals()},
    }
    if route.method == "GET":
        parameters += [
            {
                "name": f.alias or f.name,
                "in": "query",
                "required": f.required,
                "description": f.about,
                "schema": _short(f.schema()),
            }
            for f in fields
        ]
    else:
        body = {"application/json": {"schema": object_schema(fields)}}
        out["requestBody"] = {"required": True, "content": body}
    if parameters:
        out["parameters"] = parameters
    return out


def _short(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "maxLength": MAX_GET_QUERY} if schema.get("type") == "string" else schema


def _ok(reference: str) -> dict[str, Any]:
    return {"description": "结果", "content": {"application/json": {"schema": {"$ref": reference}}}}


def _refusals() -> dict[str, Any]:
    schema = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {status: {"description": told, "content": schema} for status, told in _REFUSED.items()}


def _plain(name: str, told: str, kind: str) -> dict[str, Any]:
    schema = {"type": "object"} if kind == "application/json" else {"type": "string"}
    ok = {"description": told, "content": {kind: {"schema": schema}}}
    return {"operationId": name, "summary": told, "responses": {"200": ok, **_refusals()}}
