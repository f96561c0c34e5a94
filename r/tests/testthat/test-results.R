smokers <- function(seed) {
  set.seed(seed)
  data.frame(age = sample(c("young", "old"), 40, TRUE), sex = sample(c("f", "m"), 40, TRUE), ill = sample(c("no", "yes"), 40, TRUE))
}
keys <- c("age", "sex")

test_that("an audit prints its report, is saved and read back, and is a data frame and a plot", {
  needs_program()
  found <- audit(smokers(1), list(a = smokers(2), b = smokers(1)), keys = keys, target = "ill", rank_by = "-average_cap_nearest")
  expect_output(print(found), "Disclosure risk of 2 releases")
  file <- tempfile()
  saveRDS(found, file)
  expect_identical(readRDS(file), found)
  frame <- as.data.frame(found)
  expect_identical(row.names(frame), c("a", "b"))
  numbers <- cap(found$counts)
  expect_equal(frame$average_cap_nearest, numbers$cap, tolerance = 1e-14)
  expect_equal(summary(found)["baseline", "a"], numbers$baseline[1])
  pdf(NULL)
  expect_equal(unname(plot(found)[2:3]), rev(numbers$cap))
  plot(numbers)
  dev.off()
  expect_equal(round(numbers, 2)$cap, round(numbers$cap, 2))
  page <- report(found, file = tempfile(fileext = ".html"), open = FALSE)
  expect_match(paste(readLines(page), collapse = "\n"), "<html")
})

test_that("an audit of several releases and a holdout is a data frame; what is not defined is missing", {
  needs_program()
  releases <- list(a = smokers(2), b = smokers(1))
  found <- suppressWarnings(audit(smokers(1), releases, keys = keys, target = "ill", holdout = smokers(3)))
  found$measures$individual_share <- list(a = NULL, b = 0.5)
  expect_identical(as.data.frame(found)$individual_share, c(NA, 0.5))
  expect_identical(colnames(summary(found)), c("a", "b"))
})

test_that("no argument is dropped: what is not known is named, and what is known may not be shortened", {
  needs_program()
  of <- function(f, ...) f(smokers(1), smokers(2), keys = keys, target = "ill", ...)
  functions <- list(people, cap, audit, report, sweep_keys, anonymity)
  for (f in functions) expect_error(of(f, n = 2), "^unrecognized arguments of [a-z]+: `n`=2[.]$")
  expect_error(of(people, mising = "drop"), "`mising`=drop. Did you mean `missing`?", fixed = TRUE)
  expect_error(of(cap, null_value = -99), "`null_value`=-99. Did you mean `null_values`?", fixed = TRUE)
  expect_error(of(cap, na.rm = TRUE), "`na.rm`[.]$")
  expect_error(report(of(audit), n = 2, open = FALSE), "`n`=2")
  expect_error(audit(of(as_counts), smokers(3)), "must have a name")
  expect_error(describe(smokers(1), smokers(2), smokers(3)), "must have a name")
  expect_error(of(people, unmatched = "drop"), "`unmatched`=drop")
  other <- transform(smokers(2), age = "?")
  expect_warning(found <- people(smokers(1), other, keys = keys, target = "ill", allow_no_match = TRUE), "no level in common")
  expect_identical(unique(found$cap), 0)
})

test_that("a measure has its options, and several are a list", {
  needs_program()
  x <- as_counts(smokers(1), smokers(2), keys = keys, target = "ill")
  expect_equal(measure(x, "average_cap", unmatched = "nearest"), cap(x)$cap)
  several <- measure(x, c("k_anonymity", "baseline_cap"))
  expect_identical(names(several), c("k_anonymity", "baseline_cap"))
  expect_equal(several$k_anonymity, anonymity(x)["original", "k"])
  p <- prop.table(table(smokers(1)$ill))
  drawn <- 0.7 * diag(2) + 0.3 * matrix(p, 2, 2, byrow = TRUE)  # kept, or drawn anew from the margin
  kept <- sum(apply(table(smokers(1)$age, smokers(1)$sex, smokers(1)$ill), 1:2, function(of) sum((of / sum(of)) %*% drawn * of))) / 40
  expect_equal(measure(x, "expected_cap", model = "Pram(theta=0.3)"), kept, tolerance = 1e-12)
  expect_equal(as_synthpop(x)$DCAP, 100 * cap(x)$cap_zero)
  expect_gte(measure(x, "population_profile", population = rbind(smokers(1), smokers(2)))[["k_map"]], several$k_anonymity)
  expect_setequal(sweep_keys(x)$known, c("age", "sex", "age + sex"))
})

test_that("what is not defined is missing, and does not change the type of a result", {
  needs_program()
  of <- function(names, ...) measure(mtcars[1:16, ], names, release = mtcars[c(1:16, 1:8), ], keys = c("cyl", "gear"), target = "am", ...)
  found <- of("individual_share", holdout = mtcars[17:32, ])
  expect_type(found, "double")
  expect_true(is.na(found[["individual_share"]]))
  expect_identical(dim(as.data.frame(found)), c(length(found), 1L))
  found <- suppressWarnings(measure(mtcars, "average_cap", transform(mtcars, cyl = 5), keys = c("cyl", "gear"), target = "am", unmatched = "drop",
    options = list(allow_no_match = TRUE)))
  expect_identical(found, NA_real_)
})

test_that("remedies work when they are pasted in R", {
  expect_identical(in_r("as with --bin d=10, or. For all levels see compare_levels. To"), "as with bins = list(d = 10), or. To")
  expect_identical(in_r("as with '--bin=-x=10' or --bin 'a b=10'."), "as with bins = list(`-x` = 10) or bins = list(`a b` = 10).")
  expect_identical(in_r("say --null-values k=missing. If"), "say null_values = list(k = \"missing\"). If")
  expect_identical(in_r("say --null-values 'k=a,b c'; or"), "say null_values = list(k = c(\"a\", \"b c\")); or")
  expect_identical(in_r("recode one, as with table['k'] = table['k'].map({code: label}) in Python."), "recode one.")
  expect_identical(in_r("'c1' with --bin c1=10.", c(c1 = "a b")), "'a b' with bins = list(`a b` = 10).")
  expect_identical(in_r("--bin must be COLUMN=BINS"), "`bin` must be COLUMN=BINS")
  pasted <- function(option, x, name = "t") {
    table <- setNames(data.frame(x, stringsAsFactors = TRUE), name)
    line <- in_r(paste0("say ", option, "."))
    eval(parse(text = sub("^say (.*) in all tables[.]$", "\\1", line)))
    table[[name]]
  }
  expect_identical(pasted("--type t=number", c("5.0", "7")), c(5, 7))
  expect_identical(pasted("--type 'a b=number' --null-values 'a b=missing'", c("5", "missing"), "a b"), c(5, NA))
  comma <- "--type t=number --decimal synthetic=,; where it is no CSV file, table['t'] = 1 in Python in place of `decimal`"
  expect_identical(pasted(comma, c("5,5", "7")), c(5.5, 7))
  expect_identical(pasted("'--type=-x=bool'", c("TRUE", "no", "1", NA), "-x"), c(TRUE, FALSE, TRUE, NA))
  expect_identical(pasted("--type t=date", c("2020-01-02", NA)), as.Date(c("2020-01-02", NA)))
  expect_identical(pasted("--type t=datetime", "2020-01-02T10:00:00"), as.POSIXct("2020-01-02 10:00:00", tz = "UTC"))
})

test_that("people() names the columns of the user, and sends no level", {
  needs_program()
  n <- 300
  f <- data.frame(`a b` = seq_len(n) / 7, x = paste("secret", seq_len(n)), t = c("x", "y"), check.names = FALSE)
  other <- f
  other[1:2] <- list(f[["a b"]] + 0.1, paste(f$x, "?"))
  of <- function(key, o = f, s = other) people(o, s, keys = key, target = "t")
  expect_error(of("a b"), "Column 'a b' has no level in common.*bins = list\\(`a b` = 10\\)")
  expect_error(of("x"), "Column 'x' has no level in common.*recode one of them[.]")
  for (name in c("cap", "record", "unique")) {
    expect_error(of(name, setNames(f, c(name, "x", "t")), setNames(f, c(name, "x", "t"))), paste0("Column '", name, "' has the name.*Rename it"))
  }
})

test_that("a plot shows the names of thirty releases, long ones shortened", {
  file <- tempfile(fileext = ".pdf")
  pdf(file, compress = FALSE, useKerning = FALSE)
  bars(setNames(rep(0.5, 30), paste("a name that is longer than forty characters, of release", 1:30)), 0.4, 0.9)
  dev.off()
  drawn <- grep("^/F2.* Tm \\(a name.*[.]{3}.*release [0-9]+\\) Tj$", readLines(file, warn = FALSE), value = TRUE)
  expect_length(drawn, 30)
  at <- sapply(strsplit(drawn, " "), function(of) as.numeric(of[c(4, 8, 9)]))  # size, left and bottom
  expect_true(all(at[2, ] > 0) && all(abs(diff(at[3, ])) > at[1, 1]))
})

test_that("warnings are warnings of R, errors name the column, and nothing is left behind", {
  needs_program()
  before <- list.files(tempdir())
  other <- transform(smokers(2), age = toupper(age))
  expect_warning(measure(smokers(1), "average_cap", other, keys = keys, target = "ill", options = list(allow_no_match = TRUE)), "Likely cause: case")
  expect_silent(suppressWarnings(cap(smokers(1), other, keys = keys, target = "ill", allow_no_match = TRUE)))
  expect_error(cap(smokers(1), other, keys = keys, target = "ill"), "Column 'age' has no level in common.*use `allow_no_match`[.]$")
  expect_error(cap(smokers(1), other, keys = keys, target = "ill", colour = 3), "unrecognized arguments of measure: `colour`=3[.]$")
  expect_error(measure(smokers(1), "avrage_cap", smokers(2), keys = keys, target = "ill"), "Did you mean 'average_cap'")
  expect_error(audit(smokers(1), smokers(2), keys = keys, target = "ill", rank_by = "nothing"))
  expect_warning(audit(smokers(1), smokers(2), keys = keys, target = "ill", fail_above = c(average_cap_nearest = 0)), "`fail_above`: average_cap")
  expect_identical(setdiff(list.files(tempdir()), before), character())
})

test_that("columns are described before any is chosen", {
  needs_program()
  f <- smokers(1)
  f$n <- c(NA, seq_len(39) / 7)
  found <- describe(f, smokers(2))
  expect_identical(found$column, names(f))
  expect_identical(found$kind, c("text", "text", "text", "number"))
  expect_equal(found$missing[4], 1 / 40)
})

test_that("an interrupt leaves nothing behind", {
  skip_if_not(nzchar(Sys.which("setsid")))  # on Linux
  folder <- tempfile()
  dir.create(folder)
  at <- function(name) file.path(folder, name)
  writeLines(c("#!/bin/sh", sprintf("dirname \"$2\" > '%s'", at("held")), "sleep 60"), at("program"))
  Sys.chmod(at("program"), "0700")
  writeLines(c(
    sprintf("writeLines(as.character(Sys.getpid()), '%s')", at("pid")),
    "tryCatch(capstats::describe(data.frame(a = 1)), interrupt = function(stopped) {",
    sprintf("  writeLines(c('interrupted', list.files(tempdir(), '^capstats')), '%s')", at("left")),
    "})"
  ), at("code.R"))
  run <- c("env", "--default-signal=INT", file.path(R.home("bin"), "Rscript"), at("code.R"))  # as in a terminal
  found_in <- c(paste0("CAPSTATS_PROGRAM=", at("program")), paste0("R_LIBS=", paste(.libPaths(), collapse = ":")))
  system2("setsid", run, wait = FALSE, env = found_in)
  until <- function(file) for (i in 1:300) if (file.exists(file) && file.size(file) > 0) return(TRUE) else Sys.sleep(0.1)
  expect_true(until(at("held")))  # the folder of the call, while the program runs
  system2("kill", c("-INT", paste0("-", readLines(at("pid")))))
  expect_true(until(at("left")))
  expect_identical(readLines(at("left")), "interrupted")
  expect_match(readLines(at("held")), "capstats")
})
