# From the rows of all jobs of a study to its tables and figures: one job for all tables, one for all figures.


for study, settings in STUDIES.items():

    rule:
        name:
            f"tables_{study}"
        input:
            layout.collected(study),
            layout.measured(study),
            f"{RESULTS}/data.csv",
            [f"{RESULTS}/data/{dataset}/manifest.json" for dataset in settings["datasets"]],
            layout.published(study),
        output:
            [in_report(file, study) for file in layout.tables(study)],
        log:
            f"{LOGS}/tables/{study}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            study=study,
            paper=layout.record_of(study),
            settings=settings,
            edits=edits.count(*layout.tables(study)),
            code=code_digest("tables", layout.module(study)),
        script:
            "../scripts/tables.py"

    # The page shows SVG. The files for print take longer to write and are made on request.
    for name, made in (("figures", layout.figures(study)), ("print", layout.for_print(study))):

        rule:
            name:
                f"{name}_{study}"
            input:
                layout.judged(study),
                [f"{RESULTS}/{name}.csv" for name in ("comparison", "levels") if study in layout.beside_print],
                layout.published(study),
            output:
                [in_report(file, study) for file in made],
            log:
                f"{LOGS}/{name}/{study}.log",
            localrule: True
            conda:
                ENVIRONMENT
            params:
                study=study,
                paper=layout.record_of(study),
                settings=settings,
                edits=edits.count(*made),
                code=code_digest("figures", layout.module(study)),
            script:
                "../scripts/figures.py"


# Every figure as PDF and as PNG.
rule figures:
    input:
        [file for study in STUDIES for file in layout.for_print(study)],
    localrule: True
