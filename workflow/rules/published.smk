# With the key `published_fits` nothing is fitted: the rows of another run are taken from its snapshot.


rule restore:
    input:
        Path(config["published_fits"], "config.yaml"),
    output:
        # all that the rules of data, fits and experiments would have written
        [file for study in STUDIES for file in paths.list_row_files(study)],
        [
            f"{RESULTS}/data/{dataset}/manifest.json"
            for dataset in dict.fromkeys(name for study in STUDIES.values() for name in study["datasets"])
        ],
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
