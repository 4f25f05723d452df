"""The reproduction of K15: Table 1 and its marks, Figures 1 to 3, its claims, and its part of the page.

Each experiment has its folder: ``dirty_model`` (Figure 1), ``convergence`` (Figures 2 and 3), ``trends``
(these on more splits and data sets), ``perturbation`` (λ₁ and λ₂), and beyond the paper ``suboptimality`` and
``scale``.

`published_values.csv` holds the numbers of Table 1 of Kadkhodaie et al. (2015), *Accelerated Alternating
Direction Method of Multipliers*, as they are published. Each data set has the counts (m, n, d). Each method
has Pos@Top and training seconds, as mean and standard deviation over ten random splits, and the two marks (●
Pos@Top, ★ seconds). ADMM and A2DM2 + restart are not published for covtype and epsilon. Two published counts
differ from the files: diabetes has 8 features (34 are published) and a9a has 123 (122 are published).
"""
