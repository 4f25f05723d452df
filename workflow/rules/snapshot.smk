# The committed snapshot: `snakemake moved` lists what moved since it was made, `snakemake snapshot` makes it anew.
SNAPSHOT = "reports/snapshot"


localrules:
    moved,
    snapshot,


rule moved:
    input:
        run=rules.all.input,
        old=f"{SNAPSHOT}/comparison.csv",
    output:
        f"{RESULTS}/moved.csv",
    log:
        "logs/moved.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.snapshot"),
    script:
        "../scripts/moved.py"


# No output: it is made whenever it is asked for, and lies beside the code.
rule snapshot:
    input:
        run=rules.all.input,
        provenance=f"{RESULTS}/provenance.json",
        config="config.yaml",
    log:
        "logs/snapshot.log",
    conda:
        "../../envs/environment.yaml"
    params:
        target=SNAPSHOT,
        code=code_digest("toprank.reporting.snapshot"),
    script:
        "../scripts/snapshot.py"
