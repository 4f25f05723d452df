"""Tests between methods: paired on one data set, by ranks over many, by permutations; they know no study."""
