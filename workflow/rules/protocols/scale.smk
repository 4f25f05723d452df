# Cost and memory against the size, up to that of epsilon (Kadkhodaie et al. 2015): a block of a study of top ranking.
# Time is measured, so these jobs ask for the memory bandwidth; the bandwidth itself is measured beside each fit.


localrules:
    scale_table,
    scale,


rule scale_size:
    output:
        f"{RESULTS}/{{study}}/scale/rows{{rows}}.csv",
    log:
        "logs/scale_size/{study}.rows{rows}.log",
    benchmark:
        "benchmarks/scale_size/{study}.{rows}.tsv"
    wildcard_constraints:
        study=TOP_RANKING,
        rows=r"\d+",
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("scale_size"),
        bandwidth=1,
    params:
        scale=lambda wildcards: {
            name: value for name, value in layout.study(wildcards)["scale"].items() if name != "rows"
        },
        seed=config["seed"],
        code=code_digest(
            "toprank.size_costs",
            "toprank.solvers.admm",
            "toprank.solvers.dual_gradient",
            "toprank.solvers.row_generation",
        ),
    script:
        "../../scripts/scale_size.py"


rule scale_table:
    input:
        lambda wildcards: layout.scale_sizes(wildcards.study),
    output:
        f"{RESULTS}/{{study}}/scale.csv",
    log:
        "logs/scale_table/{study}.log",
    wildcard_constraints:
        study=TOP_RANKING,
    conda:
        "../../../envs/environment.yaml"
    params:
        alphas=lambda wildcards: layout.study(wildcards)["alphas"],
        rhos=lambda wildcards: layout.study(wildcards)["rhos"],
        max_iter=lambda wildcards: layout.study(wildcards)["admm"]["max_iter"],
        splits=lambda wildcards: layout.study(wildcards)["splits"],
        test_fraction=lambda wildcards: layout.study(wildcards)["test_fraction"],
        inner_folds=lambda wildcards: layout.study(wildcards)["inner_folds"],
        rows=get_dataset("epsilon").expected["rows"],
        code=code_digest("toprank.reporting.top_ranking.scale"),
    script:
        "../../scripts/scale_table.py"


rule scale:
    input:
        f"{RESULTS}/{{study}}/scale.csv",
    output:
        report(
            f"{RESULTS}/{{study}}/scale.svg",
            caption="../../../reports/captions/scale.rst",
            category="{study}",
            labels={"item": "Cost and size", "kind": "figure"},
        ),
        f"{RESULTS}/{{study}}/scale.pdf",
        f"{RESULTS}/{{study}}/scale.png",
    log:
        "logs/scale/{study}.log",
    wildcard_constraints:
        study=TOP_RANKING,
    conda:
        "../../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.top_ranking.scale"),
    script:
        "../../scripts/scale.py"
