# Running times of all solvers in one run: `snakemake bench --cores 1`, on an otherwise idle machine.
# Not a part of the reproduction: the numbers hold for one machine, and no test uses them.
# With more cores, too, one race runs at a time: each holds the only unit of a resource. (As many threads as there
# are cores would do the same, but BLAS would use them.) With --cores 1 no other job runs beside a race either.
workflow.register_resource("race", 1)


rule bench:
    input:
        f"{RESULTS}/bench/infinite_push.csv",
        f"{RESULTS}/bench/ranksvm.csv",
        f"{RESULTS}/bench/scaling.csv",
        f"{RESULTS}/bench/top_push.csv",


# Dense rows, sparse rows (a9a), and more features than rows (colon).
PUSHED = ["splice", "spambase", "colon-normal", "a9a"]


rule bench_infinite_push:
    input:
        **{name: f"{RESULTS}/data/{name}/arrays.npz" for name in PUSHED},
    output:
        f"{RESULTS}/bench/infinite_push.csv",
    log:
        f"{LOGS}/bench/infinite_push.log",
    conda:
        ENVIRONMENT
    resources:
        race=1,
    params:
        datasets=PUSHED,
        turned="a9a",
        repeats=5,
        time_limit=60,
        code=code_digest("bench_infinite_push"),
    script:
        "../scripts/bench_infinite_push.py"


rule bench_ranksvm:
    input:
        mq2007=f"{RESULTS}/data/mq2007/arrays.npz",
        mq2007_manifest=f"{RESULTS}/data/mq2007/manifest.json",
        mq2008=f"{RESULTS}/data/mq2008/arrays.npz",
        mq2008_manifest=f"{RESULTS}/data/mq2008/manifest.json",
        ohsumed=f"{RESULTS}/data/ohsumed/arrays.npz",
        ohsumed_manifest=f"{RESULTS}/data/ohsumed/manifest.json",
    output:
        f"{RESULTS}/bench/ranksvm.csv",
    log:
        f"{LOGS}/bench/ranksvm.log",
    conda:
        ENVIRONMENT
    resources:
        race=1,
    params:
        repeats=5,
        time_limit=20,
        code=code_digest("bench_ranksvm"),
    script:
        "../scripts/bench_ranksvm.py"


RACED = ["splice", "spambase", "a9a", "ijcnn1", "breast-cancer", "ionosphere"]


rule bench_top_push:
    input:
        **{name: f"{RESULTS}/data/{name}/arrays.npz" for name in RACED},
    output:
        f"{RESULTS}/bench/top_push.csv",
    log:
        f"{LOGS}/bench/top_push.log",
    conda:
        ENVIRONMENT
    resources:
        race=1,
    params:
        datasets=RACED,
        alphas=[1.0e-3, 1.0e-1],
        repeats=5,
        time_limit=20,
        code=code_digest("bench_top_push"),
    script:
        "../scripts/bench_top_push.py"


rule bench_scaling:
    output:
        f"{RESULTS}/bench/scaling.csv",
    log:
        f"{LOGS}/bench/scaling.log",
    conda:
        ENVIRONMENT
    resources:
        race=1,
    params:
        repeats=5,
        doublings=5,
        shapes=[[3000, 20000], [20000, 15000]],
        code=code_digest("bench_scaling"),
    script:
        "../scripts/bench_scaling.py"
