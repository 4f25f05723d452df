"""Download of one address to one path, with retries, time limits, and notes of hosts that do not answer.

No message holds a password or a query of an address: see `reproduction.addresses`.
"""

import email.utils
import logging
import os
import shutil
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from reproduction.addresses import redact_addresses
from reproduction.data.errors import TransportError

log = logging.getLogger(__name__)

CONNECT_SECONDS = 5  # without a network the run must go on quickly
READ_SECONDS = 60  # silence of the server, not the length of the download
TOTAL_SECONDS = 6 * 3600  # of one file: the largest has some gigabytes
RATE_SECONDS, LEAST_RATE = 60, 2000  # the least bytes a second over any such time
LONGEST_WAIT = 120  # that a server may ask for before the next attempt
ATTEMPTS = 3
BACKOFF_SECONDS = 1.0  # doubled after each attempt
RETRIED_STATUS = (429, 500, 502, 503, 504)
STALE_SECONDS = 3600  # an unfinished file that is older was abandoned
BLOCK = 1 << 16
UNREACHABLE = "unreachable"
"""Folder of the cache with a note for each host that did not answer in this run."""


def forget(data_folder):
    """Forget which hosts did not answer: a new run asks them again."""
    shutil.rmtree(Path(data_folder, "cache", UNREACHABLE), ignore_errors=True)


def sweep(folder):
    """Remove unfinished files of downloads and unpackings that were killed."""
    for pattern in ("*.part", "*.download"):
        for path in Path(folder).glob(pattern):
            if path.is_file() and time.time() - path.stat().st_mtime > STALE_SECONDS:
                path.unlink(missing_ok=True)


def download(url, target):
    """Download ``url`` to ``target``, which appears only when it is complete.

    A dropped connection is retried from the start. A host that cannot be reached is not tried again in the
    run: a note beside the cache of its family tells the other jobs.

    Raises `TransportError`: one clause: the address and why it does not give the file.
    """
    import requests

    target = Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    sweep(target.parent)
    host = _host_of(url)
    note = target.parent.parent / UNREACHABLE / host.replace(":", "_")
    if note.exists():
        raise TransportError(f"{host} could not be reached")
    unfinished = target.with_name(f"{target.name}.{os.getpid()}.part")
    ends = time.monotonic() + TOTAL_SECONDS
    try:
        for attempt in range(1, ATTEMPTS + 1):
            wait = BACKOFF_SECONDS * 2 ** (attempt - 1)
            try:
                _receive(url, unfinished, ends)
                unfinished.replace(target)
                return
            except requests.HTTPError as error:
                status = error.response.status_code
                reason = f"{redact_addresses(url)} answers with status {status}"
                if status not in RETRIED_STATUS:
                    raise TransportError(reason, absent=status in (404, 410)) from None
                wait = max(wait, _asked_to_wait(error.response.headers.get("Retry-After", "")))
                if wait > LONGEST_WAIT:
                    raise TransportError(f"{reason} and asks to come back in {wait:.0f} s") from None
            except (requests.RequestException, OSError) as error:
                if not isinstance(error, requests.RequestException) and error.errno is not None:
                    raise  # a full disk is not the server's fault
                if _never_connected(error):
                    note.parent.mkdir(parents=True, exist_ok=True)
                    note.touch()
                    raise TransportError(f"{host} could not be reached") from None
                reason = f"{redact_addresses(url)} broke off ({type(error).__name__})"
            if attempt < ATTEMPTS:
                log.warning("%s; trying again (%d of %d)", reason, attempt + 1, ATTEMPTS)
                time.sleep(wait)
        raise TransportError(f"{reason} in each of {ATTEMPTS} attempts")
    finally:
        unfinished.unlink(missing_ok=True)


def _host_of(url):
    """Return host and port of an address, or raise one clause where it has none."""
    try:
        parts = urlsplit(url)
        host = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname
    except ValueError:  # its message would show the password
        host = None
    if not host:
        raise TransportError(f"{redact_addresses(url)} is no address with a host")
    return host


def _receive(url, path, ends):
    """Write what an address gives to a path, unless it takes too long."""
    import requests
    from tqdm import tqdm

    address = redact_addresses(url)
    with requests.get(url, stream=True, timeout=(CONNECT_SECONDS, READ_SECONDS)) as answer:
        answer.raise_for_status()
        announced = int(answer.headers.get("Content-Length") or 0)
        packed = "Content-Encoding" in answer.headers  # then the length is of the packed form
        bar = tqdm(total=announced or None, unit="B", unit_scale=True, disable=not sys.stderr.isatty())
        since, received, written = time.monotonic(), 0, 0
        with bar, open(path, "wb") as file:
            for block in answer.iter_content(BLOCK):
                file.write(block)
                bar.update(len(block))
                written, received, now = written + len(block), received + len(block), time.monotonic()
                if now > ends:
                    raise TransportError(f"{address} takes more than {TOTAL_SECONDS / 3600:g} hours")
                if now - since > RATE_SECONDS:
                    if received < LEAST_RATE * (now - since):
                        raise TransportError(f"{address} sends less than {LEAST_RATE} bytes a second")
                    since, received = now, 0
        if announced and not packed and written < announced:
            raise requests.ConnectionError("fewer bytes than announced")


def _asked_to_wait(header):
    """Seconds that the header Retry-After asks for, a number or a date; 0 where there is none."""
    if header.isdigit():
        return float(header)
    try:
        return email.utils.parsedate_to_datetime(header).timestamp() - time.time()
    except ValueError:
        return 0.0


def _never_connected(error):
    """Whether the host was not reached at all; otherwise a connection was dropped."""
    import requests
    from urllib3.exceptions import NameResolutionError, NewConnectionError

    if isinstance(
        error, (requests.ConnectTimeout, requests.exceptions.ProxyError, requests.exceptions.SSLError)
    ):
        return True
    cause = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(cause, (NewConnectionError, NameResolutionError))
