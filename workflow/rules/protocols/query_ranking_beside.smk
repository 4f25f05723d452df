# Two optional blocks of a study of the protocol query_ranking, beyond the paper, each measured on one fold of a few
# data sets: what the printed Lipschitz constant costs, and what FenchelRank's published stop does to its sparsity.
CONSTANT, EARLY_STOP = layout.with_block("constant"), layout.with_block("early_stop")


localrules:
    figure_constant,
    figure_early_stop,


rule constant:
    input:
        arrays=layout.measured("constant", "arrays.npz"),
        manifests=layout.measured("constant", "manifest.json"),
        splits=layout.measured("constant", "splits"),
    output:
        f"{RESULTS}/{{study}}/constant.csv",
    log:
        "logs/constant/{study}.log",
    benchmark:
        "benchmarks/constant/{study}.tsv"
    wildcard_constraints:
        study=CONSTANT,
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("constant"),
    params:
        constant=lambda wildcards: layout.study(wildcards)["constant"],
        code=code_digest("toprank.printed_constant", "toprank.one_fold"),
    script:
        "../../scripts/constant.py"


rule figure_constant:
    input:
        f"{RESULTS}/{{study}}/constant.csv",
    output:
        report(
            f"{RESULTS}/{{study}}/constant.svg",
            caption="../../../reports/captions/constant.rst",
            category="{study}",
            labels={"item": "The printed constant", "kind": "figure"},
        ),
        f"{RESULTS}/{{study}}/constant.pdf",
        f"{RESULTS}/{{study}}/constant.png",
    log:
        "logs/figure_constant/{study}.log",
    wildcard_constraints:
        study=CONSTANT,
    conda:
        "../../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.query_ranking.printed_constant"),
    script:
        "../../scripts/figure_constant.py"


rule early_stop:
    input:
        arrays=layout.measured("early_stop", "arrays.npz"),
        manifests=layout.measured("early_stop", "manifest.json"),
        splits=layout.measured("early_stop", "splits"),
    output:
        f"{RESULTS}/{{study}}/early_stop.csv",
    log:
        "logs/early_stop/{study}.log",
    benchmark:
        "benchmarks/early_stop/{study}.tsv"
    wildcard_constraints:
        study=EARLY_STOP,
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("early_stop"),
    params:
        early_stop=lambda wildcards: layout.study(wildcards)["early_stop"],
        code=code_digest("toprank.early_stop", "toprank.one_fold"),
    script:
        "../../scripts/early_stop.py"


rule figure_early_stop:
    input:
        f"{RESULTS}/{{study}}/early_stop.csv",
    output:
        report(
            f"{RESULTS}/{{study}}/early_stop.svg",
            caption="../../../reports/captions/early_stop.rst",
            category="{study}",
            labels={"item": "FenchelRank's stop", "kind": "figure"},
        ),
        f"{RESULTS}/{{study}}/early_stop.pdf",
        f"{RESULTS}/{{study}}/early_stop.png",
    log:
        "logs/figure_early_stop/{study}.log",
    wildcard_constraints:
        study=EARLY_STOP,
    conda:
        "../../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.query_ranking.early_stop"),
    script:
        "../../scripts/figure_early_stop.py"
