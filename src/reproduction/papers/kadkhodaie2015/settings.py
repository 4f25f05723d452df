"""What one key of a study of K15 asks of another."""

from collections.abc import Iterator

READ_BY_BLOCKS = {
    "convergence": ("admm",),
    **dict.fromkeys(("suboptimality", "multiverse", "scale"), ("admm", "rhos")),
}
"""Blocks that run the ADMM family, and what they read of their study."""


def problems(where: str, study: dict) -> Iterator[str]:
    """Yield a sentence for each contradiction in the settings of the study that stand at ``where``."""
    followed = study.get("convergence", {})
    scalings = study["datasets"].get(followed.get("dataset"))
    if scalings and followed["feature_scaling"] not in scalings:
        yield (
            f"{where}.convergence.feature_scaling is '{followed['feature_scaling']}', and "
            f"{where}.datasets.{followed['dataset']} has '{scalings[0]}' alone."
        )
    for block, keys in READ_BY_BLOCKS.items():
        for key in keys:
            if block in study and key not in study:
                yield f"{where}.{block} needs the key '{key}' beside it: it runs the ADMM family."
