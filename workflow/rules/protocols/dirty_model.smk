# The block dirty_model of a study (Kadkhodaie et al. 2015, section 4): ADMM, A2DM2 and its restart on simulated data.


localrules:
    dirty_model_table,
    dirty_model_figure,


rule dirty_traces:
    output:
        f"{RESULTS}/{{study}}/dirty_model/{{draws}}.csv",
    log:
        "logs/dirty_traces/{study}.{draws}.log",
    benchmark:
        "benchmarks/dirty_traces/{study}.{draws}.tsv"
    wildcard_constraints:
        study=TOP_RANKING,
        draws=r"\d+-\d+|varied",
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("dirty_traces"),
    params:
        settings=lambda wildcards: {
            name: value
            for name, value in layout.study(wildcards)["dirty_model"].items()
            if name not in {"seeds", "seeds_per_job"} and (name != "varied" or wildcards.draws == "varied")
        },
        seed=config["seed"],
        code=code_digest("toprank.dirty_traces"),
    script:
        "../../scripts/dirty_traces.py"


rule dirty_model_table:
    input:
        lambda wildcards: layout.dirty_model(wildcards.study),
    output:
        f"{RESULTS}/{{study}}/figure1.csv",
    log:
        "logs/dirty_model_table/{study}.log",
    wildcard_constraints:
        study=TOP_RANKING,
    conda:
        "../../../envs/environment.yaml"
    script:
        "../../scripts/concatenate.py"


rule dirty_model_figure:
    input:
        f"{RESULTS}/{{study}}/figure1.csv",
    output:
        report(
            f"{RESULTS}/{{study}}/figure1.svg",
            caption="../../../reports/captions/figure1_top_ranking.rst",
            category="{study}",
            labels={"item": "Figure 1", "kind": "figure"},
        ),
        f"{RESULTS}/{{study}}/figure1.pdf",
        f"{RESULTS}/{{study}}/figure1.png",
    log:
        "logs/dirty_model_figure/{study}.log",
    wildcard_constraints:
        study=TOP_RANKING,
    conda:
        "../../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.top_ranking.dirty_model"),
    script:
        "../../scripts/dirty_model_figure.py"
