# The committed snapshot: `snakemake moved` lists what has changed since, `snakemake snapshot` makes it again.
SNAPSHOT = from_here(ROOT / "reports/snapshot")


rule moved:
    input:
        run=rules.all.input,
        old=f"{SNAPSHOT}/comparison.csv",
    output:
        f"{RESULTS}/moved.csv",
    log:
        f"{LOGS}/moved.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code_digest("moved"),
    script:
        "../scripts/moved.py"


# Without output, so that it always runs; it writes the snapshot beside the code.
rule snapshot:
    input:
        run=rules.all.input,
        provenance=f"{RESULTS}/provenance.json",
        config=from_here(ROOT / "config.yaml"),
    log:
        f"{LOGS}/snapshot.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        target=SNAPSHOT,
        code=code_digest("snapshot"),
    script:
        "../scripts/snapshot.py"
