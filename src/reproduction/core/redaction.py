"""Addresses without what is secret in them: users, passwords, and the values of queries."""

import re
from collections.abc import Mapping
from typing import Any

_ADDRESS = re.compile(r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9+.-]*://)(\S*)")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]*\]|[^:@/]*)(:\d+)?(?=/|$)")
_SSH_CREDENTIALS = re.compile(r"(?<!\S)[^\s/:@]+:[^\s/@]+@(?=\S)")  # as ssh writes: user:password@host
_TRAILING_PUNCTUATION = re.compile(r"[)'\",;.]*$")
"""Punctuation of the sentence in which an address stands."""


def redact_addresses(text: str) -> str:
    """Remove user, password, query and fragment from each address in a text.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        The text with its addresses redacted.
    """
    return _SSH_CREDENTIALS.sub("", _ADDRESS.sub(_redact_match, text))


def redact_config(config: Any) -> Any:
    """Return a configuration, or a part of one, whose addresses hold no secret.

    Parameters
    ----------
    config : Any
        Mapping, list, text or number.

    Returns
    -------
    Any
        A copy of the same shape; tuples become lists.
    """
    if isinstance(config, Mapping):
        return {key: redact_config(value) for key, value in config.items()}
    if isinstance(config, list | tuple):
        return [redact_config(value) for value in config]
    return redact_addresses(config) if isinstance(config, str) else config


def _redact_match(match: re.Match) -> str:
    """Return an address without its user, password, query and fragment."""
    scheme, remainder = match.groups()
    place, *query = re.split(r"[?#]", remainder, maxsplit=1)
    # A password may hold any character, "/" too, although an address should write it as %2F: what does not
    # begin with a host and a port of digits is cut up to its last "@".
    if not _HOST.match(place):
        place = place.rpartition("@")[2]
    if not _HOST.match(place):  # the password holds a "?" or "#"
        return scheme
    return scheme + place + (_TRAILING_PUNCTUATION.search(remainder)[0] if query else "")
