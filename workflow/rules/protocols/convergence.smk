# Kadkhodaie et al. 2015, Figures 2 and 3: one split iteration by iteration, against the certified optimum; and, beyond
# the paper, iterations and seconds to levels of suboptimality on every data set.
CONVERGENCE = layout.with_block("convergence")
SUBOPTIMALITY = layout.with_block("suboptimality")
# method -> the solver that it runs, for the digest of its code; that of the ADMM family is one
WATCHED_SOLVER = {"toppush": "dual_gradient", "exact": "row_generation"}


localrules:
    convergence_table,
    figures_convergence,
    suboptimality_table,
    figure_suboptimality,


rule convergence:
    input:
        arrays=lambda wildcards: layout.followed_file(wildcards, "arrays.npz"),
        manifest=lambda wildcards: layout.followed_file(wildcards, "manifest.json"),
        splits=lambda wildcards: layout.followed_file(wildcards, "splits"),
    output:
        figure2=f"{RESULTS}/{{study}}/convergence/{{method}}.figure2.csv",
        figure3=f"{RESULTS}/{{study}}/convergence/{{method}}.figure3.csv",
    log:
        "logs/convergence/{study}.{method}.log",
    benchmark:
        "benchmarks/convergence/{study}.{method}.tsv"
    wildcard_constraints:
        study=CONVERGENCE,
        method="[a-z0-9_]+",
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("convergence"),
        bandwidth=1,
    params:
        convergence=lambda wildcards: layout.study(wildcards)["convergence"],
        admm=lambda wildcards: layout.study(wildcards)["admm"],
        code=lambda wildcards: code_digest(
            "toprank.convergence",
            "toprank.references",
            f"toprank.solvers.{WATCHED_SOLVER.get(wildcards.method, 'admm')}",
        ),
    script:
        "../../scripts/convergence.py"


rule convergence_table:
    input:
        lambda wildcards: expand(
            f"{RESULTS}/{wildcards.study}/convergence/{{method}}.{wildcards.figure}.csv",
            method=layout.followed(wildcards.study),
        ),
    output:
        f"{RESULTS}/{{study}}/{{figure}}.csv",
    log:
        "logs/convergence_table/{study}.{figure}.log",
    wildcard_constraints:
        study=CONVERGENCE,
        figure="figure2|figure3",
    conda:
        "../../../envs/environment.yaml"
    script:
        "../../scripts/concatenate.py"


rule figures_convergence:
    input:
        figure2=f"{RESULTS}/{{study}}/figure2.csv",
        figure3=f"{RESULTS}/{{study}}/figure3.csv",
    output:
        figure2=[
            report(
                f"{RESULTS}/{{study}}/figure2.svg",
                caption="../../../reports/captions/figure2_top_ranking.rst",
                category="{study}",
                labels={"item": "Figure 2", "kind": "figure"},
            ),
            f"{RESULTS}/{{study}}/figure2.pdf",
            f"{RESULTS}/{{study}}/figure2.png",
        ],
        figure3=[
            report(
                f"{RESULTS}/{{study}}/figure3.svg",
                caption="../../../reports/captions/figure3_top_ranking.rst",
                category="{study}",
                labels={"item": "Figure 3", "kind": "figure"},
            ),
            f"{RESULTS}/{{study}}/figure3.pdf",
            f"{RESULTS}/{{study}}/figure3.png",
        ],
    log:
        "logs/figures_convergence/{study}.log",
    wildcard_constraints:
        study=CONVERGENCE,
    conda:
        "../../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.top_ranking.convergence_figures"),
    script:
        "../../scripts/figures_convergence.py"


rule suboptimality:
    input:
        **layout.fold_block(),
    output:
        f"{RESULTS}/{{study}}/suboptimality/{{dataset}}.{{features}}.{{method}}.csv",
    log:
        "logs/suboptimality/{study}.{dataset}.{features}.{method}.log",
    benchmark:
        "benchmarks/suboptimality/{study}.{dataset}.{features}.{method}.tsv"
    wildcard_constraints:
        study=SUBOPTIMALITY,
        method="[a-z0-9_]+",
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("suboptimality", copies=4),
        bandwidth=lambda wildcards: layout.bandwidth(wildcards),
    params:
        suboptimality=lambda wildcards: layout.study(wildcards)["suboptimality"],
        rhos=lambda wildcards: layout.study(wildcards)["rhos"].get(wildcards.method, []),
        admm=lambda wildcards: layout.study(wildcards)["admm"],
        code=lambda wildcards: code_digest(
            "toprank.suboptimality",
            f"toprank.solvers.{WATCHED_SOLVER.get(wildcards.method, 'admm')}",
        ),
    script:
        "../../scripts/suboptimality.py"


rule suboptimality_table:
    input:
        lambda wildcards: layout.watched_files(wildcards.study),
    output:
        f"{RESULTS}/{{study}}/suboptimality.csv",
    log:
        "logs/suboptimality_table/{study}.log",
    wildcard_constraints:
        study=SUBOPTIMALITY,
    conda:
        "../../../envs/environment.yaml"
    script:
        "../../scripts/concatenate.py"


rule figure_suboptimality:
    input:
        f"{RESULTS}/{{study}}/suboptimality.csv",
    output:
        report(
            f"{RESULTS}/{{study}}/suboptimality.svg",
            caption="../../../reports/captions/suboptimality.rst",
            category="{study}",
            labels={"item": "Performance profile", "kind": "figure"},
        ),
        f"{RESULTS}/{{study}}/suboptimality.pdf",
        f"{RESULTS}/{{study}}/suboptimality.png",
    log:
        "logs/figure_suboptimality/{study}.log",
    wildcard_constraints:
        study=SUBOPTIMALITY,
    conda:
        "../../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.top_ranking.suboptimality"),
    script:
        "../../scripts/figure_suboptimality.py"
