# From the rows of all jobs of a study to its tables and figures: one job for all tables, one for all figures.


for study, settings in STUDIES.items():

    rule:
        name:
            f"tables_{study}"
        input:
            paths.list_collected_files(study),
            paths.list_experiment_files(study),
            # status and notes of the data sets, and their counts
            f"{RESULTS}/data.csv",
            [f"{RESULTS}/data/{dataset}/manifest.json" for dataset in settings["datasets"]],
            paths.list_published_values(study),
        output:
            [mark_for_report(file, study, studies.papers[study]) for file in paths.list_tables(study)],
        log:
            f"{LOGS}/tables/{study}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            study=study,
            paper=studies.get_paper_reference(study),
            settings=settings,
            edits=edits.count_edits(*paths.list_tables(study)),
            code=code_digest("tables", studies.get_paper_module(study)),
        script:
            "../scripts/tables.py"

    # The page shows SVG. PDF and PNG take longer to write and are made on request.
    for name, files in (
        ("figures", paths.list_figures(study)),
        ("print", paths.list_figure_exports(study)),
    ):

        rule:
            name:
                f"{name}_{study}"
            input:
                paths.list_csv_tables(study),
                [
                    f"{RESULTS}/{name}.csv"
                    for name in ("comparison", "option_effects")
                    if study in studies.with_published_values
                ],
                paths.list_published_values(study),
            output:
                [mark_for_report(file, study, studies.papers[study]) for file in files],
            log:
                f"{LOGS}/{name}/{study}.log",
            localrule: True
            conda:
                ENVIRONMENT
            params:
                study=study,
                paper=studies.get_paper_reference(study),
                settings=settings,
                edits=edits.count_edits(*files),
                code=code_digest("figures", studies.get_paper_module(study)),
            script:
                "../scripts/figures.py"


# Every figure as PDF and as PNG.
rule figures:
    input:
        [file for study in STUDIES for file in paths.list_figure_exports(study)],
    localrule: True
