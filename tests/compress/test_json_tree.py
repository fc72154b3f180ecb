"""JSON: valid before, valid after; what is asked, errors and odd ones stay."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.compress import json_tree, markers
from tests.support.compress import INJECT, LEAST, squeeze, told


def machines(count: int = 40, **changed: Any) -> list[dict[str, Any]]:
    """Machines that are all well, but for the fields of the tenth."""
    rows = [
        {"编号": n, "名称": f"水泵{n:02d}", "状态": "正常", "温度": 40 + n % 7, "车间": "二"}
        for n in range(count)
    ]
    rows[10] |= changed
    return rows


def dumped(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def shown(text: str, query: str = "", budget: int | None = INJECT) -> Any:
    """The parsed result."""
    done = squeeze(text, query, budget)
    assert done.compressor == "json"
    return json.loads(done.text)


BUDGETS = [None, INJECT, 200]


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize(
    "changed",
    [
        {"状态": "启动失败"},
        {"状态": "error"},
        {"温度": 9000},
        {"温度": -40},
        {"错误": "轴承过热"},
        {"success": False},
        {"status_code": 503},
        {"备注": "只有这一台有备注"},
    ],
)
@pytest.mark.parametrize("query", ["", "水泵三号", "正常的有几台"])
def test_the_record_that_is_wrong_or_odd_stays(
    changed: dict[str, Any], query: str, budget: int | None
) -> None:
    assert machines(**changed)[10] in shown(dumped(machines(**changed)), query, budget)


@pytest.mark.parametrize("budget", [*BUDGETS, 150])
@pytest.mark.parametrize("indent", [None, 2])
def test_the_record_that_is_asked_for_stays(indent: int | None, budget: int | None) -> None:
    rows = machines(名称="鲸落提升机")
    found = shown(dumped(rows, indent), "鲸落提升机的温度", budget)
    assert rows[10] in found


def test_many_matches_do_not_crowd_out_the_one_that_failed() -> None:
    rows = machines(60, 状态="失败")
    for n in range(20, 50):
        rows[n]["名称"] = f"鲸落{n}"
    assert rows[10] in shown(dumped(rows), "鲸落")


def test_head_and_tail_stay() -> None:
    rows = machines()
    found = shown(dumped(rows), "", None)
    assert found[:2] == rows[:2]
    assert rows[-1] in found


def test_gaps_and_the_summary_are_strings_in_the_array() -> None:
    rows = machines(状态="失败")
    found = shown(dumped(rows), "", None)
    strings = [one for one in found if isinstance(one, str)]
    assert [s for s in strings[:-1] if s != markers.GAP] == []
    assert found[-1] == strings[-1]
    assert "（略 " in strings[-1]
    kept = [one for one in found if isinstance(one, dict)]
    assert len(kept) + int(strings[-1].split("略 ")[1].split(" ")[0]) == len(rows)


def test_the_mark_states_counts_ranges_and_constants_of_what_is_missing() -> None:
    rows = [{"城市": "青岛" if n % 4 else "大连", "人数": n, "国家": "中国"} for n in range(80)]
    done = squeeze(dumped(rows), "", None)
    gone = [rows[p] for p in done.left_out[0].places]
    cities = [row["城市"] for row in gone]
    assert f"城市：青岛 {cities.count('青岛')}、大连 {cities.count('大连')}" in told(done)
    assert f"人数 {gone[0]['人数']}～{gone[-1]['人数']}" in told(done)
    assert "国家 都是 中国" in told(done)


@pytest.mark.parametrize("path", [("items",), ("数据", "列表"), ("a/b", "~c", "d")])
def test_nested_arrays_are_cut_where_they_stand(path: tuple[str, ...]) -> None:
    value: Any = machines(状态="失败")
    for name in reversed(path):
        value = {"前": 1, name: value, "后": [1, 2]}
    text = dumped(value)
    found = shown(text, "", INJECT)
    for name in path:
        assert list(found) == ["前", name, "后"]
        assert (found["前"], found["后"]) == (1, [1, 2])
        found = found[name]
    assert machines(状态="失败")[10] in found


def test_several_arrays_each_say_what_they_lack() -> None:
    text = dumped({"甲": machines(30), "乙": machines(50)})
    done = squeeze(text, "", 600)
    assert [one.where for one in done.left_out] == ["/甲", "/乙"]


@pytest.mark.parametrize("budget", [None, INJECT])
def test_where_blanks_are_all_that_goes_the_mark_says_so(budget: int | None) -> None:
    value = machines()[:4]
    for whole in (value, {"行": value}):
        text = dumped(whole, 60)
        found = shown(text, "", budget)
        compact = len(json.dumps(whole, ensure_ascii=False, separators=(",", ":")))
        mark = found.pop() if isinstance(found, list) else found.pop(markers.GAP)
        assert found == whole
        assert mark.startswith(f"（略 {len(text) - compact} 个空白；")


def test_digits_keys_and_characters_stay_as_they_were() -> None:
    text = '{"z":1.10,"a":1e5,"m":"A&B <c> “汉字” \\u0007","big":12345678901234567890123,"x":[' + (
        ",".join(f'{{"n":{n}.500,"t":"<&>"}}' for n in range(200)) + '],"z":-0.0}'
    )
    done = squeeze(text, "")
    start = '{"z":1.10,"a":1e5,"m":"A&B <c> “汉字” \\u0007",'
    start += '"big":12345678901234567890123,"x":[{"n":0.500,"t":"<&>"}'
    assert done.text.startswith(start)
    assert done.text.endswith('],"z":-0.0}')


@pytest.mark.parametrize("budget", [INJECT, 150, None])
def test_a_long_string_is_cut_with_a_mark(budget: int | None) -> None:
    blob = "QUJD" * 2000
    value = {"名称": "图", "数据": blob, "说明": "门口的照片，" + "拍得很清楚。" * 3}
    found = shown(dumped(value), "图", budget)
    kept, mark = found["数据"].split(markers.GAP)
    assert blob.startswith(kept)
    assert mark.startswith(f"（略 {len(blob) - len(kept)} 字")
    assert found["说明"] == value["说明"]


def test_prose_inside_json_keeps_what_is_asked() -> None:
    body = (
        "今天大家讨论了很多内容，气氛融洽。" * 60
        + "备用钥匙在门卫老周那里。"
        + "散会后一起吃饭。" * 60
    )
    found = shown(dumped({"标题": "纪要", "正文": body}), "备用钥匙在哪里")
    assert "备用钥匙在门卫老周那里。" in found["正文"]


def test_an_object_with_very_many_members_keeps_the_asked_ones() -> None:
    value = {f"设置项{n}": n for n in range(300)} | {"鲸落阈值": 77}
    found = shown(dumped(value), "鲸落阈值", 150)
    assert found["鲸落阈值"] == 77
    assert "（略 " in found[markers.GAP]


@pytest.mark.parametrize("numbers", [list(range(500)), [3.5] * 300, ["是", "否"] * 200])
def test_arrays_of_plain_values(numbers: list[Any]) -> None:
    found = shown(dumped(numbers))
    assert found[0] == numbers[0]


SECRETS = {
    "password": "Hunter2Xy",
    "用户口令": "天王盖地虎",
    "apiKey": "k-99-zz",
    "access_token": "tk99887766",
    "身份证": "11010519491231002X",
    "备注": "sk-live-abcd1234efgh",
    "验证码": 839201,
    "PIN": 4821,
}


@pytest.mark.parametrize("name", list(SECRETS))
@pytest.mark.parametrize("nest", [False, True])
def test_no_mark_quotes_a_secret(name: str, nest: bool) -> None:
    value = SECRETS[name]
    rows = [row | ({"内": {name: value}} if nest else {name: value}) for row in machines(60)]
    done = squeeze(dumped(rows), "", None)
    assert done.left_out
    assert "车间 都是 二" in told(done)
    assert str(value) not in told(done)


def test_a_list_of_secrets_is_not_described() -> None:
    text = dumped(
        {"tokens": [f"短词{n % 3}" for n in range(200)], "密码": [1000 + n for n in range(200)]}
    )
    done = squeeze(text, "", None)
    assert "短词" not in told(done)
    assert "～" not in told(done)


def test_key_value_pairs_that_name_a_secret_are_not_described() -> None:
    rows = [
        {"键": "password" if n % 2 else "端口", "值": "Abc" if n % 2 else "80"} for n in range(60)
    ]
    assert "Abc" not in told(squeeze(dumped(rows), "", None))


DEEP = '{"a":' * 400 + "1" + "}" * 400


@pytest.mark.parametrize(
    "text",
    [
        "[1,2,3]",
        '{"a":NaN}' + " " * 500,
        "[" * 3000 + "]" * 3000,
        "[1," * 200,
        DEEP,
        '{"a":1}' * 90,
    ],
)
def test_what_is_no_sound_json_does_no_harm(text: str) -> None:
    squeeze(text, "", None)
    squeeze(text, "")


def test_a_lone_surrogate_stays_escaped() -> None:
    text = '["\\ud83d",' + ",".join(f'"串{n}"' for n in range(300)) + "]"
    done = squeeze(text, "")
    assert json.loads(done.text)[0] == "\ud83d"
    done.text.encode()


LEAF = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["正常", "失败", "……", "密码", "见“附件”；（略 3 条）", "<&>", "长" * 300])
    | st.text(max_size=12)
)
VALUE = st.recursive(
    LEAF,
    lambda inner: (
        st.lists(inner, max_size=12)
        | st.dictionaries(
            st.sampled_from(["a", "名称", "状态", "token", "x/y", "~"]), inner, max_size=6
        )
    ),
    max_leaves=25,
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(VALUE, min_size=1, max_size=25) | st.dictionaries(st.text(max_size=5), VALUE),
    st.sampled_from(["", "正常", "附件"]),
    st.sampled_from([None, LEAST + 20, 120, INJECT]),
)
def test_any_json_stays_json(value: Any, query: str, budget: int | None) -> None:
    text = json.dumps(value, ensure_ascii=True)
    done = squeeze(text, query, budget)
    found = json.loads(done.text)
    assert type(found) is type(value) or done.text.startswith('["（略')
    if isinstance(value, list) and done.compressor == "json" and isinstance(found, list):
        kept = [one for one in found if not (isinstance(one, str) and markers.is_mark(one))]
        assert len(kept) <= len(value)


@settings(max_examples=100, deadline=None)
@given(VALUE)
def test_writing_is_the_inverse_of_reading(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    assert json.loads(json_tree.write(json_tree.parse(text))) == value
