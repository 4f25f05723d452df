"""README.md and docs/results.md on chance, from the placebo: ``python tests/documented_chance.py``."""

from documented_pages import WORDS, read_text_table

LABELS = {
    "rakotomamonjy2012": "Rakotomamonjy 2012",
    "laporte2014": "Laporte et al. 2014",
    "kadkhodaie2015": "Kadkhodaie et al. 2015",
}
STATISTICS = {
    "numbers reproduced": "agree or consistent",
    "rows explained": "rows explained",
    "best combination": "best combination",
}


def read_placebo():
    """Levels by statistic, study, and what is permuted."""
    numbers = ("total", "observed", "chance_mean", "chance_upper", "p_value", "p_holm", "not_permuted")
    table = read_text_table("placebo.csv", *numbers)
    # the row of all tables is the last one, or the only table
    return table.groupby(["statistic", "study", "permuted"]).last()


def format_level(level):
    """Write a count beside what chance gives."""
    counted = f"{level['observed']:.0f} of {level['total']:.0f}"
    combination = f", `{level['combination']}`" if level["combination"] not in ("", "none") else ""
    return f"{counted}{combination}; {level['chance_mean']:.1f} ({level['chance_upper']:.0f})"


def format_chance_row(statistic, study, placebo):
    """Write a row of the table of docs/results.md."""
    levels = [placebo.loc[(statistic, study, kind)] for kind in ("methods", "data sets")]
    return f"| {' | '.join([f'{STATISTICS[statistic]}: {LABELS[study]}', *map(format_level, levels)])} |"


def describe_chance_among_methods(placebo):
    """Write the sentence of the README on values permuted among the methods of each data set."""
    methods = placebo.xs("methods", level="permuted")
    reproduced, explained = methods.loc["numbers reproduced"].sum(), methods.loc["rows explained"].sum()
    return (
        f"Of the {reproduced['total']:.0f} measured numbers that can be exchanged with another method's, "
        f"{reproduced['observed']:.0f} agree or are consistent, and {reproduced['chance_mean']:.0f} do if "
        "the published values are permuted among the methods of each data set; other choices explain "
        f"{WORDS[explained['observed']]} of {explained['total']:.0f} rows, and "
        f"{explained['chance_mean']:.1f} by chance."
    )


if __name__ == "__main__":
    levels = read_placebo()
    for statistic in STATISTICS:
        for study in LABELS:
            print(format_chance_row(statistic, study, levels))
    print(describe_chance_among_methods(levels))
