# Studies of the protocol infinite_push (Rakotomamonjy 2012): one validation part, regularisation as shares of the
# strongest, the toy problem, running times, regularisation paths.
INFINITE_PUSH = layout.only("infinite_push")


localrules:
    hold_out,
    toy,
    figures_toy,
    figure3_table,
    figure3,


rule hold_out:
    input:
        manifest=f"{RESULTS}/data/{{dataset}}/manifest.json",
        arrays=f"{RESULTS}/data/{{dataset}}/arrays.npz",
    output:
        f"{RESULTS}/{{study}}/splits/{{dataset}}.npz",
    log:
        "logs/hold_out/{study}.{dataset}.log",
    wildcard_constraints:
        study=INFINITE_PUSH,
        dataset="(?!toy-)[a-z0-9-]+",
    conda:
        "../../../envs/environment.yaml"
    params:
        splits=lambda wildcards: layout.study(wildcards)["splits"],
        train_rows=lambda wildcards: layout.study(wildcards)["train_rows"][wildcards.dataset],
        validation_fraction=lambda wildcards: layout.study(wildcards)["validation_fraction"],
        seed=config["seed"],
        code=code_digest("toprank.datasets.splits"),
    script:
        "../../scripts/hold_out.py"


rule toy:
    output:
        arrays=f"{RESULTS}/{{study}}/toy/{{dataset}}/arrays.npz",
        manifest=f"{RESULTS}/{{study}}/toy/{{dataset}}/manifest.json",
        splits=f"{RESULTS}/{{study}}/splits/{{dataset}}.npz",
    log:
        "logs/toy/{study}.{dataset}.log",
    wildcard_constraints:
        study=INFINITE_PUSH,
        dataset=r"toy-n\d+-noise\d+",
    conda:
        "../../../envs/environment.yaml"
    params:
        trials=lambda wildcards: layout.study(wildcards)["toy"]["trials"],
        test_rows=lambda wildcards: layout.study(wildcards)["toy"]["test_rows"],
        relevant=lambda wildcards: layout.study(wildcards)["toy"]["relevant"],
        validation_fraction=lambda wildcards: layout.study(wildcards)["validation_fraction"],
        seed=config["seed"],
        code=code_digest("toprank.datasets.toy"),
    script:
        "../../scripts/toy.py"


rule figures_toy:
    input:
        f"{RESULTS}/{{study}}/fits.csv",
    output:
        rates=f"{RESULTS}/{{study}}/figure1.csv",
        retrieval=f"{RESULTS}/{{study}}/figure2.csv",
        figure1=[
            report(
                f"{RESULTS}/{{study}}/figure1.svg",
                caption="../../../reports/captions/figure1_infinite_push.rst",
                category="{study}",
                labels={"item": "Figure 1", "kind": "figure"},
            ),
            f"{RESULTS}/{{study}}/figure1.pdf",
            f"{RESULTS}/{{study}}/figure1.png",
        ],
        figure2=[
            report(
                f"{RESULTS}/{{study}}/figure2.svg",
                caption="../../../reports/captions/figure2_infinite_push.rst",
                category="{study}",
                labels={"item": "Figure 2", "kind": "figure"},
            ),
            f"{RESULTS}/{{study}}/figure2.pdf",
            f"{RESULTS}/{{study}}/figure2.png",
        ],
    log:
        "logs/figures_toy/{study}.log",
    wildcard_constraints:
        study=INFINITE_PUSH,
    conda:
        "../../../envs/environment.yaml"
    params:
        toy=lambda wildcards: layout.study(wildcards)["toy"],
        code=code_digest("toprank.reporting.infinite_push.toy", "toprank.reporting.infinite_push.figures"),
    script:
        "../../scripts/figures_toy.py"


rule times:
    output:
        f"{RESULTS}/{{study}}/times/{{solver}}.noise{{noise}}.csv",
    log:
        "logs/times/{study}.{solver}.noise{noise}.log",
    benchmark:
        "benchmarks/times/{study}.{solver}.{noise}.tsv"
    wildcard_constraints:
        study=INFINITE_PUSH,
        noise=r"\d+",
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("times"),
    params:
        times=lambda wildcards: layout.study(wildcards)["times"],
        relevant=lambda wildcards: layout.study(wildcards)["toy"]["relevant"],
        seed=config["seed"],
        code=code_digest(
            "toprank.running_times",
            "toprank.solvers.push_exact",
            "toprank.solvers.push_admm",
            "toprank.solvers.prox_newton",
        ),
    script:
        "../../scripts/times.py"


rule figure3_table:
    input:
        lambda wildcards: layout.times(wildcards.study),
    output:
        f"{RESULTS}/{{study}}/figure3.csv",
    log:
        "logs/figure3_table/{study}.log",
    wildcard_constraints:
        study=INFINITE_PUSH,
    conda:
        "../../../envs/environment.yaml"
    script:
        "../../scripts/concatenate.py"


rule figure3:
    input:
        f"{RESULTS}/{{study}}/figure3.csv",
    output:
        report(
            f"{RESULTS}/{{study}}/figure3.svg",
            caption="../../../reports/captions/figure3_infinite_push.rst",
            category="{study}",
            labels={"item": "Figure 3", "kind": "figure"},
        ),
        f"{RESULTS}/{{study}}/figure3.pdf",
        f"{RESULTS}/{{study}}/figure3.png",
    log:
        "logs/figure3/{study}.log",
    wildcard_constraints:
        study=INFINITE_PUSH,
    conda:
        "../../../envs/environment.yaml"
    params:
        code=code_digest("toprank.reporting.infinite_push.figures"),
    script:
        "../../scripts/figure3.py"


rule path:
    input:
        **layout.fold_block(),
    output:
        points=f"{RESULTS}/{{study}}/path_{{dataset}}.csv",
        weights=f"{RESULTS}/{{study}}/path_{{dataset}}_weights.csv",
        svg=report(
            f"{RESULTS}/{{study}}/path_{{dataset}}.svg",
            caption="../../../reports/captions/path.rst",
            category="{study}",
            labels={"item": "Path on {dataset}", "kind": "figure"},
        ),
        pdf=f"{RESULTS}/{{study}}/path_{{dataset}}.pdf",
        png=f"{RESULTS}/{{study}}/path_{{dataset}}.png",
    log:
        "logs/path/{study}.{dataset}.log",
    benchmark:
        "benchmarks/path/{study}.{dataset}.tsv"
    wildcard_constraints:
        study=INFINITE_PUSH,
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("path", copies=4),
    params:
        path=lambda wildcards: layout.study(wildcards)["paths"][wildcards.dataset],
        smallest=lambda wildcards: min(layout.study(wildcards)["shares"]),
        code=code_digest(
            "toprank.paths",
            "toprank.methods",
            "toprank.solvers.push_exact",
            "toprank.solvers.zero_optimum",
            "toprank.reporting.infinite_push.figures",
        ),
    script:
        "../../scripts/path.py"
