"""Download of one address to one file by pooch, with retries and with limits of time, rate and size.

`pooch.HTTPDownloader` transfers the bytes. `pooch.retrieve` is not used: it logs addresses with their
passwords, and the checksums of the registry are of unpacked content. No message here holds a password or a
query of an address (see `reproduction.core.redaction`).
"""

from __future__ import annotations

import email.utils
import logging
import os
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from reproduction.core.errors import TransportError
from reproduction.core.redaction import redact_addresses

if TYPE_CHECKING:
    from requests import Response

log = logging.getLogger(__name__)

CONNECT_SECONDS = 5  # without a network the run must go on quickly
READ_SECONDS = 60  # silence of the server, after which the request is repeated
DOWNLOAD_SECONDS = 6 * 3600  # of one file: the largest has some gigabytes
RATE_WINDOW_SECONDS = 90  # longer than CONNECT_SECONDS + READ_SECONDS, so that silence is retried
MIN_BYTES_PER_SECOND = 2000  # the mean over each such window
MAX_WAIT_SECONDS = 120  # that a server may ask for before the next attempt
#: Attempts at an address; with waits of 1 and 2 s between them, unless the server asks for more.
MAX_ATTEMPTS = 3
BACKOFF_SECONDS = 1.0  # doubled after each attempt
#: Too many requests, and faults of the server or a proxy that may pass; any other refusal is final.
RETRIED_STATUSES = (429, 500, 502, 503, 504)
STALE_PART_SECONDS = 3600  # an unfinished file that is older was abandoned
CHUNK_BYTES = 1 << 13  # a few of them within a window at the lowest rate
WATCH_SECONDS = 0.2  # between two looks at the size of the file
UNREACHABLE_FOLDER = "unreachable"
"""Folder of the cache with a note for each host that did not answer in this run."""


def clear_unreachable(data_folder: str | Path) -> None:
    """Remove the notes of hosts that did not answer: a new run asks them again.

    Parameters
    ----------
    data_folder : str or Path
    """
    shutil.rmtree(Path(data_folder, "cache", UNREACHABLE_FOLDER), ignore_errors=True)


def remove_stale_parts(folder: str | Path) -> None:
    """Remove unfinished files of downloads and unpackings that were killed.

    Parameters
    ----------
    folder : str or Path
        Its own files only, not those of its subfolders.
    """
    for pattern in ("*.part", "*.download"):
        for path in Path(folder).glob(pattern):
            if path.is_file() and time.time() - path.stat().st_mtime > STALE_PART_SECONDS:
                path.unlink(missing_ok=True)


def download(url: str, target: str | Path, max_bytes: int | None = None) -> None:
    """Download an address to a file, which appears only when it is complete.

    A dropped connection is retried from the start. A host that cannot be reached is not tried again in the
    run: a note beside the cache of its family tells the other jobs.

    Parameters
    ----------
    url : str
    target : str or Path
        Its folder is made if it is not there.
    max_bytes : int, optional
        Largest size of the file, after a ``Content-Encoding`` was undone; None for any.

    Raises
    ------
    TransportError
        One clause: the address and why it does not give the file.
    """
    import requests

    target = Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_stale_parts(target.parent)
    host = _get_host(url)
    unreachable_note = target.parent.parent / UNREACHABLE_FOLDER / host.replace(":", "_")
    # another job of this run has waited for this host in vain
    if unreachable_note.exists():
        raise TransportError(f"{host} could not be reached")
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    # One deadline for all attempts: retries must not multiply the hours.
    deadline = time.monotonic() + DOWNLOAD_SECONDS
    try:
        for attempt in range(1, MAX_ATTEMPTS + 1):
            # waits of 1 and 2 s, more where the server asks for it
            wait = BACKOFF_SECONDS * 2 ** (attempt - 1)
            try:
                stream_to_file(url, part, deadline, max_bytes)
                part.replace(target)
                return
            except requests.HTTPError as error:
                reason, requested_wait = _explain_refusal(error.response, redact_addresses(url))
                wait = max(wait, requested_wait)
            except (requests.RequestException, OSError) as error:
                if not isinstance(error, requests.RequestException) and error.errno is not None:
                    raise  # a full disk is not the server's fault
                if _is_unreachable(error):
                    unreachable_note.parent.mkdir(parents=True, exist_ok=True)
                    unreachable_note.touch()
                    raise TransportError(f"{host} could not be reached") from None
                reason = f"{redact_addresses(url)} broke off ({type(error).__name__})"
            if attempt < MAX_ATTEMPTS:
                log.warning("%s; trying again (%d of %d)", reason, attempt + 1, MAX_ATTEMPTS)
                time.sleep(wait)
        raise TransportError(f"{reason} in each of {MAX_ATTEMPTS} attempts")
    finally:
        part.unlink(missing_ok=True)


class _Guard:
    """The progress object of a transfer, which ends it at the next chunk once it is given up."""

    total = 0  # pooch sets it to the announced length

    def __init__(self) -> None:
        self.given_up = False

    def update(self, _: int) -> None:
        """Go on with the transfer, or end it.

        Parameters
        ----------
        _ : int
            Bytes of the chunk; not used.

        Raises
        ------
        TransportError
            The transfer was given up.
        """
        if self.given_up:
            raise TransportError("given up")

    def reset(self) -> None:
        """Do nothing: the size of the file is the state."""

    close = reset


def stream_to_file(url: str, part: Path, deadline: float, max_bytes: int | None = None) -> None:
    """Write what an address sends to a file; give up where that is too slow, takes too long or is too large.

    The transfer runs in a thread of its own. There it may wait long for a header, a chunk or a block whose
    bytes arrive one by one: each byte begins the timeout of requests anew, and none reaches the progress
    object. So the calling thread watches how the file grows, and at a limit leaves the other behind.

    Parameters
    ----------
    url : str
    part : Path
        The unfinished file.
    deadline : float
        Time of `time.monotonic` after which it takes too long.
    max_bytes : int, optional
        Largest size of the file.

    Raises
    ------
    TransportError
        A limit is broken. Errors of requests and of the system pass through.
    """
    from pooch import HTTPDownloader

    guard, responses, errors = _Guard(), [], []
    transfer = HTTPDownloader(
        progressbar=guard,
        chunk_size=CHUNK_BYTES,
        timeout=(CONNECT_SECONDS, READ_SECONDS),
        # data files are compressed already; without an encoding the file is as large as the transfer
        headers={"Accept-Encoding": "identity"},
        hooks={"response": lambda response, **_: responses.append(response)},
    )

    def run() -> None:
        """Run the transfer in its thread; keep its error for the caller and close its connections."""
        try:
            transfer(url, str(part), None)
        except Exception as error:
            errors.append(error)
        for response in responses:  # pooch leaves the connection open
            response.close()

    # a thread, since a read that hangs in the socket cannot be ended from within
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        _watch(thread, guard, part, redact_addresses(url), deadline, max_bytes)
    finally:
        guard.given_up = True
    if errors:
        raise errors[0]


def _watch(
    thread: threading.Thread, guard: _Guard, part: Path, address: str, deadline: float, max_bytes: int | None
) -> None:
    """Return when a transfer has ended; raise `TransportError` where it breaks a limit."""
    from tqdm import tqdm

    window_start, size_at_start = time.monotonic(), 0
    with tqdm(unit="B", unit_scale=True, disable=not sys.stderr.isatty()) as bar:
        # size and time are read from outside, also while the transfer waits for the server
        while thread.is_alive():
            thread.join(WATCH_SECONDS)
            now, size = time.monotonic(), part.stat().st_size if part.exists() else 0
            bar.total = guard.total or None
            bar.update(size - bar.n)
            if max_bytes is not None and size > max_bytes:
                raise TransportError(
                    f"{address} sends more than {max_bytes >> 20} MB, more than this data set can have"
                )
            if now > deadline:
                raise TransportError(f"{address} takes more than {DOWNLOAD_SECONDS / 3600:g} hours")
            # The mean over a window, not a single silence: a body that drips a byte now and then ends here.
            if (seconds := now - window_start) > RATE_WINDOW_SECONDS:
                if size - size_at_start < MIN_BYTES_PER_SECOND * seconds:
                    raise TransportError(f"{address} sends less than {MIN_BYTES_PER_SECOND} bytes a second")
                window_start, size_at_start = now, size


def _get_host(url: str) -> str:
    """Return host and port of an address, or raise one clause where it has none."""
    try:
        parts = urlsplit(url)
        host = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname
    except ValueError:  # its message would show the password
        host = None
    if not host:
        raise TransportError(f"{redact_addresses(url)} is not an address with a host")
    return host


def _explain_refusal(response: Response, address: str) -> tuple[str, float]:
    """Return why a server refuses and the seconds that it asks to wait, or raise where no retry helps."""
    status, wait = response.status_code, parse_retry_after(response.headers.get("Retry-After", ""))
    reason = f"{address} answers with status {status}"
    if status not in RETRIED_STATUSES:
        raise TransportError(reason, absent=status in (404, 410)) from None
    if wait > MAX_WAIT_SECONDS:
        raise TransportError(f"{reason} and asks to retry after {wait:.0f} s") from None
    return reason, wait


def parse_retry_after(header: str) -> float:
    """Return the seconds that the header Retry-After asks for, a number or a date; 0 where there is none.

    Parameters
    ----------
    header : str

    Returns
    -------
    float
        Negative for a date in the past.
    """
    # either a number of seconds or a date (RFC 9110, section 10.2.3)
    if header.isdigit():
        return float(header)
    try:
        return email.utils.parsedate_to_datetime(header).timestamp() - time.time()
    except ValueError:
        return 0.0


def _is_unreachable(error: Exception) -> bool:
    """Whether the host was not reached at all; otherwise a connection was dropped."""
    from requests import ConnectTimeout
    from requests.exceptions import ProxyError, SSLError
    from urllib3.exceptions import NameResolutionError, NewConnectionError

    cause = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(error, ConnectTimeout | ProxyError | SSLError) or isinstance(
        cause, NewConnectionError | NameResolutionError
    )
