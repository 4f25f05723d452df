"""What one key of a study of K15 asks of another."""

from collections.abc import Iterator

REQUIRED_KEYS = {
    "convergence": ("admm",),
    **dict.fromkeys(("suboptimality", "multiverse", "scale"), ("admm", "rhos")),
}
"""Blocks that run the ADMM family, and what they read of their study."""


def problems(where: str, study: dict) -> Iterator[str]:
    """Yield a sentence for each contradiction between the settings of the study.

    Parameters
    ----------
    where : str
        Path of the study in the configuration, such as ``studies.kadkhodaie2015``.
    study : dict
        Its settings.

    Yields
    ------
    str
    """
    convergence = study.get("convergence", {})
    features = study["datasets"].get(convergence.get("dataset"))
    if features and convergence["features"] not in features:
        yield (
            f"{where}.convergence.features is '{convergence['features']}', and "
            f"{where}.datasets.{convergence['dataset']} has '{features[0]}' alone."
        )
    for block, keys in REQUIRED_KEYS.items():
        for key in keys:
            if block in study and key not in study:
                yield f"{where}.{block} needs the key '{key}' beside it: it runs the ADMM family."
