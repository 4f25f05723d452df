"""Errors of data; each message is one sentence that names the problem and the remedy."""


class DataError(RuntimeError):
    """A data set, a file or its content cannot be used."""


class NotObtainedError(DataError):
    """No source gives a file; ``reasons`` lists what each of them answered."""

    def __init__(self, message: str, reasons: list[str]) -> None:
        super().__init__(message)
        self.reasons = reasons


class BadArchiveError(DataError):
    """A packed file is truncated, damaged, or lacks what it should hold."""


class TransportError(DataError):
    """An address does not give the file; ``absent``: the server answered that it has no such file."""

    def __init__(self, message: str, absent: bool = False) -> None:
        super().__init__(message)
        self.absent = absent
