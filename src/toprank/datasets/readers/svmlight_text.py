"""SVMlight text to numbers, piece by piece: the file is never in memory as a whole.

A line is ``label [qid:number] feature:value ... [# comment]``, features counted from 1 and increasing, as
LIBSVM writes it.
"""

import re
from dataclasses import dataclass

import numpy as np

from ..errors import DataError
from .svmlight_kernels import (
    BAD_LABEL,
    BAD_QUERY,
    BAD_VALUE,
    FINE,
    NEWLINE,
    NOT_INCREASING,
    PADDING,
    UNKNOWN_FEATURE,
    parse_lines,
    scatter,
)

CHUNK_BYTES = 1 << 22
LONGEST_LINE = 1 << 26  # bytes: beyond it the file has no lines, and memory would not stay bounded
SHORTEST_PAIR = len("1:1 ")
SHORTEST_LINE = len("1\n")


@dataclass(frozen=True, eq=False)
class Rows:
    """Parsed lines; the arrays are views into buffers that the next piece overwrites.

    Attributes
    ----------
    labels : ndarray of float64, shape (n,)
    qid : ndarray of int64, shape (n,)
        0 unless it was asked for.
    indptr : ndarray of int64, shape (n + 1,)
    indices : ndarray of int32, shape (nnz,)
        Features from 0, increasing in each row.
    values : ndarray of float64, shape (nnz,)
    """

    labels: np.ndarray
    qid: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray

    def dense(self, n_features, dtype=np.float32):
        """Return a new array of shape (n, n_features); a value that the type cannot hold becomes infinite."""
        block = np.zeros((self.labels.size, n_features), dtype=dtype)
        scatter(self.indptr, self.indices, self.values, block)
        return block


class Parser:
    """Reads the lines of one file after the other; its buffers are made once and serve all pieces.

    Parameters
    ----------
    n_features : int
    query_id : bool
        Whether each row must have a ``qid:``; where it need not, one is passed over.
    chunk_bytes : int
        Text that is read at once.
    """

    def __init__(self, n_features, query_id=False, chunk_bytes=None):
        self.n_features = n_features
        self.query_id = query_id
        self.chunk_bytes = chunk_bytes or CHUNK_BYTES
        self._buffers = None

    def read(self, stream, name):
        """Parse a file.

        Parameters
        ----------
        stream : binary file
            Of the plain text.
        name : str
            For messages.

        Yields
        ------
        Rows

        Raises
        ------
        DataError
            One sentence that names the file, the line, the column (both from 1) and what stands there.
        """
        lines = 0
        for text in pieces(stream, name, self.chunk_bytes):
            rows, read = self._parse(text, name, lines)
            yield rows
            lines += read

    def _parse(self, text, name, lines_before):
        labels, qid, indptr, indices, values, slow = self._room(text.size)
        state, at, lines, n_rows, n_values, n_slow = parse_lines(
            text, self.n_features, self.query_id, labels, qid, indptr, indices, values, slow
        )
        content = text.tobytes() if n_slow else b""  # its slices are cheaper than those of an array
        for entry, start, stop in slow[:n_slow].tolist():
            number = float(content[start:stop])
            if number in (np.inf, -np.inf):
                state, at = (BAD_LABEL if entry < 0 else BAD_VALUE), start
                break
            if entry < 0:
                labels[-entry - 1] = number
            else:
                values[entry] = number
        if state != FINE:
            raise DataError(self._says(state, at, text, name, lines_before))
        rows = Rows(
            labels[:n_rows], qid[:n_rows], indptr[: n_rows + 1], indices[:n_values], values[:n_values]
        )
        return rows, lines

    def _room(self, size):
        """Buffers for what so many bytes can hold at most; what is not written to takes no memory."""
        if self._buffers is None or self._buffers[1] < size:
            size = max(size, self.chunk_bytes + PADDING + 1)
            n_rows, n_values = size // SHORTEST_LINE + 1, size // SHORTEST_PAIR + 1
            buffers = (
                np.empty(n_rows),
                np.empty(n_rows, dtype=np.int64),
                np.empty(n_rows + 1, dtype=np.int64),
                np.empty(n_values, dtype=np.int32),
                np.empty(n_values),
                np.empty((n_rows + n_values, 3), dtype=np.int64),
            )
            self._buffers = buffers, size
        return self._buffers[0]

    def _says(self, state, at, text, name, lines_before):
        """One sentence on what is wrong at a place."""
        before = text[:at].tobytes()
        line = lines_before + before.count(b"\n") + 1
        column = at - (before.rfind(b"\n") + 1) + 1
        token = re.match(rb"\S*", text[at : at + 40].tobytes())[0].decode("utf-8", "replace")
        found = repr(token) if token else "nothing"
        where = f"{name} holds {found} in line {line}, column {column}"
        official = "replace the file by the official one."
        if state == BAD_LABEL:
            return f"{where}, where a label, a finite number, is needed: {official}"
        if state == BAD_VALUE:
            return f"{where}, where a finite number is needed: {official}"
        if state == UNKNOWN_FEATURE:
            return f"{where}, where the features 1 to {self.n_features} are known: {official}"
        if state == NOT_INCREASING:
            return f"{where}, where the features of a line must increase, each at most once: {official}"
        if state == BAD_QUERY:
            return f"{where}, where the query of the row is needed, as in qid:7: {official}"
        return f"{where}, where a pair feature:value is needed: {official}"


def pieces(stream, name, chunk_bytes):
    """Cut a file into pieces of whole lines.

    Parameters
    ----------
    stream : binary file
    name : str
        For messages.
    chunk_bytes : int
        Size of a piece, unless a line is longer.

    Yields
    ------
    ndarray of uint8
        Ends with a newline and `PADDING` bytes of no meaning; a view that the next piece overwrites.
    """
    behind = PADDING + 1  # and the newline that the last line may lack
    buffer, filled = bytearray(chunk_bytes + behind), 0
    while read := stream.readinto(memoryview(buffer)[filled:-behind]):
        filled += read
        whole = buffer.rfind(b"\n", filled - read, filled) + 1
        if whole:
            yield np.frombuffer(buffer, dtype=np.uint8, count=whole + PADDING)
            buffer[: filled - whole] = buffer[whole:filled]
            filled -= whole
        elif filled == len(buffer) - behind:
            if filled >= LONGEST_LINE:
                raise DataError(
                    f"{name} holds a line of more than {LONGEST_LINE >> 20} MB, so it is no SVMlight text: "
                    "replace the file by the official one."
                )
            buffer = buffer + bytearray(len(buffer))
    if filled:
        buffer[filled] = NEWLINE
        yield np.frombuffer(buffer, dtype=np.uint8, count=filled + 1 + PADDING)
