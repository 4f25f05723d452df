"""Cost and memory against the size: rows of a small measurement, the law beyond it, the figure in words."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from ranking_data import raises_one_sentence

from reproduction.papers.kadkhodaie2015.scale import costs as scale
from reproduction.papers.kadkhodaie2015.scale import experiment as size_costs
from reproduction.plotting.style import save_figure

LIMITS = dict.fromkeys(size_costs.SOLVER_PARAMETERS, 20.0)


@pytest.fixture(scope="module")
def scale_table():
    """Every solver, without the process of its own that `test_a_limit_stops_a_fit` looks at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(size_costs, "_measure_in_subprocess", lambda task: size_costs.measure_fit(**task))
        return pd.DataFrame(size_costs.measure_costs(300, 12, 0.01, 1e-2, 5, LIMITS, seed=3))


def test_a_generated_set_is_like_epsilon(tmp_path):
    for name in ("first", "again", "other"):
        (tmp_path / name).mkdir()
    n = size_costs.ROWS_PER_CHUNK + 100
    X, y = size_costs.write_dataset(tmp_path / "first", n, 30, 5)
    assert isinstance(X, np.memmap) and X.dtype == np.float32 and X.shape == (n, 30) and not X.flags.writeable
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0, rtol=1e-5)
    assert y.sum() == n // 2 and set(np.unique(y)) == {0, 1}
    difference = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    assert (difference[: size_costs.N_SHIFTED_FEATURES] > 0.05).all()
    assert np.abs(difference[size_costs.N_SHIFTED_FEATURES :]).max() < 0.02
    second_folder, labels = size_costs.write_dataset(tmp_path / "again", n, 30, 5)
    other, _ = size_costs.write_dataset(tmp_path / "other", n, 30, 6)
    assert np.array_equal(second_folder, X) and np.array_equal(labels, y) and not np.array_equal(other, X)


def test_a_disk_that_is_too_small(tmp_path):
    with raises_one_sentence(r"needs 8000000\.0 GB below .*; let TMPDIR name a larger disk", OSError):
        size_costs.write_dataset(tmp_path, 10**9, 2 * 10**6, 0)


def test_every_solver_is_measured(scale_table):
    assert tuple(scale_table.columns) == size_costs.COST_COLUMNS
    assert list(scale_table["solver"]) == list(size_costs.SOLVER_PARAMETERS)
    assert set(scale_table["rows"]) == {300} and set(scale_table["features"]) == {12}
    assert set(scale_table["status"]) <= {"certified", "stopped", "max_iterations"}
    assert scale_table.set_index("solver").loc["exact", "relative_gap"] <= 1e-8
    positive = ["seconds_per_iteration", "pass_seconds", "gigabytes_per_second", "seconds", "n_iter"]
    assert (scale_table[[*positive, "peak_resident_mb"]] > 0).all(axis=None)
    ratio = scale_table["seconds_per_iteration"] / (2.0 * scale_table["pass_seconds"])
    np.testing.assert_allclose(scale_table["ratio_to_two_passes"], ratio)
    np.testing.assert_allclose(scale_table["gigabytes"], 4 * 300 * 12 / 1e9)
    optimum = scale_table.set_index("solver")["objective"]
    assert (optimum >= optimum["exact"] * (1 - 1e-8)).all()


def test_a_limit_stops_a_fit():
    (row,) = size_costs.measure_costs(300, 12, 1e-4, 1e-3, 5, {"admm": 1e-6}, seed=3)
    assert row["status"] == "time_limit" and row["n_iter"] == 1 and row["seconds_per_iteration"] is None
    (row,) = size_costs.measure_costs(4000, 400, 1e-4, 1e-3, 5, {"admm": 1e-3}, seed=3)  # before its factor
    assert row["status"] == "time_limit" and row["n_iter"] == 0 and row["setup_seconds"] is None


def test_a_fit_that_fails():
    with raises_one_sentence("ValueError: alpha must be a positive number or .auto.; got -1", RuntimeError):
        list(size_costs.measure_costs(300, 12, -1, 1e-3, 5, {"exact": 1.0}, seed=3))


def lines(sizes=(1000, 10_000, 100_000, 200_000)):
    """Costs that follow a law: 1e-6 n an iteration, 1e-9 n² at the start; ADMM ends by its limit."""
    for n in sizes:
        for solver, status, n_iter in (("toppush", "certified", 50), ("admm", "time_limit", 7)):
            row = dict.fromkeys(size_costs.COST_COLUMNS, 1.0) | {
                "solver": solver,
                "rows": n,
                "features": 2000,
            }
            row |= {"gigabytes": n * 8e-6, "setup_seconds": 1e-9 * n**2, "seconds_per_iteration": 1e-6 * n}
            row |= {"pass_seconds": 0.4e-6 * n, "seconds": 1e-9 * n**2 + n_iter * 1e-6 * n}
            row |= {"n_iter": n_iter, "status": status, "relative_gap": 0.1}
            row |= {"ratio_to_two_passes": 1.25 if solver == "toppush" else 2.5}
            yield row | {"peak_resident_mb": 5120.0 if solver == "admm" else 4096.0}


FITS = {"toppush": (30, 10), "admm": (60, 10)}


def test_beyond_the_sizes_the_law_goes_on():
    table = scale.add_extrapolation(pd.DataFrame(lines()), 400_000, {"toppush": 9, "admm": 1000}, FITS, 0.5)
    assert list(table["kind"]) == ["measured"] * 8 + ["extrapolated"] * 2
    first, second = table.iloc[8], table.iloc[9]
    for row, n_iter in ((first, 50), (second, 1000)):
        assert row["n_iter"] == n_iter and row["rows"] == 400_000
        assert row["exponent_per_iteration"] == pytest.approx(1.0)
        assert row["exponent_setup"] == pytest.approx(2.0)
        fit = 1e-9 * 400_000**2 + n_iter * 0.4
        assert row["seconds"] == pytest.approx(fit)
        inner = 1e-9 * 200_000**2 + n_iter * 0.2
        assert row["study_seconds"] == pytest.approx(row["fits"] * fit + (row["fits"] - 10) * (inner - fit))
    assert (first["fits"], second["fits"]) == (40, 70)


def test_a_flat_line_of_small_sizes_is_not_believed_beyond_them():
    flat = pd.DataFrame(lines((1000, 2000))).assign(seconds_per_iteration=1e-3, setup_seconds=0.0)
    table = scale.add_extrapolation(flat, 400_000, {"admm": 1}, FITS, 0.5)
    np.testing.assert_allclose(table["seconds_per_iteration"].iloc[-2:], 0.2)
    assert (table["setup_seconds"].iloc[-2:] == 0.0).all()
    without_extrapolation = scale.add_extrapolation(flat, 400_000, {"admm": 1}, {"admm": (60, 10)}, 0.5)
    assert (
        list(without_extrapolation["solver"].iloc[-1:]) == ["admm"]
        and len(without_extrapolation) == len(table) - 1
    )


def test_the_words_say_the_numbers():
    table = scale.add_extrapolation(pd.DataFrame(lines()), 400_000, {"admm": 1000}, FITS, 0.5)
    words = scale.describe(table)
    assert words.count("rows;") == 1 and "TopPush: 0.2 s per iteration at 200\u202f000 rows" in words


def test_the_figure(tmp_path, scale_table):
    for table in (pd.DataFrame(lines()), scale_table):
        fits = dict.fromkeys(size_costs.SOLVER_PARAMETERS, (3, 1))
        table = scale.add_extrapolation(table, 400_000, dict.fromkeys(fits, 100), fits, 0.5)
        table.to_csv(tmp_path / "scale.csv", index=False)
        table = pd.read_csv(tmp_path / "scale.csv")
        figure = scale.draw_scale(table)
        left, right = figure.axes
        stars = [line for axis in (left, right) for line in axis.lines if line.get_marker() == "*"]
        assert len(stars) == 2 * table["solver"].nunique()
        save_figure(figure, [tmp_path / "scale.svg", tmp_path / "scale.png"])
        assert (tmp_path / "scale.svg").stat().st_size > 1000
        plt.close("all")
