# What can be said about the splits of a data set before any fit. Each protocol draws its splits itself. Queries have
# no list whose top could be diagnosed.
DIAGNOSED = layout.only("top_ranking", "infinite_push")


localrules:
    diagnosis,


rule diagnose:
    input:
        **layout.fold_block(),
    output:
        f"{RESULTS}/{{study}}/diagnosis/{{dataset}}.{{features}}.csv",
    log:
        "logs/diagnose/{study}.{dataset}.{features}.log",
    benchmark:
        "benchmarks/diagnose/{study}.{dataset}.{features}.tsv"
    wildcard_constraints:
        study=DIAGNOSED,
    conda:
        "../../envs/environment.yaml"
    resources:
        **needs.of("diagnose", copies=4),
    params:
        code=code_digest("toprank.solvers.zero_optimum", "toprank.methods"),
    script:
        "../scripts/diagnose.py"


rule diagnosis:
    input:
        lambda wildcards: expand(
            f"{RESULTS}/{wildcards.study}/diagnosis/{{case[0]}}.{{case[1]}}.csv",
            case=layout.cases(wildcards.study),
        ),
    output:
        f"{RESULTS}/{{study}}/diagnosis.csv",
    log:
        "logs/diagnosis/{study}.log",
    wildcard_constraints:
        study=DIAGNOSED,
    conda:
        "../../envs/environment.yaml"
    script:
        "../scripts/concatenate.py"
