# From the collected rows to what a reader sees. Nothing here computes a fit.


localrules:
    table1,
    figure_table1,
    errata,
    compare,
    printed_figure,
    failures,
    provenance,
    findings,
    page,
    check,


rule table1:
    input:
        fits=f"{RESULTS}/{{study}}/fits.csv",
        diagnosis=f"{RESULTS}/{{study}}/diagnosis.csv",
        data=f"{RESULTS}/data.csv",
        published=lambda wildcards: STUDIES[wildcards.study]["published"] or [],
    output:
        csv=report(
            f"{RESULTS}/{{study}}/table1.csv",
            caption="../../reports/captions/table1.rst",
            category="{study}",
            labels={"item": "Table 1", "kind": "table"},
        ),
        tex=f"{RESULTS}/{{study}}/table1.tex",
    log:
        "logs/table1/{study}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        protocol=lambda wildcards: layout.study(wildcards)["protocol"],
        code=code_digest("toprank.reporting.studies"),
    script:
        "../scripts/table1.py"


rule figure_table1:
    input:
        f"{RESULTS}/{{study}}/table1.csv",
    output:
        svg=report(
            f"{RESULTS}/{{study}}/figure_table1.svg",
            caption="../../reports/captions/figure_table1.rst",
            category="{study}",
            labels={"item": "Table 1", "kind": "figure"},
        ),
        pdf=f"{RESULTS}/{{study}}/figure_table1.pdf",
        png=f"{RESULTS}/{{study}}/figure_table1.png",
    log:
        "logs/figure_table1/{study}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        protocol=lambda wildcards: layout.study(wildcards)["protocol"],
        code=code_digest("toprank.reporting.studies"),
    script:
        "../scripts/figure_table1.py"


# The paper's slips need no data set, only its printed numbers.
rule errata:
    input:
        published=lambda wildcards: layout.published(wildcards.study),
    output:
        report(
            f"{RESULTS}/{{study}}/errata.csv",
            caption="../../reports/captions/errata.rst",
            category="{study}",
            labels={"item": "Errata", "kind": "table"},
        ),
    log:
        "logs/errata/{study}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        protocol=lambda wildcards: layout.study(wildcards)["protocol"],
        published=lambda wildcards: layout.study(wildcards)["published"],
        code=code_digest("toprank.errata"),
    script:
        "../scripts/errata.py"


rule compare:
    input:
        tables=[file for study in STUDIES for file in layout.compared(study)],
        published=[file for study in STUDIES for file in layout.published(study)],
        data=f"{RESULTS}/data.csv",
    output:
        comparison=report(
            f"{RESULTS}/comparison.csv",
            caption="../../reports/captions/comparison.rst",
            category="All studies",
            labels={"item": "Printed and ours", "kind": "table"},
        ),
        coverage=report(
            f"{RESULTS}/coverage.csv",
            caption="../../reports/captions/coverage.rst",
            category="All studies",
            labels={"item": "Printed numbers covered", "kind": "table"},
        ),
        features=f"{RESULTS}/feature_blocks.csv",
    log:
        "logs/compare.log",
    conda:
        "../../envs/environment.yaml"
    params:
        published={name: study["published"] for name, study in STUDIES.items()},
        protocols=layout.protocols,
        code=code_digest("toprank.reporting.comparison.coverage", "toprank.reporting.studies"),
    script:
        "../scripts/compare.py"


rule printed_figure:
    input:
        comparison=f"{RESULTS}/comparison.csv",
        published=lambda wildcards: layout.published(wildcards.study),
    output:
        csv=f"{RESULTS}/{{study}}/printed_measured.csv",
        svg=report(
            f"{RESULTS}/{{study}}/printed_measured.svg",
            caption="../../reports/captions/printed_measured.rst",
            category="{study}",
            labels={"item": "Printed and measured", "kind": "figure"},
        ),
        pdf=f"{RESULTS}/{{study}}/printed_measured.pdf",
        png=f"{RESULTS}/{{study}}/printed_measured.png",
    log:
        "logs/printed_figure/{study}.log",
    wildcard_constraints:
        study=layout.with_print(),
    conda:
        "../../envs/environment.yaml"
    params:
        published=lambda wildcards: layout.study(wildcards)["published"],
        code=code_digest("toprank.reporting.comparison.figure"),
    script:
        "../scripts/printed_figure.py"


rule failures:
    input:
        fits=expand(f"{RESULTS}/{{study}}/fits.csv", study=STUDIES),
        data=f"{RESULTS}/data.csv",
    output:
        f"{RESULTS}/failures.csv",
    log:
        "logs/failures.log",
    conda:
        "../../envs/environment.yaml"
    params:
        expected=config.get("expected_status", {}),
        missing_data=config["missing_data"],
        code=code_digest("toprank.reporting.inputs", "toprank.reporting.status"),
    script:
        "../scripts/failures.py"


# Written anew whenever a row changed, so that commit and machine are those of the newest rows.
rule provenance:
    input:
        expand(f"{RESULTS}/{{study}}/fits.csv", study=STUDIES),
        f"{RESULTS}/verification.csv",
    output:
        f"{RESULTS}/provenance.json",
    log:
        "logs/provenance.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.provenance"),
    script:
        "../scripts/provenance.py"


rule findings:
    input:
        shown=[file for study in STUDIES for file in layout.shown(study)],
        published=[file for study in STUDIES for file in layout.published(study)],
        data=f"{RESULTS}/data.csv",
    output:
        report(
            f"{RESULTS}/findings.csv",
            caption="../../reports/captions/findings.rst",
            category="All studies",
            labels={"item": "Findings", "kind": "table"},
        ),
    log:
        "logs/findings.log",
    conda:
        "../../envs/environment.yaml"
    params:
        shown={name: layout.shown(name) for name in STUDIES},
        published={name: study["published"] for name, study in STUDIES.items()},
        protocols=layout.protocols,
        code=code_digest("toprank.reporting.findings.topics"),
    script:
        "../scripts/findings.py"


rule page:
    input:
        shown=[file for study in STUDIES for file in layout.shown(study)],
        published=[file for study in STUDIES for file in layout.published(study)],
        comparison=f"{RESULTS}/comparison.csv",
        data=f"{RESULTS}/data.csv",
        verification=f"{RESULTS}/verification.csv",
        failures=f"{RESULTS}/failures.csv",
        provenance=f"{RESULTS}/provenance.json",
        templates=sorted(map(str, Path("src/toprank/reporting/page/templates").iterdir())),
    output:
        report(
            f"{RESULTS}/report.html",
            caption="../../reports/captions/page.rst",
            category="All studies",
            labels={"item": "The page", "kind": "page"},
        ),
    log:
        "logs/page.log",
    conda:
        "../../envs/environment.yaml"
    params:
        shown={name: layout.shown(name) for name in STUDIES},
        published={name: study["published"] for name, study in STUDIES.items()},
        protocols=layout.protocols,
        blocks={name: layout.blocks_of(name) for name in STUDIES},
        command=command(workflow, RESULTS),
        code=code_digest("toprank.reporting.page.render", "toprank.reporting.findings.topics"),
    script:
        "../scripts/page.py"


# The last rule: what it needs is everything, so that a failure of one fit stops nothing else.
rule check:
    input:
        shown=[file for study in STUDIES for file in layout.shown(study)],
        published=[file for study in STUDIES for file in layout.published(study)],
        comparison=f"{RESULTS}/comparison.csv",
        data=f"{RESULTS}/data.csv",
        verification=f"{RESULTS}/verification.csv",
        failures=f"{RESULTS}/failures.csv",
        findings=f"{RESULTS}/findings.csv",
        page=f"{RESULTS}/report.html",
    output:
        f"{RESULTS}/check.txt",
    log:
        "logs/check.log",
    conda:
        "../../envs/environment.yaml"
    params:
        shown={name: layout.shown(name) for name in STUDIES},
        published={name: study["published"] for name, study in STUDIES.items()},
        protocols=layout.protocols,
        missing_data=config["missing_data"],
        code=code_digest(
            "toprank.reporting.summary",
            "toprank.reporting.studies",
            "toprank.reporting.findings.topics",
            "toprank.reporting.comparison.coverage",
        ),
    script:
        "../scripts/check.py"
