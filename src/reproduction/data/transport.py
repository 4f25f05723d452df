"""Fetching one address to one path: pooch's downloader with retries, time limits, a memory for dead hosts."""

import logging
import os
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from reproduction.data.errors import TransportError

log = logging.getLogger(__name__)

CONNECT_SECONDS = 5  # without a network the run must go on quickly
READ_SECONDS = 60  # silence of the server, not the length of the download
ATTEMPTS = 3
BACKOFF_SECONDS = 1.0  # doubled after each attempt
RETRIED_STATUS = (429, 500, 502, 503, 504)

_unreachable = set()  # hosts that did not answer in this process


def download(url, target):
    """Fetch ``url`` to ``target``, which appears only when it is complete.

    A dropped connection is retried from the start, a host that cannot be reached is not, neither for this
    file nor for any later one of the same process.

    Raises
    ------
    TransportError
        One clause: the address and why it does not give the file.
    """
    import pooch
    import requests

    host = urlsplit(url).netloc
    if host in _unreachable:
        raise TransportError(f"{host} could not be reached")
    target = Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f"{target.name}.{os.getpid()}.part")
    fetch = pooch.HTTPDownloader(
        progressbar=sys.stderr.isatty(), chunk_size=1 << 16, timeout=(CONNECT_SECONDS, READ_SECONDS)
    )
    try:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                fetch(url, str(unfinished), None)
                unfinished.replace(target)
                return
            except requests.HTTPError as error:
                status = error.response.status_code
                reason = f"{url} answers with status {status}"
                if status not in RETRIED_STATUS:
                    raise TransportError(reason, absent=status in (404, 410)) from error
            except requests.RequestException as error:
                if _never_connected(error):
                    _unreachable.add(host)
                    raise TransportError(f"{host} could not be reached") from error
                reason = f"{url} broke off ({type(error).__name__})"
            if attempt < ATTEMPTS:
                log.warning("%s; trying again (%d of %d)", reason, attempt + 1, ATTEMPTS)
                time.sleep(BACKOFF_SECONDS * 2 ** (attempt - 1))
        raise TransportError(f"{reason} in each of {ATTEMPTS} attempts")
    finally:
        unfinished.unlink(missing_ok=True)


def _never_connected(error):
    """Whether the host was not reached at all, as against a connection that was dropped half-way."""
    import requests
    from urllib3.exceptions import NameResolutionError, NewConnectionError

    if isinstance(
        error, (requests.ConnectTimeout, requests.exceptions.ProxyError, requests.exceptions.SSLError)
    ):
        return True
    cause = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(cause, (NewConnectionError, NameResolutionError))
