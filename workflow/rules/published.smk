# With the key `published_fits` nothing is fitted: the rows of another run are taken from its snapshot.
PUBLISHED_SNAPSHOT = find_snapshot(config["published_fits"], ROOT)


rule restore:
    input:
        config=f"{PUBLISHED_SNAPSHOT}/config.yaml",
        # a changed archive has other rows, also under the same configuration
        archives=list_archives(PUBLISHED_SNAPSHOT),
    output:
        # all that the rules of data, fits and experiments would have written
        [file for study in STUDIES for file in paths.list_row_files(study)],
        [f"{RESULTS}/data/{dataset}/manifest.json" for dataset in DATASETS],
        f"{RESULTS}/data.csv",
        f"{RESULTS}/verification.csv",
    log:
        f"{LOGS}/restore.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        results=RESULTS,
        edits=edits.count_edits(
            *(file for study in STUDIES for file in paths.list_row_files(study)),
            f"{RESULTS}/data.csv",
            f"{RESULTS}/verification.csv",
        ),
        code=code_digest("restore"),
    script:
        "../scripts/restore.py"
