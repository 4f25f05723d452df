"""Complaints of the checks of the page."""


def assert_complaint(complaints, *words):
    """There is one complaint, and it has these words."""
    assert len(complaints) == 1, complaints
    for word in words:
        assert word in complaints[0]
