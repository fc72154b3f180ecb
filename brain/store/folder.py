"""Folder lock, permissions and network mounts: one maker at a time in the folder of a memory file,
who else may write there, and whether it lies on another machine's disk."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
NETWORK = frozenset(
    {"nfs", "nfs3", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "webdav", "davfs"}
    | {"9p", "virtiofs", "vboxsf", "prl_fs", "vmhgfs", "afs", "coda", "ncpfs", "ceph", "gpfs"}
    | {"glusterfs", "lustre", "beegfs", "orangefs", "pvfs2", "ocfs2", "gfs2"}
)
"""File systems that more than one machine (or a machine and its guest) may write at once."""

LOCAL_FUSE = frozenset(
    {"fuseblk", "fuse.mergerfs", "fuse.encfs", "fuse.gocryptfs", "fuse.cryfs", "fuse.bindfs"}
    | {"fuse.fuse-overlayfs", "fuse.ntfs", "fuse.ntfs-3g", "fuse.exfat", "fuse.ext2", "fuse.zfs"}
)
"""FUSE file systems over a disk of this machine; any other may be a network's."""

_DRIVE_REMOTE = 4
"""https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdrivetypew"""


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lets one process at a time make or move files in a folder, as far as the system can.

    Windows has no such lock, but there a file in use cannot be moved or deleted anyway.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a network without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def make(folder: Path) -> None:
    """Makes a folder and those above it that are missing, each for its owner alone (0700).

    ``Path.mkdir`` gives the parents the modes of the umask, which may be none.

    Raises:
        OSError: one could not be made.
    """
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        if folder.parent == folder:
            break
        folder = folder.parent
    for one in reversed(missing):
        with contextlib.suppress(FileExistsError):  # another process was faster
            one.mkdir(mode=0o700)
        if not one.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(one))


def own(info: os.stat_result) -> bool:
    """Whether a file is this user's; True where the system has no users."""
    return os.name == "nt" or info.st_uid == os.geteuid()


def others_may_write(folder: Path) -> bool:
    """Whether other users may put files into a folder, and so exchange ours.

    False where the sticky bit keeps them to their own files, and where modes mean nothing.
    """
    if os.name == "nt":
        return False
    try:
        mode = folder.stat().st_mode
    except OSError:
        return False
    return bool(mode & (stat.S_IWGRP | stat.S_IWOTH)) and not mode & stat.S_ISVTX


def warning(folder: Path) -> str:
    """A Chinese line for the person when :func:`others_may_write`, else ''."""
    if not others_may_write(folder):
        return ""
    return f"同机的其他用户也能改这个文件夹，可以换掉记忆文件；建议运行 chmod go-w {folder}"


def sync(folder: Path) -> None:
    """Puts the folder's entries on the disk, where the system can; a rename is safe after it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def network(path: Path) -> str | None:
    """The name of the network file system a path is on; None for a disk of this machine.

    A path that does not exist is judged by the nearest folder above it that does. Where the system
    does not say, None.
    """
    where = path.absolute()
    try:
        if sys.platform == "win32":
            return _windows(where)
        kind = _linux(where) if MOUNTS.exists() else _mount_table(where)
    except (OSError, ValueError):
        return None
    return kind if kind is not None and is_network(kind) else None


def is_network(kind: str) -> bool:
    """Whether a file system of this name may be shared between machines."""
    return kind in NETWORK or (kind.startswith("fuse") and kind not in LOCAL_FUSE)


def kind_in(table: str, path: str) -> str | None:
    """The file system's name for a path, from the text of a ``mountinfo`` (proc(5))."""
    best, kind = "", None
    for line in table.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = (
            fields[4]
            .encode()
            .decode("unicode_escape")
            .encode("latin-1", "replace")
            .decode("utf-8", "replace")
        )
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        # A later mount on the same point hides the earlier one.
        if inside and len(point) >= len(best):
            best, kind = point, after.split(" ")[0]
    return kind


def _linux(path: Path) -> str | None:
    return kind_in(MOUNTS.read_text(encoding="utf-8", errors="replace"), os.path.realpath(path))


def _mount_table(path: Path) -> str | None:
    """macOS and the BSDs: ``mount`` prints ``what on /point (kind, …)``."""
    import subprocess  # a hundredth of a second that no other system pays

    done = subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=False)
    real = os.path.realpath(path)
    best, kind = "", None
    for line in done.stdout.splitlines():
        point, _, rest = line.partition(" on ")[2].rpartition(" (")
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        if point and inside and len(point) >= len(best):
            best, kind = point, rest.split(",")[0].rstrip(")")
    return kind


def _windows(path: Path) -> str | None:
    if str(path).startswith("\\\\"):
        return "smb"
    import ctypes

    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - not there on other systems
    return "smb" if kernel.GetDriveTypeW(path.anchor) == _DRIVE_REMOTE else None
