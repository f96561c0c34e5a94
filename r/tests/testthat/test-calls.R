# What an R user types, and what it says.

test_that("calls without the program: they count, or say what to give", {
  f <- data.frame(age = c(20L, 30L, NA, 60L), pw = c(1, 2, 3, 4), `job now` = c("None", NA, "NA", "x"), t = c("x", "y", "x", "y"), check.names = FALSE)
  levels_of <- function(x, name, ...) as_counts(x, keys = name, target = "t", ...)$levels[[name]]
  expect_identical(levels_of(f, "age"), c("20", "30", "60", "null"))
  expect_identical(levels_of(f, "job now"), c('"NA"', '"None"', '"x"', "null"))
  expect_identical(levels_of(transform(f, ok = c(TRUE, NA, FALSE, TRUE)), "ok"), c("false", "true", "null"))
  expect_identical(levels_of(f, "age", null_values = NA), levels_of(f, "age"))
  expect_identical(levels_of(f, "age", null_values = 60), c("20", "30", "null"))
  expect_length(levels_of(data.frame(age = 1:50, t = c("x", "y")), "age", bins = list(age = 5)), 5)
  expect_identical(as_counts(f, f, keys = "age", target = "t", weights = c("pw", NA))$weights, list(original = "pw"))
  expect_error(as_counts("survey.rds", keys = "age", target = "t"), "Give a data frame, not a path: read the file with read.csv() or readRDS()", fixed = TRUE)
  texts <- as.matrix(f[c("job now", "t")])
  expect_identical(as_counts(texts, texts, keys = "job now", target = "t")$levels, as_counts(f, f, keys = "job now", target = "t")$levels)
  expect_error(as_counts(f, keys = ~age, target = "t"), "`keys` and `target` must be names of columns", fixed = TRUE)
  expect_error(as_counts(f, keys = "age", target = ~t, bins = list(age = 5)), "`keys` and `target` must be names of columns", fixed = TRUE)
  with_holdout <- as_counts(f, f, keys = "age", target = "t", holdout = f, weights = c("pw", NA))
  expect_identical(with_holdout$weights, list(original = "pw", holdout = "pw"))
  expect_error(as_counts(as_counts(f, keys = "age", target = "t"), keys = "job now"), "Counts hold their release, keys and target")
  expect_error(as_counts(table(f$age, f$t), target = "t"), "with names: table(age = x, ill = y)", fixed = TRUE)
  noon <- as.POSIXct(c("2020-01-01 00:00:00", "2020-01-02 12:00:00", NA, "2020-01-03"), tz = "UTC")
  expect_length(levels_of(transform(f, when = noon), "when"), 4)
})

test_that("a survey with missing values, people by name, and a home folder", {
  needs_program()
  skip_if_not_installed("MASS")
  survey <- MASS::survey
  set.seed(1)
  release <- survey[sample(nrow(survey), replace = TRUE), ]
  keys <- c("Sex", "Exer", "Smoke")
  found <- people(survey, release, keys = keys, target = "W.Hnd", top = 20)
  expect_identical(lapply(survey[found$record, keys], as.character), lapply(found[keys], as.character), ignore_attr = TRUE)
  expected <- by_definition(survey, release, keys, "W.Hnd")
  expect_equal(unlist(cap(survey, release, keys = keys, target = "W.Hnd")[names(expected)]), expected, tolerance = 1e-12)
  skip_if_not_installed("survey")
  utils::data("api", package = "survey", envir = environment())
  design <- survey::svydesign(ids = ~1, strata = ~stype, weights = ~pw, data = apistrat, fpc = ~fpc)
  found <- cap(design, apiclus1, keys = c("stype", "sch.wide"), target = "awards")
  expect_equal(found$records, sum(apistrat$pw))
})
