# Splits, and the rule that every method's rule inherits. Each method has a file of its own in `methods`.


wildcard_constraints:
    study="[a-z][a-z0-9_]*",
    dataset="[a-z0-9-]+",
    feature_scaling="raw|standardised",
    split_batch=r"\d+-\d+",


# A batch of splits of a data set, with lambda_max of each and whether w = 0 is optimal (not for queries).
rule splits:
    input:
        arrays=f"{RESULTS}/data/{{dataset}}/arrays.npz",
        manifest=f"{RESULTS}/data/{{dataset}}/manifest.json",
    output:
        splits=f"{RESULTS}/{{study}}/splits/{{dataset}}.{{split_batch}}.npz",
        diagnosis=f"{RESULTS}/{{study}}/splits/{{dataset}}.{{split_batch}}.csv",
    log:
        f"{LOGS}/splits/{{study}}.{{dataset}}.{{split_batch}}.log",
    benchmark:
        f"{BENCHMARKS}/splits/{{study}}.{{dataset}}.{{split_batch}}.tsv"
    # names of synthetic data sets begin with a reserved prefix: their splits come with the data
    wildcard_constraints:
        dataset="".join(f"(?!{prefix})" for prefix in list_reserved_prefixes()) + "[a-z0-9-]+",
    group:
        "splits.{study}"
    conda:
        ENVIRONMENT
    resources:
        **job_resources.request_for_splits(copies=4),
    params:
        settings=lambda wildcards: split_batches.get_split_settings(wildcards),
        seed=config["seed"],
        code=code_digest("splits"),
    script:
        "../scripts/splits.py"


# The synthetic data sets of the papers' experiments: a split is a trial, with rows of its own.
for family in list_families():

    rule:
        name:
            family.name
        output:
            arrays=f"{RESULTS}/{{study}}/{family.name}/{{dataset}}/{{split_batch}}/arrays.npz",
            manifest=f"{RESULTS}/{{study}}/{family.name}/{{dataset}}/{{split_batch}}/manifest.json",
            splits=f"{RESULTS}/{{study}}/splits/{{dataset}}.{{split_batch}}.npz",
        log:
            f"{LOGS}/{family.name}/{{study}}.{{dataset}}.{{split_batch}}.log",
        wildcard_constraints:
            study=studies.match_studies_with(family.name),
            dataset=family.pattern,
        localrule: True
        conda:
            ENVIRONMENT
        params:
            generate=family.generate,
            settings=lambda wildcards: studies.get_generator_settings(wildcards),
            seed=config["seed"],
            code=code_digest("generate", family.generate.partition(":")[0]),
        script:
            "../scripts/generate.py"


# Not a method, so no name fits it. The methods' rules inherit inputs, files, environment, resources and script from it.
rule fit:
    input:
        **paths.get_fit_inputs(),
    output:
        paths.get_fit_pattern("{method}"),
    log:
        methods.log("{method}"),
    benchmark:
        methods.benchmark("{method}")
    wildcard_constraints:
        method="(?!)",
    # on a cluster, all methods of a batch of splits may share a job
    group:
        "fits.{study}.{dataset}.{feature_scaling}.{split_batch}"
    conda:
        ENVIRONMENT
    resources:
        **job_resources.request_for_fit(),
    script:
        f"{ROOT}/workflow/scripts/fit.py"


# The packages of a method's own programs. Only this rule and `fetch` use the network.
rule environment:
    input:
        lambda wildcards: methods.requirements[wildcards.name],
    output:
        f"{RESULTS}/environments/{{name}}/packages.txt",
    log:
        f"{LOGS}/environment/{{name}}.log",
    localrule: True
    conda:
        ENVIRONMENT
    shell:
        """
        folder=$(dirname {output:q})
        python -m venv "$folder" >{log:q} 2>&1
        "$folder/bin/python" -m pip install --quiet --requirement {input:q} >>{log:q} 2>&1
        "$folder/bin/python" -m pip freeze >{output:q} 2>>{log:q}
        """


# the name is set before the file is read: its rule passes it to `methods.params`
for method in studies.methods:
    methods.current_method = method

    include: f"methods/{method}.smk"


for study in STUDIES:

    # The order of the rows does not depend on which job finished first.
    rule:
        name:
            f"collect_{study}"
        input:
            fits=paths.list_fit_files(study),
            diagnosis=paths.list_diagnosis_files(study),
            manifests=methods.list_manifests(study),
        output:
            paths.list_collected_files(study),
            paths.get_provenance_file(study),
        log:
            f"{LOGS}/collect/{study}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            queries=studies.papers[study].queries,
            columns=list(studies.papers[study].fits),
            cases=studies.list_cases(study),
            study=study,
            seed=config["seed"],
            expected=methods.plan_fits(study),
            edits=edits.count_edits(*paths.list_collected_files(study), paths.get_provenance_file(study)),
            code=code_digest("collect"),
        script:
            "../scripts/collect.py"
