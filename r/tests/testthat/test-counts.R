records <- function(table) as.data.frame(table)[rep(seq_along(table), table), seq_along(dim(table))]

test_that("a table, its data frame, an ftable and the records give the same counts", {
  original <- records(Titanic)
  release <- original[seq(1, nrow(original), 2), ]
  keys <- c("Class", "Sex")
  expected <- as_counts(original, release, keys = keys, target = "Survived")
  same <- function(x) {
    cells <- function(x) do.call(paste, c(Map(function(json, of) json[of + 1], x$levels, x$cells), lapply(x$sums, function(s) s[[1]])))
    expect_setequal(cells(x), cells(expected))
  }
  of <- function(x) xtabs(~ Class + Sex + Survived, x)
  same(as_counts(of(original), of(release), target = "Survived"))
  same(as_counts(ftable(of(original)), ftable(of(release)), target = "Survived"))
  same(as_counts(as.data.frame(of(original)), as.data.frame(of(release)), keys = keys, target = "Survived", counts = "Freq"))
  same(as_counts(Titanic, of(release), keys = keys, target = "Survived"))
  some <- table(age = c("a", NA, "a"), ill = c("x", "y", "x"), useNA = "ifany")
  expect_identical(as_counts(as.data.frame(some), keys = "age", target = "ill", counts = "Freq")$levels$age, c('"a"', "null"))
  expect_error(as_counts(table(c("a", "b"), c("x", "y")), target = "x"), "A table needs two dimensions or more, with names")
})

test_that("what is no key or target is not read, and records with a missing value can be dropped", {
  f <- data.frame(`a b` = c(1, NA, 2), t = c("x", "y", NA), check.names = FALSE)
  f$secret <- list(1, 2, 3)
  x <- as_counts(f, keys = "a b", target = "t")
  expect_false(grepl("secret", counts_json(x)))
  expect_true(jsonlite::validate(counts_json(x)))
  expect_identical(x$cell, 1:3)
  expect_identical(as_counts(f, keys = "a b", target = "t", missing = "drop")$cell, c(1L, NA, NA))
  expect_false(grepl("x", counts_json(x, bare = TRUE), fixed = TRUE))
})

test_that("a thousand columns of keys do not overflow", {
  f <- as.data.frame(matrix(sample(9, 40 * 60, TRUE), 40))
  f$t <- rep(c("x", "y"), 20)
  expect_identical(length(as_counts(f, keys = names(f)[1:60], target = "t")$cells[[1]]), nrow(unique(f)))
})

test_that("releases: one, a list with and without names, that of synthpop", {
  f <- data.frame(k = 1:2, t = c("x", "y"))
  expect_null(as_counts(f, f, keys = "k", target = "t")$releases)
  expect_identical(as_counts(f, list(f, f), keys = "k", target = "t")$releases, c("1", "2"))
  expect_identical(as_counts(f, structure(list(syn = list(f, f)), class = "synds"), keys = "k", target = "t")$releases, c("1", "2"))
  expect_error(as_counts(f, list(a = f, a = f), keys = "k", target = "t"), "different names")
})
