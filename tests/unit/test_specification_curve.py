"""Specification curves and the balance of options, on made specifications."""

import numpy as np
import pandas as pd
import pytest
from figure_overlaps import find_overlaps

from reproduction.reporting.figures import comparison as balance
from reproduction.reporting.multiverse import specification_curve as spec
from reproduction.specs.multiverse import DEFAULT

OPTION_EFFECTS = pd.DataFrame(
    [("s", "stop", "10", 1, 8, 3, 0, 2), ("s", "ties", "most", 1, 8, 0, 2, 0)],
    columns=["study", "choice", "option", "changes", "compared", "recovered", "lost", "explains"],
)


def specifications(quantity="map", **values):
    """Data set -> specification -> ours; .5 is published for each, all on the same splits."""
    rows = [
        (specification, dataset, "a", quantity, 0.5, ours, values[dataset][DEFAULT])
        for dataset, of_set in values.items()
        for specification, ours in of_set.items()
    ]
    columns = ["specification", "dataset", "method", "quantity", "published", "ours_mean", "default_mean"]
    table = pd.DataFrame(rows, columns=columns)
    table["default_mean"] = table["ours_mean"].where(table["specification"] == DEFAULT, table["default_mean"])
    return table


def test_a_curve_is_the_quartiles_of_what_lies_between_ours_and_print():
    ours = {"x": (0.5, 0.9), "y": (0.6, 0.4), "z": (0.9, 0.1)}
    table = specifications(
        **{name: dict(zip((DEFAULT, "stop=10"), values, strict=True)) for name, values in ours.items()}
    )
    rows = spec.compute_curves(table).set_index("specification")
    assert rows.index.tolist() == ["stop=10", DEFAULT], "the least median first"
    assert rows.loc[DEFAULT, ["low", "median", "high"]].tolist() == pytest.approx([0.05, 0.1, 0.25])
    assert rows.loc["stop=10", ["low", "median", "high"]].tolist() == pytest.approx([-0.25, -0.1, 0.15])
    counts = spec.compute_curves(table.assign(quantity="variables")).set_index("specification")
    assert counts.loc[DEFAULT, "median"] == pytest.approx(1.2), "counts as ratios"
    alone = spec.compute_curves(table.assign(published=np.nan)).set_index("specification")
    assert alone.loc[DEFAULT, "median"] == 0 and alone.loc["stop=10", "median"] == pytest.approx(-0.2)


def test_a_number_without_fits_in_a_specification_keeps_what_is_nearest():
    x = {DEFAULT: 0.5, "ties=most": 0.7, "stop=10": 0.4, "ties=most; stop=10": 0.3}
    rows = spec.compute_curves(specifications(x=x, y={DEFAULT: 0.5, "ties=most": 0.9})).set_index(
        "specification"
    )
    assert (rows["numbers"] == 2).all()
    assert rows.loc["ties=most; stop=10", "median"] == pytest.approx((-0.2 + 0.4) / 2)
    assert rows.loc["stop=10", "median"] == pytest.approx((-0.1 + 0.0) / 2)


def test_the_choices_stand_below_the_specification_that_has_them():
    x = {DEFAULT: 0.5, "ties=most": 0.7, "stop=10": 0.4, "ties=most; stop=10": 0.3}
    figure = spec.draw_specification_curves(specifications(x=x))
    assert find_overlaps(figure) == []
    curve_ax, choice_ax = figure.axes
    assert "ours − published" in curve_ax.get_title(loc="left")
    names = [label.get_text() for label in choice_ax.get_yticklabels()]
    assert names == ["ties: default", "ties: most", "stop: default", "stop: 10"]
    order = spec.compute_curves(specifications(x=x))["specification"].tolist()
    strokes = [line.get_xydata() for line in choice_ax.get_lines()[: len(names)]]
    for name, stroke in zip(names, strokes, strict=True):
        choice, option = name.split(": ")
        has = [f"{choice}={option}" in u if option != "default" else f"{choice}=" not in u for u in order]
        ends = stroke[:, 0].reshape(-1, 3)[:, :2]
        covered = [any(low <= place <= high for low, high in ends) for place in range(len(order))]
        assert covered == has, name


def test_nothing_to_draw_is_said():
    no_specifications = specifications(x={DEFAULT: 0.5})
    assert (
        spec.describe_specification_curves(no_specifications) == spec.NO_MULTIVERSE_TEXT
        and spec.draw_specification_curves(no_specifications).texts
    )
    no_effects = OPTION_EFFECTS.head(0)
    assert (
        balance.option_effects_alt_text(no_effects) == balance.NO_OPTIONS_TEXT
        and balance.option_effects_figure(no_effects).texts
    )


def test_the_balance_of_a_level():
    figure = balance.option_effects_figure(OPTION_EFFECTS)
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    assert widths == [3, 0, 0, -2]
    long_names = OPTION_EFFECTS.assign(choice="smallest_share; largest_radius", option="0.00105; 8 and more")
    assert find_overlaps(balance.option_effects_figure(long_names)) == []
    text = balance.option_effects_alt_text(OPTION_EFFECTS)
    assert "2 options, of which 1 recover more" in text and "stop 10, 3 recovered and 0 lost" in text
