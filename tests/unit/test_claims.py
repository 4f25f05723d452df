"""Claims: what is found in each specification becomes one verdict, with the choice that decides it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from reproduction.comparison.claim_tables import CLAIM_COLUMNS, claim_rows, format_totals, read_claims
from reproduction.comparison.claims import (
    HOLDS,
    HOLDS_SOMETIMES,
    REFUTED,
    UNDECIDED,
    VERDICTS,
    Claim,
    _has_data,
    combine_verdicts,
    find_deciding_choice,
    make_outcomes_template,
)
from reproduction.comparison.dataset_outcomes import cache_by_rows, sort_datasets
from reproduction.core.sentence_templates import fill_template
from reproduction.papers import PAPERS, paper
from reproduction.reporting.latex.run_tables import claims_to_latex
from reproduction.specs.multiverse import complete_specifications
from reproduction.specs.paper import import_object
from reproduction.specs.study_results import Study


def outcomes(values):
    """Two splits of one data set and two methods; ``values``: (specification, method) -> metric."""
    rows = [(*key, split, value) for key, value in values.items() for split in range(2)]
    return pd.DataFrame(rows, columns=["specification", "method", "split", "rate"]).assign(dataset="sonar")


def study(**tables):
    specifications = complete_specifications(tables["outcomes"]) if "outcomes" in tables else {}
    fields = {"tables": tables, "specifications": specifications, "published_values": None}
    return SimpleNamespace(**fields, file=lambda name: None, table=tables.get)


def check_better(rows):
    means = rows.groupby("method")["rate"].mean()
    if not {"a", "b"} <= set(means.index):
        return None
    return {"holds": None if means.isna().any() else means["a"] > means["b"], "rate": means["a"]}


BETTER_CLAIM = Claim("better", "Table 1", "“a is better”", "a has {{ rate }}.", check_better, ("outcomes",))


def test_a_claim_on_what_was_not_run_is_known_as_such():
    for holds_by_dataset, is_measured in (({}, False), ({"sonar": True}, True), ({"sonar": False}, True)):
        assert (
            _has_data({"holds": None, "sets": sort_datasets(["sonar", "colon"], holds_by_dataset)})
            == is_measured
        )
    absent = Claim("none", "Table 1", "“none”", "", lambda table: None, ("figure",)).evaluate(study())
    assert not absent.is_in_run and absent.verdict == UNDECIDED
    only_b = outcomes({("default", "b"): 0.5})
    assert not BETTER_CLAIM.evaluate(study(outcomes=only_b)).is_in_run
    outcome_rows = outcomes({("default", "a"): 0.6, ("default", "b"): 0.5})
    assert BETTER_CLAIM.evaluate(study(outcomes=outcome_rows)).is_in_run


@pytest.mark.parametrize(("status", "verdict"), [("obtained", HOLDS), ("partial", UNDECIDED)])
def test_a_part_of_a_dataset_does_not_decide(status, verdict):
    data = pd.DataFrame({"dataset": ["sonar", "colon"], "status": [status, "partial"]})
    results = study(outcomes=outcomes({("default", "a"): 0.6, ("default", "b"): 0.5}))
    results.data, results.file = data, lambda name: name == "data.csv"
    assert BETTER_CLAIM.evaluate(results).verdict == verdict
    # a claim on such a data set judges by its status itself
    assert replace(BETTER_CLAIM, reads_partial_data=True).evaluate(results).verdict == HOLDS


def test_specifications_become_one_verdict():
    assert combine_verdicts([True, True], True) == HOLDS and combine_verdicts([], False) == REFUTED
    assert combine_verdicts([True, False, None, None], True) == HOLDS_SOMETIMES
    # most specifications must be decided
    for default, verdict in ((True, HOLDS), (False, REFUTED)):
        assert combine_verdicts([default, default, None], default) == verdict
        assert combine_verdicts([default, None], default) == UNDECIDED
    # and the default one
    for holds_by_specification in ([True, False, None], [True, None], [False, None], [None], []):
        assert combine_verdicts(holds_by_specification, None) == UNDECIDED


def test_a_vague_sentence_is_judged_in_each_reading():
    claim = Claim(
        "vague",
        "section 1",
        "“better”",
        "By {{ by }}.",
        lambda table: {"by": table["by"][0], "holds": table["by"][0] > 0},
        ("t",),
        reading="by anything; reading much: by more than 1",
        other_readings={"much": lambda table: {"by": table["by"][0], "holds": table["by"][0] > 1}},
    )
    for by, verdict in ((2.0, HOLDS), (0.5, HOLDS_SOMETIMES), (-1.0, REFUTED)):
        judgement = claim.evaluate(study(t=pd.DataFrame({"by": [by]})))
        assert judgement.verdict == verdict and judgement.evidence == f"By {by}."
    judgement = claim.evaluate(study(t=pd.DataFrame({"by": [0.5]})))
    assert judgement.robustness.startswith(
        "It holds in 1 of 2 specifications, also with the default choices. "
    )
    assert "The deciding choice is reading" in judgement.robustness


@pytest.mark.parametrize("name", PAPERS)
def test_beside_each_claim_stands_what_is_measured(name):
    for claim in import_object(paper(name).claims):
        assert claim.reading, claim.name
        assert all(f"reading {other}:" in claim.reading for other in claim.other_readings), claim.name


@pytest.mark.parametrize(
    ("yes", "no", "expected_names", "expected"),
    [(4, 0, 4, True), (3, 0, 4, None), (3, 4, 4, False), (0, 4, 4, False), (0, 3, 4, None), (2, 1, 2, True)],
)
def test_sets_that_are_missing_are_credited_to_neither_side(yes, no, expected_names, expected):
    names = list("abcdefg")
    holds_by_dataset = dict.fromkeys(names[:yes], True) | dict.fromkeys(names[yes : yes + no], False)
    sets = sort_datasets(names, holds_by_dataset)
    assert (len(sets.yes), len(sets.no), sets.n_datasets) == (yes, no, 7)
    # by force: all ways in which the missing ones could turn out
    missing = len(sets.missing)
    outcomes = {yes + more >= expected_names for more in range(missing + 1)}
    assert (
        sets.holds_on_at_least(expected_names) is expected is (outcomes.pop() if len(outcomes) == 1 else None)
    )


def test_what_was_found_on_several_sets_is_said():
    template = make_outcomes_template("It is better", ", median {{ median }}")
    for holds, text in (
        (
            {"a": True, "c": False},
            "It is better on 1 of 2 measured data sets (a), median .1; it does not hold on c. ",
        ),
        ({"a": True, "c": True}, "It is better on 2 of 2 measured data sets (a, c), median .1. "),
        (
            {"a": False, "c": False},
            "It is better on 0 of 2 measured data sets, median .1; it does not hold on a, c. ",
        ),
    ):
        filled = fill_template(template, {"sets": sort_datasets("abcd", holds), "median": ".1"})
        assert filled == f"{text}Not measured: b, d (2 of 4 data sets)."
    nothing_measured = {"sets": sort_datasets("ab", {}), "median": "nan"}
    assert fill_template(template, nothing_measured) == "Not measured: a, b (2 of 2 data sets)."


def test_a_claim_holds_where_it_holds_in_every_specification():
    values = {(u, "a"): 0.5 for u in ("default", "ties=most")} | {("default", "b"): 0.4}
    evaluation = BETTER_CLAIM.evaluate(study(outcomes=outcomes(values)))
    assert (evaluation.verdict, evaluation.share) == (HOLDS, 1.0)
    assert (
        evaluation.evidence == "a has 0.5." and evaluation.robustness == "It holds in all 2 specifications."
    )


def test_the_choice_that_decides_is_named():
    values = {("default", "a"): 0.5, ("default", "b"): 0.4, ("stop=m_k", "b"): 0.3}
    values |= {("ties=most", "a"): 0.2, ("ties=most; stop=m_k", "b"): 0.3}
    evaluation = BETTER_CLAIM.evaluate(study(outcomes=outcomes(values)))
    assert (evaluation.verdict, evaluation.share) == (HOLDS_SOMETIMES, 0.5)
    assert evaluation.robustness == (
        "It holds in 2 of 4 specifications, also with the default choices. The deciding choice is ties: "
        "it holds in 2 of 2 with default, in 0 of 2 with most."
    )


def test_copies_under_choices_that_do_not_touch_a_claim_are_not_counted():
    values = {("default", "a"): 0.5, ("default", "b"): 0.4, ("stop=m_k", "b"): 0.3}
    values |= {("ties=most", "a"): 0.2, ("ties=most; stop=m_k", "b"): 0.3}
    claim = replace(BETTER_CLAIM, choices=("ties", "covariance"))
    evaluation = claim.evaluate(study(outcomes=outcomes(values)))
    assert evaluation.robustness == (
        "It holds in 1 of 2 specifications, also with the default choices. The deciding choice is ties: "
        "it holds in 1 of 1 with default, in 0 of 1 with most."
    )


def test_no_choice_is_named_where_none_tells_more_than_the_majority():
    holds = {"default": True, "x=1": True, "y=1": True, "x=1; y=1": False}
    assert find_deciding_choice(holds) is None and find_deciding_choice({"default": True}) is None
    assert find_deciding_choice(holds | {"x=2": False, "x=2; y=1": False})["alone"] is False


def test_a_specification_takes_what_it_does_not_touch_from_the_nearest_one():
    values = {("default", "a"): 1.0, ("default", "b"): 2.0, ("x=1", "a"): 3.0, ("y=1", "b"): 4.0}
    completed = complete_specifications(outcomes(values | {("x=1; y=1", "c"): 5.0}))
    means = {name: rows.groupby("method")["rate"].mean().to_dict() for name, rows in completed.items()}
    assert means["x=1"] == {"a": 3.0, "b": 2.0} and means["y=1"] == {"a": 1.0, "b": 4.0}
    assert means["x=1; y=1"] == {"a": 3.0, "b": 4.0, "c": 5.0}
    assert all((rows.groupby("method").size() == 2).all() for rows in completed.values())


def test_what_was_not_measured_cannot_be_told():
    evaluation = BETTER_CLAIM.evaluate(study())
    assert evaluation.verdict == UNDECIDED and evaluation.evidence == "This run has no table “outcomes”."
    missing = pd.DataFrame([{"status": "not obtained", "message": "no file."}])
    missing_figure_evaluation = Claim("x", "", "", "", lambda table: {"holds": True}, ("figure2",)).evaluate(
        study(figure2=missing)
    )
    assert (
        missing_figure_evaluation.verdict == UNDECIDED
        and missing_figure_evaluation.evidence == "This run has no table “figure2”: no file."
    )
    lacking = BETTER_CLAIM.evaluate(study(outcomes=outcomes({("default", "a"): 1.0})))
    assert lacking.verdict == UNDECIDED and np.isnan(lacking.share)
    values = {("default", "a"): np.nan, ("default", "b"): 1.0}
    open_claim = BETTER_CLAIM.evaluate(study(outcomes=outcomes(values)))
    assert open_claim.robustness == "None of 1 specifications can be decided by the data."


def test_a_block_is_judged_once_or_in_its_own_settings():
    table = pd.DataFrame({"setting": ["default", "eta=1"], "value": [1, 2]})
    once = Claim("once", "", "", "{{ n }}", lambda rows: {"holds": np.True_, "n": len(rows)}, ("figure1",))
    evaluation = once.evaluate(study(figure1=table))
    assert (evaluation.verdict, evaluation.evidence, evaluation.robustness) == (HOLDS, "2", "")

    def is_odd(rows):
        return {"holds": rows["value"].iloc[0] % 2 == 1, "n": len(rows)}

    def settings(rows):
        return dict(list(rows.groupby("setting")))

    by_setting = Claim("odd", "", "", "{{ n }}", is_odd, ("figure1",), settings)
    evaluation = by_setting.evaluate(study(figure1=table))
    assert (evaluation.verdict, evaluation.share) == (HOLDS_SOMETIMES, 0.5)
    computed = Claim("computed", "", "", "", lambda: {"holds": False})
    assert computed.evaluate(study()).verdict == REFUTED


def test_the_file_has_no_blank_cell_and_is_counted(tmp_path):
    sure = Claim("c", "", "s", "t", lambda: {"holds": True})
    rows = claim_rows("r", [BETTER_CLAIM.evaluate(study()), sure.evaluate(study())])
    rows.to_csv(tmp_path / "claims.csv", index=False)
    read = read_claims(tmp_path / "claims.csv")
    assert list(read) == list(CLAIM_COLUMNS) and read["verdict"].tolist() == [UNDECIDED, HOLDS]
    (sentence,) = format_totals(read)
    assert sentence == "Claims of r: 2: holds 1, cannot tell 1"
    assert r"\begin{longtable}" in claims_to_latex(rows) and "cannot tell" in claims_to_latex(rows)


@pytest.mark.parametrize("name", PAPERS)
def test_without_any_table_each_claim_has_a_verdict_and_a_reason(name):
    record = paper(name)
    claims = import_object(record.claims)
    assert len({claim.name for claim in claims}) == len(claims)
    empty = Study(name, record, {"published": True}, [])
    rows = claim_rows(name, [claim.evaluate(empty) for claim in claims])
    assert rows["verdict"].isin(VERDICTS).all() and not (rows == "").any(axis=None)
    measured = [bool(claim.inputs) for claim in claims]
    assert (rows.loc[measured, "verdict"] == UNDECIDED).all()
    assert not record.published_values or rows["sentence"].str.contains("“").all()


def test_the_same_rows_are_asked_about_once():
    calls = []

    @cache_by_rows
    def mean(rows, name):
        calls.append(name)
        return rows[name].mean()

    rows = pd.DataFrame({"method": ["a", "b"], "rate": [0.25, 0.75]})
    assert mean(rows, "rate") == mean(rows.set_axis([4, 5]), "rate") == 0.5 and calls == ["rate"]
    assert mean(rows.assign(rate=[0.0, 0.75]), "rate") == 0.375
    assert mean(rows.assign(method=["a", "c"]), "rate") == 0.5 and len(calls) == 3
