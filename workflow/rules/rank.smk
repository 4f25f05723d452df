# The place of new methods among the published ones: `snakemake rank --config 'only={methods: [NAME]}'` fits these alone.
RANKED_STUDIES = [name for name in STUDIES if studies.papers[name].mixed]
RANKING = find_snapshot(config.get("ranking") or "reports/snapshot", ROOT)


rule rank:
    input:
        [f"{RESULTS}/{study}/rank.txt" for study in RANKED_STUDIES],
    localrule: True


for study in RANKED_STUDIES:

    rule:
        name:
            f"rank_{study}"
        input:
            fits=paths.list_default_fit_files(study),
            config=f"{RANKING}/config.yaml",
            archives=list_archives(RANKING),
        output:
            table=f"{RESULTS}/{study}/rank.csv",
            figure=f"{RESULTS}/{study}/rank.svg",
            text=f"{RESULTS}/{study}/rank.txt",
        log:
            f"{LOGS}/rank/{study}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            study=study,
            settings=STUDIES[study],
            cases=paths.list_default_cases(study),
            columns=list(studies.papers[study].fits),
            seed=config["seed"],
            edits=edits.count_edits(f"{RESULTS}/{study}/rank.csv"),
            code=code_digest("rank"),
        script:
            "../scripts/rank.py"
