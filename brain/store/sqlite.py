"""SQLite store: which of its modules fulfils which part of :mod:`brain.store.protocol`.

A file of its own, and short, because nothing runs in it: mypy reads it and refuses the store where
a module and its protocol part; the tests read it for what the rooms above may use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from brain.store import (
        backup,
        claims,
        connection,
        decay,
        erase,
        folder,
        fts,
        insert,
        integrity,
        journal,
        links,
        memories,
        memory_file,
        meta,
        observations,
        originals,
        part_file,
        probe,
        protocol,
        runs,
        salvage,
        schema,
        sources,
        use_log,
        wal,
    )
    from brain.store.protocol import Transaction
    from brain.store.vectors import vector_index

    def _database(path: Path) -> protocol.Store:
        return memory_file.Store(path)

    _records: protocol.Records[Transaction] = memories
    _insertion: protocol.Insertion[Transaction] = insert
    _text_index: protocol.TextIndex[Transaction] = fts
    _vector_index: protocol.VectorIndex[Transaction] = vector_index
    _journal: protocol.Journal[Transaction] = journal
    _links: protocol.Links[Transaction] = links
    _claims: protocol.Claims[Transaction] = claims
    _facts: protocol.Facts[Transaction] = meta
    _originals: protocol.Originals[Transaction] = originals
    _observations: protocol.Observations[Transaction] = observations
    _sources: protocol.Sources[Transaction] = sources
    _fading: protocol.Fading[Transaction] = decay
    _use_log: protocol.UseLog = use_log
    _erasure: protocol.Erasure[Transaction] = erase
    _derived: protocol.Derived[Transaction] = memory_file
    _runs: protocol.Runs[Transaction] = runs
    _probe: protocol.Probe[Transaction] = probe
    _schema: protocol.Schema[Transaction] = schema
    _text_index_upkeep: protocol.TextIndexUpkeep[Transaction] = fts
    _vector_index_upkeep: protocol.VectorIndexUpkeep[Transaction] = vector_index
    _integrity_check: protocol.IntegrityCheck[Transaction] = integrity
    _file_access: protocol.FileAccess[Transaction] = connection
    _file_copy: protocol.FileCopy[Transaction] = backup
    _salvage: protocol.Salvage[Transaction] = salvage
    _part_files: protocol.PartFiles = part_file
    _write_ahead_log: protocol.WriteAheadLog = wal
    _folder: protocol.Folder = folder
