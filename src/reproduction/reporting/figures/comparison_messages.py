"""Messages of the figures of the comparison: what agrees with the paper, and what an option recovers."""

import pandas as pd

from reproduction.comparison.verdicts import DIFFERS, REPRODUCED
from reproduction.plotting.messages import count_noun
from reproduction.reporting.figures.comparison import NO_OPTIONS_TEXT


def state_agreement(points: pd.DataFrame) -> str:
    """State how many published results ours agrees with, and where most of the others lie.

    Parameters
    ----------
    points : pandas.DataFrame
        Rows of `comparison.plot_data`.

    Returns
    -------
    str
    """
    if points.empty:
        return "No published result has a corresponding result of ours."
    n_reproduced = int(points["verdict"].isin(REPRODUCED).sum())
    differing = points.loc[points["verdict"] == DIFFERS, "dataset"].value_counts()
    results = count_noun(len(points), "published result")
    sentence = f"Our results agree or are consistent with {n_reproduced} of {results}"
    if differing.empty:
        return f"{sentence}; none differs unexplained."
    # data sets that share the first place are not named
    is_clear = (differing == differing.iloc[0]).sum() == 1
    place = f", most on {differing.index[0]} ({differing.iloc[0]})" if is_clear and len(differing) > 1 else ""
    return f"{sentence}; {differing.sum()} differ unexplained{place}."


def state_option_effects(effects: pd.DataFrame) -> str:
    """State which option recovers most on balance, and how many do at all.

    Parameters
    ----------
    effects : pandas.DataFrame
        Rows of a study of ``option_effects.csv``.

    Returns
    -------
    str
    """
    if effects.empty:
        return NO_OPTIONS_TEXT
    balance = (effects["recovered"] - effects["lost"]).to_numpy()
    n_helpful, best = int((balance > 0).sum()), effects.iloc[balance.argmax()]
    count = f"{n_helpful} of {count_noun(len(effects), 'option')} recover more than they lose"
    if not n_helpful:
        return f"{count}."
    # a tie at the top names no option, since none stands out
    if (balance == balance.max()).sum() > 1:
        return f"{count}, none by more than {balance.max():.0f} on balance."
    name = f"{best['choice']}: {best['option']}".replace("_", " ")
    return f"{count}, above all “{name}” ({best['recovered']:.0f} recovered, {best['lost']:.0f} lost)."
