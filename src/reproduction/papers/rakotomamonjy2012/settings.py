"""Consistency checks between the keys of a study of R12."""

from collections.abc import Iterator


def find_problems(place: str, study: dict) -> Iterator[str]:
    """Yield a sentence for each contradiction in the settings of a study.

    Parameters
    ----------
    place : str
        Place of the study in the configuration.
    study : dict
        Its settings.

    Yields
    ------
    str
        A sentence for the user.
    """
    for dataset in study["datasets"]:
        if dataset not in study["train_rows"]:
            yield f"{place}.train_rows lacks the data set '{dataset}' of {place}.datasets."
    for dataset, path in study.get("paths", {}).items():
        if dataset not in study["datasets"]:
            yield f"{place}.paths names '{dataset}', which is not in {place}.datasets."
        if path["penalty"] == "group" and "group_size" not in path:
            yield f"{place}.paths.{dataset} needs the key 'group_size': its penalty is the group norm."
    if "times" in study and "toy" not in study:
        yield f"{place}.times needs the key 'toy' beside it: it times the toy problem."
