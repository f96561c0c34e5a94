library(testthat)
library(capstats)
test_check("capstats")
