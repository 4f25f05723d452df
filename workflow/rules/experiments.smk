# The experiments of a study beside its fits, one job for each part of an experiment.


rule run_experiment:
    input:
        arrays=experiments.select_split_files("arrays"),
        manifests=experiments.select_split_files("manifest"),
        splits=experiments.select_split_files("splits"),
        fits=experiments.list_fit_files,
    output:
        f"{RESULTS}/{{study}}/experiments/{{kind}}.{{part}}.jsonl",
    log:
        f"{LOGS}/run_experiment/{{study}}.{{kind}}.{{part}}.log",
    benchmark:
        f"{BENCHMARKS}/run_experiment/{{study}}.{{kind}}.{{part}}.tsv"
    wildcard_constraints:
        kind="[a-z_]+",
        part="[a-z0-9-]+",
    priority: 1
    conda:
        ENVIRONMENT
    # Jobs that measure times reserve the memory bandwidth.
    resources:
        mem_mb=job_resources.request_for_experiment,
        bandwidth=lambda wildcards: int(experiments.get_experiment(wildcards).bandwidth),
    params:
        run=lambda wildcards: experiments.get_experiment(wildcards).run,
        settings=lambda wildcards: experiments.get_experiment(wildcards).cache_key(
            studies.get_settings(wildcards), wildcards.part
        ),
        folds=lambda wildcards: experiments.list_split_inputs(wildcards),
        seed=config["seed"],
        code=lambda wildcards: code_digest(
            "run_experiment", experiments.get_experiment(wildcards).run.partition(":")[0]
        ),
    script:
        "../scripts/run_experiment.py"
