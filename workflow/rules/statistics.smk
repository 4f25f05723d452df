# What the papers do not test: mean ranks over the data sets, and every pair of methods.


localrules:
    method_statistics,
    rank_figure,


rule method_statistics:
    input:
        fits=f"{RESULTS}/{{study}}/fits.csv",
        queries=lambda wildcards: layout.queries(wildcards.study) or [],
        data=f"{RESULTS}/data.csv",
    output:
        ranks=report(
            f"{RESULTS}/{{study}}/ranks.csv",
            caption="../../reports/captions/ranks.rst",
            category="{study}",
            labels={"item": "Mean ranks", "kind": "table"},
        ),
        pairwise=report(
            f"{RESULTS}/{{study}}/pairwise.csv",
            caption="../../reports/captions/pairwise.rst",
            category="{study}",
            labels={"item": "Pairs of methods", "kind": "table"},
        ),
        tex=f"{RESULTS}/{{study}}/ranks.tex",
    log:
        "logs/method_statistics/{study}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        protocol=lambda wildcards: layout.study(wildcards)["protocol"],
        code=code_digest(
            "toprank.reporting.method_statistics.pairs",
            "toprank.reporting.method_statistics.latex",
            "toprank.reporting.query_ranking.inputs",
        ),
    script:
        "../scripts/method_statistics.py"


rule rank_figure:
    input:
        f"{RESULTS}/{{study}}/ranks.csv",
    output:
        svg=report(
            f"{RESULTS}/{{study}}/critical_difference.svg",
            caption="../../reports/captions/critical_difference.rst",
            category="{study}",
            labels={"item": "Critical differences", "kind": "figure"},
        ),
        pdf=f"{RESULTS}/{{study}}/critical_difference.pdf",
        png=f"{RESULTS}/{{study}}/critical_difference.png",
    log:
        "logs/rank_figure/{study}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.method_statistics.figure"),
    script:
        "../scripts/rank_figure.py"
