"""What a method hands to its script; an edit of a solver reruns only the methods that use it."""

import importlib
import textwrap
from types import SimpleNamespace

import code_digest
import method_rules as methods_module
import pytest
import yaml
from config_consistency import list_methods
from method_rules import Methods, find_home_module
from paths import Paths
from small_project import ROOT

import toprank

PATHS = Paths(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")))
METHODS = Methods(PATHS, "logs", "benchmarks")
FILES = sorted((ROOT / "workflow/rules/methods").glob("*.smk"))
METHOD_FILES = [file for file in FILES if file.stem in PATHS.studies.methods]
OURS = [file for file in METHOD_FILES if '"toprank.' in file.read_text(encoding="utf-8")]


def params_of(file):
    """The parameters of the rule in a file, and a job of the first study that has the method."""
    body = file.read_text(encoding="utf-8").partition("\n    params:\n")[2]
    params = eval(
        f"dict({textwrap.dedent(body)})", {"methods": METHODS, "paths": PATHS, "studies": PATHS.studies}
    )
    study = next(name for name, settings in PATHS.studies.settings.items() if file.stem in uses(settings))
    dataset, (feature_scaling, *_) = next(iter(PATHS.studies.settings[study]["datasets"].items()))
    return params, SimpleNamespace(
        study=study, dataset=dataset, feature_scaling=feature_scaling, split_batch="0-9"
    )


def uses(study):
    return [*list_methods(study), *list_methods(study.get("toy", {}))]


@pytest.fixture
def code_after(monkeypatch):
    """Return the digest of a job as if some modules were edited; no file is changed."""
    edited, code = set(), code_digest._dump_code
    monkeypatch.setattr(code_digest, "_load_cache", lambda source: {})
    monkeypatch.setattr(code_digest, "_dump_code", lambda path: "edited" if path in edited else code(path))

    def code_after(params, job, *modules):
        edited.clear()
        edited.update(ROOT.joinpath("src", *module.split(".")).with_suffix(".py") for module in modules)
        assert all(path.is_file() for path in edited)
        return params["code"](job)

    return code_after


def solvers_of(estimator):
    named = getattr(importlib.import_module(find_home_module(estimator)), estimator.rpartition(".")[2])
    return {name: of_module.partition(":")[0] for name, of_module in named.SOLVERS.items()}


@pytest.mark.parametrize("file", OURS, ids=lambda file: file.stem)
def test_an_edit_of_another_solver_reruns_no_method(file, code_after):
    params, job = params_of(file)
    solvers = solvers_of(params["estimator"])
    named = params["fixed"](job).get("solver")
    assert named in solvers or (named is None and len(solvers) == 1), "what is left out would be the default"
    own = solvers[named] if named else next(iter(solvers.values()))
    other_modules = set(solvers.values()) - code_digest.collect_modules(own)
    assert own not in other_modules and (len(set(solvers.values())) == 1 or other_modules)
    before = code_after(params, job)
    assert code_after(params, job, *other_modules) == before
    for module in (
        own,
        find_home_module(params["estimator"]),
        params["runs"](job),
        "reproduction.fitting.method",
    ):
        assert code_after(params, job, module) != before, module


def test_every_method_is_here():
    assert FILES and set(PATHS.studies.methods) <= {file.stem for file in FILES}


def test_a_method_runs_as_the_paper_of_its_study_does():
    of_queries, of_lists = params_of(file_of("l1_ranksvm")), params_of(file_of("admm"))
    push = SimpleNamespace(study="rakotomamonjy2012")
    for (params, job), are_queries, ties, module in (
        (of_lists, False, "strongest", "reproduction.fitting.cross_validation"),
        ((of_queries[0], push), False, "middle", "reproduction.fitting.cross_validation"),
        (of_queries, False, "strongest", "reproduction.fitting.multi_metric"),
        (
            (of_queries[0], SimpleNamespace(study="laporte2014")),
            True,
            "fewest",
            "reproduction.fitting.validation_fold",
        ),
    ):
        options = ("qid" in params["columns"](job), params["ties"](job)[0], params["runs"](job))
        assert options == (are_queries, ties, module)
    queries = SimpleNamespace(study="laporte2014")
    assert of_queries[0]["code"](queries) != of_queries[0]["code"](of_queries[1])


def file_of(method):
    return next(file for file in FILES if file.stem == method)


def test_what_is_fixed_may_depend_on_the_study_and_the_solver_comes_from_its_argument():
    params, job = params_of(file_of("a2dm2_restart"))
    admm_settings = PATHS.studies.settings[job.study]["admm"]
    options = {f"solver__{name}": admm_settings[name] for name in ("lambda1", "lambda2", "eta")}
    limits = {name: admm_settings[name] for name in ("tol", "max_iter")}
    assert params["fixed"](job) == {"solver": "a2dm2-restart", **options, **limits}
    params = METHODS.params("toprank.FSMRank", fixed={"warm_start": True})
    assert params["fixed"](job) == {"warm_start": True}


def test_an_estimator_of_another_package_is_covered_by_no_digest(monkeypatch):
    calls = []
    monkeypatch.setattr(methods_module, "code_digest", lambda *names, solver: calls.append((names, solver)))
    METHODS.params("sklearn.linear_model.RidgeClassifier")["code"](SimpleNamespace(study="kadkhodaie2015"))
    assert calls == [(("fit", "reproduction.fitting.cross_validation"), None)]
    assert {find_home_module(f"toprank.{name}") for name in toprank.EXPORT_MODULES} == set(
        toprank.EXPORT_MODULES.values()
    )


def test_a_solver_that_the_estimator_does_not_have_is_named():
    params, job = METHODS.params("toprank.TopPush", solver="duall"), SimpleNamespace(study="kadkhodaie2015")
    with pytest.raises(ValueError, match="no solver 'duall'"):
        params["code"](job)
