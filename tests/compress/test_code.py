"""Code, diffs, configuration: whole without a budget; cut at blocks, and a configuration parses."""

from __future__ import annotations

import configparser
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.compress import detect
from tests.support.compress import INJECT, squeeze

PYTHON = '"""茶馆。"""\nimport os\n\n' + "\n".join(
    f"def pour_{n}(cups):\n    # 倒第 {n} 壶\n"
    f"    water = cups * {n}\n    rest = water - {n}\n    return rest\n"
    for n in range(40)
)
GO = "package tea\n\n" + "\n".join(
    f"func Pour{n}(cups int) int {{\n\twater := cups * {n}\n"
    f"\trest := water - {n}\n\treturn rest\n}}\n"
    for n in range(40)
)
JS = "import { cup } from './cup.js';\n\n" + "\n".join(
    f"export function pour{n}(cups) {{\n  const water = cups * {n};\n"
    f"  let rest = water - {n};\n  return rest;\n}}\n"
    for n in range(40)
)
SQL = "\n".join(
    f"CREATE TABLE tea_{n} (\n  id INTEGER PRIMARY KEY,\n"
    "  name TEXT NOT NULL,\n  price INTEGER\n);\n"
    for n in range(40)
)
DIFF = "".join(
    f"diff --git a/m{n}.py b/m{n}.py\n--- a/m{n}.py\n+++ b/m{n}.py\n@@ -1,9 +1,9 @@\n"
    + "".join(f" 没有变的第{k}行\n" for k in range(8))
    + f"-温度_{n} = {n}\n+温度_{n} = {n + 50}\n"
    for n in range(9)
)
TOML = "\n".join(
    f'[杯.kind{n}]\nname = "第{n}种"\nsizes = [\n  {n},\n  {n + 1},\n]\n'
    'note = """\n多行\n[不是节]\n"""\n'.replace("杯", "cup")
    for n in range(40)
)
YAML = "version: 3\n" + "".join(
    f"cup_{n}:\n  name: 第{n}种\n  sizes:\n  - {n}\n  - {n + 1}\n" for n in range(50)
)
INI = "".join(f"[cup{n}]\nname = 第{n}种\nsize = {n}\n\n" for n in range(60))
ENV = "# 环境\n" + "".join(f"CUP_{n}_SIZE={n * 3}\n" for n in range(120))

KINDS = {
    "python": (PYTHON, detect.CODE),
    "go": (GO, detect.CODE),
    "js": (JS, detect.CODE),
    "sql": (SQL, detect.CODE),
    "diff": (DIFF, detect.DIFF),
    "toml": (TOML, detect.CONFIG),
    "yaml": (YAML, detect.CONFIG),
    "ini": (INI, detect.CONFIG),
    "env": (ENV, detect.CONFIG),
}


@pytest.mark.parametrize("kind", list(KINDS))
def test_each_is_seen_for_what_it_is(kind: str) -> None:
    text, expected = KINDS[kind]
    assert detect.content_type(text) == expected


@pytest.mark.parametrize("kind", [k for k, (_, t) in KINDS.items() if t != detect.DIFF])
def test_without_a_budget_it_is_left_whole(kind: str) -> None:
    assert squeeze(KINDS[kind][0], "倒茶", None).compressor == "none"


@pytest.mark.parametrize("budget", [INJECT, 160])
@pytest.mark.parametrize(("kind", "query", "line"), [
    ("python", "pour_23", "def pour_23(cups):"),
    ("python", "倒第 31 壶", "    # 倒第 31 壶"),
    ("go", "Pour17", "func Pour17(cups int) int {"),
    ("js", "pour8", "export function pour8(cups) {"),
    ("sql", "tea_33", "CREATE TABLE tea_33 ("),
])  # fmt: skip
def test_code_keeps_what_is_asked_and_signatures(
    kind: str, query: str, line: str, budget: int
) -> None:
    text = KINDS[kind][0]
    done = squeeze(text, query, budget)
    assert done.compressor == "code"
    shown = done.text.splitlines()
    assert line in shown
    original = text.splitlines()
    assert all(one in original for one in shown if "……" not in one and "（略" not in one)


def test_a_line_inside_a_function_comes_with_its_signature() -> None:
    shown = squeeze(PYTHON, "倒第 31 壶", 160).text.splitlines()
    assert shown.index("def pour_31(cups):") < shown.index("    # 倒第 31 壶")


@pytest.mark.parametrize("budget", [INJECT, 160, None])
def test_a_diff_keeps_changed_lines_with_their_file_and_hunk(budget: int | None) -> None:
    shown = squeeze(DIFF, "温度_6 改成多少", budget).text.splitlines()
    change = shown.index("+温度_6 = 56")
    assert "+++ b/m6.py" in shown[:change]
    assert not any(line.startswith(" 没有变的") for line in shown) or budget is not None


@pytest.mark.parametrize("budget", [INJECT, 160, 120])
@pytest.mark.parametrize("kind", ["toml", "ini"])
def test_a_cut_configuration_parses_and_keeps_the_asked_block(kind: str, budget: int) -> None:
    done = squeeze(KINDS[kind][0], "kind27 cup27", budget)
    assert done.compressor == "config"
    if kind == "toml":
        found = tomllib.loads(done.text)
        assert found["cup"]["kind27"] == tomllib.loads(TOML)["cup"]["kind27"]
    else:
        parser = configparser.ConfigParser()
        parser.read_string(done.text)
        assert dict(parser["cup27"]) == {"name": "第27种", "size": "27"}


def test_a_cut_yaml_keeps_whole_top_level_blocks() -> None:
    shown = squeeze(YAML, "第27种", 160).text
    assert "cup_27:\n  name: 第27种\n  sizes:\n  - 27\n  - 28\n" in shown
    blocks = ["cup_" + block for block in YAML.split("cup_")[1:]]
    for line in shown.splitlines():
        assert line.startswith(("#", " ", "version", "cup_"))
    assert all(block in YAML for block in blocks)


def test_a_cut_env_keeps_whole_lines() -> None:
    shown = squeeze(ENV, "CUP_77_SIZE", 160).text.splitlines()
    assert "CUP_77_SIZE=231" in shown
    assert all(line in ENV.splitlines() or line.startswith("# ") for line in shown)


def test_yaml_with_anchors_is_not_cut_at_blocks() -> None:
    text = "base: &base\n  a: 1\n" + "".join(f"c{n}:\n  <<: *base\n  b: {n}\n" for n in range(80))
    assert squeeze(text, "c40", 160).compressor == "prose"


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(list(KINDS)),
    st.integers(0, 60),
    st.integers(1, 90),
    st.sampled_from(["", "name", "温度", "pour", "第9种"]),
    st.sampled_from([None, 80, 160, INJECT]),
)
def test_any_part_of_any_of_them(
    kind: str, start: int, size: int, query: str, budget: int | None
) -> None:
    lines = KINDS[kind][0].splitlines(keepends=True)
    squeeze("".join(lines[start : start + size]), query, budget)
