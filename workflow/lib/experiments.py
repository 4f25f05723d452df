"""The experiments of a study beside its fits, and the files that a part of an experiment reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paths import Paths

if TYPE_CHECKING:
    from snakemake.io import Wildcards

    from reproduction.specs.paper import Experiment


class Experiments:
    """What the jobs of experiments read; a job runs one part of an experiment.

    Parameters
    ----------
    paths : Paths
        The files of the run.
    """

    def __init__(self, paths: Paths) -> None:
        self.paths, self.studies = paths, paths.studies

    def get_experiment(self, wildcards: Wildcards) -> Experiment:
        """Return the experiment that a job runs.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        Experiment
            Experiment of the paper, by the wildcard ``kind``.
        """
        return self.studies.get_paper(wildcards).experiment(wildcards.kind)

    def list_split_inputs(self, wildcards: Wildcards) -> list[tuple[str, int]]:
        """List the pairs of a data set and a split that a part of an experiment reads.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        list[tuple[str, int]]
            Pairs of a data set and the number of a split.
        """
        settings = self.studies.get_settings(wildcards)
        return [*self.get_experiment(wildcards).split_inputs(settings, wildcards.part)]

    def select_split_files(self, name: str) -> Callable:
        """Return an input function: one file of each split, "arrays", "manifest" or "splits".

        Parameters
        ----------
        name : str
            ``arrays``, ``manifest`` or ``splits``.

        Returns
        -------
        Callable
            Function of the wildcards that returns the paths, one for each split.
        """

        def list_files(wildcards: Wildcards) -> list[str]:
            """List the files of the splits that the job reads.

            Parameters
            ----------
            wildcards : Wildcards
                Wildcards of the job.

            Returns
            -------
            list[str]
                Paths, in the order of `list_split_inputs`.
            """
            return [
                self.paths.get_split_inputs(wildcards.study, dataset, split)[name]
                for dataset, split in self.list_split_inputs(wildcards)
            ]

        return list_files

    def list_fit_files(self, wildcards: Wildcards) -> list[str]:
        """List the files of fits that a part of an experiment reads.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        list[str]
            Paths; empty if the experiment reads no fits.
        """
        settings = self.studies.get_settings(wildcards)
        fits = self.get_experiment(wildcards).fits(settings, wildcards.part)
        return [file for fit in fits for file in self.paths.list_batch_files(wildcards.study, *fit)]
