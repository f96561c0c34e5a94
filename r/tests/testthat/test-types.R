test_that("every value of every type arrives as it is, with its number of records", {
  needs_program()
  set.seed(5)
  original <- random_frame(200)
  original$one <- "x"
  columns <- names(random_column)
  found <- measure(original, "key_summary", original, keys = columns, target = "one")
  for (name in columns) {
    x <- original[[name]]
    labels <- found[[name]]
    if (inherits(x, "haven_labelled")) x <- haven::as_factor(x)
    back <- switch(name,
      Date = as.Date(labels), POSIXct = as.POSIXct(labels, tz = "UTC", format = "%Y-%m-%d %H:%M:%OS"), integer = as.integer(labels),
      integer64 = if (is.character(x)) labels else bit64::as.integer64(labels), labels)
    counts <- table(exact(x))
    got <- rowsum(found$records, exact(back))[, 1]
    expect_identical(sort(names(got)), sort(names(counts)), info = name)
    expect_equal(unname(got[names(counts)]), as.vector(counts), info = name)
  }
})

test_that("two doubles that differ in the last bit are two levels, and 1e5 is 100000", {
  x <- c(0.3, 0.1 + 0.2, 1e5, NA)
  found <- coded(list(x), "x")
  expect_identical(found$json, c("0.3", "0.30000000000000004", "100000", "null"))
  expect_identical(found$codes[[1]], c(0L, 1L, 2L, 3L))
})

test_that("missing values, the text NA and codes of users are what they are", {
  expect_identical(coded(list(c("NA", NA, "")), "x")$json, c('""', '"NA"', "null"))
  expect_identical(coded(list(factor(c("b", NA), c("c", "b"))), "x")$codes[[1]], c(1L, 2L))
  expect_identical(coded(list(NA, c(TRUE, FALSE)), "x")$json, c("false", "true", "null"))
  expect_identical(without_codes(c(5, -99, NA), -99), c(5, NA, NA))
  expect_identical(without_codes(c("a", NA), NA), c("a", NA))
  skip_if_not_installed("haven")
  spss <- haven::labelled_spss(c(1, 2, 9, 98, NA), c(yes = 1, refused = 9), na_values = 9, na_range = c(90, 99))
  expect_identical(as.character(labelled(spss, "x")), c("yes", "2", NA, NA, NA))
  expect_identical(as.character(labelled(haven::labelled(c(1, haven::tagged_na("a")), c(yes = 1)), "x")), c("yes", NA))
})

test_that("times with and without midnights are times; clocks that show two moments as one are in UTC", {
  noon <- as.POSIXct(c("2020-01-01 00:00:00", "2020-01-02 12:00:00"), tz = "Europe/Berlin")
  expect_match(coded(list(noon[1]), "x")$json, '"capstats counts: datetime": "2020-01-01T00:00:00"')
  expect_match(coded(list(noon), "x")$json[2], "2020-01-02T12:00:00")
  twice <- as.POSIXct("2020-10-25 00:30:00", tz = "UTC") + c(0, 3600)
  attr(twice, "tzone") <- "Europe/Berlin"
  expect_match(coded(list(twice), "x")$json, "+00:00", fixed = TRUE)
})

test_that("bins are right-closed, at the same points in all tables", {
  found <- cut_columns(list(c(1, 2, 4, 9, NA), c(0, 10)), 2, "x")
  expect_identical(levels(found[[1]]), c("(-inf, 5]", "(5, inf)"))
  expect_identical(as.integer(found[[2]]), 1:2)
  expect_identical(levels(cut_columns(list(1:9), list("quantile", 2), "x")[[1]]), c("(-inf, 5]", "(5, inf)"))
  expect_identical(levels(cut_columns(list(1:9), c(3, 5), "x")[[1]]), c("(-inf, 3]", "(3, 5]", "(5, inf)"))
  expect_identical(levels(cut_columns(list(1:9), list(3), "x")[[1]]), c("(-inf, 3]", "(3, inf)"))
  day <- as.Date("2020-01-01") + 0:9
  expect_identical(levels(cut_columns(list(day), as.Date(c("2020-01-03", "2020-01-05")), "x")[[1]])[2], "(2020-01-03, 2020-01-05]")
  expect_identical(cut_columns(list(day), c("2020-01-03", "2020-01-05"), "x"), cut_columns(list(day), as.Date(c("2020-01-03", "2020-01-05")), "x"))
  expect_error(cut_columns(list(day), "x", "x"), "Column 'x' has cut points in `bins` that are no dates", fixed = TRUE)
  expect_error(cut_columns(list(letters), 3, "x"), "Column 'x' is text; only numbers and dates can be cut")
  for (other in list(c("1", "2"), TRUE, day)) expect_error(cut_columns(list(1:9, other), 3, "x"), "Column 'x' holds number in one table and")
  expect_identical(as.integer(cut_columns(list(1:9, NA), 3, "x")[[2]]), NA_integer_)
  expect_error(cut_columns(list(NA, 1:9), 3, "x"), "Column 'x' has no value in the original")
  for (n in list(0, NA, 2.5, -2, list("quantile", 0))) expect_error(cut_columns(list(1:9), n, "x"), "must be a whole number, from 1")
  expect_error(cut_columns(list(1:9), "quantile", "x"), "Write `bins` as list(\"quantile\", 4)", fixed = TRUE)
  expect_error(cut_columns(list(1:9), c(3, NA), "x"), "that are no numbers")
})

test_that("what cannot arrive is refused by the name of its column", {
  f <- data.frame(a = 1:2, b = c("x", "y"))
  f$list <- list(1, 2)
  f$z <- complex(2)
  expect_error(as_counts(f, keys = "list", target = "b"), "Column 'list' is a list")
  expect_error(as_counts(f, keys = "z", target = "b"), "Column 'z' is of type complex")
  expect_error(as_counts(f, data.frame(a = c("1", "2"), b = "x"), keys = "a", target = "b"), "Column 'a' holds number in one table and text in another")
  expect_error(as_counts(f, keys = "A", target = "b"), "The original has no column 'A'. Did you mean 'a'?", fixed = TRUE)
  expect_error(as_counts(f, keys = "colour", target = "b"), "The original has no column 'colour'. It has a, b", fixed = TRUE)
  expect_error(as_counts(f, f["a"], keys = "a", target = "b"), "The release has no column 'b'")
  expect_error(as_counts(f, keys = "a", target = "b", weights = "b"), "Column 'b' of the original must have numbers")
  expect_error(as_counts(f, keys = c("a", "b"), target = "b"), "Column 'b' is given twice")
  expect_error(as_counts(f, keys = "a", target = "b", colour = 3), "There is no argument 'colour'")
  expect_error(as_counts(f, keys = "a", target = "b", bins = 3), "must be a list by column")
  expect_error(as_counts(f, keys = "a", target = "b", bins = list(c = 3)), "Column 'c' of `bins` is neither a key nor the target")
  expect_error(as_counts(f[0, ], keys = "a", target = "b"), "The original has no record")
})
