# From official files to arrays with a manifest, and one table of all data sets.
# The mirror and the data folder are not in params: they do not change a result.


# Only this rule downloads data. A generated or embedded data set has no files.
rule fetch:
    output:
        f"{RESULTS}/data/{{dataset}}/fetch.json",
    log:
        f"{LOGS}/fetch/{{dataset}}.log",
    localrule: True
    conda:
        ENVIRONMENT
    # changes of these run the rule again: the entry in the registry, a new attempt, the code
    params:
        entry=lambda wildcards: digest_entry(wildcards.dataset),
        attempt=lambda wildcards: paths.read_attempt(wildcards.dataset),
        code=code_digest("fetch"),
    script:
        "../scripts/fetch.py"


rule prepare:
    input:
        lambda wildcards: paths.list_download_records(wildcards),
    output:
        arrays=f"{RESULTS}/data/{{dataset}}/arrays.npz",
        manifest=f"{RESULTS}/data/{{dataset}}/manifest.json",
    log:
        f"{LOGS}/prepare/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/prepare/{{dataset}}.tsv"
    group:
        "preparation"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=job_resources.request_for_preparation,
    params:
        entry=lambda wildcards: digest_entry(wildcards.dataset),
        # another version of an optional reader may read the file otherwise
        package=lambda wildcards: optional_dependencies.describe_reader_package(
            get_dataset(wildcards.dataset).reader
        ),
        code=lambda wildcards: code_digest("prepare", get_dataset(wildcards.dataset).reader_module),
    script:
        "../scripts/prepare.py"


rule data_table:
    input:
        expand(f"{RESULTS}/data/{{dataset}}/manifest.json", dataset=DATASETS),
    output:
        mark_for_report(f"{RESULTS}/data.csv"),
    log:
        f"{LOGS}/data_table.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        registry=digest_registries(),
        edits=edits.count_edits(f"{RESULTS}/data.csv"),
        code=code_digest("data_table"),
    script:
        "../scripts/data_table.py"


rule data:
    input:
        f"{RESULTS}/data.csv",
