# The run as LaTeX: what the tables' own rules do not write themselves, and a paper of all tables and figures.
# `snakemake paper` makes the PDF, which asks for pdflatex; its source is part of every run.


localrules:
    latex_table,
    latex_comparison,
    paper_source,
    paper,


rule latex_table:
    input:
        f"{RESULTS}/{{table}}.csv",
    output:
        f"{RESULTS}/{{table}}.tex",
    log:
        "logs/latex_table/{table}.log",
    wildcard_constraints:
        table=layout.written_as_latex(),
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.latex.tables"),
    script:
        "../scripts/latex_table.py"


rule latex_comparison:
    input:
        f"{RESULTS}/comparison.csv",
    output:
        f"{RESULTS}/{{study}}/comparison.tex",
    log:
        "logs/latex_comparison/{study}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.latex.tables"),
    script:
        "../scripts/latex_comparison.py"


rule paper_source:
    input:
        shown=[file for study in STUDIES for file in layout.shown(study)],
        published=[file for study in STUDIES for file in layout.published(study)],
        tables=layout.latex_files(),
        findings=f"{RESULTS}/findings.csv",
        provenance=f"{RESULTS}/provenance.json",
        template="src/toprank/reporting/latex/templates/paper.tex.j2",
    output:
        f"{RESULTS}/paper/paper.tex",
    log:
        "logs/paper_source.log",
    conda:
        "../../envs/environment.yaml"
    params:
        shown={name: layout.shown(name) for name in STUDIES},
        published={name: study["published"] for name, study in STUDIES.items()},
        protocols=layout.protocols,
        code=code_digest("toprank.reporting.latex.paper"),
    script:
        "../scripts/paper_source.py"


rule paper:
    input:
        source=f"{RESULTS}/paper/paper.tex",
        tables=layout.latex_files(),
        figures=[f"{RESULTS}/{study}/{name}.pdf" for study in STUDIES for name in layout.drawn(study)],
    output:
        f"{RESULTS}/paper/paper.pdf",
    log:
        "logs/paper.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.latex.typeset"),
    script:
        "../scripts/paper.py"
