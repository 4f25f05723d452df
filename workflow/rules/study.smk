# From the rows of all jobs of a study to its tables, statistics and figures: one job each, whatever their number.


for study, settings in STUDIES.items():

    # In an order that does not depend on who finished first.
    rule:
        name:
            f"collect_{study}"
        input:
            fits=layout.fit_files(study),
            diagnosis=layout.diagnosed(study),
        output:
            layout.collected(study),
        log:
            f"{LOGS}/collect/{study}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            protocol=settings["protocol"],
            cases=layout.cases(study),
            code=code_digest("collect"),
        script:
            "../scripts/collect.py"

    rule:
        name:
            f"tables_{study}"
        input:
            collected=layout.collected(study),
            data=f"{RESULTS}/data.csv",
            manifests=[f"{RESULTS}/data/{dataset}/manifest.json" for dataset in settings["datasets"]],
            published=layout.published(study) or [],
        output:
            in_report(layout.tables(study)),
        log:
            f"{LOGS}/tables/{study}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            study=study,
            protocol=settings["protocol"],
            published=layout.published(study),
            toy=settings.get("toy"),
            code=code_digest("tables"),
        script:
            "../scripts/tables.py"

    # What the papers do not test: mean ranks over the data sets, and every pair of methods.
    rule:
        name:
            f"statistics_{study}"
        input:
            collected=layout.collected(study),
            data=f"{RESULTS}/data.csv",
        output:
            in_report(layout.statistics(study)),
        log:
            f"{LOGS}/statistics/{study}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            protocol=settings["protocol"],
            code=code_digest("statistics"),
        script:
            "../scripts/statistics.py"

    rule:
        name:
            f"figures_{study}"
        input:
            tables=[file for file in layout.tables(study) if file.endswith(".csv")],
            ranks=layout.statistics(study)[0],
            comparison=[f"{RESULTS}/comparison.csv"] if layout.published(study) else [],
            published=layout.published(study) or [],
        output:
            in_report(layout.figures(study)),
        log:
            f"{LOGS}/figures/{study}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            study=study,
            protocol=settings["protocol"],
            published=layout.published(study),
            code=code_digest("figures"),
        script:
            "../scripts/figures.py"
