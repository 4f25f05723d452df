# From official files to arrays with a manifest, one job a data set, and one table of them all.
# The mirror and the data folder stay out of params: where a file comes from changes no result.


localrules:
    fetch,
    data_table,


rule fetch:
    output:
        f"{RESULTS}/data/{{dataset}}/fetch.json",
    log:
        "logs/fetch/{dataset}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=500,
    params:
        entry=lambda wildcards: entry_digest(wildcards.dataset),
        attempt=lambda wildcards: layout.attempt(wildcards.dataset),
        code=code_digest("toprank.datasets.download"),
    script:
        "../scripts/fetch.py"


rule prepare:
    input:
        f"{RESULTS}/data/{{dataset}}/fetch.json",
    output:
        arrays=f"{RESULTS}/data/{{dataset}}/arrays.npz",
        manifest=f"{RESULTS}/data/{{dataset}}/manifest.json",
    log:
        "logs/prepare/{dataset}.log",
    benchmark:
        "benchmarks/prepare/{dataset}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        **needs.of("prepare"),
    params:
        entry=lambda wildcards: entry_digest(wildcards.dataset),
        code=lambda wildcards: code_digest(
            "toprank.datasets.prepare", get_dataset(wildcards.dataset).reader_module
        ),
    script:
        "../scripts/prepare.py"


rule data_table:
    input:
        expand(f"{RESULTS}/data/{{dataset}}/manifest.json", dataset=DATASETS),
    output:
        f"{RESULTS}/data.csv",
    log:
        "logs/data_table.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=500,
    params:
        registry=registry_digest(),
        code=code_digest("toprank.datasets.summary"),
    script:
        "../scripts/data_table.py"


rule data:
    input:
        f"{RESULTS}/data.csv",
