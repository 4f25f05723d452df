"""Files of a data set: fetched, checked against their checksums, kept in a cache."""
