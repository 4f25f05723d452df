# The optional blocks of a study with measurements of their own, each with its table and its figure. Where time is
# measured a job asks for the memory bandwidth.


# Rakotomamonjy 2012, Figure 3: running time against the number of pairs.
rule times:
    output:
        f"{RESULTS}/{{study}}/figure3.csv",
        *[f"{RESULTS}/{{study}}/figure3.{kind}" for kind in KINDS],
    log:
        f"{LOGS}/times/{{study}}.log",
    benchmark:
        f"{BENCHMARKS}/times/{{study}}.tsv"
    wildcard_constraints:
        study=layout.with_block("times"),
    priority: 1
    conda:
        ENVIRONMENT
    params:
        times=lambda wildcards: layout.study(wildcards)["times"],
        relevant=lambda wildcards: layout.study(wildcards)["toy"]["relevant"],
        seed=config["seed"],
        code=code_digest("times"),
    script:
        "../scripts/times.py"


rule path:
    input:
        arrays=layout.first_split("arrays"),
        manifest=layout.first_split("manifest"),
        splits=layout.first_split("splits"),
    output:
        points=f"{RESULTS}/{{study}}/path_{{dataset}}.csv",
        weights=f"{RESULTS}/{{study}}/path_{{dataset}}_weights.csv",
        figure=[f"{RESULTS}/{{study}}/path_{{dataset}}.{kind}" for kind in KINDS],
    log:
        f"{LOGS}/path/{{study}}.{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/path/{{study}}.{{dataset}}.tsv"
    wildcard_constraints:
        study=layout.with_block("paths"),
    conda:
        ENVIRONMENT
    params:
        path=lambda wildcards: layout.study(wildcards)["paths"][wildcards.dataset],
        smallest=lambda wildcards: min(layout.study(wildcards)["shares"]),
        code=code_digest("path"),
    script:
        "../scripts/path.py"


# Kadkhodaie et al. 2015, Figure 1: ADMM, A2DM2 and its restart on simulated data.
rule dirty_model:
    output:
        f"{RESULTS}/{{study}}/figure1.csv",
        *[f"{RESULTS}/{{study}}/figure1.{kind}" for kind in KINDS],
    log:
        f"{LOGS}/dirty_model/{{study}}.log",
    benchmark:
        f"{BENCHMARKS}/dirty_model/{{study}}.tsv"
    wildcard_constraints:
        study=layout.with_block("dirty_model"),
    priority: 1
    conda:
        ENVIRONMENT
    params:
        settings=lambda wildcards: layout.study(wildcards)["dirty_model"],
        seed=config["seed"],
        code=code_digest("dirty_model"),
    script:
        "../scripts/dirty_model.py"


# Kadkhodaie et al. 2015, Figures 2 and 3: one split iteration by iteration, against the certified optimum.
rule convergence:
    input:
        arrays=layout.measured("convergence", "arrays"),
        manifest=layout.measured("convergence", "manifest"),
        splits=layout.measured("convergence", "splits"),
    output:
        [f"{RESULTS}/{{study}}/{name}.csv" for name in ("figure2", "figure3")],
        [f"{RESULTS}/{{study}}/{name}.{kind}" for name in ("figure2", "figure3") for kind in KINDS],
    log:
        f"{LOGS}/convergence/{{study}}.log",
    benchmark:
        f"{BENCHMARKS}/convergence/{{study}}.tsv"
    wildcard_constraints:
        study=layout.with_block("convergence"),
    conda:
        ENVIRONMENT
    resources:
        bandwidth=1,
    params:
        convergence=lambda wildcards: layout.study(wildcards)["convergence"],
        admm=lambda wildcards: layout.study(wildcards)["admm"],
        code=code_digest("convergence"),
    script:
        "../scripts/convergence.py"


# Beyond the paper: iterations and seconds to levels of suboptimality, on the first split of every data set.
rule suboptimality_of:
    input:
        arrays=layout.first_split("arrays"),
        manifest=layout.first_split("manifest"),
        splits=layout.first_split("splits"),
    output:
        f"{RESULTS}/{{study}}/suboptimality/{{dataset}}.csv",
    log:
        f"{LOGS}/suboptimality/{{study}}.{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/suboptimality/{{study}}.{{dataset}}.tsv"
    wildcard_constraints:
        study=layout.with_block("suboptimality"),
    conda:
        ENVIRONMENT
    resources:
        **needs.of_data(copies=4),
        bandwidth=lambda wildcards: layout.bandwidth(wildcards),
    params:
        features=lambda wildcards: layout.study(wildcards)["datasets"][wildcards.dataset],
        methods=lambda wildcards: layout.named(layout.study(wildcards)),
        suboptimality=lambda wildcards: layout.study(wildcards)["suboptimality"],
        rhos=lambda wildcards: layout.study(wildcards)["rhos"],
        admm=lambda wildcards: layout.study(wildcards)["admm"],
        code=code_digest("suboptimality_of"),
    script:
        "../scripts/suboptimality_of.py"


rule suboptimality:
    input:
        layout.suboptimality,
    output:
        f"{RESULTS}/{{study}}/suboptimality.csv",
        *[f"{RESULTS}/{{study}}/suboptimality.{kind}" for kind in KINDS],
    log:
        f"{LOGS}/suboptimality/{{study}}.log",
    wildcard_constraints:
        study=layout.with_block("suboptimality"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        datasets=lambda wildcards: layout.study(wildcards)["datasets"],
        code=code_digest("suboptimality"),
    script:
        "../scripts/suboptimality.py"


# Cost and memory against the size, up to that of epsilon: a process a size, since its memory is measured.
rule scale_size:
    output:
        f"{RESULTS}/{{study}}/scale/rows{{rows}}.csv",
    log:
        f"{LOGS}/scale_size/{{study}}.rows{{rows}}.log",
    benchmark:
        f"{BENCHMARKS}/scale_size/{{study}}.{{rows}}.tsv"
    wildcard_constraints:
        study=layout.with_block("scale"),
        rows=r"\d+",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=needs.scale,
        bandwidth=1,
    params:
        scale=lambda wildcards: {
            name: value for name, value in layout.study(wildcards)["scale"].items() if name != "rows"
        },
        seed=config["seed"],
        code=code_digest("scale_size"),
    script:
        "../scripts/scale_size.py"


rule scale:
    input:
        layout.scale_sizes,
    output:
        f"{RESULTS}/{{study}}/scale.csv",
        *[f"{RESULTS}/{{study}}/scale.{kind}" for kind in KINDS],
    log:
        f"{LOGS}/scale/{{study}}.log",
    wildcard_constraints:
        study=layout.with_block("scale"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        alphas=lambda wildcards: layout.study(wildcards)["alphas"],
        rhos=lambda wildcards: layout.study(wildcards)["rhos"],
        max_iter=lambda wildcards: layout.study(wildcards)["admm"]["max_iter"],
        splits=lambda wildcards: layout.study(wildcards)["splits"],
        test_fraction=lambda wildcards: layout.study(wildcards)["test_fraction"],
        inner_folds=lambda wildcards: layout.study(wildcards)["inner_folds"],
        rows=get_dataset("epsilon").expected["rows"],
        code=code_digest("scale"),
    script:
        "../scripts/scale.py"


# Laporte et al. 2014, on one fold of a few data sets: what the printed Lipschitz constant costs, and what
# FenchelRank's published stop does to its sparsity.
rule constant:
    input:
        arrays=layout.measured("constant", "arrays"),
        manifests=layout.measured("constant", "manifest"),
        splits=layout.measured("constant", "splits"),
    output:
        f"{RESULTS}/{{study}}/constant.csv",
        *[f"{RESULTS}/{{study}}/constant.{kind}" for kind in KINDS],
    log:
        f"{LOGS}/constant/{{study}}.log",
    benchmark:
        f"{BENCHMARKS}/constant/{{study}}.tsv"
    wildcard_constraints:
        study=layout.with_block("constant"),
    conda:
        ENVIRONMENT
    params:
        settings=lambda wildcards: layout.study(wildcards)["constant"],
        code=code_digest("constant"),
    script:
        "../scripts/constant.py"


use rule constant as early_stop with:
    input:
        arrays=layout.measured("early_stop", "arrays"),
        manifests=layout.measured("early_stop", "manifest"),
        splits=layout.measured("early_stop", "splits"),
    output:
        f"{RESULTS}/{{study}}/early_stop.csv",
        *[f"{RESULTS}/{{study}}/early_stop.{kind}" for kind in KINDS],
    log:
        f"{LOGS}/early_stop/{{study}}.log",
    benchmark:
        f"{BENCHMARKS}/early_stop/{{study}}.tsv"
    wildcard_constraints:
        study=layout.with_block("early_stop"),
    params:
        settings=lambda wildcards: layout.study(wildcards)["early_stop"],
        code=code_digest("constant"),
