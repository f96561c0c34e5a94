# CAPSTATS_FRAMES says how many random data frames, each with four releases.

test_that("every number of cap() is the one of its definition", {
  needs_program()
  worst <- 0
  for (i in seq_len(as.integer(Sys.getenv("CAPSTATS_FRAMES", "2")))) {
    set.seed(i)
    n <- sample(20:60, 1)
    original <- random_frame(n)
    releases <- list(
      copy = original[sample(n, n, TRUE), ], other = random_frame(sample(10:40, 1)),
      mixed = rbind(original[sample(n, 10), ], random_frame(15)), few = original[sample(n, 4), ]
    )
    columns <- sample(names(original))
    keys <- columns[seq_len(sample(1:3, 1))]
    target <- columns[4]
    found <- suppressWarnings(cap(original, releases, keys = keys, target = target, allow_no_match = TRUE))
    for (name in names(releases)) {
      expected <- by_definition(original, releases[[name]], keys, target)
      got <- unlist(as.data.frame(found)[name, names(expected)])
      expect_identical(is.na(got), is.na(expected))
      worst <- max(worst, abs(got - expected), na.rm = TRUE)
    }
  }
  expect_lt(worst, 1e-12)
  if (worst > 0) message("Greatest difference of ", i, " frames: ", worst)
})

test_that("each person has the risk of the definition", {
  needs_program()
  set.seed(7)
  original <- random_frame(50)
  release <- random_frame(40)
  keys <- c("factor", "logical", "Date")
  found <- people(original, release, keys = keys, target = "character")
  expect_setequal(found$record, 1:50)
  expect_false(is.unsorted(rev(found$cap)))
  expect_identical(unname(lapply(original[found$record, keys], exact)), unname(lapply(found[keys], exact)))
  to <- exact(original$character)
  share <- function(unmatched) mapply(function(of, own) if (length(of)) mean(of == own) else 0, guesses(original, release, keys, "character", unmatched), to)
  expect_equal(found$cap, share("zero")[found$record], tolerance = 1e-14)
  expect_equal(found$cap_nearest, share("nearest")[found$record], tolerance = 1e-14)
  size <- table(together(original, keys))
  expect_equal(found$key_records, as.vector(size[together(original, keys)])[found$record])
  expect_identical(found$unique, found$key_records == 1)
  expect_identical(nrow(people(original, release, keys = keys, target = "character", top = 3)), 3L)
})

test_that("survey weights are people", {
  needs_program()
  set.seed(3)
  original <- data.frame(k = sample(letters[1:3], 60, TRUE), t = sample(c("x", "y"), 60, TRUE), pw = sample(1:5 / 2, 60, TRUE))
  release <- original[sample(60, 40), c("k", "t")]
  share <- mapply(function(of, own) mean(of == own), guesses(original, release, "k", "t", "nearest"), exact(original$t))
  expected <- sum(share * original$pw) / sum(original$pw)
  expect_equal(cap(original, release, keys = "k", target = "t", weights = c("pw", NA))$cap, expected, tolerance = 1e-14)
  risk <- people(original, release, keys = "k", target = "t", weights = c("pw", NA))
  expect_identical(setdiff(c("unique", "replicated", "key_records"), names(risk)), c("unique", "replicated"))
  expect_equal(risk$cap_nearest, share[risk$record], tolerance = 1e-14)
  expect_equal(risk$key_records, ave(original$pw, original$k, FUN = sum)[risk$record])
  skip_if_not_installed("survey")
  design <- survey::svydesign(ids = ~1, weights = ~pw, data = original)
  found <- cap(design, release, keys = "k", target = "t")
  expect_equal(found$cap, expected, tolerance = 1e-14)
  expect_equal(found$records, sum(original$pw))
  for (of in list(design, survey::as.svrepdesign(design))) expect_identical(people(of, release, keys = "k", target = "t")$cap, risk$cap)
  table <- survey::svytable(~ k + t, design)
  expect_equal(cap(table, release = xtabs(~ k + t, release), target = "t")$cap, expected, tolerance = 1e-14)
})
