# Counts of records in each cell of keys and target: what is given to the program.
as_counts <- function(original, ...) UseMethod("as_counts")
as_counts.capstats_counts <- function(original, ...) {
  if (...length()) stop("Counts hold their release, keys and target: give nothing beside them.", call. = FALSE)
  original
}
as_counts.default <- function(original, ...) {
  is_path <- is.character(original) && is.null(dim(original))
  if (is_path) stop("Give a data frame, not a path: read the file with read.csv() or readRDS().", call. = FALSE)
  as_counts(as.data.frame(original), ...)
}
as_counts.ftable <- function(original, ...) as_counts(as.table(original), ...)

as_counts.table <- function(original, release = NULL, keys = setdiff(names(dimnames(original)), target), target, ...) {
  if (length(dim(original)) < 2 || is.null(names(dimnames(original))) || !all(nzchar(names(dimnames(original))))) {
    stop("A table needs two dimensions or more, with names: table(age = x, ill = y), or xtabs(~ age + ill).", call. = FALSE)
  }
  as_counts.data.frame(original, release, keys = keys, target = target, counts = "Freq", ...)
}

is_table <- function(x) inherits(x, c("table", "ftable"))
is_design <- function(x) inherits(x, c("survey.design", "svyrep.design"))
rows_of <- function(x) {
  if (is_design(x)) x$variables else if (is_table(x)) as.data.frame(as.table(x), responseName = "Freq") else as.data.frame(x)
}

as_counts.data.frame <- function(original, release = NULL, keys, target, holdout = NULL, weights = NULL, counts = NULL, bins = NULL,
                                 null_values = NULL, missing = c("level", "drop"), ...) {
  if (...length()) stop("There is no argument ", paste(paste0("'", ...names(), "'"), collapse = ", "), ".", call. = FALSE)
  named <- list(keys = keys, target = target, weights = weights, counts = counts)
  wrong <- names(named)[lengths(named) > 0 & !vapply(named, is.character, NA)]
  if (length(wrong)) stop("`", wrong[1], "` must be names of columns, as in ", wrong[1], " = c(\"a\", \"b\").", call. = FALSE)
  columns <- c(keys, target)
  by_column <- list(bins = bins, null_values = if (is.list(null_values)) null_values)
  for (of in names(by_column)) {
    x <- by_column[[of]]
    if (length(x) && (!is.list(x) || is.null(names(x)))) stop("`", of, "` must be a list by column: list(age = 5).", call. = FALSE)
    unknown <- setdiff(names(x), columns)
    if (length(unknown)) refuse(unknown[1], "of `", of, "` is neither a key nor the target.")
  }
  given <- releases(release)
  tables <- c(list(original), given$tables, if (!is.null(holdout)) list(holdout))
  called <- c("original", if (length(given$tables)) rep("release", length(given$tables)), if (!is.null(holdout)) "holdout")
  if (anyDuplicated(columns)) refuse(columns[anyDuplicated(columns)], "is given twice.")
  multiple <- Map(function(table, of) multiples(table, of, weights, counts), tables, called)
  of_design <- called[vapply(tables, is_design, NA)]
  if (!is.null(holdout) && length(intersect(of_design, c("original", "holdout"))) == 1) {
    stop("Of original and holdout one is a design of survey. Give both as designs, or neither.", call. = FALSE)
  }
  if (length(of_design)) {  # a data frame among releases that are designs has weights of 1
    weights <- ifelse(c("original", "release", "holdout") %in% of_design, "weights", NA)
    alone <- called %in% of_design & vapply(multiple, function(m) is.null(m$weights), NA)
    multiple[alone] <- lapply(multiple[alone], function(m) replace(m, "weights", m["records"]))
  }
  tables <- lapply(tables, rows_of)
  for (i in seq_along(tables)) for (name in columns) present(tables[[i]], name, called[i])
  codes <- codes_of(null_values, tables, columns)
  read <- lapply(setNames(columns, columns), function(name) {
    values <- lapply(tables, function(table) without_codes(table[[name]], codes[[name]]))
    coded(if (is.null(bins[[name]])) values else cut_columns(values, bins[[name]], name), name)
  })
  drop <- match.arg(missing) == "drop"
  kept <- lapply(seq_along(tables), function(i) {
    is_missing <- lapply(read, function(column) drop & column$json[column$codes[[i]] + 1] == "null")
    multiple[[i]]$records > 0 & !Reduce(`|`, is_missing)
  })
  empty <- called[!vapply(kept, any, NA)]
  if (length(empty)) stop("The ", empty[1], " has no record.", call. = FALSE)
  cell <- cell_of(read, kept)
  first <- match(seq_len(cell$n), unlist(cell$of))
  sums <- lapply(seq_along(tables), function(i) {
    m <- lapply(multiple[[i]], `[`, kept[[i]])
    summed <- function(x) replace(numeric(cell$n), sort(unique(cell$of[[i]])), rowsum(x, cell$of[[i]])[, 1])
    if (is.null(m$weights)) list(summed(m$records)) else list(summed(m$weights), summed(m$records), summed(m$weights^2))
  })
  cells <- lapply(read, function(column) unlist(Map(`[`, column$codes, kept))[first] + 1L)
  used <- lapply(cells, function(of) sort(unique(of)))  # levels that no record has are no levels
  structure(list(
    keys = keys, target = target, levels = Map(function(column, of) column$json[of], read, used),
    cells = Map(function(of, known) match(of, known) - 1L, cells, used), sums = sums, called = called,
    releases = given$labels, weights = weights_of(weights, called),
    cell = replace(rep(NA_integer_, nrow(tables[[1]])), kept[[1]], cell$of[[1]])
  ), class = "capstats_counts")
}

# One release, or several with labels; synthpop's result holds one or several.
releases <- function(release) {
  if (inherits(release, "synds")) release <- release$syn
  if (is.null(release)) return(list(tables = list()))
  if (is.data.frame(release) || is_design(release) || !is.list(release)) return(list(tables = list(release)))
  labels <- names(release)
  if (is.null(labels)) labels <- as.character(seq_along(release))
  if (anyDuplicated(labels) || !all(nzchar(labels))) stop("Releases in a list need different names, or none.", call. = FALSE)
  list(tables = unname(release), labels = labels)
}

present <- function(table, name, called) {
  if (sum(names(table) == name, na.rm = TRUE) > 1) refuse(name, "is twice in the ", called, ". Rename one of them, or leave it out.")
  if (name %in% names(table)) return(invisible())
  far <- utils::adist(name, names(table), ignore.case = TRUE)
  near <- names(table)[which.min(far)]
  is_near <- length(near) && min(far) <= nchar(name) / 3
  hint <- if (is_near) paste0("Did you mean '", near, "'?") else paste0("It has ", toString(utils::head(names(table), 20)), ".")
  stop("The ", called, " has no column '", name, "'. ", hint, call. = FALSE)
}

comparable <- function(x) if (is.object(x)) as.character(x) else x

without_codes <- function(x, codes) {
  codes <- codes[!is.na(codes)]
  if (length(codes)) x[comparable(x) %in% comparable(codes)] <- NA
  x
}

# The codes of each column; one that occurs in no table is likely misspelt.
codes_of <- function(null_values, tables, columns) {
  is_named <- is.list(null_values)
  codes <- setNames(if (is_named) null_values[columns] else rep(list(null_values), length(columns)), columns)
  unused <- lapply(setNames(columns, columns), function(name) {
    of <- codes[[name]][!is.na(codes[[name]])]
    of[!Reduce(`|`, lapply(tables, function(table) comparable(of) %in% comparable(table[[name]])))]
  })
  if (!is_named) unused <- list(Reduce(intersect, unused))
  first <- which(lengths(unused) > 0)[1]
  if (is.na(first)) return(codes)
  stop("`null_values`", if (is_named) paste0(" of column '", columns[first], "'"), " has the code '", unused[[first]][1],
    "', which occurs in no table. Correct it, or leave it out.", call. = FALSE)
}

# The column of weights or counts of a table: one for all, or one for each (a holdout has that of the original); NA where a table has none.
own <- function(columns, called) {
  if (is.null(columns)) return(NULL)
  column <- rep_len(columns, 3)[[match(called, c("original", "release", "holdout"))]]
  if (is.na(column)) NULL else column
}

weights_of <- function(weights, called) {
  called <- unique(called)
  found <- lapply(called, own, columns = weights)
  json_names <- c(original = "original", release = "synthetic", holdout = "holdout")[called]
  setNames(found, json_names)[lengths(found) > 0]
}

# The number of records of each row, and its weight.
multiples <- function(table, called, weights, counts) {
  if (is_design(table)) {
    if (length(weights)) stop("A design of survey has weights of its own: leave `weights` out.", call. = FALSE)
    return(list(records = rep(1, nrow(table$variables)), weights = as.vector(weights(table, "sampling"))))
  }
  if (is_table(table)) counts <- "Freq"
  table <- rows_of(table)
  number <- function(name) {
    present(table, name, called)
    x <- suppressWarnings(as.numeric(table[[name]]))
    if (anyNA(x) || any(x < 0 | is.infinite(x))) refuse(name, "of the ", called, " must have numbers, 0 or more, for every record.")
    x
  }
  w <- own(weights, called)
  n <- own(counts, called)
  if (length(w) && length(n)) stop("Give weights or counts for a table, not both.", call. = FALSE)
  w <- if (length(w)) number(w)
  records <- if (length(n)) number(n) else rep(1, nrow(table))
  list(records = records, weights = w)
}

# The cell of each record that is kept, in each table, numbered from 1.
cell_of <- function(read, kept) {
  id <- 0
  span <- 1
  for (column in read) {
    n <- length(column$json)
    if (span * n > 2^52) {
      id <- match(id, unique(id)) - 1
      span <- max(id) + 1
    }
    id <- id * n + unlist(Map(`[`, column$codes, kept), use.names = FALSE)
    span <- span * n
  }
  id <- match(id, unique(id))
  list(n = max(id), of = unname(split(id, rep(seq_along(kept), vapply(kept, sum, 1L)))))
}

# Places of levels, as texts where the levels are texts: of numbers with many levels the program says to cut them.
places <- function(json) if (any(startsWith(json, '"'))) paste("level", seq_along(json)) else seq_along(json) - 1
bare_names <- function(x) setNames(names(x$levels), paste0("c", seq_along(x$levels)))

# The counts in the schema of capstats; with `bare`, the places of the levels in place of the levels.
counts_json <- function(x, bare = FALSE) {
  listed <- function(x) paste0("[", paste(x, collapse = ","), "]")
  axis <- function(names) {
    levels <- lapply(x$levels[names], function(json) listed(if (bare) literal_each(places(json)) else json))
    listed(sprintf('{"name": %s, "levels": %s}', quoted(if (bare) names(bare_names(x))[match(names, names(x$levels))] else names), levels))
  }
  sums <- function(called, i) {
    of <- lapply(x$sums[x$called == called], `[`, i)
    if (!length(of) || any(vapply(of, function(one) is.null(one[[1]]), NA))) return(NULL)
    values <- vapply(of, function(one) listed(digits(one[[1]])), "")
    if (called == "release" && !is.null(x$releases)) listed(values) else values
  }
  tables <- expand.grid(called = unique(x$called), i = 1:3, stringsAsFactors = FALSE)
  values <- Map(sums, tables$called, tables$i)
  names(values) <- paste0(c(original = "o", release = "s", holdout = "h")[tables$called], c("", "_records", "_squares")[tables$i])
  values <- values[lengths(values) > 0]
  object <- function(of) paste0("{", paste0(quoted(names(of)), ": ", of, collapse = ", "), "}")
  paste0(
    '{"capstats counts": 1, "key": ', axis(x$keys), ', "target": ', axis(x$target), ', "cells": ', listed(vapply(x$cells, listed, "")),
    ', "counts": ', object(values),
    if (!is.null(x$releases)) paste0(', "synthetic": ', listed(quoted(x$releases))),
    if (length(x$weights)) paste0(', "attrs": {"weights": ', object(lapply(x$weights, quoted)), "}"), "}"
  )
}

# Run a command on counts.
on_counts <- function(command, x, options = list(), bare = FALSE, population = NULL, before = character()) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  written <- function(x, name) {
    file <- file.path(folder, name)
    connection <- file(file, "wb")
    on.exit(close(connection))
    writeLines(counts_json(x, bare), connection, useBytes = TRUE)
    file
  }
  if (!is.null(population)) options$population <- written(population, "population.json")
  run(command, folder, c(before, written(x, "counts.json")), options, if (bare) bare_names(x))
}
