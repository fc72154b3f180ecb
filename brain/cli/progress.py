"""Progress bars for people; rich is imported only when a person looks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

Progress = Callable[[int, int], None]
Staged = Callable[[str, int, int], None]


@contextmanager
def progress(title: str, *, in_bytes: bool = False) -> Iterator[Progress]:
    """Yields a callback for (done, total); it draws on stderr when that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    counted = DownloadColumn() if in_bytes else MofNCompleteColumn()
    columns = (TextColumn(title), BarColumn(), counted, TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield report


@contextmanager
def staged(titles: Mapping[str, str]) -> Iterator[Staged]:
    """Yields a callback for (stage, done, total): a bar a stage, with its rate and the time left.

    Args:
        titles: what each stage is called.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(titles[stage], total=total, completed=done, rate="")
            task = tasks[stage]
            bar.update(task, completed=done, total=total)
            speed = bar.tasks[list(tasks).index(stage)].speed
            if speed:
                bar.update(task, rate=f"{speed:,.0f}/秒")

        yield report
