"""Entry point of a run: find the verb, call it, and tell every failure the same way."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from brain.cli.console import (
    EXIT_CLOSED_PIPE,
    drop_output,
    flush,
    note,
    out,
    out_json,
    use_utf8,
    visible,
)
from brain.cli.parse import HELP_FLAGS, repair_encoding, usage, wants_json
from brain.errors import EXIT_DATA, EXIT_UNAVAILABLE, EXIT_USAGE, BrainError

HELP = "help"
"""What is also typed for ``--help``, before a verb."""

EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130


def run(argv: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit status; raises nothing."""
    use_utf8()
    args = [repair_encoding(arg) for arg in (sys.argv[1:] if argv is None else argv)]
    for_host = False
    try:
        for_host = _is_for_host(args)
        if not for_host:
            _warn_of_zone()
        code = _dispatch(args)
        flush()
        return code
    except BrokenPipeError:
        drop_output()
        return EXIT_CLOSED_PIPE
    except KeyboardInterrupt:
        error = BrainError("brain_interrupted", "已中断。", EXIT_INTERRUPTED)
    except BrainError as known:
        error = known
    except Exception as unknown:
        error = _internal_error(unknown)
    code = _report(error, as_json=wants_json(args))
    # To a host, 2 from its hook means: block this turn.
    return EXIT_DATA if for_host and code == EXIT_USAGE else code


def _is_for_host(args: Sequence[str]) -> bool:
    """Whether the verb is one that a host runs; False where there is no such verb."""
    if not args or args[0] == HELP or args[0][:1] == "-":
        return False
    from brain.cli.verbs import about_of, find, load

    try:
        return about_of(load(find(args)[0])).for_host
    except Exception:  # the verb's own run tells it
        return False


def _dispatch(args: Sequence[str]) -> int:
    if not args:
        raise usage("缺少动词；用 --help 看全部动词和例子。")
    if args[0] == HELP and len(args) > 1:
        args = [*args[1:], "--help"]
    if args[0] in {HELP, *HELP_FLAGS}:
        from brain.cli.help import overview

        out(overview().rstrip("\n"))
        return 0
    if args[0] in {"--complete", "--install-completion", "--show-completion"}:
        from brain.cli import completion

        for line in completion.run(args):
            out(line)
        return 0
    if args[0] in {"--version", "-V"}:
        from brain import __version__

        out(f"brain {__version__}")
        return 0
    from brain.cli.verbs import find, load

    verb, rest = find(args)
    from brain.cli.command import call

    return call(load(verb), verb, rest)


def _warn_of_zone() -> None:
    """Says when ``TZ`` names no zone, which the C library takes for UTC without a word."""
    given = os.environ.get("TZ")
    if not given:
        return
    from brain.text.timestamps import is_known_zone

    if not is_known_zone(given):
        note(
            f"警告[brain_tz_unknown]: 不认得时区 TZ={visible(given[:40])}，时间都按 UTC 算；"
            "应为 Asia/Shanghai 或 CST-8 这样的写法。"
        )


def _internal_error(error: Exception) -> BrainError:
    if os.environ.get("BRAIN_DEBUG") == "1":
        import traceback

        note("".join(traceback.format_exception(error)).rstrip())
    if isinstance(error, ModuleNotFoundError) and error.name and error.name[:5] != "brain":
        return BrainError(
            "brain_package_missing",
            f"缺少 Python 包 {error.name}；先进入装好的环境（. .venv/bin/activate），"
            "或用 pip install . 装上。",
            EXIT_UNAVAILABLE,
        )
    return BrainError(
        "brain_internal",
        f"内部错误（{type(error).__name__}：{error}）；设 BRAIN_DEBUG=1 再运行可看到详细堆栈。",
        EXIT_INTERNAL,
    )


def _report(error: BrainError, *, as_json: bool) -> int:
    told = error.message
    if error.override:
        told += f"确定要这样做请加 --{error.override.replace('_', '-')}。"
    one_line = visible(told).replace("\n", "\\n")  # what was typed may have lines
    note(f"错误[{error.code}]: {one_line}")
    try:
        if as_json:
            out_json(BrainError(error.code, told).to_dict())
        flush()
    except (BrokenPipeError, BrainError):
        drop_output()
    return error.exit_code
