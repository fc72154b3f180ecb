"""What a check may say, and what a text says of itself."""

from __future__ import annotations

import pytest

from brain import BrainError
from brain.claims import extract, forms


@pytest.mark.parametrize(
    ("written", "kind", "claim"),
    [
        ("file src/main.py", "file", "src/main.py"),
        ("file 'a b.py'", "file", "a b.py"),
        ("text max_retries = 3 in conf/app.toml", "text", "max_retries = 3 in conf/app.toml"),
        ("text put it in here in a.md", "text", "put it in here in a.md"),
        ("symbol load()", "symbol", "load"),
        ("symbol Store.open", "symbol", "Store.open"),
        ("version requests ==2.31.0", "version", "requests ==2.31.0"),
        ("version requests>=2,<3", "version", "requests >=2,<3"),
        ("version @vue/cli@5.0.8", "version", "@vue/cli 5.0.8"),
        ("ref release/1.2", "ref", "release/1.2"),
    ],
)
def test_a_check_is_read(written: str, kind: str, claim: str) -> None:
    found = forms.read(written)
    assert (found.kind, found.claim, found.origin) == (kind, claim, "given")
    assert forms.read(f"{found.kind} {found.claim}") == found


@pytest.mark.parametrize(
    "written",
    [
        *("", "file", "run rm -rf /", "text only words", "text  in a.py", "symbol a b"),
        *("version requests", "ref ../../etc/passwd", "ref -x", "ref a b", "file a\nb"),
        *("file a\0b", "file " + "a" * 2000, "symbol $(reboot)", "symbol 1x"),
    ],
)
def test_what_is_no_check_is_refused(written: str) -> None:
    with pytest.raises(BrainError) as caught:
        forms.read(written)
    assert caught.value.code == "brain_check_invalid"
    assert caught.value.exit_code == 65


def test_a_memory_has_not_any_number_of_checks() -> None:
    assert len(forms.read_all(["file a.py", "file a.py", "ref main"])) == 2
    with pytest.raises(BrainError) as caught:
        forms.read_all(f"file {n}.py" for n in range(forms.MOST + 1))
    assert caught.value.code == "brain_check_invalid"


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("入口文件是 src/main.py", ["file src/main.py"]),
        ("入口是src/main.py，端口8080", ["file src/main.py"]),
        ("The entry point is src/main.py.", ["file src/main.py"]),
        ("锁在 requests==2.31.0", ["version requests ==2.31.0"]),
        ("前端用 @vue/cli@5.0.8", ["version @vue/cli 5.0.8"]),
        ("用 react 18.2 写的", ["version react 18.2"]),
        (
            "app/users.py 里的 load_users 函数读用户表",
            ["file app/users.py", "symbol load_users"],
        ),
        ("类 UserService 负责登录", ["symbol UserService"]),
        ("`Store.open()` 打开文件", ["symbol Store.open"]),
        # What claims nothing about how a project is now.
        ("src/old.py 已删除", []),
        ("打算新建 src/next.py", []),
        ("不要用 lib/legacy.py", []),
        ("the file src/a.py was removed", []),
        ("见 https://github.com/a/b.git 的说明", []),
        ("访问 example.com/a/b.html", []),
        ("脚本在服务器的 /opt/x/deploy.sh", []),
        ("上传到 ~/code/a.py", []),
        ("约 3.5 秒，版本 1.2", []),
        ("`json.loads()` 慢", []),
        ("他/她 和/或 24/7", []),
        ("物业每周二上午来抄水表", []),
    ],
)
def test_a_text_says_what_it_claims(text: str, claims: list[str]) -> None:
    assert [f"{one.kind} {one.claim}" for one in extract.claims_of(text)] == claims


def test_a_long_document_claims_nothing() -> None:
    assert extract.claims_of("入口是 src/main.py。" * 1000) == ()
    assert len(extract.claims_of(" ".join(f"src/m{n}.py" for n in range(50)))) == extract.MOST
