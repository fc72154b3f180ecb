"""Command construction: a verb is a typed function with Chinese help, parsed by typer.

Only the verb asked for is built, and typer's own help and error texts are never shown: a
command line is sorted by :mod:`brain.cli.parse` first, so what reaches typer parses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import typer
from typer.core import TyperCommand

from brain.cli.parse import HELP_FLAGS, Signature, parse_words, usage
from brain.cli.target import refuse_default_file
from brain.cli.verbs import about_of

COMMON = frozenset({"--db", "--scope"})
"""What every verb accepts, so that a caller may always pass them; ``show ID`` needs no scope."""


class Verb(TyperCommand):
    """A typer command that leaves the help to :mod:`brain.cli.help`."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from brain.cli.help import verb_help

        assert self.callback is not None
        told = about_of(getattr(self.callback, "__wrapped__", self.callback))
        formatter.write(verb_help(ctx.command_path, told, self.get_params(ctx)))


def build(function: Callable[..., int]) -> TyperCommand:
    """The typer command of a verb's function."""
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command(cls=Verb, context_settings={"help_option_names": ["-h", "--help"]})(function)
    command = typer.main.get_command(app)
    assert isinstance(command, TyperCommand)
    return command


def signature_of(command: TyperCommand) -> Signature:
    """What the command takes, for :func:`brain.cli.parse.parse_words`."""
    flags: set[str] = set(HELP_FLAGS)
    valued: set[str] = set()
    required: list[str] = []
    optional: list[str] = []
    wanted: list[str] = []
    for param in command.params:
        if param.param_type_name == "argument":
            (required if param.required else optional).append(str(param.metavar))
        elif getattr(param, "is_flag", False):
            flags.update(param.opts)
        else:
            valued.update(param.opts)
            if param.required:
                wanted.append(param.opts[0])
    return Signature(
        frozenset(flags),
        frozenset(valued),
        tuple(required),
        tuple(optional),
        tuple(wanted),
        any(param.nargs == -1 for param in command.params),
    )


def call(function: Callable[..., int], name: str, args: Sequence[str]) -> int:
    """Parses the words behind a verb and runs it.

    Raises:
        BrainError: ``brain_usage`` (2) for wrong use, and whatever the verb raises.
    """
    command = build(function)
    shape = signature_of(command)
    words = parse_words(args, shape._replace(valued=shape.valued | COMMON))
    options = _without(words.options, COMMON - shape.valued)
    try:
        # Not command.main: it swallows an interrupt and a closed pipe.
        with command.make_context(name, [*options, "--", *words.texts]) as context:
            if "db" in context.params and not about_of(function).served:
                refuse_default_file(name, context.params["db"])
            return int(command.invoke(context))
    except typer.Exit as done:
        return done.exit_code
    except typer.BadParameter as error:
        raise usage(f"{_name(error.param)}的值{error.message}。") from error


def _without(options: Sequence[str], names: frozenset[str]) -> list[str]:
    kept: list[str] = []
    words = iter(options)
    for word in words:
        if word in names:
            next(words)
        else:
            kept.append(word)
    return kept


def _name(param: Any) -> str:
    return str(param.metavar) if param.param_type_name == "argument" else f"选项 {param.opts[0]} "
