"""Secrets are told by the shape of a value: what is one, what only looks like one, where it is."""

from __future__ import annotations

import random
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.compress.markers import looks_secret, names_secret
from brain.errors import BrainError
from brain.text.secrets import forms, mask
from brain.text.secrets.names import NAMES
from brain.text.secrets.numbers import is_card, is_identity
from tests.support import ROOT

KEY = "\n".join(["MIIEowIBAAKCAQEA7bq0zK1mVQp3xk9nQm5sT2uY8wE4rT6yU1iO3pA5sD7fG9h"] * 3)
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ3dSIsImlhdCI6MTc2NH0.q0Jm3S8v_Tz1kP5dX9yR2wL7uN4"
PHRASE = [
    "abandon",
    "ability",
    "able",
    "about",
    "above",
    "absent",
    "absorb",
    "abstract",
    "absurd",
    "abuse",
    "access",
    "acid",
]

# value, rule, and what stands around it
SHAPES = [
    (PEM, "private_key", "发布用的私钥：\n{}\n别弄丢"),
    (
        PEM.replace("RSA ", "OPENSSH ")[: len(PEM) // 2],
        "private_key",
        "粘了一半：{}",
    ),
    (PEM.replace("\n", "\\n"), "private_key", '{{"private_key": "{}"}}'),
    ("AKIA2E0A8F3B244C9986", "aws_key", "云账号 {} 归运维"),
    ("LTAI5tQ9wZ7xC3vB1nM8kJ2h", "aliyun_key", "阿里云的{}在用"),
    ("AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPL1", "tencent_key", "腾讯云 {}"),
    ("AIzaSyD9x8K7w6V5u4T3s2R1q0P9o8N7m6L5k4J", "google_key", "地图用 {}。"),
    ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "github_token", "推代码用{}"),
    ("github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuv1234", "github_token", "令牌 {}"),
    ("glpat-x7Kq2Lm9Zt4Wv8Rb3Ncd", "gitlab_token", "流水线 {}"),
    ("xoxb-123456789012-abcdefGHIJKL", "slack_token", "机器人 {}"),
    ("sk-proj-a8Kd92mXq71LpZ0vT5wB", "model_key", "模型用 {}"),
    ("sk-test-0000111122223333", "model_key", "key是{}"),
    ("sk-ant-api03-Zq8_x7Kq2Lm9Zt4Wv8Rb3Ncd5Fgh6Jkl", "model_key", "{}"),
    ("hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567", "huggingface_token", "下模型 {}"),
    ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "payment_key", "收款 {}"),
    (
        "webhook/send?key=693a91f6-7xxa-4bc4-97a0-0ec2sifa5aaa",
        "bot_token",
        "群机器人 https://qyapi.weixin.qq.com/cgi-bin/{} 发日报",
    ),
    (JWT, "jwt", "登录后拿到 {}"),
    ("dXNlcjpIeDkyUW0hNw==", "http_login", "Authorization: Basic {}"),
    ("a8Kd92mXq71LpZ0vT5wB", "http_login", "curl -H 'Authorization: Bearer {}'"),
    ("Hx92Qm", "url_password", "连 postgres://app:{}@db.example.com:5432/app"),
    ("p", "url_password", "postgres://u:{}@h"),
    ("s3@cr", "url_password", "redis://:{}@10.0.0.3:6379/0"),
    ("Hx9-示例-42", "password", "生产库口令{}，别外传"),
    ("Hx92Qm!7", "password", "密码是{}"),
    ("Hx92Qm!7", "password", "新密碼改成了 {}，下周換"),
    ("12345678", "password", "家里 wifi 密码：{}"),
    ("482915", "password", "保险箱的密码现在是 {}。"),
    ("tR4fic2026", "password", "密码（测试库）：{}"),
    ("Hunter2Xy", "password", "DB_PASSWORD_PROD={}"),
    ("correct horse 42", "password", 'password: "{}"'),
    ("Hx92Qm!7", "password", '{{"user": "wu", "password": "{}", "port": 22}}'),
    ("Hx92Qm!7", "password", "**密码**：`{}`"),
    ("Hx92Qm!7", "password", "账号密码：zhang3@example.com/{}"),
    ("Hx92Qm!7", "password", "password {} for the jump host"),
    ("Hx92Qm!7", "password", "the password is {}, change it"),
    ("p@ssw-ord#", "password", "口令={}"),
    ("123456", "password", "密码{}"),
    ("482910", "password", "支付密码 {}"),
    ("66778899", "password", "家里wifi密码{}，别改"),
    ("1379", "password", "锁屏密码{}"),
    ("8520", "password", "行李箱的密码是 {}"),
    ("4829#", "password", "门锁密码是 {}"),
    ("2580*#", "password", "密码：{}"),
    ("toor123", "password", "用户名 root 密码 {}"),
    ("zs8899", "password", "账号：zhangsan，密码{}"),
    ("abc12345", "password", "密 码：{}"),
    ("abc12345", "password", "口　令：{}"),
    ("s3cr3tValue9", "password", "<password>{}</password>"),
    ("s3cr3tValue9", "password", "<DbPassword> {} </DbPassword>"),
    ("abc12345", "password", "<tr><td>密码</td><td>{}</td></tr>"),
    ("Abc12345", "password", "curl -u admin:{} https://h"),
    ("Abc12345", "password", "curl -sS --user 'admin:{}' https://h"),
    ("Abc12345", "password", "wget --http-password={} https://h"),
    ("Abc12345", "password", "sshpass -p '{}' ssh root@h"),
    ("Abc12345", "password", "sshpass -p{} ssh root@h"),
    ("abc12345", "password", "pass: {}"),
    ("abc12345", "password", "DB_PASS={}"),
    ("abc12345", "password", "パスワードは {}"),
    ("abc12345", "password", "暗証番号：{}"),
    ("abc12345", "password", "비밀번호는 {}"),
    ("a1b2", "password", "提取码：{}"),
    ("8888", "password", "链接在群里，提取码 {}"),
    (" ".join(PHRASE), "key", "助记词：{}"),
    (" ".join(PHRASE * 2), "key", "钱包的助记词（冷的）是 {}，抄了两份"),
    (" ".join(f"{n}. {w}" for n, w in enumerate(PHRASE, 1)), "key", "mnemonic: {}"),
    ("4111111111111111", "bank_card", "单号和卡号 {}"),
    ("3f786850e387550fdab836ed7e6dc881de23001b", "key", "token 是 {}，提交时带上"),
    ("postgres", "url_password", "postgres://postgres:{}@db.example.com:5432/db"),
    ("Hx92Qm", "url_password", "postgres://postgres:{}@localhost:5432/db"),
    ("tk9988aabb", "key", "token: {}"),
    ("abcd1234efgh", "key", "api_key={}"),
    ("aB3dE5fG7hI9jK1lM3nO5pQ7", "key", "AccessKeySecret：{}"),
    ("9f86d081884c7d659a2feaa0c55ad015", "key", "client_secret={}&grant=1"),
    ("k8s9d7f6g5h4", "key", "签名密钥是{}"),
    ("a1b2c3d4e5f6g7", "key", "key={}"),
    ("11010519491231002X", "identity", "王五身份证{}"),
    ("440524188001010014", "identity", "{}"),
    ("110105 19491231 002X", "identity", "证件 {} 到期"),
    ("110105491231002", "identity", "身份证号：{}"),
    ("6222021234567894", "bank_card", "工资卡 {}"),
    ("4111 1111 1111 1111", "bank_card", "卡号{}，有效期 12/29"),
    ("5555-5555-5555-4444", "bank_card", "{}"),
    ("378282246310005", "bank_card", "差旅卡 {}"),
]

NONE = [
    "密码在保险柜里",
    "改一下密码策略",
    "密码要八位以上",
    "密码错了3次就锁",
    "密码错了 3 次就锁",
    "密码 100000 次尝试才破",
    "密码 20241001 改过一次",
    "密码>12位",
    "支付密码 6 位",
    "支付密码 2024 年改的",
    "锁屏密码 30 秒后生效",
    "锁屏密码1分钟",
    "验证码 60 秒过期",
    "提取码在群里",
    "提取码：见群公告",
    "提取码 4 位",
    "提取码 2024 年起不用了",
    "助记词不要拍照",
    "助记词：twelve English words, written on paper",
    "パスワードは8文字以上",
    "비밀번호는 8자 이상",
    "bypass: abc12345",
    "first pass: gpt4o-mini",
    "tests pass: 120 of 121",
    "<password>${DB_PASS1}</password>",
    "<password></password>",
    "curl -u $USER:$PASS1 https://h",
    "curl -u admin https://h:8080/x1",
    "docker run -u 1000:1000 image2",
    "sshpass -p $PASS1 ssh h",
    "postgres://postgres:postgres@localhost:5432/db",
    "mysql://root:root@127.0.0.1:3306/app",
    "amqp://guest:guest@[::1]:5672/",
    "imagePullSecrets: regcred2",
    "existingSecret: my-secret-2024db",
    "时间戳毫秒 4532015112830366",
    "timestamp_us=4532015112830366",
    "过了 4532015112830366 微秒",
    "流水 4532015112830366",
    "运单 4532015112830366 到了",
    "token 是 3f786850e387550fdab836ed7e6dc881de23001b 那个提交引入的",
    "commit 里的 token 3f786850e387550fdab836ed7e6dc881de23001b",
    "token: 3f786850e387550fdab836ed7e6dc881de23001b 这个 commit 改的",
    "密码长度至少12位，三个月换一次",
    "密码是8位数字",
    "密码是 20241001 年会前的旧规则",
    "密码：8-16位，含大小写",
    "密码：见 wiki",
    "密码必须包含大写字母、小写字母和数字，例如不能全是 1",
    "密码用 argon2id 存，不存明文",
    "密码sha256加密后入库",
    "主密码是PBKDF2-HMAC-SHA256派生的",
    "密码是1Password生成的",
    "密码文件是config2.yaml",
    "密码算法是SM4",
    "密钥RSA2048",
    "密钥长度：2048",
    "公钥：AAAAC3NzaC1lZDI1NTE5AAAA",
    "token：123456",
    "token 用了 123456 个，预算 420",
    "token: ES256",
    "tokenizer: bge-small-zh-v1.5",
    "token_model: bge-small-zh-v1.5",
    "max_tokens=8192",
    "key=user_profile_v2_20261130",
    "缓存key是9f86d081884c7d65",
    "key: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "primary key: 550e8400-e29b-41d4-a716-446655440000",
    "monkey1234abcd5678 是猴子的名字",
    "password=os.environ['DB_PASS1']",
    "password=${DB_PASS1}",
    "password: {{ vault_db2_password }}",
    "password = settings.DB2_PASSWORD",
    "password: get_secret2()",
    "password must be 12 chars",
    "password: ********",
    "password=xxxxxx12",
    "api_key=YOUR_API_KEY_1",
    "token=<your-token-1>",
    "pwd: /home/user1/project2",
    "the secret is consistency",
    "Basic understanding of programming2026",
    "postgres://user:password@host/db",
    "postgres://user:${PW}@host/db",
    "http://host:8080/a@b",
    "git@github.com:a/b.git",
    "-----BEGIN RSA PRIVATE KEY----- 开头的文件不要提交",
    "sk-learn-pipeline-v2-test",
    "task-20261130-nightly-build-0001",
    "AKIA 开头的是云密钥",
    "订单号 4111111111111111",
    "快递单号：6222021234567894",
    "trace_id=4111111111111111",
    "商品条码 4006381333931",
    "ISBN 9787111213826",
    "ISBN 978-7-111-21382-6",
    "电话 13912345678，座机 010-62345678",
    "工号 20261130123456",
    "身份证 110105194912310021 校验不对",
    "编号 123456194912310024",
    "提交 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b 修好了",
    "会话 550e8400-e29b-41d4-a716-446655440000",
    "版本 v1.2.3-rc1，构建 20261130.4",
    "2026-11-30T08:00:00.000Z 重启，1764460800000 恢复",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
    "10.0.0.3:5432，掩码 255.255.255.0",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIH7Kq2Lm9Zt4Wv8Rb3Ncd5Fgh6Jkl8Mno wu@laptop",
    "0.41111111111111111",
    "年份 2021 2022 2023 2024 2025",
    "",
    "口令",
    "密码=",
    "password:",
]


@pytest.mark.parametrize(("value", "rule", "around"), SHAPES, ids=lambda x: x[:24] or "-")
def test_a_value_of_the_shape_is_found_where_it_stands(value: str, rule: str, around: str) -> None:
    text = around.format(value)
    (found,) = mask.find(text)
    assert found.rule == rule
    assert text[found.start : found.stop] == value
    assert mask.masked(text) == around.format(f"［已隐去：{mask.RULES[rule]}］")


@pytest.mark.parametrize("text", NONE)
def test_a_mention_and_what_only_resembles_a_secret_are_left_alone(text: str) -> None:
    assert mask.find(text) == ()
    assert mask.masked(text) is text


def wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if c.isalnum() and c.isascii() else c for c in text)


@pytest.mark.parametrize(
    "dress", [wide, lambda v: "\u200b".join(v), lambda v: v[:5] + "\ufeff" + v[5:]]
)
@pytest.mark.parametrize(
    "value", ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "11010519491231002X", "4111111111111111"]
)
def test_full_width_and_widthless_characters_hide_nothing(dress: object, value: str) -> None:
    dressed = dress(value)  # type: ignore[operator]
    text = f"存一下：{dressed}，谢谢"
    (found,) = mask.find(text)
    assert text[found.start : found.stop] == dressed
    assert mask.masked(text).startswith("存一下：［")
    assert mask.masked(text).endswith("］，谢谢")


def test_several_secrets_are_masked_each_where_it_stands() -> None:
    text = "生产库口令Hx9-示例-42，key是sk-test-0000111122223333，联系王五 11010519491231002X。"
    assert mask.masked(text) == (
        "生产库口令［已隐去：口令］，key是［已隐去：模型服务密钥］，联系王五 ［已隐去：身份证号］。"
    )


def test_a_long_value_leaves_no_tail() -> None:
    value = "aB3" * 400
    assert mask.masked(f"token={value}") == "token=［已隐去：密钥或令牌］"
    assert mask.masked(f"ghp_{value}") == "［已隐去：GitHub 令牌］"


PARTS = st.sampled_from(
    [
        *(v for v, _, _ in SHAPES),
        *NONE,
        *NAMES,
        "是",
        "：",
        "=",
        " ",
        "\n",
        '"',
        "İ",
        "\ud800",
        "\0",
        "。",
    ]
)
CUT_PARTS = st.builds(lambda p, a, b: p[a:b], PARTS, st.integers(0, 9), st.integers(4, 40))


@settings(max_examples=300)
@given(st.lists(PARTS | st.text(max_size=8), max_size=8).map("".join))
def test_any_text_gives_spans_in_order_and_masking_is_done_once(text: str) -> None:
    found = mask.find(text)
    at = 0
    for one in found:
        assert at <= one.start < one.stop <= len(text)
        assert one.rule in mask.RULES
        at = one.stop
    if not found:
        assert mask.masked(text) is text


@settings(max_examples=500)
@given(st.lists(PARTS | st.text(max_size=8) | CUT_PARTS, max_size=5).map("".join))
def test_the_first_look_passes_over_no_secret(text: str) -> None:
    found = mask.find(text)
    with mock.patch.object(mask, "_may_hold", return_value=True):
        assert mask.find(text) == found


@pytest.mark.parametrize(("value", "rule", "around"), SHAPES, ids=lambda x: x[:24] or "-")
def test_a_masked_text_holds_no_secret(value: str, rule: str, around: str) -> None:
    assert mask.find(mask.masked(around.format(value))) == ()


@pytest.mark.parametrize("at", [0, 6, 9, 12, 16, 17])
def test_one_digit_wrong_is_no_identity_number(at: int) -> None:
    number = "11010519491231002X"
    assert is_identity(number)
    for other in "0123456789":
        if other != number[at]:
            assert not is_identity(number[:at] + other + number[at + 1 :])


def test_a_card_has_its_check_digit_and_a_known_beginning() -> None:
    assert is_card("6222021234567894")
    assert not any(is_card(f"622202123456789{n}") for n in range(10) if n != 4)
    assert not is_card("9999999999999995")


@pytest.mark.parametrize(("value", "rule", "around"), SHAPES, ids=lambda x: x[:24] or "-")
def test_a_refusal_names_rule_and_place_and_never_the_value(
    value: str, rule: str, around: str
) -> None:
    text = "前面一行\n" + around.format(value)
    with pytest.raises(BrainError) as caught:
        mask.refuse(text, "文本")
    assert caught.value.code == "brain_secret"
    assert caught.value.exit_code == 65
    assert mask.RULES[rule] in caught.value.message
    assert "行第" in caught.value.message
    if len(value) > 1:
        assert value not in str(caught.value)
        assert value[:6] not in str(caught.value)


def test_every_name_is_one_for_the_marks_of_compression_too() -> None:
    assert [name for name in NAMES if name not in {"key"} and not names_secret(name)] == []


BEGINNINGS = """
sk- sk_ pk_ rk_ ghp_ gho_ ghu_ ghs_ glpat- gldt- xoxa- xoxb- xoxp- xoxr- xoxs- xapp- AKIA ASIA
LTAI AIza ABIA AKID ALTAK AKLT GOCSPX- ya29. github_pat_ pypi-AgE SG.
"""


@pytest.mark.parametrize("prefix", BEGINNINGS.split())
def test_the_beginning_of_a_token_is_not_quoted_where_something_is_left_out(prefix: str) -> None:
    value = f"{prefix}Zq7Wm2Xc"
    assert forms.begins_like_token(f"键 {value}")
    assert looks_secret(value)
    assert not forms.begins_like_token(prefix + "Zq7Wm2X")
    assert not forms.begins_like_token("x" + value)


@pytest.mark.parametrize("name", ["npm_config_registry", "hf_hub_download", "glossary-entries"])
def test_a_name_that_begins_like_a_token_is_none(name: str) -> None:
    assert not looks_secret(name)


def test_every_rule_is_told_in_the_docs() -> None:
    told = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    assert [rule for rule in mask.RULES if f"`{rule}`" not in told] == []


def test_our_own_documents_hold_none() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "examples/notes.jsonl"]:
        found = mask.find(page.read_text(encoding="utf-8"))
        assert found == (), (page.name, found)


HOSTILE = {
    "names": "password= " * 26_000,
    "names and digits": "密码是a1" * 26_000,
    "token heads": "eyJ-" * 65_000,
    "sk": "sk-" * 87_000,
    "digits": "1234567890" * 26_000,
    "groups": "1234 " * 52_000,
    "addresses": "://a:b" * 43_000,
    "keys begun": "-----BEGIN RSA PRIVATE KEY-----" * 8_000,
    "algorithms": "密码是" + "sha256-" * 37_000,
    "wide": "Ａ" * 87_000,
    "widthless": "a\u200b" * 65_000,
    "headers": "bearer " * 37_000,
    "brackets": "密码(" * 60_000,
    "curl": "curl -u " * 32_000,
    "curl and much": "curl " * 52_000,
    "wget": "wget --password=" * 16_000,
    "phrase": "助记词：" + "abandon " * 32_000,
    "phrases": "助记词：abandon ability " * 11_000,
    "users": "用户名 root 密码 " * 20_000,
    "pass": "pass:a1" * 37_000,
    "tags": "<password>" * 26_000,
    "codes": "提取码a1" * 40_000,
    "digits named": "支付密码1379" * 30_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_text_takes_more_than_its_length(text: str) -> None:
    """Work by the square of a megabyte would not end within the limit of a test."""
    mask.find(text * 4)


def test_random_numbers_are_seldom_taken_for_cards_or_people() -> None:
    chance = random.Random(7)
    numbers = ["".join(chance.choices("0123456789", k=18)) for _ in range(20_000)]
    assert sum(map(is_identity, numbers)) <= 10


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Cookie: PHPSESSID=n2qk3v8m1c7r5t9u4w6x0y2z1a", "session"),
        ("JSESSIONID=0A1B2C3D4E5F60718293A4B5C6D7E8F9; path=/", "session"),
        ("sessionid=8f3kq9z1m5n7b2v4c6x8l0j3h5g7f9d1", "session"),
        ("connect.sid=s%3AqZ8v1N5b7M3c9X2k4L6j8H0g1F3d5S7a", "session"),
        ("https://b.cn/k?X-Amz-Signature=fe5f80f77d5fa3beca038a248ff027d044", "signed_url"),
        ("https://b.cn/k?Expires=1&Signature=vjbyPxybdZaNmGa6ySGzSa2b%3D", "signed_url"),
        ("https://a.net/c?sv=2020&sig=Zx8%2FQp1Lk9mN3bV5cX7zA2sD4fG6hJ8k%3D", "signed_url"),
        ("护照号：E12345678", "passport"),
        ("他的护照是 EA1234567", "passport"),
        ("Passport No. G98765432", "passport"),
        ("港澳通行证 C12345678", "passport"),
    ],
)
def test_sessions_signed_links_and_passports(text: str, rule: str) -> None:
    assert [s.rule for s in mask.find(text)] == [rule]
    assert f"`{rule}`" in (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "PHPSESSID 是 PHP 的会话 cookie",
        "sessionid=<your-session-id>",
        "session=authentication_required_here",
        "https://a.cn/list?sign=descending&sort=created_time_desc",
        "护照下周到期，记得去换",
        "护照放在抽屉第 12345678 格",
        "订单号 E12345678",
        "sid=1234",
    ],
)
def test_what_only_looks_like_a_session_or_a_passport(text: str) -> None:
    assert mask.find(text) == ()
