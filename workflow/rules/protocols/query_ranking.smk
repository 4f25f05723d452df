# Studies of the protocol query_ranking (Laporte et al. 2014): LETOR's folds as distributed, chosen by MAP on the
# validation part, measured query by query.
QUERY_RANKING = layout.only("query_ranking")


localrules:
    letor_folds,
    queries,


rule letor_folds:
    input:
        manifest=f"{RESULTS}/data/{{dataset}}/manifest.json",
        arrays=f"{RESULTS}/data/{{dataset}}/arrays.npz",
    output:
        f"{RESULTS}/{{study}}/splits/{{dataset}}.npz",
    log:
        "logs/letor_folds/{study}.{dataset}.log",
    wildcard_constraints:
        study=QUERY_RANKING,
    conda:
        "../../../envs/environment.yaml"
    params:
        code=code_digest("toprank.datasets.splits"),
    script:
        "../../scripts/letor_folds.py"


rule queries:
    input:
        lambda wildcards: fit_files(wildcards.study),
    output:
        f"{RESULTS}/{{study}}/queries.csv",
    log:
        "logs/queries/{study}.log",
    wildcard_constraints:
        study=QUERY_RANKING,
    conda:
        "../../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.collected"),
    script:
        "../../scripts/queries.py"
