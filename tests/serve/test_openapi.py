"""The HTTP server held against its own OpenAPI document, with requests nobody thought of."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import checks

from brain.serve.catalog import CALLS
from brain.serve.http.openapi import document
from brain.serve.http.routes import ROUTES
from tests.support import ROOT
from tests.support.cli import Cli
from tests.support.servers import Web

SHORT = {("GET", path) for path in ("/inject", "/recall", "/search", "/check")}
ELSEWHERE = {"/search", "/record", "/before", "/why", "/compare"}
"""Rows of docs/http.md that stand for others: "the same four by GET", "as /recall", "as the command
line's options"."""

CHECKS = (
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    folder = tmp_path_factory.mktemp("schema")
    cli = Cli(folder)
    for text in ("值班群是青鸟群", "生产环境部署走蓝绿发布", "用户喜欢深色主题"):
        cli("add", text)
    with Web(folder) as server:
        yield server


REFUSED = ["400", "404", "405", "413", "414", "415", "422"]
CONFIG = schemathesis.Config.from_dict(
    {"checks": {"negative_data_rejection": {"expected-statuses": REFUSED}}}
)
schema = schemathesis.openapi.from_dict(document("1", secured=False), config=CONFIG)


@schema.parametrize()
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_every_answer_is_in_the_document(case: schemathesis.Case, web: Web) -> None:
    case.call_and_validate(base_url=web.url, checks=CHECKS)


def test_the_document_served_is_the_one_tested(web: Web) -> None:
    served = web.get("/openapi.json").json
    assert served["paths"] == document("1", secured=False)["paths"]


def test_the_document_tells_every_route_and_every_call_has_one() -> None:
    paths = document("1", secured=True)["paths"]
    for route in ROUTES:
        assert paths[route.path][route.method.lower()]["responses"]["200"]
    assert {route.call for route in ROUTES} == set(CALLS)


def test_http_md_tells_every_route_and_what_it_takes() -> None:
    """Rows name their routes in full, or as ``…/unpin`` beside another of the same record."""
    lines = (ROOT / "docs" / "http.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| `")]
    paths = {(r.method, r.path, r.call) for r in ROUTES if (r.method, r.path) not in SHORT}
    for method, path, call in {*paths, ("POST", "/cache-event", "")}:
        names = (f"`{method} {path}`", f"`…/{path.rpartition('/')[2]}`")
        told = [row for row in rows if any(name in row for name in names)]
        assert told, path
        for field in CALLS[call].fields if call and path not in ELSEWHERE else ():
            named = {field.name, field.alias or field.name}
            assert field.name == "id" or any(
                re.search(rf"[`? ]{name}[`=]", told[0]) for name in named
            ), (path, field.name)


def test_the_document_says_when_a_token_is_needed() -> None:
    assert "security" not in document("1", secured=False)
    assert document("1", secured=True)["security"] == [{"token": []}]
