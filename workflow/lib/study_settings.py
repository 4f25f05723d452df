"""The studies of a run: their settings, papers, data sets and methods, as the rules read them."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from config_consistency import list_all_methods

from reproduction.core.result_columns import list_job_columns
from reproduction.datasets import registry
from reproduction.datasets.synthetic_families import SyntheticFamily, find_family, list_families
from reproduction.papers import PAPERS, paper
from reproduction.specs.metrics import FURTHER_LIST_METRICS, FURTHER_QUERY_METRICS
from reproduction.specs.multiverse import Specifications
from reproduction.specs.paper import import_object

if TYPE_CHECKING:
    from snakemake.io import Wildcards

    from reproduction.specs.paper import Paper

#: The default of a study's `limits.seconds`. By the clock: 40 minutes of the hour of a job.
DEFAULT_TIME_LIMIT_S = 600
#: Rows from which the vectors of an iteration do not fit into a core's share of the cache.
BANDWIDTH_BOUND_ROWS = 100_000


class Studies:
    """The studies that a configuration names under ``run``.

    Parameters
    ----------
    config : dict
        Configuration of the run, after its validation.
    """

    def __init__(self, config: dict) -> None:
        self.config = config
        self.results = config["results"]
        #: study -> its settings
        self.settings = {name: config["studies"][name] for name in config["run"]}
        self.methods = list(dict.fromkeys(chain(*map(list_all_methods, self.settings.values()))))
        used = {name for settings in self.settings.values() for name in settings["datasets"]}
        # published fits are restored with the manifests of the studies' own data sets alone
        if not config.get("published_fits"):
            used |= {*config["verification"]["datasets"]}
            used |= {*(registry.list_names() if config["datasets"] == "all" else config["datasets"])}
        #: all data sets to obtain, in the order of the registry
        self.datasets = [name for name in registry.list_names() if name in used]
        #: study -> its paper
        self.papers = {name: paper(settings["paper"]) for name, settings in self.settings.items()}
        published = {
            name: self.papers[name] for name, settings in self.settings.items() if settings["published"]
        }
        #: studies that are compared with published values, and studies whose papers' claims are evaluated
        self.with_published_values = [name for name, paper in published.items() if paper.published_values]
        self.with_claims = [name for name, paper in published.items() if paper.claims]

    def get_settings(self, wildcards: Wildcards) -> dict:
        """Return the settings of the study of a job.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        dict
            Section of the configuration under ``studies``, with all defaults.
        """
        return self.settings[wildcards.study]

    def get_paper(self, wildcards: Wildcards) -> Paper:
        """Return the paper that the study of a job follows.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        Paper
            Record with tables, figures, experiments and claims.
        """
        return self.papers[wildcards.study]

    def get_paper_reference(self, study: str) -> str:
        """Return the record of a study's paper as "module:name", for scripts to load.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        str
            Module and name, separated by a colon.
        """
        return PAPERS[self.papers[study].name]

    def get_paper_module(self, study: str) -> str:
        """Return the module with the record of a study's paper, for code digests.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        str
            Dotted name of a module.
        """
        return self.get_paper_reference(study).partition(":")[0]

    def match_studies_with(self, experiment: str) -> str:
        """Return a constraint of the wildcard ``study``: the studies that have an experiment.

        Parameters
        ----------
        experiment : str
            Name of an experiment, a key of the settings.

        Returns
        -------
        str
            Regular expression; it matches nothing if no study has the experiment.
        """
        names = [name for name, settings in self.settings.items() if settings.get(experiment)]
        return "|".join(names) or "(?!)"

    def list_cases(self, study: str) -> list[tuple[str, str]]:
        """List the pairs of a data set and a feature scaling (raw or standardised) of a study's table.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[tuple[str, str]]
            Pairs of a data set and a feature scaling, in the order of the configuration.
        """
        settings = self.settings[study]
        datasets = settings["datasets"] if settings.get("table", True) else {}
        return [(dataset, scaling) for dataset, scalings in datasets.items() for scaling in scalings]

    def list_family(self, study: str, family: SyntheticFamily) -> list[str]:
        """List the synthetic data sets of a family that a study draws.

        Parameters
        ----------
        study : str
            Name of a study of the run.
        family : SyntheticFamily
            Family of synthetic data sets.

        Returns
        -------
        list[str]
            Names; empty if the study does not draw the family.
        """
        settings = self.settings[study]
        if not settings.get(family.name):
            return []
        return import_object(family.list_names)(settings, self.get_multiverse(study))

    def list_synthetic_datasets(self, study: str) -> list[str]:
        """List the synthetic data sets that the experiments of a study draw.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Names, family by family.
        """
        return [name for family in list_families() for name in self.list_family(study, family)]

    def get_generator_settings(self, wildcards: Wildcards) -> dict:
        """Return the settings on which a synthetic data set of a job depends; their number is not one.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        dict
            Settings that the generator of the family reads.
        """
        select_settings = import_object(find_family(wildcards.dataset).select_settings)
        return select_settings(self.get_settings(wildcards))

    def list_job_columns(self, study: str) -> list[str]:
        """List the columns of the rows of a job that fits.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Names in the order of the file.
        """
        return list_job_columns(self.papers[study].fits, self.papers[study].queries)

    def get_search_limits(self, wildcards: Wildcards) -> dict:
        """Return the limits of a search on a data set: ``candidates`` per method, ``seconds`` per fit.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        dict
            ``candidates`` (at most so many per method) and ``seconds`` (CPU time per fit); empty without a
            limit. ``further_metrics``, where the study measures such: those that the data set can have.
        """
        settings = self.get_settings(wildcards)
        # a declared number of candidates per search, so that methods of other packages have the same budget
        limits = settings.get("limits", {})
        if "candidates" not in limits:
            return {}
        candidates = limits.get("candidates_by_dataset", {}).get(wildcards.dataset, limits["candidates"])
        candidates = max(int(candidates * limits.get("candidate_factors", {}).get(wildcards.method, 1)), 1)
        search_limits = {"candidates": candidates, "seconds": limits["seconds"]}
        if further_metrics := settings.get("further_metrics"):
            is_graded = registry.get(wildcards.dataset).task == "graded"
            measurable = FURTHER_QUERY_METRICS if is_graded else FURTHER_LIST_METRICS
            search_limits["further_metrics"] = [name for name in further_metrics if name in measurable]
        return search_limits

    def get_time_limit(self, wildcards: Wildcards) -> float:
        """Return the seconds of CPU time for a fit of a program or of another package's estimator.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        float
            CPU time in seconds.
        """
        return self.get_settings(wildcards).get("limits", {}).get("seconds", DEFAULT_TIME_LIMIT_S)

    def get_extra_shares(self, wildcards: Wildcards) -> dict:
        """Return further shares at which a sparse method is fitted, on the data sets of the table.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        dict
            ``share`` with the fractions of the features, or an empty dict.
        """
        shares = self.get_settings(wildcards).get("extra_shares")
        return {} if find_family(wildcards.dataset) or not shares else {"share": shares}

    def get_bandwidth(self, wildcards: Wildcards) -> int:
        """Return 1 if memory bandwidth limits a fit: ``--resources bandwidth=1`` runs them one by one.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        int
            Units of the resource ``bandwidth``, 0 or 1.
        """
        if find_family(wildcards.dataset):
            return 0
        return int((registry.get(wildcards.dataset).expected.get("rows") or 0) >= BANDWIDTH_BOUND_ROWS)

    def get_multiverse(self, study: str) -> Specifications:
        """Return the choices of a study with their options.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        Specifications
            Choices of the paper, with the options that the settings select.
        """
        return Specifications(self.papers[study].choices, self.settings[study])

    def list_tie_rules(self, wildcards: Wildcards) -> list[str]:
        """List the rules for ties between candidates: the default, then the others to try.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        list[str]
            Names of rules; the first is the study's default.
        """
        multiverse = self.get_multiverse(wildcards.study)
        choice = multiverse.choices.get("ties")
        if choice is None:
            return ["strongest"]
        # a choice that needs new fits is refitted by its experiment, not by the search
        return [multiverse.defaults["ties"], *(multiverse.alternatives("ties") if choice.reuses_fits else [])]
