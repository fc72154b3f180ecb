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
function __brain_offers
  set -g __brain_offered (brain --complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  test (count $__brain_offered) -gt 0
end
complete -c brain -f -n __brain_offers -a '$__brain_offered'
"""
_POWERSHELL = """\
Register-ArgumentCompleter -Native -CommandName brain -ScriptBlock {
  param($word, $ast, $cursor)
  $typed = @($ast.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -le $cursor } | ForEach-Object { $_.Extent.Text })
  if (-not $word) { $typed += '""' }
  brain --complete @typed 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
"""
SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL}

_POWERSHELLS = ("pwsh", "powershell")
"""Programs: the present one, and the one that comes with Windows."""

_OF_A_PROGRAM = {"pwsh": "powershell"}
"""The shell a program of another name is."""

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
    shell = args[1].lower() if len(args) > 1 else _here()
    shell = _OF_A_PROGRAM.get(shell, shell)
    if shell not in SCRIPTS:
        known = "、".join(SCRIPTS)
        raise usage(f"不认得 shell「{shell[:40]}」；写明是 {known} 之一，如 brain {args[0]} bash。")
    if args[0] == SHOW:
        return SCRIPTS[shell].rstrip("\n").split("\n")
    try:
        where = install(shell)
    except OSError as error:
        told = f"补全脚本写不进去：{error.filename or shell}（{error.strerror or error}）。"
        raise BrainError("brain_completion", told, EXIT_CANT_CREATE) from None
    return [f"已装好 {shell} 的补全：{where}；新开一个终端就能用。"]


def candidates(words: Sequence[str]) -> list[str]:
    """What may stand in the place of the last word, given those before it."""
    from brain.cli.command import build, signature_of
    from brain.cli.verbs import VERBS, load

    # Half a quoted word; and PowerShell drops an empty one unless it is sent in quotes.
    typed = words[-1].strip("\"'") if words else ""
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


def _here() -> str:
    """The shell this person uses, by its name."""
    shell = os.environ.get("SHELL", "")
    return Path(shell).name if shell or os.name != "nt" else "powershell"


def install(shell: str) -> Path:
    """Puts the script where the shell finds it; again changes nothing.

    What else is in the file keeps its bytes, whatever its encoding.

    Raises:
        OSError: it cannot be written, or it is UTF-16, in which our lines would be none.
    """
    home = Path.home()
    if shell == "fish":
        base = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        where = base / "fish" / "completions" / "brain.fish"
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(SCRIPTS[shell], encoding="utf-8")
        return where
    if shell == "powershell":
        where = _profile()
        where.parent.mkdir(parents=True, exist_ok=True)
    else:
        folder = Path(os.environ.get("ZDOTDIR") or home) if shell == "zsh" else home
        where = folder / f".{shell}rc"
    old = where.read_bytes() if where.exists() else b""
    if old[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise OSError(None, "文件是 UTF-16 的，请先另存为 UTF-8", str(where))
    start, _, rest = old.partition(_BEGIN.encode())
    after = rest.partition(_END.encode())[2].removeprefix(b"\r").removeprefix(b"\n")
    script = SCRIPTS[shell].removeprefix("#compdef brain\n")
    if shell == "zsh":
        script = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n" + script
    start = start if not start or start.endswith(b"\n") else start + b"\n"
    where.write_bytes(start + f"{_BEGIN}\n{script}{_END}\n".encode() + after)
    return where


def _profile() -> Path:
    """PowerShell's profile, asked of itself: on Windows the documents folder may be anywhere."""
    import shutil
    import subprocess

    for name in _POWERSHELLS:
        program = shutil.which(name)
        if program:
            ask = "[Console]::OutputEncoding = [Text.UTF8Encoding]::new(); "
            ask += "$PROFILE.CurrentUserAllHosts"
            words = [program, "-NoProfile", "-NonInteractive", "-Command", ask]
            done = subprocess.run(words, capture_output=True, check=False)
            told = done.stdout.decode("utf-8", "replace").strip()
            if done.returncode == 0 and told:
                return Path(told)
    raise OSError(None, "这里没有 pwsh，也没有 powershell", "PowerShell")
