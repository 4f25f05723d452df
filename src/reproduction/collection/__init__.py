"""From the files of the jobs to the rows of a study: collected and checked."""
