# One study: the splits of a data set, what can be said about them before any fit, and the rows of all of them.


rule split:
    input:
        manifest=f"{RESULTS}/data/{{dataset}}/manifest.json",
        arrays=f"{RESULTS}/data/{{dataset}}/arrays.npz",
    output:
        f"{RESULTS}/{{study}}/splits/{{dataset}}.npz",
    log:
        "logs/split/{study}.{dataset}.log",
    params:
        splits=lambda wildcards: layout.study(wildcards)["splits"],
        test_fraction=lambda wildcards: layout.study(wildcards)["test_fraction"],
        inner_folds=lambda wildcards: layout.study(wildcards)["inner_folds"],
        seed=config["seed"],
        code=code_digest("toprank.datasets.splits"),
    script:
        "../scripts/split.py"


rule diagnose:
    input:
        **layout.fold_block(),
    output:
        f"{RESULTS}/{{study}}/diagnosis/{{dataset}}.{{features}}.csv",
    log:
        "logs/diagnose/{study}.{dataset}.{features}.log",
    resources:
        mem_mb=lambda wildcards: layout.memory_mb(wildcards, copies=4),
    params:
        code=code_digest("toprank.solvers.zero_optimum", "toprank.protocol"),
    script:
        "../scripts/diagnose.py"


rule diagnosis:
    input:
        lambda wildcards: expand(
            f"{RESULTS}/{wildcards.study}/diagnosis/{{case[0]}}.{{case[1]}}.csv",
            case=layout.cases(wildcards.study),
        ),
    output:
        f"{RESULTS}/{{study}}/diagnosis.csv",
    log:
        "logs/diagnosis/{study}.log",
    script:
        "../scripts/concatenate.py"
