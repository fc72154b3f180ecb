"""Command cache-audit: reads what hosts write about the prompt cache."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from brain.cli.console import note, out, out_json, visible
from brain.cli.options import Json, number
from brain.cli.parse import usage
from brain.cli.verbs import about
from brain.typecheck import path_of

if TYPE_CHECKING:
    from brain.results import CacheAudit, CacheCost, CacheSession, Prices

CAUSES = {
    "compaction": "压缩或回退了对话",
    "model": "换了模型",
    "idle": "隔得太久，缓存到期",
    "memory": "brief 变了",
    "tools": "工具变了",
    "unexpected": "看不出原因",
}
SHOWN_FAULTS = 10
"""Lines passed over that are told to a person; ``--json`` has all of them."""

SHOWN_DROPS = 20
"""As :data:`SHOWN_FAULTS`, of one session's drops."""

DEAREST = 1_000_000_000
"""The largest price of a million tokens, in whatever currency; sums of it stay finite."""

_STATES = {True: "正常", False: "不正常", None: "说不准"}


@about(
    "看提示词缓存用得怎样：命中多少，在哪里掉了，为什么",
    "brain cache-audit ~/.claude/projects/-home-me-web/会话.jsonl",
    "brain cache-audit ~/.codex/sessions --plot 缓存.svg",
    "brain cache-audit 会话.jsonl --price-input 3 --price-cached 0.3 --price-write 3.75 --json",
    more="读 Claude Code 的会话和 Codex 的 rollout，给文件夹就读里面所有的；只读，不看记忆文件。\n"
    "掉落是比上一轮少读了至少 2,000 个词元。原因和怎么改：docs/cache.md。",
)
def cache_audit(
    transcripts: Annotated[
        list[str], typer.Argument(metavar="会话记录", help="文件或文件夹，可以给几个")
    ],
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="文件", help="画成 SVG；先前画的会被换掉，别的文件不动"),
    ] = None,
    price_input: Annotated[
        float | None,
        typer.Option(
            "--price-input",
            metavar="价格",
            parser=number,
            help="一百万个不走缓存的词元多少钱，币种不论",
        ),
    ] = None,
    price_cached: Annotated[
        float | None,
        typer.Option(
            "--price-cached", metavar="价格", parser=number, help="一百万个从缓存读的词元多少钱"
        ),
    ] = None,
    price_write: Annotated[
        float | None,
        typer.Option(
            "--price-write",
            metavar="价格",
            parser=number,
            help="一百万个写进缓存的多少钱；不给时同不走缓存的",
        ),
    ] = None,
    cache_life: Annotated[
        float | None,
        typer.Option(
            "--cache-life",
            metavar="分钟",
            parser=number,
            help="缓存不用能留多久；不给时 5，记录里写着一小时的是 60",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Prints the hit ratio of each session, and each drop with its cause."""
    from brain.prompt_cache.audit import audit

    prices = _prices(price_input, price_cached, price_write)
    if cache_life is not None and cache_life <= 0:
        raise usage("缓存的寿命（--cache-life）应大于 0 分钟。")
    seconds = None if cache_life is None else cache_life * 60
    found = audit([path_of(one) for one in transcripts], prices=prices, life=seconds)
    if plot is not None:
        _write_plot(path_of(plot), found)
    for fault in found.errors[:SHOWN_FAULTS]:
        note(visible(f"{fault.file} 第 {fault.line} 行：{fault.reason}"))
    if len(found.errors) > SHOWN_FAULTS:
        note(f"还有 {len(found.errors) - SHOWN_FAULTS} 处没有列出，--json 里有。")
    if as_json:
        out_json(found.to_dict())
        return 0
    for session in found.sessions:
        _print_session(session)
    if not found.sessions:
        note("这些记录里没有词元用量，看不出缓存。")
    elif len(found.sessions) > 1:
        out(f"共 {len(found.sessions)} 个会话，{found.turns} 轮，命中 {found.hit_ratio:.1%}")
        if found.cost:
            out(_money(found.cost))
    return 0


def _prices(plain: float | None, cached: float | None, write: float | None) -> Prices | None:
    if plain is None and cached is None and write is None:
        return None
    if plain is None or cached is None:
        raise usage("算钱要有 --price-input 和 --price-cached。")
    if not all(0 <= price <= DEAREST for price in (plain, cached, write or 0.0)):
        raise usage(f"价格应在 0 到 {DEAREST:,} 之间。")
    from brain.results import Prices

    return Prices(plain, cached, write)


def _write_plot(path: Path, found: CacheAudit) -> None:
    from brain.errors import BrainError
    from brain.exchange import files
    from brain.prompt_cache import plot

    try:
        with path.open("rb") as f:
            own = f.read(len(plot.MARK)) == plot.MARK.encode()
    except (OSError, ValueError):
        own = False  # what is there, or cannot be, is told by the writing
    try:
        files.write(path, plot.svg(found), force=own)
    except BrainError as refused:  # there is no --force here
        raise BrainError(refused.code, refused.message, refused.exit_code) from None


def _print_session(session: CacheSession) -> None:
    from brain.prompt_cache.plot import spark

    out(
        f"{visible(session.id)}  {session.host}  {session.turns} 轮  "
        f"命中 {session.hit_ratio:.1%}  {_STATES[session.healthy]}：{session.remark}"
    )
    out(f"    {spark(session.ratios)}")
    for drop in session.drops[:SHOWN_DROPS]:
        detail = f"（{visible(drop.detail)}）" if drop.detail else ""
        out(f"    第 {drop.turn} 轮少读 {drop.tokens:,}：{CAUSES[drop.cause]}{detail}")
    if len(session.drops) > SHOWN_DROPS:
        out(f"    还有 {len(session.drops) - SHOWN_DROPS} 处掉落，--json 里有")
    if session.cost:
        out(f"    {_money(session.cost)}")


def _money(cost: CacheCost) -> str:
    return (
        f"提示词花了 {cost.spent:.4f}，没有缓存要 {cost.without_cache:.4f}，"
        f"省下 {cost.saved:.4f}；掉落多花 {cost.lost_to_drops:.4f}"
    )
