# Speed, side by side in one run: `snakemake bench --cores 1`, on a machine that does nothing else.
# No part of the reproduction: the numbers are of this machine, and tests never ask for them.


rule bench:
    input:
        f"{RESULTS}/bench/infinite_push.csv",
        f"{RESULTS}/bench/ranksvm.csv",
        f"{RESULTS}/bench/cluster.csv",


rule bench_infinite_push:
    output:
        f"{RESULTS}/bench/infinite_push.csv",
    log:
        "logs/bench/infinite_push.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        **needs.of("bench_infinite_push"),
    params:
        repeats=5,
        patience=60,
        code=code_digest(
            "toprank.solvers.push_exact",
            "toprank.solvers.push_admm",
            "toprank.projections",
        ),
    script:
        "../scripts/bench_infinite_push.py"


rule bench_ranksvm:
    input:
        mq2007=f"{RESULTS}/data/mq2007/arrays.npz",
        mq2007_manifest=f"{RESULTS}/data/mq2007/manifest.json",
        mq2008=f"{RESULTS}/data/mq2008/arrays.npz",
        mq2008_manifest=f"{RESULTS}/data/mq2008/manifest.json",
    output:
        f"{RESULTS}/bench/ranksvm.csv",
    log:
        "logs/bench/ranksvm.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        **needs.of("bench_ranksvm"),
    params:
        repeats=5,
        patience=20,
        code=code_digest("toprank.printed_constant"),
    script:
        "../scripts/bench_ranksvm.py"


# What a cluster of 10 nodes of 16 cores would make of the whole configuration and of larger ones. Snakemake builds the
# graphs of jobs; the rest is simulated from the seconds in workflow/needs.csv.
rule bench_cluster:
    output:
        f"{RESULTS}/bench/cluster.csv",
    log:
        "logs/bench/cluster.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        **needs.of("bench_cluster"),
    params:
        # data sets of the study that is enlarged (0: the configuration as it is), and how often the graph is built
        configurations={
            "full": {"datasets": 0, "repeats": 3},
            "x3, blocks as configured": {"datasets": 30, "one_a_job": False, "repeats": 3},
            "x10, blocks as configured": {"datasets": 100, "one_a_job": False, "repeats": 3},
            "x10, one split a job": {"datasets": 100, "one_a_job": True, "repeats": 1},
            "x30, blocks as configured": {"datasets": 300, "one_a_job": False, "repeats": 1},
        },
        methods=20,
        splits=10,
        cores=16,
        nodes=10,
        jobs_per_core=2,
        local_cores=4,
        per_minute=60,
        overhead=10,
        seed=config["seed"],
    script:
        "../scripts/bench_cluster.py"
