"""Whether a scope was named as it is called: a mistyped one shows the global records alone."""

from __future__ import annotations

import apsw

from brain.store import memories
from brain.store.view import View


def remark(db: apsw.Connection, scope: str) -> str:
    """A Chinese sentence on a scope that never had a record, with the name that is nearest.

    '' for a scope that had one, for the global scope, and in a file that has nothing at all.
    """
    if not scope or memories.last_id(db) == 0:
        return ""
    names = memories.scope_names(db)
    if scope in names:
        return ""
    near = _nearest(scope, [name for name in names if name])
    way = f"是不是「{near}」？" if near else "brain scopes 列出有哪些。"
    return f"范围「{scope}」里还没有记忆（全局的不算）；{way}"


def of_view(db: apsw.Connection, view: View) -> tuple[str, ...]:
    """The remarks on the scopes a question looks into."""
    return tuple(filter(None, (remark(db, scope) for scope in view.scopes or ())))


def _nearest(scope: str, names: list[str]) -> str | None:
    from difflib import get_close_matches

    by_fold = {name.casefold(): name for name in names}
    near = get_close_matches(scope.casefold(), by_fold, n=1)
    return by_fold[near[0]] if near else None
