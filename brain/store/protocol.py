"""Store interface: all that the rooms above use of a store, as typed protocols.

A store is a set of modules of functions (and the class of :class:`Database`), each fulfilling one
protocol below; :mod:`brain.store.sqlite` names SQLite's, and mypy holds them to it. Who writes a
second store has to read this file and the plain data that cross (``View``, ``Selection``,
``Memory``, ``Record``, ``Event``, ``Observation``, ``Claim``, ``Seen``, ``Original``, ``Link``,
``Due``), which both stores share.

A transaction is opaque: who has one passes it on, to functions of the store that gave it, and does
nothing else with it. ``read()``, ``snapshot()`` and ``write()`` of :class:`Database` give one; only
the engine, maintenance, ingest and exchange open them, every other room works inside one it is
given. Errors reach those rooms as :class:`brain.errors.BrainError`: what a database raises is
turned into one where the transaction ends. Times are UTC ISO 8601 with milliseconds, vectors unit
rows of float32, ids positive and never given twice.

The first part is what any store offers. The second is the upkeep of a store that is one file and
has indexes of its own making: a server's store has a backup, a log and an integrity check of its
own, and needs none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from brain.memory import Memory
    from brain.store.claims import Claim
    from brain.store.decay import Due, Formula, Kept
    from brain.store.domains import Bad
    from brain.store.integrity import Capabilities
    from brain.store.journal import Event
    from brain.store.links import Observation
    from brain.store.memories import Record
    from brain.store.observations import Seen
    from brain.store.originals import Original, OriginalInfo
    from brain.store.probe import Sums
    from brain.store.runs import Run
    from brain.store.salvage import Salvaged
    from brain.store.use_log import Uses
    from brain.store.view import Listed, Selection, View

Tx = TypeVar("Tx", contravariant=True)
TxOut = TypeVar("TxOut", covariant=True)
TxBoth = TypeVar("TxBoth")


class Database(Protocol[TxOut]):
    """One memory file, or whatever a store keeps memories in: its transactions and its end.

    Every thread may call it; a write waits for other writes, a read for nobody. Any exception in a
    ``write()`` undoes it all. Attributes that only say something are read, never set.
    """

    path: Path
    read_only: bool
    made: bool
    vectors_loaded: bool
    network: Callable[[Path], str | None]

    def exists(self) -> bool:
        """Whether the file is there and holds a database. Raises for anything that is not ours."""

    def close(self) -> None:
        """Closes every connection of every thread; what is used after says ``brain_closed``.

        A read that is going on in another thread has :data:`PATIENCE_S` seconds to end and is
        then interrupted; one that even then does not end closes its connection itself when it
        does.
        """

    def release(self) -> None:
        """Closes every connection for now; the next use opens another."""

    def merge_log(self) -> bool:
        """Merges the log into the file and empties it; False while a reader or writer needs it.

        Raises:
            BrainError: as :meth:`write`.
        """

    def read(self) -> AbstractContextManager[TxOut]:
        """A connection inside one read transaction: all statements see the same moment.

        Raises:
            BrainError: ``brain_closed`` (74) after :meth:`close`.
        """

    def snapshot(self) -> AbstractContextManager[TxOut]:
        """A connection of its own in one read transaction, for what reads long and bit by bit.

        Its thread may read and write meanwhile; it goes on seeing the file as it was.

        Raises:
            BrainError: as :meth:`read`.
        """

    def write(self) -> AbstractContextManager[TxOut]:
        """A connection inside one ``BEGIN IMMEDIATE`` transaction; any exception undoes it all.

        Raises:
            BrainError: ``brain_db_replaced`` (74), once, when the file at the path is no longer the
                one written to so far; ``brain_closed`` (74) after :meth:`close`.
        """

    def finish_erasing(self) -> None:
        """Gets what was deleted out of the file's bytes and its log.

        Raises:
            BrainError: ``brain_wal_pending`` (75), see :func:`brain.store.erase.clear`.
        """


class Records(Protocol[Tx]):
    """Records, their passages and scopes. Which records a question may see is said by a
    :class:`~brain.store.view.View`; an export by a :class:`~brain.store.view.Selection`."""

    def insert_verbatim(self, db: Tx, memory: Memory, *, keep_id: bool) -> int:
        """Stores a record that another file held, every column as it was but its links, which
        are None.

        Args:
            keep_id: False gives it a new id.
        """

    def get(self, db: Tx, memory_id: int) -> Memory | None:
        """One record by id, whatever its state."""

    def get_many(self, db: Tx, ids: Iterable[int]) -> dict[int, Memory]:
        """Records by id; unknown ids are missing from the result."""

    def with_content(self, db: Tx, text: str, kind: str, scope: str) -> list[Memory]:
        """Believed, unarchived records with the same canonical text, kind and scope, oldest
        first.
        """

    def linked_to(self, db: Tx, memory_id: int) -> list[Memory]:
        """Records that name a record as the one they replaced or were replaced by."""

    def delete(self, db: Tx, memory_id: int) -> None:
        """Deletes one record with its passages. Nothing may link to it; its id is never used
        again.
        """

    def passage_ids(self, db: Tx, memory_id: int) -> list[int]:
        """The ids of a record's passages."""

    def holds_text(self, db: Tx, piece: str, but: int = ...) -> bool:
        """Whether any record but one holds a piece of text, in its text or its labels, to the
        letter.

        Reads every record.
        """

    def by_sha256(self, db: Tx, prefix: bytes, scopes: Sequence[str] | None = ...) -> Memory | None:
        """The oldest record whose text's SHA-256 begins with some bytes, in whatever state; with
        ``scopes``, of one of those."""

    def list_visible(
        self, db: Tx, view: View | None, limit: int | None, listed: Listed | None = ...
    ) -> list[Memory]:
        """Records a view shows (all of the file for None), newest first."""

    def list_any_state(
        self, db: Tx, view: View, limit: int | None, listed: Listed | None = ...
    ) -> list[Memory]:
        """Records in whatever state of the scopes, kind and tags of a view, newest first; those
        that had been recorded by its ``known_at``."""

    def list_matching(self, db: Tx, scope: str | None, listed: Listed) -> list[Memory]:
        """Records in whatever state of exactly one scope, or of any for None, oldest first."""

    def tagged(self, db: Tx, view: View) -> list[int]:
        """The ids of the records that a view with tags shows."""

    def iter_selected(self, db: Tx, shown: Selection, bad: Bad | None = None) -> Iterator[Memory]:
        """Every record that is shown, in id order, one at a time. Links to others are None."""

    def iter_ids_between(self, db: Tx, view: View, first: int, last: int) -> Iterator[int]:
        """The ids from first to last, both included, of the records a view shows."""

    def standing(
        self, db: Tx, view: View, preference: str, but: str, limit: int | None
    ) -> list[Memory]:
        """Pinned records and preferences a view shows, in the order in which they were pinned or
        told.

        A preference keeps the place it was told at when it is pinned, and one that is restored
        comes back to its place.

        Args:
            preference: the kind that stands without a pin.
            but: a kind left out.
            limit: of the pinned records and, apart, of the others; None is all of them.
        """

    def has_kind(self, db: Tx, kind: str) -> bool:
        """Whether any record, in whatever state, is of a kind."""

    def oldest(self, db: Tx, view: View, limit: int | None) -> list[Memory]:
        """Records a view shows, by id."""

    def visible(self, db: Tx, ids: Sequence[int], view: View) -> set[int]:
        """Which of the ids the view shows."""

    def texts(self, db: Tx, ids: Sequence[int], view: View) -> list[tuple[int, str]]:
        """(id, text) of those of the ids the view shows."""

    def latin_heads(self, db: Tx, ids: Sequence[int], length: int) -> dict[int, str]:
        """The beginnings, in characters, of those memories that begin with hardly any Han."""

    def existing(self, db: Tx, ids: Iterable[int]) -> set[int]:
        """Which of the ids are in the file."""

    def has_superseded(self, db: Tx, view: View) -> bool:
        """Whether any record has, or at the view's instant had, a successor."""

    def superseded(self, db: Tx, view: View, look: int) -> list[int]:
        """Ids of records that have a successor and that a view does not show.

        Args:
            look: at how many records with a successor to look, those with the newest ones first.
        """

    def successors(self, db: Tx, ids: Sequence[int], view: View, most: int) -> dict[int, int]:
        """Id → id of the first record a view shows among those that took over from it, one after
        the other.

        Args:
            most: steps followed; an id whose line is longer or ends unseen is missing.
        """

    def count(self, db: Tx, view: View | None = ...) -> int:
        """How many records a view shows; all of the file for None."""

    def counts_by(self, db: Tx, column: str, view: View) -> dict[str, int]:
        """Counts of visible records by ``kind`` or ``scope``, by name."""

    def scope_names(self, db: Tx) -> list[str]:
        """The scopes that have or had records, '' among them where some are global."""

    def scope_totals(self, db: Tx) -> dict[str, int]:
        """How many records of each scope the file has, in whatever state, by name."""

    def state_counts(self, db: Tx, now: str, scopes: Sequence[str] | None = ...) -> dict[str, int]:
        """How many records of the file, or of some scopes, are in each state; one record may be in
        several."""

    def highest_id(self, db: Tx) -> int:
        """The highest id in the file, 0 for an empty one; a cheap stand-in for the count."""

    def iter_identical(self, db: Tx, memory: Memory, highest: int) -> Iterator[int]:
        """Records recorded at the same instant, saying the same, up to an id; the oldest first."""

    def last_id(self, db: Tx) -> int:
        """The highest id the file ever gave, to a record that is still there or not."""

    def reserve_ids(self, db: Tx, last: int) -> None:
        """Makes the file give no id up to ``last`` any more."""

    def set_fields(self, db: Tx, memory_id: int, **values: object) -> None:
        """Updates columns of one record."""

    def set_tags(self, db: Tx, memory_id: int, tags: Iterable[str]) -> None:
        """Files a record under these tags and no others, in this order."""

    def add_passages(self, db: Tx, memory_id: int, spans: Sequence[tuple[int, int]]) -> list[int]:
        """Stores the stretches (character offsets) of a memory's text; gives their ids."""

    def iter_all(self, db: Tx) -> Iterator[Memory]:
        """Every record in whatever state, in id order, read one by one."""

    def starting_within(self, db: Tx, view: View, start: str, stop: str, most: int) -> list[Memory]:
        """The newest visible records that began to hold in [start, stop), UTC ISO."""

    def neighbours(
        self, db: Tx, ids: Sequence[int], view: View, reach: int
    ) -> dict[int, list[int]]:
        """For each of some records, the visible ones recorded just before and after it in its
        scope.

        Args:
            reach: how many on each side.
        """

    def ensure_scope(self, db: Tx, name: str) -> int:
        """The number of a scope, made when it is new."""

    def scope_ids(self, db: Tx, names: Sequence[str] | None) -> list[int] | None:
        """The numbers of those scopes that exist; None where nothing has to be left out."""


class Insertion(Protocol[Tx]):
    """Storing a record with all that belongs to it."""

    def put(
        self,
        db: Tx,
        table: str | None,
        record: Record,
        spans: Sequence[tuple[int, int]],
        found: NDArray[np.float32] | None,
        why: str,
        *,
        index: bool = ...,
    ) -> Memory:
        """Stores a record inside the caller's write transaction.

        Args:
            table: the vector table; None leaves the vectors to follow.
            spans: the text's passages as character ranges.
            found: a vector for each passage, (passages, dim), or None.
            why: kept in the journal.
            index: False leaves the words to the caller, who adds those of a whole batch at its end.
        """


class TextIndex(Protocol[Tx]):
    """Full-text indexes of grams (short words, identifiers) and trigrams (substrings): postings
    and exact document frequencies."""

    GRAMS: str
    TRIGRAMS: str

    @property
    def DamagedIndex(self) -> type[Exception]:  # noqa: N802
        """What a look-up in a damaged index raises."""

    def add(self, db: Tx, memory_id: int, text: str, scope_id: int) -> None:
        """Indexes a memory's text in both indexes."""

    def has_trigrams(self, db: Tx) -> bool:
        """Whether this SQLite can use the trigram index."""

    def remove(self, db: Tx, memory_id: int, text: str, scope_id: int) -> None:
        """Takes a memory out of both indexes; ``text`` must be what :func:`add` was given."""

    def rewrite_keys(self, db: Tx, *texts: str) -> int:
        """Rewrites the separator keys of both indexes that begin no term any more; gives how
        many.
        """

    def stale_terms(self, db: Tx, *texts: str) -> list[str]:
        """Terms of texts that an index still keeps though no record has them: none, once
        forgotten.
        """

    def merge_some(self, db: Tx, notes: int) -> None:
        """Merges a little of each index after a write: what it added, and its share of older
        segments.

        Args:
            notes: how many were added.
        """

    def postings(
        self,
        db: Tx,
        index: str,
        terms: Sequence[str],
        scope_ids: Sequence[int] | None,
        newest: int | None = ...,
    ) -> dict[str, str]:
        """The ids of the memories that hold each term, as decimal text with commas between.

        Args:
            index: ``GRAMS`` or ``TRIGRAMS``.
            terms: query terms (a lone character with ``*`` is a prefix, in the gram index).
            scope_ids: numbers of the scopes seen, or None for all.
            newest: only so many of each, the newest.
        """

    def finds(
        self, db: Tx, index: str, terms: Sequence[str], scope_id: int, memory_id: int
    ) -> bool:
        """Whether an index finds one memory by each of some terms, under its scope."""

    def lengths(self, db: Tx, index: str, ids: Sequence[int]) -> dict[int, int]:
        """How many terms each memory's text has in an index."""

    def frequencies(self, db: Tx, index: str, terms: Sequence[str]) -> dict[str, int]:
        """In how many memories each term occurs, exactly; reads the whole posting list of each."""

    def frequencies_between(
        self, db: Tx, index: str, terms: Collection[str], low: int, high: int
    ) -> dict[str, int]:
        """In how many memories with low < id <= high each term occurs."""

    def counted(self, db: Tx, index: str, asked: Sequence[tuple[str, int, int]]) -> list[int]:
        """For each (term, low, high), in how many memories with low < id <= high the term
        occurs.
        """

    def require(self, db: Tx, ids: Sequence[int]) -> None:
        """Raises ``DamagedIndex`` where the gram index lacks one of these records."""

    def average_length(self, db: Tx, index: str = ...) -> float:
        """Mean number of terms a note has in an index; 0 for an empty one."""


class VectorIndex(Protocol[Tx]):
    """Vector index: one table a model, a vector a passage; nearest neighbours under a view."""

    def create_table(self, db: Tx, table: str, dim: int) -> None:
        """Makes an empty vector table for vectors of ``dim`` numbers."""

    def of_memory(self, db: Tx, table: str, memory_id: int) -> NDArray[np.float32] | None:
        """The vector of a memory's first passage, (dim,), as it is stored; None without one."""

    def next_name(self, db: Tx) -> str:
        """A name no vector table of the file has."""

    def has_vector(self, db: Tx, table: str, passage_id: int) -> bool:
        """Whether a passage has its vector."""

    def drop_table(self, db: Tx, table: str) -> None:
        """Removes a vector table with all it holds."""

    def exists(self, db: Tx, table: str) -> bool:
        """Whether the vector table is in the file."""

    def add(
        self,
        db: Tx,
        table: str,
        passage_ids: Sequence[int],
        vectors: NDArray[np.float32],
        memory: Memory,
        scope_id: int,
    ) -> None:
        """Stores a memory's vectors, one a passage. ``vectors``: (len(passage_ids), dim), unit
        rows.
        """

    def add_several(
        self, db: Tx, table: str, given: Sequence[tuple[Memory, NDArray[np.float32]]]
    ) -> None:
        """Stores the vectors of memories that have their passages, one a passage, in order of
        id.
        """

    def tables(self, db: Tx) -> list[str]:
        """The vector tables of the file: its own, and the one a re-embedding is filling."""

    def refresh(self, db: Tx, memory: Memory) -> None:
        """Brings the filters beside a memory's vectors up to date with its record."""

    def remove(self, db: Tx, table: str, passage_ids: Sequence[int]) -> None:
        """Deletes vectors by passage id; what they were made of is overwritten."""

    def search(
        self, db: Tx, table: str, vector: bytes, view: View, scope_ids: Sequence[int] | None, k: int
    ) -> list[tuple[int, int, float]]:
        """The nearest visible memories.

        Args:
            vector: dim float32 numbers, packed; unit length.
            k: how many memories. Where a few long ones take most of the places measured, more are
                measured, so that they do not hide the rest.

        Returns:
            (memory id, passage id, cosine similarity) of each memory's nearest passage, nearest
            first, ties by id.
        """

    def nearest_among(
        self, db: Tx, table: str, vector: bytes, memory_ids: Sequence[int], k: int
    ) -> dict[int, tuple[float, int]]:
        """The k nearest of given memories, every one measured: id → (similarity, passage id)."""

    def similarities(
        self, db: Tx, table: str, vector: bytes, memory_ids: Sequence[int]
    ) -> dict[int, tuple[float, int]]:
        """Cosine similarity of given memories: id → (best passage's similarity, its passage id).

        Args:
            vector: as for :func:`search`.
        """

    def missing(
        self, db: Tx, table: str, after: int, limit: int
    ) -> list[tuple[int, int, int, int]]:
        """Passages without a vector, as (passage id, memory id, start, stop), in id order."""

    def newest_missing(self, db: Tx, table: str, limit: int) -> list[tuple[int, int, int, int]]:
        """As :func:`missing`, the newest first."""

    def counts(self, db: Tx, table: str | None) -> tuple[int, int]:
        """(passages with a vector, passages without)."""


class Journal(Protocol[Tx]):
    """Audit trail: what changed when and why; and how records stood at an earlier instant."""

    FORGET: str

    @property
    def COLUMNS(self) -> tuple[str, ...]: ...  # noqa: N802

    def check_reason(self, why: str) -> None:
        """Refuses what no entry may hold, also for a change that turns out to be none.

        Raises:
            BrainError: ``brain_why_invalid``, ``brain_secret`` (65).
        """

    def write(
        self,
        db: Tx,
        at: str,
        memory_id: int | None,
        what: str,
        why: str = ...,
        detail: dict[str, Any] | None = ...,
    ) -> None:
        """Appends one entry. Raises ``brain_why_invalid``, ``brain_secret`` (65)."""

    def redact(self, db: Tx, memory_id: int, text: str) -> None:
        """Takes out what entries say about a forgotten memory; that they happened stays.

        Its own entries lose reason and detail. Entries of others lose the reason when it was
        noted together with one of those or of a link with it (one change writes the same
        reason to every record it touches), or quotes its whole text.
        """

    def last_number(self, db: Tx) -> int:
        """The number of the newest entry, 0 where there is none."""

    def between(self, db: Tx, first: int, last: int | None) -> list[Event]:
        """The entries about records with first < number <= last, oldest first; None for no end."""

    def forgotten_at(self, db: Tx, memory_id: int) -> str | None:
        """When a memory was forgotten; None when it was not."""

    def forgotten_times(self, db: Tx) -> set[str]:
        """The instants at which records were noted that have been forgotten since, UTC ISO."""

    def entries_of(self, db: Tx, memory_ids: Sequence[int]) -> list[Event]:
        """The entries about some memories, oldest first."""

    def changes(self, db: Tx, memory_ids: Sequence[int], *, decay: bool) -> list[Event]:
        """The entries that changed some memories, oldest first: no additions.

        Args:
            decay: with the runs of decay, whose entries are about all memories of a stretch of ids.
        """

    def changed_after(self, db: Tx, at: str) -> bool:
        """Whether anything but an addition is dated after an instant."""

    def touched_after(self, db: Tx, at: str, columns: Sequence[str]) -> list[int]:
        """Ids of the records one of whose columns was changed after an instant.

        Reads every entry dated after it that is no addition.
        """

    def iter_selected(self, db: Tx, shown: Selection, bad: Bad | None = None) -> Iterator[Event]:
        """The entries about the records that are shown, oldest first, one at a time.

        The whole file's also hold those about the file itself and about what was forgotten.
        """

    def append(self, db: Tx, event: Event) -> None:
        """Appends an entry as another file had it."""

    def current_values(self, db: Tx, ids: Sequence[int]) -> Iterator[tuple[int, dict[str, object]]]:
        """(id, today's values of ``COLUMNS``) of those ids that are in the file, in id order."""

    def load_past(self, db: Tx, stood: Iterable[tuple[int, dict[str, object]]]) -> None:
        """Makes the table. Call inside a transaction that is rolled back.

        Args:
            stood: (id, values of ``COLUMNS`` at the instant).
        """


class Links(Protocol[Tx]):
    """What decisions led to: one row an observation, never changed but for its retraction."""

    def there(self, db: Tx) -> bool:
        """Whether the file has any link; one of an earlier schema has none."""

    def any_current(self, db: Tx) -> bool:
        """Whether the file has a link that is not retracted."""

    def insert(self, db: Tx, found: Observation, *, keep_id: bool = ...) -> int:
        """Stores a row and gives its number."""

    def get(self, db: Tx, link_id: int) -> Observation | None:
        """One row by its number, whatever its state."""

    def same(
        self, db: Tx, wanted: Observation, start: str | None = ..., stop: str | None = ...
    ) -> int | None:
        """The number of a current row that is the same observation; None where there is none."""

    def known(self, db: Tx, found: Observation) -> bool:
        """Whether the file has a row that says the same, in the same state, under any number."""

    def retract(self, db: Tx, link_id: int, at: str) -> None:
        """Marks a row as not believed any more, UTC ISO."""

    def of(self, db: Tx, memory_ids: Sequence[int] | None, limit: int) -> list[Observation]:
        """The rows of some memories, on either side, in whatever state, newest first."""

    def first_recorded(self, db: Tx, memory_id: int) -> str | None:
        """When the first row of a memory was recorded, UTC ISO; None without any."""

    def seen(
        self,
        db: Tx,
        view: View,
        *,
        decisions: Iterable[int] | None = ...,
        outcomes: Iterable[int] | None = ...,
        limit: int,
    ) -> list[Observation]:
        """The rows a view shows of some decisions or some outcomes, the newest first."""

    def ends(self, db: Tx, view: View, side: str, limit: int) -> list[int]:
        """Ids of the records on one side of the rows a view shows, the newest first."""

    def left_alone(self, db: Tx, memory_id: int) -> list[int]:
        """Outcomes of a decision that no other row is about."""

    def iter_selected(
        self, db: Tx, shown: Selection, bad: Bad | None = None
    ) -> Iterator[Observation]:
        """The rows both of whose records are shown, by number, one at a time."""

    def broken(self, db: Tx) -> list[int]:
        """Numbers of rows one of whose records is not there, or that are not sound themselves."""

    def drop(self, db: Tx, link_ids: Iterable[int]) -> None:
        """Removes rows."""


class Claims(Protocol[Tx]):
    """What of a memory can be looked at, and what came of looking: one row a claim."""

    def insert(self, db: Tx, found: Claim) -> None:
        """Stores a row; the same claim of the same memory once."""

    def of(self, db: Tx, memory_ids: Iterable[int]) -> list[Claim]:
        """The claims of some memories, by memory, in the order given."""

    def ids_with_claims(self, db: Tx, view: View) -> list[int]:
        """The ids of the records a view shows that have claims, in order."""

    def stamp(self, db: Tx, found: Claim) -> None:
        """Writes what was found about a claim, by its number."""

    def adopt(self, db: Tx, old: int, new: int) -> None:
        """Gives claims without a project the one that the record before theirs was about."""

    def state_counts(self, db: Tx, view: View) -> dict[str, int]:
        """How many of the records a view shows are in each state; those without claims in none."""

    def iter_selected(self, db: Tx, shown: Selection) -> Iterator[Claim]:
        """The claims of the records that are shown, by record, one at a time."""

    def broken(self, db: Tx) -> list[int]:
        """Numbers of rows whose memory is not there, or that are not sound themselves."""

    def drop(self, db: Tx, claim_ids: Iterable[int]) -> None:
        """Removes rows."""


class Observations(Protocol[Tx]):
    """What an original is (a file seen, a test's result), for which session."""

    ARCHIVED: str

    def put(self, db: Tx, seen: Seen) -> str:
        """Notes what an original is; gives the type it has for that session, which stays as it
        is."""

    def of(self, db: Tx, handle: str | None = ...) -> list[Seen]:
        """What an original is, for each session; of all originals for None, oldest first."""

    def stale_among(self, db: Tx, handles: Sequence[str]) -> dict[str, Seen]:
        """Those of some handles whose originals are stale, with what they are."""

    def any_stale(self, db: Tx) -> bool:
        """Whether any original was found to hold no more."""

    def stamp(self, db: Tx, seen: Seen) -> None:
        """Writes what looking at an original gave."""

    def iter_all(self, db: Tx) -> Iterator[Seen]:
        """Every row in the order they came, one at a time."""

    def broken(self, db: Tx) -> list[int]:
        """Numbers of rows whose original is not there, or that are not sound."""

    def drop_broken(self, db: Tx) -> int:
        """Removes those rows; gives how many."""


class Facts(Protocol[Tx]):
    """Facts about the store by key, and the user's own words."""

    MODEL: str
    DIM: str
    VECTORS: str
    FOLD: str
    NEXT_MODEL: str
    NEXT_DIM: str
    NEXT_VECTORS: str
    ERASING: str
    SETUP: str
    NEXT_SETUP: str
    CALIBRATION: str
    LAST_DECAY: str
    DECAY_RUN: str
    DECAY_KEPT: str

    @property
    def UnreadableError(self) -> type[Exception]: ...  # noqa: N802

    def read(self, db: Tx) -> dict[str, Any]:
        """Every fact, by key."""

    def put(self, db: Tx, **facts: object) -> None:
        """Writes facts; None removes one."""

    def words(self, db: Tx) -> list[tuple[str, int | None, str | None]]:
        """The user's own words as (word, frequency, tag), by word."""

    def iter_words(
        self, db: Tx, bad: Bad | None = None
    ) -> Iterator[tuple[str, int | None, str | None, str]]:
        """As :func:`words`, with the instant each was added, one at a time."""

    def own_words(self, db: Tx) -> list[str]:
        """The user's own words without their frequencies and tags."""

    def add_word(self, db: Tx, word: str, freq: int | None, tag: str | None, at: str) -> None:
        """Adds or replaces one of the user's own words."""

    def remove_word(self, db: Tx, word: str) -> bool:
        """Removes one of the user's own words; False when it was not there."""


class Originals(Protocol[Tx]):
    """Originals of what was cut, found again by their handle."""

    def handle(self, sha256: bytes) -> str:
        """The key under which an original of that SHA-256 is kept."""

    def put(self, db: Tx, original: Original, most: int) -> bool:
        """Keeps an original; False where it is there already, which needs no room.

        A row whose bytes are no longer those of its handle is written anew.

        Args:
            most: bytes that all originals together may take.

        Raises:
            BudgetExceededError: nothing was changed.
        """

    def get(self, db: Tx, prefix: bytes) -> Original | None:
        """The original under a handle's bytes, as it is in the file."""

    def iter_originals(self, db: Tx, bad: Bad | None = None) -> Iterator[tuple[str, Original]]:
        """Every original with its handle, by handle, one at a time."""

    def listed(self, db: Tx) -> list[OriginalInfo]:
        """Every original without its bytes, oldest first."""

    def is_whole(self, db: Tx, key: str) -> bool:
        """Whether the original under a handle still has the bytes whose SHA-256 was noted."""

    def take(self, db: Tx, prefix: bytes) -> bytes | None:
        """Takes out the original under a handle's bytes and gives it; None where there is none."""

    def holding(self, db: Tx, *texts: str) -> list[str]:
        """The handles of originals that hold one of some texts, by handle. Reads every original."""

    def erase_of(self, db: Tx, text: str) -> int:
        """Erases what was kept for a memory that is no longer there: originals that are its text
        and nothing else, and those whose handles its text names. Gives how many were erased; what
        another memory refers to stays.

        Call it after the memory's row is gone.
        """


class Sources(Protocol[Tx]):
    """What was taken in from where; a row outlives its memory without naming it."""

    def ensure(self, db: Tx, reader: str, path: str, scope: str) -> int:
        """The number of a source, made when it is new."""

    def find(self, db: Tx, reader: str, path: str, scope: str) -> int | None:
        """The number of a source; None where there is none, as in a file of the first schema."""

    def state(self, db: Tx, source_id: int) -> dict[str, Any]:
        """What a reader noted when it last came to a source's end."""

    def set_state(self, db: Tx, source_id: int, value: dict[str, Any]) -> None:
        """Notes what the next run over a source has to know."""

    def known(
        self, db: Tx, source_id: int, wanted: Iterable[tuple[str, bytes]]
    ) -> dict[tuple[str, bytes], int]:
        """Which of (key, digest) a source has had: to the row's number."""

    def find_moved(self, db: Tx, source_id: int, digest: bytes, group: str) -> list[int]:
        """Rows of a digest whose key begins with a group."""

    def rename(self, db: Tx, row: int, key: str) -> None:
        """Gives a row another key; a row of what was forgotten the keyed form of it."""

    def put(
        self,
        db: Tx,
        source_id: int,
        key: str,
        digest: bytes,
        memory_id: int,
        first: int | None,
        last: int | None,
    ) -> int:
        """Notes what was taken in and which memory it became; gives the row's number."""

    def note(self, db: Tx, source_id: int, keys: Iterable[str], digest: bytes) -> None:
        """Notes keys that stand for no memory."""

    def noted(self, db: Tx, source_id: int, keys: Iterable[str]) -> dict[str, set[bytes]]:
        """The digests that were noted under some keys."""

    def erased_keys(self, db: Tx, source_id: int, keys: Iterable[str]) -> set[str]:
        """The keys under which a source has had something that was erased."""

    def erased(
        self, db: Tx, source_id: int, wanted: Iterable[tuple[str, bytes]]
    ) -> set[tuple[str, bytes]]:
        """Which of (key, digest) a source has had that were erased."""

    def rows_of(self, db: Tx, source_id: int) -> list[tuple[int, str, int | None]]:
        """Every row of a source as (row, key, memory id), in the order they came."""

    def rows_of_keys(
        self, db: Tx, source_id: int, keys: Sequence[str]
    ) -> list[tuple[int, str, int | None]]:
        """The rows under some keys, as :func:`rows_of` gives them; none of what was forgotten."""

    def last_of(self, db: Tx, source_id: int, prefix: str) -> tuple[str, int, int] | None:
        """The newest row whose key begins with something: its key, first and last message id."""

    def covering(
        self, db: Tx, source_id: int, prefix: str, number: int
    ) -> list[tuple[int, int, int, int]]:
        """Rows whose messages may include a number: row, memory id, first, last."""

    def disguise(self, db: Tx, memory_id: int) -> None:
        """Keys the fingerprints of what a memory was made of. Call it before the memory is
        deleted.
        """

    def forget(self, db: Tx, row: int) -> None:
        """Drops one row: the source no longer has it."""

    def in_other_rows(self, db: Tx, memory_id: int, gone: Iterable[int]) -> bool:
        """Whether a memory also stands in a row that is not among those gone."""


class Fading(Protocol[Tx]):
    """Decay: strengths that change by a formula, and records that are due to be archived."""

    HEAD_CHARS: int

    def fade(self, db: Tx, first: int, last: int, formula: Formula) -> int:
        """Sets the strength of the current records with ids in [first, last].

        Returns:
            How many changed.
        """

    def keep(self, db: Tx, first: int, last: int, formula: Formula) -> None:
        """Notes what :meth:`fade` is about to change, for who wants it undone."""

    def keep_archived(self, db: Tx, memory_id: int, strength: float, at: str) -> None:
        """Notes that a record of this strength is archived at an instant (UTC ISO)."""

    def kept(self, db: Tx, most: int) -> list[Kept]:
        """Some of what is noted, at most so many."""

    def drop_kept(self, db: Tx, ids: Sequence[int] | None = ...) -> None:
        """Forgets what is noted of some records, or of all."""

    def would_fade(self, db: Tx, formula: Formula) -> int:
        """How many current records a formula changes."""

    def oldest(self, db: Tx) -> str | None:
        """When the first of the current records came in, UTC ISO; None without any."""

    def due(
        self,
        db: Tx,
        formula: Formula,
        below: float,
        idle_since: str,
        importance: float,
        kept_kinds: tuple[str, str],
        among: Sequence[int] | None = ...,
    ) -> list[Due]:
        """The current records that are to be archived, by id.

        A record rests since the latest of: it came in, it began to hold, it was last used,
        somebody changed it or brought it back. Being told that it is wrong does not wake it,
        nor does being verified.

        Args:
            formula: gives the strength that counts.
            below, importance: strength and importance must be lower.
            idle_since: the rest must have begun by then, UTC ISO.
            kept_kinds: kinds that are never archived; pinned records are not either.
            among: look at these ids alone; None for all of the file.
        """


class UseLog(Protocol):
    """Which memories went into a prompt, and when. Noting one never waits, never raises."""

    def note(self, database: Path, at: str, ids: Sequence[int]) -> None:
        """Notes a use, where that is possible at once; never raises and never waits.

        Args:
            at: the instant, UTC ISO.
            ids: the memories, best first; at most ``MAX_IDS`` of them are noted.
        """

    def waiting(self, database: Path) -> Uses:
        """The uses noted since the last decay, also those that a broken run took; changes
        nothing.
        """

    def take(self, database: Path) -> Uses:
        """Sets the log aside, so that new uses begin another, and gives what is in it.

        What a broken run set aside comes first. Call :func:`drop` once the uses are stored.
        Taking the same uses twice is harmless to one who counts a day once.
        """

    def drop(self, database: Path) -> None:
        """Removes what :func:`take` set aside."""

    def forget(self, database: Path, memory_id: int) -> None:
        """Takes a memory's id out of the log.

        Raises:
            OSError: when the log cannot be rewritten.
        """


class Erasure(Protocol[Tx]):
    """Proof that what was forgotten is gone."""

    def find_bytes(self, path: Path, pieces: Iterable[bytes]) -> set[bytes]:
        """Which of the pieces stand anywhere in the bytes of the file or its log.

        Args:
            pieces: those of fewer than six bytes, which stand in numbers by chance, are left out.
        """

    def held_pieces(self, db: Tx, pieces: Iterable[bytes]) -> set[bytes]:
        """Which of the pieces stand, to the letter or as indexed, in what is remembered."""

    def drop_samples(self, db: Tx) -> None:
        """Empties what the planner has sampled of single rows."""


class Derived(Protocol[Tx]):
    """What is derived from the records, and the facts with it."""

    def reindex(self, db: Tx) -> int:
        """Empties and refills both text indexes from the records; gives the number of records."""

    def renew_statistics(self, db: Tx) -> None:
        """Has SQLite renew what its planner knows of the tables, where that is due."""

    def facts(self, db: Tx) -> dict[str, Any]:
        """What ``meta`` says, with the vector table only where it really exists."""


class Runs(Protocol[Tx]):
    """Consolidations that were applied."""

    def put(self, db: Tx, run: Run) -> None:
        """Notes a run."""

    def get(self, db: Tx, name: str) -> Run | None:
        """A run by its name."""

    def free_name(self, db: Tx, name: str) -> str:
        """The name, with a number behind it where a run has it already."""

    def set_undone(self, db: Tx, name: str, at: str) -> None:
        """Notes when a run was undone, UTC ISO."""


class Probe(Protocol[Tx]):
    """Savepoints and sums for the health probe."""

    def vector_counts(self, db: Tx, table: str | None) -> tuple[int, int]:
        """(vectors that are stored, vectors that are registered as searched)."""

    def sums(self, db: Tx, table: str | None) -> Sums:
        """Counts what is in a file.

        Args:
            table: the vector table; None where there is none.
        """

    def is_searched(self, db: Tx, table: str) -> bool:
        """Whether a vector table is there, with blocks beside it; that of schema 1 has none."""

    def has_scope(self, db: Tx, name: str) -> int | None:
        """The number of a scope; None where it has none."""

    def tried(self, db: Tx) -> AbstractContextManager[None]:
        """A block of a write transaction all of which is undone at its end."""

    def whole(self, db: Tx) -> AbstractContextManager[None]:
        """A block of a write transaction that is done whole or, on an exception, not at all."""


class Schema(Protocol[Tx]):
    """Schema version of the store's data."""

    @property
    def SCHEMA_VERSION(self) -> int: ...  # noqa: N802

    def version(self, db: Tx) -> int:
        """The schema number of an open file; 0 for a new one."""


# The upkeep of a store that is one file -----------------------------------------------------------


class TextIndexUpkeep(Protocol[Tx]):
    """Merging and rebuilding the full-text indexes."""

    def merge(self, db: Tx, index: str, pages: int) -> bool:
        """Goes a step towards one segment: merges so many pages of an index."""

    def segments(self, db: Tx, index: str) -> int:
        """How many segments an index is in; each costs every look-up a little."""

    def pages(self, db: Tx, index: str) -> int:
        """About how many leaf pages an index has, in all its segments."""

    def stale_keys(self, db: Tx, index: str, *texts: str) -> list[tuple[int, bytes, int]]:
        """The separator keys that begin no term any more, as (segment, key, page)."""

    def recreate(self, db: Tx) -> None:
        """Drops both indexes, in whatever state, and makes them again, empty."""


class VectorIndexUpkeep(Protocol[Tx]):
    """Quantization: taking the short codes anew."""

    def recentre(self, db: Tx, table: str) -> None:
        """Makes a new centre from a sample of the vectors; :func:`requantize` then applies it."""

    def requantize(self, db: Tx, table: str, most: int = ...) -> bool:
        """Takes the codes of blocks against the newest centre, at most so many blocks."""

    def is_quantized(self, db: Tx, table: str) -> bool:
        """Whether there are enough vectors that they have been given codes."""

    def recount(self, db: Tx, table: str) -> None:
        """Notes anew how many vectors there are."""

    def count_outdated(self, db: Tx, table: str) -> int:
        """How many vectors have codes against an older centre."""


class IntegrityCheck(Protocol[Tx]):
    """Integrity check and repair."""

    SHOWN: int

    @property
    def UNREADABLE(self) -> tuple[type[Exception], ...]: ...  # noqa: N802

    def capabilities(self) -> Capabilities:
        """Tries the parts of SQLite that a memory file needs, on a database in memory."""

    def integrity(self, db: Tx) -> list[str]:
        """What SQLite finds wrong with its pages and indexes, both text indexes included."""

    def integrity_without_text(self, db: Tx) -> list[str]:
        """As :func:`integrity`, but of the pages and the ordinary tables alone."""

    def unindexed(self, db: Tx, index: str) -> list[int]:
        """Records without a row in a text index."""

    def orphaned_rows(self, db: Tx, index: str) -> list[int]:
        """Ids a text index knows, by a row or by a word, that no record has."""

    def mismatched_rows(self, db: Tx, index: str) -> list[int]:
        """Records whose index rows do not hold them under their scope, or not under some words."""

    def bad_hashes(self, db: Tx) -> list[int]:
        """Records whose text is not the one its hashes were made of."""

    def scopeless(self, db: Tx) -> list[int]:
        """Records of a scope that has no number."""

    def without_passages(self, db: Tx) -> list[int]:
        """Records without a passage, or with one that reaches beyond their text."""

    def ownerless_passages(self, db: Tx) -> list[int]:
        """Passages of no record, by their own ids."""

    def vector_faults(self, db: Tx, table: str, dim: int) -> dict[str, list[int]]:
        """What is wrong with a vector table, as finding's code → passage ids."""

    def stored_vectors(self, db: Tx, table: str, count: int) -> list[tuple[str, bytes]]:
        """Some passages spread over the file, as (text, its vector as packed float32)."""

    def dangling_links(self, db: Tx) -> list[int]:
        """Records that name a predecessor or an heir that is not there."""

    def one_sided_links(self, db: Tx) -> list[int]:
        """Records whose predecessor or heir is there and does not name them back."""

    def link_cycles(self, db: Tx) -> list[int]:
        """Records that are their own ancestors."""

    def bad_times(self, db: Tx) -> list[int]:
        """Records with a time that is none, or an interval that ends before it begins."""

    def recorded_after(self, db: Tx, at: str) -> list[int]:
        """Records made later than an instant, UTC ISO."""

    def unjournaled(self, db: Tx) -> list[int]:
        """Records the journal says nothing about."""

    def unreadable_journal(self, db: Tx) -> list[int]:
        """Journal entries, by their own ids, whose detail is no JSON object."""

    def register_scopes(self, db: Tx) -> None:
        """Gives a number to every scope some record has."""

    def drop_passages(self, db: Tx, memory_id: int) -> list[int]:
        """Removes the passages of a record; gives their ids."""

    def drop_ownerless_passages(self, db: Tx) -> None:
        """Removes the passages of no record."""

    def drop_ownerless(self, db: Tx) -> None:
        """Removes the rows of any table that refer to a lost record."""

    def drop_ownerless_takings(self, db: Tx) -> None:
        """Removes what says of a lost source or record that it was taken in."""

    def drop_ownerless_tags(self, db: Tx) -> None:
        """Removes the tags of no record, and those that are no text."""

    def rehash(self, db: Tx, memory_ids: list[int]) -> None:
        """Makes the hashes of records anew from their texts."""

    def repair_links(self, db: Tx) -> list[int]:
        """Makes predecessors and heirs name each other; gives the records that were changed."""


class FileAccess(Protocol[Tx]):
    """Opening a file."""

    def check_file(self, path: Path) -> bool:
        """Says whether a usable database file is there; raises when something else is."""

    def load_vectors(self, db: Tx) -> bool:
        """Loads sqlite-vec into a connection; False when this machine cannot."""


class FileCopy(Protocol[Tx]):
    """Online backup."""

    def copy_into(self, db: Tx, target: Path) -> None:
        """Copies the file a connection sees, as its read transaction sees it, into an empty
        file.
        """

    def exclusive(self, path: Path) -> AbstractContextManager[None]:
        """A file with its log merged and taken away, and locked against all others in the block."""


class Salvage(Protocol[TxBoth]):
    """Salvage of a corrupt file."""

    def copy_rows(self, broken: TxBoth, new: TxBoth, at: str) -> Salvaged:
        """Copies the rows that can be read, of every table that both files have."""

    def opened_broken(self, path: Path) -> AbstractContextManager[TxBoth | None]:
        """A corrupt file for reading; None where nothing that looks like ours can be read of it."""

    def may_be_ours(self, path: Path, *, wiped: bool) -> bool:
        """Whether a file with a strange header is worth a copy: not another program's database."""

    def holds_no_more(self, broken: TxBoth) -> bool:
        """Whether a file has no table or column but those of this program's files."""


class WriteAheadLog(Protocol):
    """The write-ahead log beside a file."""

    def size(self, path: Path) -> int:
        """Bytes in the log beside a file; 0 where there is none."""

    def belongs_to(self, path: Path) -> bool:
        """Whether the log beside a file may be applied to it; also True where nothing can be
        told.
        """

    def move_aside(self, path: Path) -> Path | None:
        """Moves a log that is another file's out of the way, and drops the map of it."""

    def free_name(self, path: Path) -> Path:
        """The path with the moment behind it, and a number where that is taken."""

    def copies_beside(self, path: Path) -> list[Path]:
        """The copies of a file that a restore, salvage, migration or lost log left beside it."""


class PartFiles(Protocol):
    """Files that something is written to before it takes its place."""

    @property
    def BESIDE(self) -> tuple[str, ...]: ...  # noqa: N802

    def part(self, target: Path) -> AbstractContextManager[Path]:
        """An empty private file beside the target, until the end of the block or its renaming."""

    def left_behind(self, place: Path, name: str | None = ...) -> list[Path]:
        """The parts in a folder whose makers are gone, by name."""

    def clean(self, place: Path, name: str | None = ...) -> list[Path]:
        """Removes what :func:`left_behind` finds; gives what is gone."""


class Folder(Protocol):
    """The folder of a file."""

    def locked(self, folder: Path) -> AbstractContextManager[None]:
        """Lets one process at a time make or move files in a folder, as far as the system can."""

    def warning(self, folder: Path) -> str:
        """A Chinese line for the person when :func:`others_may_write`, else ''."""

    def sync(self, folder: Path) -> None:
        """Puts the folder's entries on the disk, where the system can; a rename is safe after
        it.
        """


Transaction: TypeAlias = "apsw.Connection"
"""What the rooms above are given by a store; opaque to them."""

Store: TypeAlias = Database[Transaction]
"""What the rooms above are given as a store."""
