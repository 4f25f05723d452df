"""What is shown of L14: Tables III to VI, tests, figures, and its part of the page.

`published_values.csv` holds the numbers of Laporte et al. (2014), *Nonconvex Regularizations for Feature
Selection in Ranking With Sparse SVM*, as they are published. Table III has the statistics of the nine data
sets, and Table IV the sparsity ratios of six methods with the row of means. Table V has the best MAP and the
methods that are significantly worse, Table VI the same for NDCG@10. A method of which nothing is said is
equivalent to the best.
"""
