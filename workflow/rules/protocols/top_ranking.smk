# Studies of the protocol top_ranking (Kadkhodaie et al. 2015): random splits, cross-validation.
TOP_RANKING = layout.only("top_ranking")


localrules:
    split,


rule split:
    input:
        manifest=f"{RESULTS}/data/{{dataset}}/manifest.json",
        arrays=f"{RESULTS}/data/{{dataset}}/arrays.npz",
    output:
        f"{RESULTS}/{{study}}/splits/{{dataset}}.npz",
    log:
        "logs/split/{study}.{dataset}.log",
    wildcard_constraints:
        study=TOP_RANKING,
    conda:
        "../../../envs/environment.yaml"
    params:
        splits=lambda wildcards: layout.study(wildcards)["splits"],
        test_fraction=lambda wildcards: layout.study(wildcards)["test_fraction"],
        inner_folds=lambda wildcards: layout.study(wildcards)["inner_folds"],
        seed=config["seed"],
        code=code_digest("toprank.datasets.splits"),
    script:
        "../../scripts/split.py"
