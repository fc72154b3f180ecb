"""HTTP download of one file: resumed where it broke, believed only when its SHA-256 is right.

Nothing is sent but the request: no token, no cookie, no account. ``HTTP_PROXY``, ``HTTPS_PROXY``
and ``NO_PROXY`` are honoured by urllib.
"""

from __future__ import annotations

import hashlib
import http.client
import queue
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

FIRST_ANSWER_SECONDS = 10.0
"""Patience until the response headers: name look-up, connection, TLS and redirects together."""

READ_SECONDS = 30.0
"""Patience for the next bytes of a transfer that has begun."""

ATTEMPTS = 5
"""Tries for one file; each goes on where the one before broke."""

UNANSWERED_ATTEMPTS = 2
"""Tries after which a host that never answered is given up."""

_CHUNK = 256 * 1024
_PAUSE_SECONDS = 0.5
_RETRIED_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})


class DownloadError(Exception):
    """A download that failed for good; the message is a Chinese clause without a full stop."""


class _UnansweredError(Exception):
    """The host could not be reached or did not answer in time."""


class _InterruptedError(Exception):
    """The transfer began and broke, or the server asked to come back later."""


def download(
    url: str, target: Path, size: int, sha256: str, progress: Callable[[int], None]
) -> None:
    """Fetches one file to ``target``; until it is whole and right it is ``target`` + ``.part``.

    A ``.part`` left by an earlier call is continued with a Range request.

    Args:
        url: http or https.
        target: the file to make; its folder exists.
        size: its length in bytes.
        sha256: its checksum, 64 hex digits.
        progress: told the bytes present so far, also at the start.

    Raises:
        DownloadError: the network, the server or the content; the ``.part`` stays for a resume
            unless its content was wrong.
        OSError: the disk.
    """
    part = target.with_name(target.name + ".part")
    answered = False
    problem: Exception | None = None
    for attempt in range(ATTEMPTS):
        if problem is not None:
            time.sleep(_PAUSE_SECONDS * 2**attempt)
        begun = _length(part, size)
        progress(begun)
        try:
            if begun < size:
                _transfer(url, part, begun, size, progress)
        except _UnansweredError as error:
            problem = error
            if not answered and attempt + 1 >= UNANSWERED_ATTEMPTS:
                break
            continue
        except _InterruptedError as error:
            problem, answered = error, True
            continue
        if _sha256(part) == sha256:
            part.replace(target)
            return
        part.unlink()
        if begun == 0:
            raise DownloadError("下载到的内容和预期的不一样（SHA-256 不符），已删除")
        # What was there before this attempt may have been the wrong part: once more, from zero.
        problem, answered = DownloadError("接着下载得到的内容不对"), True
    raise DownloadError(str(problem))


def _length(part: Path, size: int) -> int:
    try:
        length = part.stat().st_size
    except FileNotFoundError:
        return 0
    if length > size:
        part.unlink()
        return 0
    return length


def _transfer(url: str, part: Path, begun: int, size: int, progress: Callable[[int], None]) -> None:
    headers = {"User-Agent": "brain-memory", "Accept-Encoding": "identity"}
    if begun:
        headers["Range"] = f"bytes={begun}-"
    with _answer(urllib.request.Request(url, headers=headers)) as response:
        resumed = response.status == 206
        if resumed and not response.headers.get("Content-Range", "").startswith(f"bytes {begun}-"):
            raise DownloadError("服务器给的不是要续传的那一段")
        done = begun if resumed else 0
        announced = response.headers.get("Content-Length")
        if announced is not None and announced != str(size - done):
            raise DownloadError(
                f"服务器给的文件大小不对（{announced} 字节，应为 {size - done}），"
                "可能是登录页或错误页"
            )
        with part.open("ab" if resumed else "wb") as out:
            while done < size:
                try:
                    chunk = response.read(min(_CHUNK, size - done))
                except (OSError, http.client.HTTPException) as error:
                    raise _InterruptedError(f"传输中断（{_cause(error)}）") from error
                if not chunk:
                    raise _InterruptedError(f"传输中断（收到 {done} / {size} 字节）")
                out.write(chunk)
                done += len(chunk)
                progress(done)


def _answer(request: urllib.request.Request) -> Any:
    """Opens a request within ``FIRST_ANSWER_SECONDS`` in all.

    A socket timeout counts anew for the name look-up and each address of a host, so the whole
    runs in a thread that is left behind when its time is up.
    """
    box: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def work() -> None:
        try:
            box.put(_opener().open(request, timeout=READ_SECONDS))
        except Exception as error:
            box.put(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        result = box.get(timeout=FIRST_ANSWER_SECONDS)
    except queue.Empty:
        raise _UnansweredError(f"{FIRST_ANSWER_SECONDS:.0f} 秒内没有回应") from None
    if isinstance(result, urllib.error.HTTPError):
        result.close()
        if result.code in _RETRIED_STATUS:
            raise _InterruptedError(f"服务器忙（HTTP {result.code}）")
        raise DownloadError(f"服务器拒绝了（HTTP {result.code}）")
    if isinstance(result, OSError | http.client.HTTPException):
        raise _UnansweredError(f"连不上（{_cause(result)}）")
    if isinstance(result, Exception):
        raise result
    return result


def _opener() -> urllib.request.OpenerDirector:
    proxies = urllib.request.getproxies()
    for scheme, address in proxies.items():
        if scheme in ("http", "https") and urlsplit(address).scheme.startswith("socks"):
            raise DownloadError("不支持 SOCKS 代理，请把 HTTPS_PROXY 设成 http:// 开头的代理地址")
    opener = urllib.request.OpenerDirector()
    # No file:, ftp: or data: handler, wherever a redirect may point.
    for handler in (
        urllib.request.ProxyHandler(proxies),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _cause(error: BaseException) -> str:
    reason = getattr(error, "reason", None)
    return str(reason or error or type(error).__name__)[:200]


def _sha256(path: Path) -> str:
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
