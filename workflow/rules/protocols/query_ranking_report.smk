# What a study of the protocol query_ranking shows: Tables III to VI of Laporte et al. 2014, the tests behind them, and
# Figures 1 to 3.


localrules:
    query_tables,
    query_figures,


rule query_tables:
    input:
        fits=f"{RESULTS}/{{study}}/fits.csv",
        queries=f"{RESULTS}/{{study}}/queries.csv",
        manifests=lambda wildcards: expand(
            f"{RESULTS}/data/{{dataset}}/manifest.json",
            dataset=layout.study(wildcards)["datasets"],
        ),
        published=lambda wildcards: layout.published(wildcards.study),
    output:
        table3=report(
            f"{RESULTS}/{{study}}/table3.csv",
            caption="../../../reports/captions/table3_query_ranking.rst",
            category="{study}",
            labels={"item": "Table III", "kind": "table"},
        ),
        table4=report(
            f"{RESULTS}/{{study}}/table4.csv",
            caption="../../../reports/captions/table4_query_ranking.rst",
            category="{study}",
            labels={"item": "Table IV", "kind": "table"},
        ),
        table5=report(
            f"{RESULTS}/{{study}}/table5.csv",
            caption="../../../reports/captions/measures_query_ranking.rst",
            category="{study}",
            labels={"item": "Table V", "kind": "table"},
        ),
        table6=report(
            f"{RESULTS}/{{study}}/table6.csv",
            caption="../../../reports/captions/measures_query_ranking.rst",
            category="{study}",
            labels={"item": "Table VI", "kind": "table"},
        ),
        tests=report(
            f"{RESULTS}/{{study}}/tests.csv",
            caption="../../../reports/captions/tests_query_ranking.rst",
            category="{study}",
            labels={"item": "Tests", "kind": "table"},
        ),
        tex=[f"{RESULTS}/{{study}}/table{number}.tex" for number in (3, 4, 5, 6)],
    log:
        "logs/query_tables/{study}.log",
    wildcard_constraints:
        study=QUERY_RANKING,
    conda:
        "../../../envs/environment.yaml"
    params:
        published=lambda wildcards: layout.study(wildcards)["published"],
        code=code_digest("toprank.reporting.query_ranking.latex"),
    script:
        "../../scripts/query_tables.py"


rule query_figures:
    input:
        table4=f"{RESULTS}/{{study}}/table4.csv",
        table5=f"{RESULTS}/{{study}}/table5.csv",
    output:
        figure1=[
            report(
                f"{RESULTS}/{{study}}/figure1.svg",
                caption="../../../reports/captions/figure1_query_ranking.rst",
                category="{study}",
                labels={"item": "Figure 1", "kind": "figure"},
            ),
            f"{RESULTS}/{{study}}/figure1.pdf",
            f"{RESULTS}/{{study}}/figure1.png",
        ],
        figure2=[
            report(
                f"{RESULTS}/{{study}}/figure2.svg",
                caption="../../../reports/captions/figure2_query_ranking.rst",
                category="{study}",
                labels={"item": "Figure 2", "kind": "figure"},
            ),
            f"{RESULTS}/{{study}}/figure2.pdf",
            f"{RESULTS}/{{study}}/figure2.png",
        ],
        figure3=[
            report(
                f"{RESULTS}/{{study}}/figure3.svg",
                caption="../../../reports/captions/figure3_query_ranking.rst",
                category="{study}",
                labels={"item": "Figure 3", "kind": "figure"},
            ),
            f"{RESULTS}/{{study}}/figure3.pdf",
            f"{RESULTS}/{{study}}/figure3.png",
        ],
    log:
        "logs/query_figures/{study}.log",
    wildcard_constraints:
        study=QUERY_RANKING,
    conda:
        "../../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.query_ranking.figures"),
    script:
        "../../scripts/query_figures.py"
