"""The compiled part of the parser of SVMlight text.

A decimal number is an integer w below 2^64 (19 digits) times a power of ten. Up to w = 2^53 and a power of 22
both are doubles, and one rounding of their product or quotient gives the nearest double (Clinger 1990). Up to
the ends of the normal doubles the upper words of w times the power of five, of which 128 bits are kept, tell
the nearest double (Lemire 2021, "Number parsing at a gigabyte per second"). What remains, more than 19 digits
and numbers near overflow or underflow, is left to Python's ``float``.
"""

import sys

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

PADDING = 16  # bytes behind the text: eight are read at once, and "qid:" is stepped over

TEN_TO_THE = 10.0 ** np.arange(23)  # all exact
INTEGER_TEN_TO_THE = np.array([10**k for k in range(9)], dtype=np.uint64)
LARGEST_EXACT = np.uint64(1 << 53)
NEWLINE, HASH, COLON, PLUS, MINUS, POINT = (ord(c) for c in "\n#:+-.")
EXACT, SLOW, MALFORMED = 0, 1, 2  # what a number is
# what a piece is
FINE, BAD_LABEL, BAD_VALUE, BAD_PAIR, UNKNOWN_FEATURE, NOT_INCREASING, BAD_QUERY = range(7)


def _powers_of_five(first, last):
    """Leading 128 bits of 5^q as (high, low), array of uint64.

    Truncated, but rounded up for q = -27 to -1, where a product may lie halfway between doubles.
    """
    words = []
    for q in range(first, last + 1):
        power = 5 ** abs(q)
        if q < 0:
            more = 127 if q >= -27 else 128 + power.bit_length()
            power = (1 << (power.bit_length() + more)) // power + 1
        shift = power.bit_length() - 128
        power = power >> shift if shift > 0 else power << -shift
        words.append(divmod(power, 1 << 64))
    return np.array(words, dtype=np.uint64)


LEAST_POWER, LARGEST_POWER = -342, 308  # beyond them w times the power is no normal double
POWERS_OF_FIVE = _powers_of_five(LEAST_POWER, LARGEST_POWER)


@intrinsic
def _eight_bytes(typingctx, text, at):
    """Eight bytes of an array of uint8 as one uint64, the first byte the lowest."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        eight = builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)
        return builder.bswap(eight) if sys.byteorder == "big" else eight

    return types.uint64(text, types.intp), generate


@intrinsic
def _trailing_zeros(typingctx, word):
    """Count the zero bits below the lowest one; 64 of 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def _leading_zeros(typingctx, word):
    """Count the zero bits above the highest one; 64 of 0."""

    def generate(context, builder, signature, arguments):
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def _product(typingctx, a, b):
    """High and low word of the product of two uint64."""

    def generate(context, builder, signature, arguments):
        word, wide = ir.IntType(64), ir.IntType(128)
        product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)
        return context.make_tuple(builder, signature.return_type, (high, builder.trunc(product, word)))

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), generate


@intrinsic
def _as_double(typingctx, word):
    """Take the bits of a uint64 for those of a double."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), generate


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


@numba.njit(cache=True)
def _nearest(w, q):
    """Round w 10^q to the nearest double, and say whether it could be done.

    The product of w, shifted to its highest bit, with the power of five has its leading 55 bits right; the
    names are those of the paper's Algorithm 1.
    """
    if q < LEAST_POWER or q > LARGEST_POWER or w == 0:
        return 0.0, w == 0
    zeros = _leading_zeros(w)
    w <<= np.uint64(zeros)
    high, low = _product(w, POWERS_OF_FIVE[q - LEAST_POWER, 0])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):  # the lower word of the power may carry into the 55 bits
        carry, _ = _product(w, POWERS_OF_FIVE[q - LEAST_POWER, 1])
        low += carry
        if low < carry:
            high += np.uint64(1)
    if low == np.uint64(0xFFFFFFFFFFFFFFFF) and (q < -27 or q > 55):
        return 0.0, False
    upper = high >> np.uint64(63)
    m = high >> (upper + np.uint64(9))
    p = ((217706 * q) >> 16) + 63 + np.int64(upper) - zeros + 1023  # biased; 217706 / 2^16 is log2(10)
    if p <= 0 or p >= 2046:
        return 0.0, False
    may_be_halfway = low <= np.uint64(1) and -4 <= q <= 23 and m & np.uint64(3) == np.uint64(1)
    if may_be_halfway and m << (upper + np.uint64(9)) == high:  # to the even one
        m -= np.uint64(1)
    m = (m + (m & np.uint64(1))) >> np.uint64(1)
    if m == np.uint64(1 << 53):
        m >>= np.uint64(1)
        p += 1
    return _as_double(m & np.uint64((1 << 52) - 1) | np.uint64(p) << np.uint64(52)), True


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
    if n_digits > 19:
        return 0.0, at, SLOW
    if mantissa > LARGEST_EXACT or exponent < -22 or exponent > 22:
        value, is_nearest = _nearest(mantissa, exponent)
        return (-value if negative else value), at, (EXACT if is_nearest else SLOW)
    value = np.float64(np.int64(mantissa))  # of a signed integer: one instruction
    value = value / TEN_TO_THE[-exponent] if exponent < 0 else value * TEN_TO_THE[exponent]
    return (-value if negative else value), at, EXACT


@numba.njit(cache=True)
def parse_lines(text, n_features, query_id, labels, qid, indptr, indices, values, slow):
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
def scatter(indptr, indices, values, block):
    """Write the values of CSR arrays to where they belong in a dense block of zeros."""
    for row in range(block.shape[0]):
        for k in range(indptr[row], indptr[row + 1]):
            block[row, indices[k]] = values[k]
