# The committed snapshot: `snakemake snapshot` makes it again from a full run.
SNAPSHOT = relative_to_cwd(ROOT / "reports/snapshot")


# Without output, so that it always runs; it writes the snapshot beside the code.
rule snapshot:
    input:
        run=rules.all.input,
        provenance=f"{RESULTS}/provenance.json",
        config=relative_to_cwd(ROOT / "config.yaml"),
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
