"""The papers that the studies reproduce: what a page says of them above our numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes
    ----------
    title, authors, venue : str
    cited : str
        As a text cites it.
    """

    title: str
    authors: str
    venue: str
    cited: str


PAPERS = {
    "rakotomamonjy2012": Paper(
        "Sparse Support Vector Infinite Push",
        "Alain Rakotomamonjy",
        "International Conference on Machine Learning (ICML), 2012",
        "Rakotomamonjy 2012",
    ),
    "laporte2014": Paper(
        "Nonconvex Regularizations for Feature Selection in Ranking With Sparse SVM",
        "Léa Laporte, Rémi Flamary, Stéphane Canu, Sébastien Déjean and Josiane Mothe",
        "IEEE Transactions on Neural Networks and Learning Systems, 2014",
        "Laporte et al. 2014",
    ),
    "kadkhodaie2015": Paper(
        "Accelerated Alternating Direction Method of Multipliers",
        "Mojtaba Kadkhodaie, Konstantina Christakopoulou, Maziar Sanjabi and Arindam Banerjee",
        "ACM SIGKDD Conference on Knowledge Discovery and Data Mining (KDD), 2015",
        "Kadkhodaie et al. 2015",
    ),
}
"""Study -> its paper; a study that is no paper's goes by its own name."""

IN_THE_PAPER = {
    "infinite_push": ("figure1", "figure2", "figure3", "table1", "figure_table1"),
    "query_ranking": ("figure1", "table3", "table4", "figure2", "table5", "table6", "figure3"),
    "top_ranking": ("figure1", "table1", "figure_table1", "figure2", "figure3"),
}
"""Protocol -> names of tables and figures in the order of its paper."""
