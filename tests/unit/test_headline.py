"""The headline of the page counts what it says: results, what could not be obtained, marks and p-values."""

from types import SimpleNamespace

from reproduction.comparison.table import Comparison, comparison_rows
from reproduction.reporting.page.headline import describe_derived, describe_run


def study_of(**verdicts):
    """A study with as many published numbers of a quantity as it has verdicts."""
    rows = []
    for quantity, words in verdicts.items():
        for place, verdict in enumerate(words):
            row = {"study": "s", "artefact": "table1", "dataset": f"d{place}", "method": "m"}
            rows.append(row | {"quantity": quantity, "published": 1.0, "verdict": verdict, "reason": "x"})
    return SimpleNamespace(name="s", comparison=Comparison(comparison_rows(rows)))


def test_results_and_what_follows_from_them_are_counted_apart():
    first = study_of(map=["agrees", "consistent", "explained", "differs", "differs", "not obtained"])
    second = study_of(
        map=["below the margin", "not obtained"],
        map_p_value=["as published", "not as published", "not obtained"],
        pos_at_top_mark=["not as published", "marked in neither"],
        rows_count=["not as published"],
    )
    assert describe_run([first, second]) == (
        "The papers publish 8 results: 2 agree or are consistent with ours, 1 is explained by other choices, "
        "2 differ, 1 is below the margin, and 2 could not be obtained. Of 3 marks, relations and p-values "
        "that could be judged, 2 are not as published."
    )
    assert describe_derived(second) == (
        "Of 3 marks, relations and p-values that could be judged, 1 is as published and 2 are not."
    )


def test_without_published_numbers_there_is_no_headline():
    assert describe_run([]) == "" == describe_run([SimpleNamespace(comparison=Comparison())])
    assert describe_derived(study_of(map=["agrees"])) == ""
