# The entry: `snakemake` in this folder runs workflow/Snakefile. Other workflows name that file as their module.
include: "workflow/Snakefile"


# Snakemake drops the default target of an included file, and would then run nothing.
workflow.default_target = workflow.modifier.modify_rulename("all")
