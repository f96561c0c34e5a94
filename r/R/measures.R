# The commands of capstats, as functions of counts, or of what as_counts() takes.
# Arguments of as_counts, which count; the others are options of the command.
counted <- function(original, ...) {
  given <- list(...)
  if (inherits(original, "capstats_counts")) return(list(counts = original, options = given))
  ours <- c("release", "keys", "target", "holdout", "weights", "counts", "bins", "null_values", "missing")
  named <- if (is.null(names(given))) rep("", length(given)) else names(given)
  is_ours <- named == "" | named %in% ours
  list(counts = do.call(as_counts, c(list(original), given[is_ours])), options = given[!is_ours])
}

literal_each <- function(x) if (is.logical(x)) ifelse(x, "true", "false") else if (is.numeric(x)) digits(x) else quoted(as.character(x))

# A value of R as a value of an option of a measure.
literal <- function(x, name = "") {
  if (name == "model") return(x)  # such as "Pram(theta = 0.3)"
  if (is.null(x) || identical(x, NA)) return("null")
  values <- if (is.list(x)) vapply(x, literal, "") else literal_each(x)
  if (!is.null(names(x))) return(paste0("{", paste0(quoted(names(x)), ": ", values, collapse = ", "), "}"))
  if (length(values) == 1 && !is.list(x)) values else paste0("[", paste(values, collapse = ", "), "]")
}

calls <- function(names, options) {
  given <- if (length(options)) paste0("(", paste0(names(options), "=", mapply(literal, options, names(options)), collapse = ", "), ")")
  paste0(names, given)
}

# A result as R has it: a number, a data frame, or a list of them.
as_result <- function(found) {
  if (is.null(found)) return(NA_real_)
  if (!is.list(found) || is.data.frame(found)) return(found)
  found[vapply(found, is.null, NA)] <- NA_real_
  if (length(found) && all(lengths(found) == 1) && all(vapply(found, is.numeric, NA))) return(unlist(found))
  is_table <- length(found) > 0 && length(unique(lengths(found))) == 1 && all(vapply(found, is.atomic, NA))
  if (is_table) as.data.frame(found, optional = TRUE, stringsAsFactors = FALSE) else lapply(found, as_result)
}

measure <- function(original, names, ..., options = list(), population = NULL) {
  x <- counted(original, ...)
  if (!is.null(population)) population <- counted(population, keys = x$counts$keys, target = x$counts$target)$counts
  asked <- toString(calls(names, x$options))
  found <- on_counts("measure", x$counts, options, before = asked, population = population)$measures
  results <- lapply(found, as_result)
  if (length(names) == 1) results[[1]] else setNames(results, names)
}
as_synthpop <- function(original, ...) measure(original, "as_synthpop", ...)

# The columns of the result of cap(), and the measures that they come from; those of `records` need whole records.
of_summary <- c(
  cap = "average_cap", lower = "lower", upper = "upper", baseline = "baseline", original_cap = "original_cap",
  guessed = "predictive_success", baseline_guessed = "baseline_success", original_guessed = "original_success"
)
of_cap <- c(cap_zero = "average_cap", cap_matched = "average_cap(unmatched=drop)", disco = "disco", matched = "matched_records")
of_records <- c(unique = "share_unique", replicated = "share_replicated", k = "k_anonymity")

cap <- function(original, ...) {
  x <- counted(original, ...)
  options <- x$options
  x <- x$counts
  n <- sum(x$called == "release")
  if (n == 0) stop("Give a release.", call. = FALSE)
  is_whole <- !length(x$weights) && all(unlist(lapply(x$sums, `[[`, 1)) %% 1 == 0)
  measures <- c(of_cap, if (is_whole) of_records)
  found <- on_counts("measure", x, options, before = toString(c("summary", measures)))$measures
  numbers <- c(lapply(found[[1]][of_summary], as_numbers), lapply(found[-1], function(of) as_numbers(of[[length(of)]])))
  names(numbers) <- c(names(of_summary), names(measures))
  numbers$records <- sum(x$sums[[1]][[1]])
  numbers$matched <- numbers$matched / numbers$records
  result <- as.data.frame(lapply(numbers, rep, length.out = n), row.names = x$releases)
  structure(result, class = c("capstats_cap", "data.frame"), keys = x$keys, target = x$target)
}

as_numbers <- function(x) if (length(x)) as.numeric(unlist(replace(x, lengths(x) == 0, NA))) else NA_real_

print.capstats_cap <- function(x, ...) {
  keys <- attr(x, "keys")
  if (is.null(keys) || !all(c("cap", "baseline", "original_cap", "records") %in% names(x))) return(NextMethod())
  cat("Somebody who knows ", toString(keys), " guesses ", toString(attr(x, "target")), " of ",
    format(x$records[1], big.mark = ","), " people right with probability\n", sep = "")
  shown <- setNames(as.data.frame(x)[c("cap", "baseline", "original_cap")], c("release", "without it", "original itself"))
  print(format(round(shown, 3), nsmall = 3), row.names = nrow(x) > 1)
  cat("All numbers: as.data.frame(); what they mean: ?cap\n")
  invisible(x)
}

plot.capstats_cap <- function(x, ...) {
  bars(setNames(x$cap, if (nrow(x) > 1) row.names(x) else "release"), x$baseline[1], x$original_cap[1], ...)
}

# Bars of average CAP, between a guess without the release and one with the original.
bars <- function(releases, baseline, original, main = "Guessed right (average CAP)", ...) {
  values <- c("original itself" = original, rev(releases), "without it" = baseline)
  names <- names(values)
  is_long <- nchar(names) > 40
  names[is_long] <- paste0(substr(names[is_long], 1, 20), "...", substring(names[is_long], nchar(names[is_long]) - 16))
  plot.new()
  old <- par(mar = c(4, 1, 3, 4))
  on.exit(par(old))
  high <- par("pin")[2] / length(values) / strheight("X", "inches") / 1.6
  wide <- par("fin")[1] / 2 / max(strwidth(names, "inches"))
  cex <- min(1, high, wide)
  par(mai = replace(par("mai"), 2, max(strwidth(names, "inches", cex)) + 0.2), new = TRUE)
  col <- c("grey80", rep("steelblue", length(releases)), "grey80")
  at <- barplot(unname(values), horiz = TRUE, las = 1, xlim = c(0, 1), main = main, col = col, ...)
  text(0, at, names, pos = 2, xpd = NA, cex = cex)
  text(values, at, sprintf("%.3f", values), pos = 4, xpd = NA, cex = cex)
  invisible(values)
}

audit <- function(original, ...) {
  x <- counted(original, ...)
  found <- on_counts("audit", x$counts, x$options)
  found[c("warnings", "counts")] <- NULL  # warnings were given, and the hash of the counts is that of the file
  structure(c(found, list(counts = x$counts, options = x$options)), class = "capstats_audit")
}

print.capstats_audit <- function(x, ...) {
  cat(in_r(paste(x$text, collapse = "\n")), "\n", sep = "")
  invisible(x)
}

as.data.frame.capstats_audit <- function(x, ...) {
  as.data.frame(lapply(x$measures, as_numbers), row.names = x$counts$releases)
}

summary.capstats_audit <- function(object, ...) {
  found <- t(as.data.frame(object))
  colnames(found) <- if (is.null(object$counts$releases)) "release" else object$counts$releases
  found
}

plot.capstats_audit <- function(x, ...) {
  m <- x$measures
  releases <- unlist(m$average_cap_nearest)
  bars(if (length(releases) > 1) releases else c(release = releases), unlist(m$baseline)[1], unlist(m$original_cap)[1], ...)
}

report <- function(original, ..., file = tempfile("report", fileext = ".html"), open = interactive()) {
  of_audit <- inherits(original, "capstats_audit")
  x <- counted(if (of_audit) original$counts else original, ...)
  file <- path.expand(file)
  on_counts("audit", x$counts, c(if (of_audit) original$options, x$options, list(html = file)))
  if (open) utils::browseURL(paste0("file://", normalizePath(file)))
  invisible(file)
}

sweep_keys <- function(original, ...) {
  x <- counted(original, ...)
  found <- on_counts("sweep", x$counts, x$options)
  structure(found$subsets, contributions = found$contributions)
}

anonymity <- function(original, ...) {
  x <- counted(original, ...)
  models <- on_counts("anonymity", x$counts, x$options)$models
  tables <- names(models[[1]])
  as.data.frame(lapply(models, function(of) vapply(of, as_numbers, 0)), row.names = tables)
}

# Labels do not leave R: the program counts with the places of the levels.
people <- function(original, ..., top = Inf) {
  x <- counted(original, ...)
  options <- x$options
  x <- x$counts
  if (sum(x$called == "release") != 1) stop("Give one release.", call. = FALSE)
  if (is_design(original)) original <- rows_of(original)
  if (!is.data.frame(original)) stop("Counts do not say which record is which. Give the records as a data frame.", call. = FALSE)
  measures <- "individual_cap, individual_cap(unmatched=nearest), key_summary"
  found <- on_counts("measure", x, options, bare = TRUE, before = measures)$measures
  names <- names(bare_names(x))
  of_keys <- names[seq_along(x$keys)]
  cells <- as.data.frame(setNames(Map(function(json, of) places(json)[of + 1], x$levels, x$cells), names))
  place <- function(table, names) match(do.call(paste, unname(cells[names])), do.call(paste, unname(table[names])))
  number <- function(i) found[[i]]$individual_cap[place(found[[i]], names)]
  columns <- c("certain", "original_certain", key_records = "records", key_synthetic_records = "synthetic_records", "unique", "replicated")
  columns <- columns[columns %in% names(found[[3]])]  # weighted tables have neither `unique` nor `replicated`
  summary <- as.data.frame(found[[3]])[place(found[[3]], of_keys), columns]
  names(summary) <- ifelse(nzchar(names(columns)), names(columns), columns)
  of_cell <- cbind(cap = ifelse(is.na(number(1)), 0, number(1)), cap_nearest = number(2), summary)
  of_cell$disclosed <- of_cell$cap == 1
  taken <- intersect(names(x$levels), c("record", names(of_cell)))
  if (length(taken)) refuse(taken[1], "has the name of a column of the result. Rename it in the original and the release.")
  kept <- which(!is.na(x$cell))
  risk <- of_cell[x$cell[kept], ]
  order <- utils::head(order(-risk$cap, -risk$cap_nearest, risk$key_records, kept), top)
  records <- as.data.frame(original)[kept[order], names(x$levels), drop = FALSE]
  result <- cbind(data.frame(record = kept[order]), records, risk[order, ])
  row.names(result) <- NULL
  result
}

describe <- function(original, release = NULL, ...) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  given <- releases(release)
  tables <- lapply(c(list(original), given$tables), rows_of)
  files <- file.path(folder, paste0(c("original", paste0("release", seq_along(given$tables)))[seq_along(tables)], ".csv"))
  for (i in seq_along(tables)) write_csv(tables[[i]], files[i])
  found <- run("describe", folder, files, list(...))
  structure(found$columns, text = found$text, keys = found$keys, targets = found$targets)
}

# Records as CSV: a missing value is an empty field, numbers have all their digits.
write_csv <- function(table, file) {
  table[] <- Map(function(column, name) {
    of <- plain(column, name)
    switch(of$kind, text = of$values, number = if (is.character(of$values)) of$values else ifelse(is.na(of$values), NA, digits(of$values)),
      bool = of$values, date = format(column), datetime = format(column, "%Y-%m-%d %H:%M:%OS6"))
  }, table, names(table))
  is_text <- which(vapply(names(table), function(name) is.character(table[[name]]), NA))
  write.table(table, file, sep = ",", row.names = FALSE, na = "", qmethod = "double", quote = is_text, fileEncoding = "UTF-8")
}

print.capstats_counts <- function(x, ...) {
  n <- vapply(x$sums, function(of) sum(of[[1]]), 0)
  cat("Counts of ", toString(paste(x$called, format(n, big.mark = ",", trim = TRUE))), "; keys ", toString(x$keys), "; target ",
    toString(x$target), "; ", length(x$cells[[1]]), " cells\n", sep = "")
  invisible(x)
}
