# From the tables of the studies to the comparison with published values, the claims, the page and the paper.
COMPARISON_TABLES = ["comparison", "explanations", "option_effects", "factors"]
COMPARISON_TABLES += ["placebo", "method_order", "coverage", "not_requested"]


rule compare:
    input:
        tables=[file for study in STUDIES for file in paths.list_compared_tables(study)],
        published=[file for study in STUDIES for file in paths.list_published_values(study)],
        data=f"{RESULTS}/data.csv",
    output:
        comparison=mark_for_report(f"{RESULTS}/comparison.csv"),
        explanations=f"{RESULTS}/explanations.csv",
        option_effects=f"{RESULTS}/option_effects.csv",
        factors=f"{RESULTS}/factors.csv",
        placebo=f"{RESULTS}/placebo.csv",
        method_order=f"{RESULTS}/method_order.csv",
        coverage=f"{RESULTS}/coverage.csv",
        not_requested=f"{RESULTS}/not_requested.csv",
        latex=[f"{RESULTS}/{study}/comparison.tex" for study in studies.with_published_values],
    log:
        f"{LOGS}/compare.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        studies=STUDIES,
        papers={study: studies.get_paper_reference(study) for study in STUDIES},
        edits=edits.count_edits(*(f"{RESULTS}/{name}.csv" for name in COMPARISON_TABLES)),
        seed=config["seed"],
        code=code_digest("compare", *map(studies.get_paper_module, STUDIES)),
    script:
        "../scripts/compare.py"


# The claims of a paper, evaluated on its results.
for study in studies.with_claims:

    rule:
        name:
            f"claims_{study}"
        input:
            paths.list_csv_tables(study),
            paths.list_collected_files(study)[0],
            f"{RESULTS}/data.csv",
            paths.list_published_values(study),
        output:
            claims=f"{RESULTS}/claims/{study}.csv",
            latex=f"{RESULTS}/{study}/claims.tex",
        log:
            f"{LOGS}/claims/{study}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            study=study,
            paper=studies.get_paper_reference(study),
            settings=STUDIES[study],
            code=code_digest("claims", studies.get_paper_module(study)),
        script:
            "../scripts/claims.py"


rule claims:
    input:
        [f"{RESULTS}/claims/{study}.csv" for study in studies.with_claims],
    output:
        mark_for_report(f"{RESULTS}/claims.csv"),
    log:
        f"{LOGS}/claims.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        columns="reproduction.comparison.claim_tables:CLAIM_COLUMNS",
        edits=edits.count_edits(f"{RESULTS}/claims.csv"),
        code=code_digest("concatenate"),
    script:
        "../scripts/concatenate.py"


# Written again whenever a row changes, so that commit and machine belong to the newest rows.
rule provenance:
    input:
        verification=f"{RESULTS}/verification.csv",
        provenance=[paths.get_provenance_file(study) for study in STUDIES],
        environments=[f"{RESULTS}/environments/{name}/packages.txt" for name in methods.requirements],
    output:
        f"{RESULTS}/provenance.json",
    log:
        f"{LOGS}/provenance.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        method_versions={
            dependency: version
            for method in studies.methods
            for dependency, version in optional_dependencies.get_versions(method).items()
        },
        code=code_digest("provenance"),
    script:
        "../scripts/provenance.py"


rule page:
    input:
        page_files=[file for study in STUDIES for file in paths.list_page_files(study)],
        published=[file for study in STUDIES for file in paths.list_published_values(study)],
        claims=f"{RESULTS}/claims.csv",
        comparison=f"{RESULTS}/comparison.csv",
        explanations=f"{RESULTS}/explanations.csv",
        option_effects=f"{RESULTS}/option_effects.csv",
        factors=f"{RESULTS}/factors.csv",
        placebo=f"{RESULTS}/placebo.csv",
        method_order=f"{RESULTS}/method_order.csv",
        coverage=f"{RESULTS}/coverage.csv",
        not_requested=f"{RESULTS}/not_requested.csv",
        data=f"{RESULTS}/data.csv",
        verification=f"{RESULTS}/verification.csv",
        provenance=f"{RESULTS}/provenance.json",
        # templates, scripts and styles of the page are inputs, since no digest of code covers them
        templates=sorted(
            relative_to_cwd(file)
            for kind in ("j2", "js", "css")
            for file in Path(SOURCE, "reproduction").rglob(f"*.{kind}")
        ),
    output:
        page=mark_for_report(f"{RESULTS}/report.html"),
        site=directory(f"{RESULTS}/report"),
        failures=f"{RESULTS}/failures.csv",
        latex=paths.list_run_latex(),
        summary=f"{RESULTS}/summary.json",
    log:
        f"{LOGS}/page.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        page_files={name: paths.list_page_files(name) for name in STUDIES},
        studies=STUDIES,
        papers={study: studies.get_paper_reference(study) for study in STUDIES},
        split_batches={name: split_batches.list_batches_by_dataset(name) for name in STUDIES},
        expected=config.get("expected_status", {}),
        missing_data=config["missing_data"],
        published=bool(config["published_fits"]),
        # published fits are those of the whole configuration
        command=(
            "snakemake --cores 1 --force --"
            if config["published_fits"]
            else build_rerun_command(workflow, RESULTS)
        ),
        edits=edits.count_edits(f"{RESULTS}/failures.csv"),
        code=code_digest("page", *map(studies.get_paper_module, STUDIES)),
    script:
        "../scripts/page.py"


# The last rule. It needs everything else, so that a failed fit stops nothing before it.
rule check:
    input:
        f"{RESULTS}/summary.json",
    output:
        f"{RESULTS}/check.txt",
    log:
        f"{LOGS}/check.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code_digest("check"),
    script:
        "../scripts/check.py"


# The results as a Workflow Run RO-Crate, on request.
rule crate:
    input:
        run=rules.all.input,
        results=[
            *(
                f"{RESULTS}/{name}"
                for name in ("report.html", "comparison.csv", "verification.csv", "data.csv")
            ),
            f"{RESULTS}/provenance.json",
            *(file for study in STUDIES for file in paths.list_page_files(study)),
        ],
        manifests=[f"{RESULTS}/data/{dataset}/manifest.json" for dataset in DATASETS],
        provenance=f"{RESULTS}/provenance.json",
        citation=relative_to_cwd(ROOT / "CITATION.cff"),
        workflow=relative_to_cwd(ROOT / "workflow/Snakefile"),
    output:
        crate=f"{RESULTS}/ro-crate-metadata.json",
        workflow=f"{RESULTS}/Snakefile",
        configuration=f"{RESULTS}/configuration.json",
    log:
        f"{LOGS}/crate.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code_digest("ro_crate"),
    script:
        "../scripts/ro_crate.py"
