# Measurements beside the fits: the optional blocks of a study's paper, one job for each part of a block.


rule measure:
    input:
        arrays=layout.folds_files("arrays"),
        manifests=layout.folds_files("manifest"),
        splits=layout.folds_files("splits"),
        fits=layout.folds_fits,
    output:
        f"{RESULTS}/{{study}}/measured/{{kind}}.{{part}}.jsonl",
    log:
        f"{LOGS}/measure/{{study}}.{{kind}}.{{part}}.log",
    benchmark:
        f"{BENCHMARKS}/measure/{{study}}.{{kind}}.{{part}}.tsv"
    wildcard_constraints:
        kind="[a-z_]+",
        part="[a-z0-9-]+",
    priority: 1
    conda:
        ENVIRONMENT
    # Jobs that measure times reserve the memory bandwidth.
    resources:
        mem_mb=needs.measuring,
        bandwidth=lambda wildcards: int(layout.block(wildcards).bandwidth),
    params:
        run=lambda wildcards: layout.block(wildcards).run,
        settings=lambda wildcards: layout.block(wildcards).cache_key(layout.study(wildcards), wildcards.part),
        folds=lambda wildcards: layout.folds(wildcards),
        seed=config["seed"],
        code=lambda wildcards: code_digest("measure", layout.block(wildcards).run.partition(":")[0]),
    script:
        "../scripts/measure.py"
