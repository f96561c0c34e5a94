# Every number by its definition, in R alone, record by record; and random data frames of all types.

# The program is required where its place is given, as in the checks of the project.
needs_program <- function() {
  if (nzchar(Sys.getenv("CAPSTATS_PROGRAM"))) return(invisible())
  testthat::skip_if(inherits(try(capstats:::program(), silent = TRUE), "try-error"), "The program capstats is not there.")
}

# Texts that are equal exactly where the values are.
exact <- function(x) {
  text <- if (inherits(x, "integer64")) as.character(x) else if (is.numeric(x) && !is.object(x)) sprintf("%a", x) else as.character(x)
  if (inherits(x, "POSIXct")) text <- sprintf("%a", as.numeric(x))
  ifelse(is.na(x), "\1missing", paste0("v", text))
}

together <- function(table, columns) do.call(paste, c(lapply(columns, function(name) exact(table[[name]])), sep = "\2"))

# For each record of o: the synthetic records that a guess about it is drawn from, as their targets.
guesses <- function(o, s, keys, target, unmatched) {
  ko <- sapply(keys, function(name) exact(o[[name]]))
  ks <- sapply(keys, function(name) exact(s[[name]]))
  ts <- exact(s[[target]])
  lapply(seq_len(nrow(o)), function(i) {
    distance <- rowSums(ks != matrix(ko[i, ], nrow(ks), ncol(ks), byrow = TRUE))
    ts[distance == if (unmatched == "nearest") min(distance) else 0]
  })
}

by_definition <- function(o, s, keys, target) {
  to <- exact(o[[target]])
  right <- function(drawn) mapply(function(of, own) if (length(of)) mean(of == own) else NA, drawn, to)
  commonest <- function(drawn) mapply(function(of, own) {
    counts <- table(of)
    best <- names(counts)[counts == max(counts)]
    (own %in% best) / length(best)
  }, drawn, to)
  own <- right(guesses(o, s, keys, target, "zero"))
  nearest <- guesses(o, s, keys, target, "nearest")
  itself <- guesses(o, o, keys, target, "nearest")
  everyone <- rep(list(to), nrow(o))
  key_o <- together(o, keys)
  key_s <- together(s, keys)
  size <- as.vector(table(key_o)[key_o])
  c(
    cap = mean(right(nearest)), cap_zero = mean(ifelse(is.na(own), 0, own)), cap_matched = if (all(is.na(own))) NA else mean(own, na.rm = TRUE),
    baseline = mean(right(everyone)), original_cap = mean(right(itself)), guessed = mean(commonest(nearest)),
    baseline_guessed = mean(commonest(everyone)), original_guessed = mean(commonest(itself)), disco = mean(!is.na(own) & own == 1),
    matched = mean(key_o %in% key_s), unique = mean(size == 1), replicated = mean(size == 1 & sapply(key_o, function(x) sum(key_s == x) == 1)),
    k = min(size)
  )
}

random_column <- list(
  factor = function(n) factor(sample(c("a", "b,c", "NA"), n, TRUE), c("NA", "unused", "b,c", "a")),
  ordered = function(n) factor(sample(c("low", "high"), n, TRUE), c("low", "middle", "high"), ordered = TRUE),
  integer = function(n) sample(c(-3L, 0L, 100000L, .Machine$integer.max), n, TRUE),
  double = function(n) sample(c(0.1, 0.1 + 0.2, 0.3, 1e5, 1 / 3, 123456789012345, 1e-300), n, TRUE),
  logical = function(n) sample(c(TRUE, FALSE), n, TRUE),
  character = function(n) sample(c("", "NA", " x", "q\"uo|te", "\u00e4\u2603", "1"), n, TRUE),
  Date = function(n) as.Date("2020-02-28") + sample(0:3, n, TRUE),
  POSIXct = function(n) as.POSIXct("2020-02-28", tz = "UTC") + sample(c(0, 86400, 43200, 0.25), n, TRUE),
  labelled = function(n) {
    if (!requireNamespace("haven", quietly = TRUE)) return(sample(1:2, n, TRUE))
    haven::labelled(sample(c(1, 2, 7), n, TRUE), c(yes = 1, no = 2))
  },
  integer64 = function(n) {
    if (!requireNamespace("bit64", quietly = TRUE)) return(sample(1:2, n, TRUE))
    bit64::as.integer64(c("9007199254740993", "9007199254740992", "5")[sample(3, n, TRUE)])
  }
)

with_missing <- function(x, share) {
  x[stats::runif(length(x)) < share] <- NA
  x
}

random_frame <- function(n, share = 0.15) {
  as.data.frame(lapply(random_column, function(make) with_missing(make(n), share)), check.names = FALSE)
}
