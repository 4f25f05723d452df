# The rows of all jobs of a study in one file, in an order that does not depend on who finished first.


localrules:
    collect,


rule collect:
    input:
        lambda wildcards: fit_files(wildcards.study),
    output:
        f"{RESULTS}/{{study}}/fits.csv",
    log:
        "logs/collect/{study}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        protocol=lambda wildcards: layout.study(wildcards)["protocol"],
        code=code_digest("toprank.reporting.collected"),
    script:
        "../scripts/collect.py"
