"""Embedding model commands: model list, model fetch, reembed."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from brain.cli.console import out, out_json
from brain.cli.options import (
    Db,
    Dimensions,
    DocumentPrefix,
    Json,
    Pooling,
    QueryPrefix,
    model_settings,
)
from brain.cli.progress import progress
from brain.cli.render import size
from brain.cli.verbs import about

ModelName = Annotated[str, typer.Argument(metavar="模型名", help="如 bge-small-zh")]


@about("有哪些向量模型，哪些在这台机器上", "brain model list", "brain model list --json")
def model_list(as_json: Json = False) -> int:
    """Prints the known models."""
    from brain.embed import registry

    default = registry.default_name()
    found = [
        {
            **asdict(model),
            "available": registry.is_available(model.name),
            "default": model.name == default,
        }
        for model in registry.known()
    ]
    if as_json:
        out_json({"models": found})
        return 0
    for model in registry.known():
        state = "可用" if registry.is_available(model.name) else "不在这台机器上"
        chosen = "，新文件默认用它" if model.name == default else ""
        out(
            f"{model.name}  {state}{chosen}  {model.dim} 维  {size(model.size_bytes)}  "
            f"{model.licence}  {' '.join(model.languages)}"
        )
        out(f"    {model.how_to_get}")
    return 0


@about(
    "把一个模型取到这台机器上",
    "brain model fetch bge-small-zh",
    "HF_ENDPOINT=https://hf-mirror.com brain model fetch bge-small-zh",
    "brain model fetch bge-small-zh --source modelscope",
    "brain model fetch bge-small-zh --source ./拷来的文件夹",
    more="断了再运行会接着下。取好之后离线也能用。",
)
def model_fetch(
    name: ModelName,
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="来源",
            help="hf（默认，认 HF_ENDPOINT）、hf-mirror、modelscope 或本地文件夹",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Downloads or copies a model."""
    folder = fetch_with_progress(name, source)
    if as_json:
        out_json({"model": name, "path": str(folder)})
    else:
        out(f"{name} 已就绪：{folder}")
    return 0


def fetch_with_progress(name: str, source: str | None) -> Path:
    """Fetches a model, with a bar where a person looks. Raises as ``brain.embed.fetch`` does."""
    from brain.embed.fetch import fetch

    with progress(f"下载 {name}", in_bytes=True) as report:
        return fetch(name, source, report)


@about(
    "换一个模型，给全部记忆重做向量",
    "brain reembed --model bge-small-zh",
    "brain reembed --model none",
    "BRAIN_EMBED_URL=http://127.0.0.1:11434/v1 brain reembed --model openai:bge-m3",
    more="新的一套做完之前，旧的照常可用；中断后再运行会接着做。",
)
def reembed(
    model: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="名字",
            help="bge-small-zh、e5-small、openai:名字、onnx:文件夹 或 none",
        ),
    ],
    dimensions: Dimensions = None,
    query_prefix: QueryPrefix = None,
    document_prefix: DocumentPrefix = None,
    pooling: Pooling = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Gives every record vectors of a model."""
    from brain.engine import Brain

    chosen = model_settings(
        dimensions=dimensions,
        query_prefix=query_prefix,
        document_prefix=document_prefix,
        pooling=pooling,
    )
    with Brain.open(db) as brain, progress("重做向量") as report:
        done = brain.reembed(model, settings=chosen, progress=report)
    if as_json:
        out_json(done.to_dict())
    elif done.model is None:
        out("已不用向量模型，只按字面检索")
    else:
        out(f"已用 {done.model}（{done.dim} 维）重做 {done.embedded} 个向量，共 {done.total} 个")
    return 0
