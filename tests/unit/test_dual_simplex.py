"""The dual simplex of the models of the l1 infinite push, against HiGHS; and HiGHS where it does not end."""

import math

import highspy
import numba
import numpy as np
import pytest
from ranking_data import wdbc

from toprank.clock import Clock, OutOfTime
from toprank.jit import REORDERING_FLAGS
from toprank.solvers import dual_simplex, push_programs
from toprank.solvers.dual_simplex import DualSimplex, SimplexError
from toprank.solvers.highs_runs import QuietHighs, solve_with_highs
from toprank.solvers.key_heap import make_heap, pop_smallest
from toprank.solvers.push_programs import LinearProgram
from toprank.solvers.simplex_program import Program, sum_columns


def read(rows):
    return lambda chunk, features: rows[chunk, features]


def draw_rows(kind, n, d, random):
    """Rows with few or many ties; duplicates; or features of very different sizes."""
    if kind == "signs":
        return random.integers(-1, 2, size=(n, d)).astype(float)
    if kind == "bits":
        return (random.random((n, d)) < 0.2).astype(float)
    rows = random.normal(size=(n, d))
    if kind == "duplicates":
        return np.repeat(rows, 2, axis=0)[:n]
    return rows * 10.0 ** random.integers(-2, 3, size=d) if kind == "scales" else rows


def draw_program(kind, seed):
    """Rows of groups and negatives, the sizes of the groups, the slopes of the features, and the unit."""
    random = np.random.default_rng(seed)
    m, n, d = random.integers(1, 40), random.integers(1, 60), random.integers(1, 30)
    groups, negatives = draw_rows(kind, m, d, random), draw_rows(kind, n, d, random)
    groups += 2.0 * random.random() * (random.random(d) < 0.4)
    slopes = np.full(d, 10.0 ** random.uniform(-3, -0.5))
    slopes[random.random(d) < random.choice([0.0, 0.3])] = 0.0  # features that are not penalised
    sizes = random.integers(1, 5, size=m) * (random.random(m) > 0.1).astype(float)
    return groups, negatives, sizes, slopes, 10.0 ** random.uniform(-3, 0)


def assert_solved_as_by_highs(program, limits, upper):
    """The same optimum; x and the duals satisfy their constraints, with equal objectives."""
    simplex, scale = program.simplex, max(1.0, upper.max(initial=0.0))
    x, duals = simplex.solve(limits, upper)
    reference, _ = solve_with_highs(program.make_highs_program(limits, upper))
    optimum = simplex.costs @ reference
    assert simplex.costs @ x == pytest.approx(optimum, rel=1e-9, abs=1e-9 * scale)
    assert np.all((x >= -1e-9 * scale) & (x <= upper + 1e-9 * scale))
    assert np.all(np.abs(simplex.columns @ x) <= limits + 1e-9 * scale)
    # the dual objective: of each reduced cost and each dual, the worst within the bounds of its variable
    reduced = simplex.costs - simplex.columns.T @ duals
    dual_objective = np.minimum(reduced, 0.0) @ upper - np.abs(duals) @ limits
    assert dual_objective == pytest.approx(optimum, rel=1e-8, abs=1e-8 * scale)


@pytest.mark.parametrize("kind", ["normal", "signs", "bits", "duplicates", "scales"])
def test_the_optimum_is_that_of_highs(kind):
    """Also after groups, negatives and features were added, and with fixed and free columns and rows."""
    for seed in range(60):
        groups, negatives, sizes, slopes, unit = draw_program(kind, seed)
        m = max(sizes.sum(), 1.0)
        program = LinearProgram(m)
        for share in (1.0,) if seed % 2 else (0.3, 0.6, 1.0):
            n_groups, n, d = (int(np.ceil(share * k)) for k in (sizes.size, len(negatives), slopes.size))
            program.solve(read(groups[:, :d]), sizes[:n_groups], read(negatives[:, :d]), n, slopes[:d], unit)
            upper = np.empty(program.simplex.n_columns)
            upper[program.groups] = sizes[:n_groups] / program.unit
            upper[program.negatives] = m / program.unit
            assert_solved_as_by_highs(program, np.append(0.0, m * slopes[:d] / program.unit), upper)


@pytest.mark.parametrize("n_keys", [1, 2, 7, 40])
def test_a_heap_gives_its_keys_in_order(n_keys):
    random = np.random.default_rng(n_keys)
    keys, heap = random.integers(0, 9, n_keys).astype(float), np.empty(n_keys, dtype=np.intp)
    size = make_heap(keys, 7.0, heap)
    places = [pop_smallest(heap, keys, k) for k in range(size, 0, -1)]
    assert np.array_equal(keys[places], np.sort(keys[keys < 7.0]))
    assert np.array_equal(heap[:size], places[::-1])  # what was taken stays behind the heap


def test_an_optimum_is_kept():
    """The same program again needs no pivot, and gives the same numbers."""
    groups, negatives, sizes, slopes, unit = draw_program("normal", 1)
    program = LinearProgram(sizes.sum())
    arguments = read(groups), sizes, read(negatives), len(negatives), slopes, unit
    first = program.solve(*arguments)
    head = program.simplex._head.copy()
    for old, new in zip(first, program.solve(*arguments), strict=True):
        np.testing.assert_allclose(new, old, atol=1e-12)
    assert np.array_equal(np.sort(head), np.sort(program.simplex._head))


def test_ties_do_not_stop_the_method(monkeypatch):
    """Bits with hundreds of equal reduced costs: with no perturbation the method runs in circles."""
    random = np.random.default_rng(3)
    groups, negatives = ((random.random((k, 40)) < 0.15).astype(float) for k in (120, 300))
    arguments = read(groups), np.ones(120), read(negatives), 300, np.full(40, 0.002), 1.0
    LinearProgram(120).solve(*arguments)
    n_pivots = []

    def count_pivots(*run_arguments):
        status, n = run_pivots(*run_arguments)
        n_pivots.append(n)
        return status, n

    run_pivots = dual_simplex.run_pivots
    monkeypatch.setattr(dual_simplex, "run_pivots", count_pivots)
    LinearProgram(120).solve(*arguments)
    assert sum(n_pivots) < 2000
    monkeypatch.setattr(dual_simplex, "PERTURBATION", 0.0)
    n_perturbed, n_pivots[:] = sum(n_pivots), []
    LinearProgram(120).solve(*arguments)
    assert sum(n_pivots) > 2 * n_perturbed


@pytest.mark.parametrize("seed", [0, 4, 6, 7])
def test_weights_of_rounding_size_are_zero(seed):
    """At a degenerate vertex some duals are 0 without their slack in the basis."""
    groups, negatives, sizes, slopes, unit = draw_program("bits", seed)
    u, *_ = LinearProgram(sizes.sum()).solve(
        read(groups), sizes, read(negatives), len(negatives), slopes, unit
    )
    assert u.any() and not np.any((u != 0.0) & (np.abs(u) < 1e-12))


def test_the_sum_of_columns_keeps_what_its_additions_round_off():
    """Sums of 2000 terms near 1e7 that cancel; as a kernel that may reorder calls it, not only alone."""
    random = np.random.default_rng(0)
    columns, values = random.integers(-1, 2, size=(2000, 8)).astype(float), 1e7 * random.random(2000)
    program = Program(columns.T.copy(), columns, *np.zeros((2, 2008)))
    exact = [math.fsum(column * values) for column in columns.T]
    values, total = np.append(np.zeros(8), values), np.empty(8)

    @numba.njit(fastmath=REORDERING_FLAGS)
    def call(program, values, total):
        sum_columns(program, values, total)

    call(program, values, total)
    np.testing.assert_allclose(total, exact, rtol=2e-16)


def test_an_inverse_that_lost_its_digits_is_computed_anew():
    groups, negatives, sizes, slopes, unit = draw_program("normal", 5)
    program = LinearProgram(sizes.sum())
    arguments = read(groups), sizes, read(negatives), len(negatives), slopes, unit
    expected = program.solve(*arguments)
    program.simplex._inverse += 0.1
    program.simplex._n_updates = 1
    for ours, right in zip(program.solve(*arguments), expected, strict=True):
        np.testing.assert_allclose(ours, right, atol=1e-10)


def test_a_basis_of_dependent_columns_is_left():
    """The method begins again, from the basis of the slacks."""
    simplex = DualSimplex()
    simplex.add_rows(np.empty((2, 0)))
    simplex.add_columns(np.ones((3, 2)), np.array([-1.0, -2.0, 0.0]))
    simplex._head[:] = 2, 3
    x, _ = simplex.solve(np.ones(2), np.full(3, 5.0))
    np.testing.assert_allclose(x, [0.0, 1.0, 0.0], atol=1e-12)


def test_the_method_begins_again_after_an_optimum(monkeypatch):
    """Slacks that rested at a bound are basic then: no basic variable may count as one at a bound."""
    groups, negatives, sizes, slopes, unit = draw_program("normal", 5)
    program = LinearProgram(sizes.sum())
    arguments = read(groups), sizes, read(negatives), len(negatives), slopes, unit
    expected, simplex = program.solve(*arguments), program.simplex
    assert np.any(simplex._side[: simplex.n_rows] != 0.0)
    simplex._head, simplex._inverse = np.full(simplex.n_rows, simplex.n_rows), None  # a column many times
    bases, run_pivots = [], dual_simplex.run_pivots

    def check_sides(linear_program, basis, *rest_of_arguments):
        bases.append(basis.side[basis.head].any())
        return run_pivots(linear_program, basis, *rest_of_arguments)

    monkeypatch.setattr(dual_simplex, "run_pivots", check_sides)
    u, *_ = program.solve(*arguments)
    np.testing.assert_allclose(u, expected[0], atol=1e-10)
    assert bases and not any(bases)


def test_a_grown_linear_program_is_the_one_built_at_once():
    """New groups, negatives, features and units give the same program as one built from scratch."""
    positives, negatives = wdbc()
    groups = np.vstack([positives.mean(axis=0), positives])
    sizes, slopes = np.append(30.0, np.zeros(30)), np.full(30, 0.05)
    program = LinearProgram(30)
    u, weights, _ = program.solve(
        read(groups[:, :10]), sizes[:1], read(negatives[:, :10]), 20, slopes[:10], 1.0
    )
    assert u.shape == (10,) and 0 < weights[0] <= 1 / 30 * (1 + 1e-12)
    sizes = 1.0 - np.eye(31)[0]  # the group is split into its members
    n = len(negatives)
    grown = program.solve(read(groups), sizes, read(negatives), n, slopes, 0.3)
    u, weights, negative_weights = LinearProgram(30).solve(
        read(positives), sizes[1:], read(negatives), n, slopes, 1.0
    )
    assert grown[1][0] == 0.0
    np.testing.assert_allclose(grown[0], u, atol=1e-9)
    np.testing.assert_allclose(grown[1][1:], weights, atol=1e-9)
    np.testing.assert_allclose(grown[2], negative_weights, atol=1e-9)


def make_model():
    """A model of which HiGHS needs some iterations."""
    positives, negatives = wdbc()
    return read(positives), np.ones(30), read(negatives), 20, np.full(30, 0.05), 1.0


def make_highs_program():
    program = LinearProgram(30)
    program.solve(*make_model())
    return program.make_highs_program(np.append(0.0, np.full(30, 1.5)), np.repeat([1.0, 30.0], [30, 20]))


def give_up(*arguments):
    raise SimplexError


def test_what_our_simplex_does_not_solve_goes_to_highs(monkeypatch):
    expected = LinearProgram(30).solve(*make_model())
    monkeypatch.setattr(DualSimplex, "_find_optimum", give_up)
    for theirs, ours in zip(LinearProgram(30).solve(*make_model()), expected, strict=True):
        np.testing.assert_allclose(theirs, ours, atol=1e-8)


def test_pivots_without_end_are_an_error(monkeypatch):
    monkeypatch.setattr(dual_simplex, "PIVOTS_PER_VARIABLE_MAX", 0)
    program = LinearProgram(30)
    monkeypatch.setattr(push_programs, "solve_with_highs", lambda *arguments: pytest.fail("the remedy"))
    with pytest.raises(pytest.fail.Exception, match="the remedy"):
        program.solve(*make_model())


def test_a_linear_program_without_an_optimum_is_an_error():
    options = {"simplex_iteration_limit": 1, "ipm_iteration_limit": 1}
    with pytest.raises(RuntimeError, match=r"HiGHS could not .*: Iteration limit.* solver 'admm' needs"):
        solve_with_highs(make_highs_program(), **options)


def test_what_highs_does_not_solve_by_the_simplex_goes_to_its_interior_point():
    limited = solve_with_highs(make_highs_program(), simplex_iteration_limit=1)
    for ours, plain in zip(limited, solve_with_highs(make_highs_program()), strict=True):
        np.testing.assert_allclose(ours, plain, atol=1e-8)


def test_the_time_of_all_attempts_counts():
    with pytest.raises(OutOfTime):
        solve_with_highs(make_highs_program(), seconds_left=1e-9)


def test_the_simplex_looks_at_the_clock():
    clock = Clock(1e-9)
    with pytest.raises(OutOfTime):
        LinearProgram(30).solve(*make_model(), seconds_left=1e-9)
    assert clock.is_over()


def test_highs_is_silenced_before_it_could_print(monkeypatch):
    flags = []
    monkeypatch.setattr(
        highspy.Highs, "enableCallbacks", lambda self: flags.append(self.getOptionValue("output_flag")[1])
    )
    QuietHighs()
    assert flags == [False]


def test_highs_is_quiet(capfd):
    """Neither its constructor, which prints a banner from version 1.16 on, nor a run or a second one."""
    program = make_highs_program()
    solve_with_highs(program)
    solve_with_highs(program)
    assert capfd.readouterr() == ("", "")
