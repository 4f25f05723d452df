"""SVMlight text to numbers, piece by piece, in compiled code: the file is never in memory as a whole.

A decimal number of at most 2^53 digits' worth and a power of ten up to 22 is one exact integer times or
divided by another, so one rounding gives the nearest double (Clinger 1990); the few others are read by
Python's ``float``. A line is ``label [qid:number] feature:value ... [# comment]``, features counted from 1
and increasing, as LIBSVM writes it.
"""

import re
import sys
from dataclasses import dataclass

import numba
import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic

from ..errors import DataError

CHUNK_BYTES = 1 << 22
LONGEST_LINE = 1 << 26  # bytes: beyond it the file has no lines, and memory would not stay bounded
SHORTEST_PAIR = len("1:1 ")
SHORTEST_LINE = len("1\n")
PADDING = 8  # bytes behind the text: it is read eight at once

TEN_TO_THE = 10.0 ** np.arange(23)  # all exact
INTEGER_TEN_TO_THE = np.array([10**k for k in range(9)], dtype=np.uint64)
LARGEST_EXACT = np.uint64(1 << 53)
NEWLINE, HASH, COLON, PLUS, MINUS, POINT = (ord(c) for c in "\n#:+-.")
EXACT, SLOW, MALFORMED = 0, 1, 2  # what a number is
# what a piece is
FINE, BAD_LABEL, BAD_VALUE, BAD_PAIR, UNKNOWN_FEATURE, NOT_INCREASING, BAD_QUERY = range(7)


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
        _scatter(self.indptr, self.indices, self.values, block)
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
        state, at, lines, n_rows, n_values, n_slow = _parse_lines(
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


@intrinsic
def _eight_bytes(typingctx, text, at):
    """Eight bytes of an array of uint8 as one uint64, the first byte the lowest."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        word = context.get_value_type(types.uint64)
        eight = builder.load(builder.bitcast(place, word.as_pointer()), align=1)
        return builder.bswap(eight) if sys.byteorder == "big" else eight

    return types.uint64(text, types.intp), generate


@intrinsic
def _trailing_zeros(typingctx, word):
    """Count the zero bits below the lowest one; 64 of 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], cgutils.false_bit)

    return types.int64(types.uint64), generate


@numba.njit(cache=True, forceinline=True)
def _is_blank(byte):
    return byte == 32 or (9 <= byte <= 13 and byte != NEWLINE)


@numba.njit(cache=True, forceinline=True)
def _ends_token(byte):
    return byte == 32 or 9 <= byte <= 13 or byte == HASH


@numba.njit(cache=True, forceinline=True)
def _digits(text, at):
    """Value and count of the digits that the next eight bytes begin with, without a branch a digit.

    As in fast_float (Lemire 2021): neighbours are joined to pairs, these to fours, these to eight digits.
    """
    word = _eight_bytes(text, at) ^ np.uint64(0x3030303030303030)  # a digit becomes its value
    above_9 = ((word + np.uint64(0x7676767676767676)) | word) & np.uint64(0x8080808080808080)
    count = _trailing_zeros(above_9) >> 3
    if count == 0:
        return np.uint64(0), count
    word <<= np.uint64(64 - 8 * count)  # what is no digit goes, zeros come before the digits
    word = word * np.uint64(10) + (word >> np.uint64(8))
    low = (word & np.uint64(0x000000FF000000FF)) * np.uint64(100 + (1_000_000 << 32))
    high = ((word >> np.uint64(16)) & np.uint64(0x000000FF000000FF)) * np.uint64(1 + (10_000 << 32))
    return (low + high) >> np.uint64(32), count


@numba.njit(cache=True, forceinline=True)
def _integer(text, at):
    """Read digits: their value, which is meaningless from 2^64 on, and where they end."""
    value, count = _digits(text, at)
    at += count
    while count == 8:
        more, count = _digits(text, at)
        value = value * INTEGER_TEN_TO_THE[count] + more
        at += count
    return value, at


@numba.njit(cache=True, forceinline=True)
def _number(text, at):
    """Read ``[+-]digits[.digits][e[+-]digits]``: the value, where it ends, and what it is."""
    negative = text[at] == MINUS
    at += negative | (text[at] == PLUS)
    mantissa, end = _integer(text, at)
    n_digits, exponent = end - at, 0
    at = end
    if text[at] == POINT:
        at += 1
        start, count = at, 8
        while count == 8:
            more, count = _digits(text, at)
            mantissa = mantissa * INTEGER_TEN_TO_THE[count] + more
            at += count
        exponent = start - at
        n_digits -= exponent
    if n_digits == 0:
        return 0.0, at, MALFORMED
    if text[at] == 101 or text[at] == 69:  # e, E
        at += 1
        down = text[at] == MINUS
        at += down | (text[at] == PLUS)
        power, end = _integer(text, at)
        if end == at:
            return 0.0, at, MALFORMED
        power = 1000 if end - at > 3 else np.int64(power)  # not exact anyway
        at = end
        exponent += -power if down else power
    if n_digits > 19 or mantissa > LARGEST_EXACT or exponent < -22 or exponent > 22:
        return 0.0, at, SLOW  # 19 digits are below 2^64
    value = np.float64(np.int64(mantissa))  # of a signed integer: one instruction
    value = value / TEN_TO_THE[-exponent] if exponent < 0 else value * TEN_TO_THE[exponent]
    return (-value if negative else value), at, EXACT


@numba.njit(cache=True)
def _parse_lines(text, n_features, query_id, labels, qid, indptr, indices, values, slow):
    """Parse whole lines into CSR arrays.

    Returns
    -------
    state : int
        FINE or what is wrong.
    at : int
        Where it is wrong.
    lines : int
        How many were read.
    n_rows, n_values, n_slow : int
        What is filled. A row of ``slow`` is an entry of ``values``, or -1 - row for a label, with start and
        end of its text.
    """
    at, lines, n_rows, n_values, n_slow = 0, 0, 0, 0, 0
    indptr[0] = 0
    while at < text.size - PADDING:
        while _is_blank(text[at]):
            at += 1
        if text[at] != NEWLINE and text[at] != HASH:
            start = at
            value, at, what = _number(text, at)
            if what == MALFORMED or not _ends_token(text[at]):
                return BAD_LABEL, start, lines, n_rows, n_values, n_slow
            if what == SLOW:
                slow[n_slow, 0], slow[n_slow, 1], slow[n_slow, 2] = -1 - n_rows, start, at
                n_slow += 1
            labels[n_rows] = value
            qid[n_rows] = 0
            while _is_blank(text[at]):
                at += 1
            if text[at] == 113:  # q
                start = at
                named = text[at + 1] == 105 and text[at + 2] == 100 and text[at + 3] == COLON  # i, d
                query, at = _integer(text, start + 4)
                if not named or not 1 <= at - start - 4 <= 18 or not _ends_token(text[at]):
                    return BAD_QUERY, start, lines, n_rows, n_values, n_slow
                qid[n_rows] = query
            elif query_id:
                return BAD_QUERY, at, lines, n_rows, n_values, n_slow
            before = 0
            while True:
                while _is_blank(text[at]):
                    at += 1
                if text[at] == NEWLINE or text[at] == HASH:
                    break
                start = at
                number, at = _integer(text, at)
                if at == start or text[at] != COLON:
                    return BAD_PAIR, start, lines, n_rows, n_values, n_slow
                feature = np.int64(number) if at - start <= 18 else 0
                if feature < 1 or feature > n_features:
                    return UNKNOWN_FEATURE, start, lines, n_rows, n_values, n_slow
                if feature <= before:
                    return NOT_INCREASING, start, lines, n_rows, n_values, n_slow
                before = feature
                start = at + 1
                value, at, what = _number(text, start)
                if what == MALFORMED or not _ends_token(text[at]):
                    return BAD_VALUE, start, lines, n_rows, n_values, n_slow
                if what == SLOW:
                    slow[n_slow, 0], slow[n_slow, 1], slow[n_slow, 2] = n_values, start, at
                    n_slow += 1
                indices[n_values] = feature - 1
                values[n_values] = value
                n_values += 1
            n_rows += 1
            indptr[n_rows] = n_values
        while text[at] != NEWLINE:  # a comment
            at += 1
        at += 1
        lines += 1
    return FINE, at, lines, n_rows, n_values, n_slow


@numba.njit(cache=True)
def _scatter(indptr, indices, values, block):
    for row in range(block.shape[0]):
        for k in range(indptr[row], indptr[row + 1]):
            block[row, indices[k]] = values[k]
