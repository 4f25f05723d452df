"""Consistency of the settings of a study of K15: what one key requires of another."""

from collections.abc import Iterator

REQUIRED_KEYS = {
    "convergence": ("admm",),
    **dict.fromkeys(("suboptimality", "multiverse", "scale", "trends", "perturbation"), ("admm", "rhos")),
}
"""Experiment that runs the ADMM family -> the keys of the study that it reads beside its own."""


def find_problems(place: str, study: dict) -> Iterator[str]:
    """Yield a sentence for each contradiction between the settings of the study.

    Parameters
    ----------
    place : str
        Path of the study in the configuration, such as ``studies.kadkhodaie2015``.
    study : dict
        Its settings.

    Yields
    ------
    str
    """
    convergence = study.get("convergence", {})
    scalings = study["datasets"].get(convergence.get("dataset"))
    if scalings and convergence["feature_scaling"] not in scalings:
        yield (
            f"{place}.convergence.feature_scaling is '{convergence['feature_scaling']}', and "
            f"{place}.datasets.{convergence['dataset']} has '{scalings[0]}' alone."
        )
    for experiment, keys in REQUIRED_KEYS.items():
        for key in keys:
            if experiment in study and key not in study:
                yield f"{place}.{experiment} needs the key '{key}' beside it: it runs the ADMM family."
