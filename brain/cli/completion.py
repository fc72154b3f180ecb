"""Shell completion: what may stand next on a command line, and its installation.

The shell calls ``brain --complete`` with the words typed so far; the answer is a line for each word
that may follow. Only verbs and options are told: values are free text.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from brain.cli.parse import usage
from brain.errors import EXIT_CANT_CREATE, BrainError

ASK = "--complete"
INSTALL = "--install-completion"
SHOW = "--show-completion"

_BASH = """\
_brain_complete() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(brain --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" \
-- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _brain_complete brain
"""
_ZSH = """\
#compdef brain
_brain() {
  local -a found
  found=("${(@f)$(brain --complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${found[1]}" ]]; then compadd -- "${found[@]}"; else _files; fi
}
compdef _brain brain
"""
_FISH = """\
complete -c brain -a '(brain --complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
"""
SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}

_BEGIN, _END = "# >>> brain completion >>>", "# <<< brain completion <<<"


def run(args: Sequence[str]) -> list[str]:
    """Does what one of the three options asks; gives the lines to print.

    Args:
        args: the command line, the option first.

    Raises:
        BrainError: ``brain_usage`` (2) for an unknown shell, ``brain_completion`` (73) where the
            script cannot be written.
    """
    if args[0] == ASK:
        return candidates(args[1:])
    shell = args[1] if len(args) > 1 else Path(os.environ.get("SHELL", "")).name
    if shell not in SCRIPTS:
        known = "、".join(SCRIPTS)
        raise usage(f"不认得 shell「{shell[:40]}」；写明是 {known} 之一，如 brain {args[0]} bash。")
    if args[0] == SHOW:
        return SCRIPTS[shell].rstrip("\n").split("\n")
    try:
        where = install(shell)
    except OSError as error:
        told = f"补全脚本写不进去：{error.filename}（{error.strerror}）。"
        raise BrainError("brain_completion", told, EXIT_CANT_CREATE) from None
    return [f"已装好 {shell} 的补全：{where}；新开一个终端就能用。"]


def candidates(words: Sequence[str]) -> list[str]:
    """What may stand in the place of the last word, given those before it."""
    from brain.cli.command import build, signature_of
    from brain.cli.verbs import VERBS, load

    typed = words[-1] if words else ""
    before = list(words[:-1])
    firsts = dict.fromkeys(verb.split()[0] for verb in VERBS)
    if not before:
        return [one for one in (*firsts, "help", "--help", "--version") if one.startswith(typed)]
    seconds = [verb.split()[1] for verb in VERBS if verb.startswith(f"{before[0]} ")]
    if seconds and len(before) == 1:
        return [one for one in seconds if one.startswith(typed)]
    verb = " ".join(before[:2]) if seconds else before[0]
    if verb not in VERBS or not typed.startswith("-"):
        return []
    shape = signature_of(build(load(verb)))
    options = sorted(shape.flags | shape.valued | {"--db", "--scope"})
    return [one for one in options if one.startswith(typed) and one not in before]


def install(shell: str) -> Path:
    """Puts the script where the shell finds it; again changes nothing.

    Raises:
        OSError: it cannot be written.
    """
    home = Path.home()
    if shell == "fish":
        base = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        where = base / "fish" / "completions" / "brain.fish"
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(SCRIPTS[shell], encoding="utf-8")
        return where
    folder = Path(os.environ.get("ZDOTDIR") or home) if shell == "zsh" else home
    where = folder / f".{shell}rc"
    old = where.read_text(encoding="utf-8") if where.exists() else ""
    start, _, rest = old.partition(_BEGIN)
    after = rest.partition(_END)[2].removeprefix("\n")
    script = SCRIPTS[shell].removeprefix("#compdef brain\n")
    if shell == "zsh":
        script = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n" + script
    start = start if not start or start.endswith("\n") else start + "\n"
    where.write_text(f"{start}{_BEGIN}\n{script}{_END}\n{after}", encoding="utf-8")
    return where
