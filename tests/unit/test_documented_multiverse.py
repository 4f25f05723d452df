"""The tables of docs/multiverse.md, against the fits and tables of the last full run."""

import json
import re
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml
from documented_pages import read_prose

from reproduction.papers.laporte2014 import multiverse as l14
from reproduction.papers.rakotomamonjy2012.toy.names import toy_covariance, toy_size

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOT = ROOT / "reports/snapshot"
PAGE = (ROOT / "docs/multiverse.md").read_text(encoding="utf-8")
PROSE = read_prose("docs/multiverse.md")


def read_rows(first_heading):
    """The rows of the table with this heading; a blank first cell repeats the one above it."""
    lines = PAGE[PAGE.index(f"| {first_heading} |") :].split("\n\n")[0].splitlines()[2:]
    rows, last_name = [], ""
    assert all(" ".join(line.split()) in PROSE for line in lines)
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        last_name = cells[0] or last_name
        rows.append([last_name, *cells[1:]])
    return rows


def read_fits(study):
    with tarfile.open(SNAPSHOT / "fits" / f"{study}.tar.xz") as archive:
        return pd.read_csv(archive.extractfile(f"{study}/fits.csv"), low_memory=False)


def decimal(number, digits):
    return f"{number:.{digits}f}".removeprefix("0")


def test_the_rule_for_ties_on_the_toy_problem():
    fits = read_fits("rakotomamonjy2012")
    fits = fits[fits["role"].isin(["chosen", "alternative"])]
    sizes = fits["dataset"].map({name: toy_size(name) for name in fits["dataset"].unique()})
    fits = fits[[size is not None and size[1] == 20 for size in sizes]]
    fits = fits.assign(covariance=fits["dataset"].map(toy_covariance), ties=fits["ties"].str.split())
    means = fits.explode("ties").groupby(["covariance", "ties", "method"])["rate_at_top"].mean()
    methods = ("l1_infinite_push", "l2_infinite_push", "l1_ranksvm", "rfe_infinite_push")
    rows = read_rows("covariance")
    assert len(rows) == 15
    for covariance, ties, *cells in rows:
        assert cells == [decimal(means[covariance, ties, method], 3) for method in methods], (
            covariance,
            ties,
        )


def test_pos_at_top_under_other_features_and_stops():
    table = pd.read_csv(SNAPSHOT / "kadkhodaie2015/multiverse.csv", na_values=["not obtained"])
    table = table[table["quantity"] == "pos_at_top"]
    cells_of = {}
    for row in table.to_dict("records"):
        key = row["dataset"], row["specification"]
        cells_of.setdefault(key, {})[row["method"]] = f"{row['ours_mean']:.1f} ± {row['ours_std']:.1f}"
        published = f"{row['published']:.1f} ± {row['published_std']:.1f}"
        cells_of.setdefault((row["dataset"], "published"), {})[row["method"]] = published
    names = {
        "default": "default",
        "standardised": "features=standardised",
        "scaled to [−1, 1]": "features=scaled",
        "without the id": "features=without-id",
        "stop by m_k": "stop=combined",
        "stop as published": "stop=published",
        "scaled, m_k": "features=scaled; stop=combined",
        "published": "published",
    }
    methods = ("toppush", "admm", "a2dm2", "a2dm2_restart")
    rows = read_rows("data set")
    assert len(rows) >= 18
    for dataset, words, *cells in rows:
        specification = next(name for start, name in names.items() if words.startswith(start))
        measured = cells_of[dataset, specification]
        expected = [measured.get(method, cells_of[dataset, "default"][method]) for method in methods]
        assert cells == expected, (dataset, words)


def test_where_the_grid_ends_on_mq2007():
    fits = read_fits("laporte2014")
    settings = yaml.safe_load((SNAPSHOT / "config.yaml").read_text(encoding="utf-8"))["studies"][
        "laporte2014"
    ]
    shares = settings["multiverse"]["choices"]["smallest_share"]
    study = SimpleNamespace(
        fits=fits[fits["dataset"] == "mq2007"],
        settings={"multiverse": {"choices": {"smallest_share": shares}}},
    )
    outcomes = l14.build_outcomes(study)
    means = outcomes.groupby(["specification", "method"])["sparsity_ratio"].mean()
    published = pd.read_csv(ROOT / "src/reproduction/papers/laporte2014/published_values.csv", dtype=str)
    published = published[(published["artefact"] == "table4") & (published["dataset"] == "mq2007")]
    published = (
        published[published["quantity"] == "sparsity_ratio"].set_index("method")["value"].astype(float)
    )
    methods = ("l1_ranksvm", "fsmrank", "mcp_ranksvm", "log_ranksvm", "lp_ranksvm")
    rows = read_rows("the grid ends at")
    assert len(rows) == 6
    for words, *cells in rows:
        if words == "published":
            values = published
        else:
            share = float(words.split()[0])
            specifications = {"default" if s == "all" else f"smallest_share={s:g}": s for s in shares}
            matching = [
                n for n, s in specifications.items() if s != "all" and abs(float(s) / share - 1) < 0.05
            ]
            values = means["default" if "default" in words else matching[0]]
        assert cells == [decimal(values[method], 2) for method in methods], words


@pytest.mark.parametrize("study", ["laporte2014", "kadkhodaie2015"])
def test_what_single_options_recover_and_lose(study):
    options = pd.read_csv(SNAPSHOT / "option_effects.csv").query("study == @study")
    effects = {
        (row["choice"], row["option"]): (row["recovered"], row["lost"]) for row in options.to_dict("records")
    }
    matches = PROSE.find_all(r"`(\w+)=([\w.]+)` recovers (\d+) and loses (\d+)")
    stated = [match for match in matches if (match[0], match[1]) in effects]
    assert stated
    for choice, option, recovered, lost in stated:
        assert effects[choice, option] == (int(recovered), int(lost)), (choice, option)


def test_what_the_sentences_on_pos_at_top_say():
    table = pd.read_csv(SNAPSHOT / "kadkhodaie2015/multiverse.csv", na_values=["not obtained"])
    table = table[table["quantity"] == "pos_at_top"].set_index(["dataset", "specification", "method"])
    published = table["published"].xs("default", level="specification")
    admm, toppush = published["ijcnn1", "admm"], published["w8a", "toppush"]
    assert f"recovers the {admm:.0f} of ADMM on `ijcnn1`, and none the {toppush:.0f} of TopPush" in PROSE
    weakest = table.loc[("w8a", "ties=weakest", "toppush"), "ours_mean"]
    assert f"its mean is {weakest:.0f} over these three splits" in PROSE
    combined, stopped = (
        table.loc[("covtype", f"features=scaled; stop={name}", "a2dm2")] for name in ("combined", "published")
    )
    assert combined["splits"] == stopped["splits"] == 1
    default = read_fits("kadkhodaie2015").query(
        "dataset == 'covtype-scaled' and method == 'a2dm2' and role == 'chosen' and split == 0"
    )
    with tarfile.open(SNAPSHOT / "fits/kadkhodaie2015.tar.xz") as archive:
        name = "kadkhodaie2015/experiments/multiverse.covtype-scaled-raw.jsonl"
        rows = [json.loads(line)["row"] for line in archive.extractfile(name)]
    (n_iter,) = {
        row["n_iter"] for row in rows if (row.get("method"), row.get("stop")) == ("a2dm2", "combined")
    }
    words = (
        f"A2DM2 has {combined['ours_mean']:.0f} positive above every negative with the stop by m_k, after "
        f"{n_iter} iterations, and {stopped['ours_mean']:.0f} with the one as published "
        f"({stopped['published']:.1f} ± {stopped['published_std']} published; "
        f"{default['positives_at_top'].item():.0f} by default)"
    )
    assert words in PROSE
    raw = {
        name: table.loc[("covtype", name, "a2dm2"), "ours_mean"]
        for name in ("stop=combined", "stop=published")
    }
    default = read_fits("kadkhodaie2015").query(
        "dataset == 'covtype' and method == 'a2dm2' and role == 'chosen' and split == 0"
    )
    assert (
        f"On the raw file it has {raw['stop=combined']:.0f} and {raw['stop=published']:.0f} there, and "
        f"{default['positives_at_top'].item():.0f} by default"
    ) in PROSE


def test_what_the_sentences_on_mq2007_and_the_toy_problem_say():
    rows = pd.read_csv(SNAPSHOT / "explanations.csv").query("dataset == 'mq2007' and verdict == 'explained'")
    (values,) = rows["values"]
    pattern = r": 0([.\d]+) published, [\d.]+ by default, ([\d.]+) with it"
    (first, fenchelrank), (second, log) = (
        re.search(name + pattern, values).groups()
        for name in ("FenchelRank, sparsity ratio", "log, sparsity ratio")
    )
    ours = [decimal(float(ratio), 2) for ratio in (fenchelrank, log)]
    assert f"{ours[0]} of FenchelRank ({first} published) and {ours[1]} of log ({second})" in PROSE
    cells = {(row[0], row[1]): float(row[4]) for row in read_rows("covariance")}
    losses = [
        decimal(cells[name, "middle"] - cells[name, "fewest"], 2) for name in ("easy", "hard", "harder")
    ]
    assert f"RankSVM loses {losses[0]}, {losses[1]} and {losses[2]}" in PROSE
