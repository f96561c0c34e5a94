# Columns as they are: what each value is, as JSON, so that equal values stay equal and others do not become equal.
refuse <- function(name, ...) stop("Column '", name, "' ", ..., call. = FALSE)

# The shortest decimal number that is this double.
digits <- function(x) {
  short <- sprintf("%.15g", x)
  long <- !is.na(x) & suppressWarnings(as.numeric(short)) != x
  replace(short, long, sprintf("%.17g", x[long]))
}

quoted <- function(x) {
  if (!length(x)) return(character())
  vapply(enc2utf8(x), function(one) as.character(jsonlite::toJSON(one, auto_unbox = TRUE)), "", USE.NAMES = FALSE)
}

dated <- function(x, kind) sprintf('{"capstats counts: %s": "%s"}', kind, x)

# A column as a vector of one of the kinds text, number, bool, date and datetime, and its levels where it is a factor.
plain <- function(x, name) {
  if (inherits(x, "haven_labelled")) x <- labelled(x, name)
  if (is.factor(x)) return(list(kind = "text", values = as.character(x), levels = levels(x)))
  if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
  if (inherits(x, "integer64")) {
    if (!requireNamespace("bit64", quietly = TRUE)) refuse(name, "is integer64, which needs the package bit64.")
    return(list(kind = "number", values = as.character(x)))
  }
  if (inherits(x, "Date")) {
    if (any(unclass(x) %% 1 != 0, na.rm = TRUE)) refuse(name, "holds parts of days. Round them, or convert it to POSIXct.")
    return(list(kind = "date", values = as.vector(unclass(x))))
  }
  if (inherits(x, "POSIXct")) return(list(kind = "datetime", values = as.vector(unclass(x)), zone = paste(c(attr(x, "tzone"), "")[1])))
  if (inherits(x, "difftime")) x <- as.numeric(x, units = "secs")
  if (is.list(x) || length(dim(x)) > 1) refuse(name, "is a list or a matrix, not one value for each record.")
  unknown <- setdiff(oldClass(x), c("AsIs", "noquote", "labelled"))
  if (length(unknown)) refuse(name, "is of class '", unknown[1], "'. Convert it to a factor, numbers, texts or dates.")
  if (is.logical(x)) return(list(kind = "bool", values = as.vector(x)))
  if (is.numeric(x)) return(list(kind = "number", values = as.vector(x)))
  if (is.character(x)) {
    x <- enc2utf8(as.vector(x))
    if (!all(validUTF8(x))) refuse(name, "has texts that are not valid UTF-8. Convert them with iconv().")
    return(list(kind = "text", values = x))
  }
  refuse(name, "is of type ", typeof(x), ". Convert it to a factor, numbers, texts or dates.")
}

# Values of haven with their labels; what the user declared to be missing is missing.
labelled <- function(x, name) {
  labels <- attr(x, "labels")
  range <- attr(x, "na_range")
  values <- unclass(x)
  values[values %in% attr(x, "na_values") | (!is.null(range) & values >= min(range, Inf) & values <= max(range, -Inf))] <- NA
  values <- as.vector(values)
  if (is.null(labels)) return(values)
  all <- sort(unique(c(values, as.vector(labels)[!is.na(labels)])))
  text <- if (is.numeric(all)) digits(all) else all
  at <- match(all, labels)
  text[!is.na(at)] <- names(labels)[at[!is.na(at)]]
  if (anyDuplicated(text)) refuse(name, "has the label '", text[anyDuplicated(text)], "' for two values. Convert it to a factor.")
  factor(text[match(values, all)], text)
}

# The parts of a column, one of each table, that have levels or values; all are of one kind.
filled_of <- function(parts, name) {
  filled <- Filter(function(part) length(part$levels) || any(!is.na(part$values)), parts)
  kinds <- unique(vapply(filled, `[[`, "", "kind"))
  if (length(kinds) > 1) refuse(name, "holds ", paste(kinds, collapse = " in one table and "), " in another. Convert it to one kind.")
  filled
}

# One column of all tables: its levels as JSON, and for each table the place of each value among them, from 0.
coded <- function(columns, name) {
  parts <- lapply(columns, plain, name)
  filled <- filled_of(parts, name)
  kinds <- unique(vapply(filled, `[[`, "", "kind"))
  if ("number" %in% kinds && any(vapply(filled, function(part) is.character(part$values), NA))) {  # integer64 beside other numbers
    parts <- lapply(parts, function(part) replace(part, "values", list(if (is.numeric(part$values)) digits(part$values) else part$values)))
  }
  all <- unlist(lapply(parts, `[[`, "values"), use.names = FALSE)
  known <- unique(all[!is.na(all)])
  levels <- unlist(lapply(parts, `[[`, "levels"), use.names = FALSE)
  known <- if ("number" %in% kinds && is.character(known)) known[order(as.numeric(known))] else sort(known, method = "radix")
  known <- unique(c(levels, known))
  json <- switch(c(kinds, "text")[1],
    text = quoted(known),
    number = if (is.character(known)) known else sub("^(-?)Inf$", "\\1Infinity", digits(known)),
    bool = tolower(as.character(known)),
    date = dated(format(structure(known, class = "Date"), "%Y-%m-%d"), "date"),
    datetime = dated(moments(known, unique(vapply(filled, `[[`, "", "zone")), name), "datetime")
  )
  codes <- lapply(parts, function(part) match(part$values, known) - 1L)
  if (any(vapply(codes, anyNA, NA))) {
    json <- c(json, "null")
    codes <- lapply(codes, function(code) replace(code, is.na(code), length(known)))
  }
  list(json = json, codes = codes)
}

# Times as clocks of their zone show them; in UTC where the tables have two zones, or a clock shows two moments as one.
moments <- function(known, zones, name) {
  shown <- function(zone) {
    whole <- floor(known)
    micro <- round((known - whole) * 1e6)
    time <- format(structure(whole + micro %/% 1e6, class = c("POSIXct", "POSIXt")), "%Y-%m-%dT%H:%M:%S", tz = zone)
    paste0(time, ifelse(micro %% 1e6 == 0, "", sprintf(".%06d", as.integer(micro %% 1e6))))
  }
  text <- shown(zones[1])
  if (length(zones) > 1 || anyDuplicated(text)) text <- paste0(shown("UTC"), "+00:00")
  if (anyDuplicated(text)) refuse(name, "holds times that differ by less than a microsecond. Round them.")
  text
}

as_points <- function(given, of) {
  points <- switch(of$kind, number = given, date = as.Date(given), datetime = as.POSIXct(given, tz = of$zone))
  suppressWarnings(as.numeric(points))  # what is no number is NA
}

# Numbers and dates cut into bins, in all tables at the same points, which come from the original.
cut_columns <- function(columns, bins, name) {
  parts <- lapply(columns, plain, name)
  filled <- filled_of(parts, name)
  kind <- c(vapply(filled, `[[`, "", "kind"), "without a value")[[1]]
  if (!kind %in% c("number", "date", "datetime")) refuse(name, "is ", kind, "; only numbers and dates can be cut.")
  x <- as.numeric(parts[[1]]$values)
  x <- x[is.finite(x)]
  is_number <- length(bins) == 1 && !is.list(bins) && !is.object(bins) && !is.character(bins)
  how <- if (identical(bins[[1]], "quantile")) "quantile" else if (is_number) "width" else "points"
  if (how == "quantile" && length(bins) != 2) refuse(name, "lacks the number of quantiles. Write `bins` as list(\"quantile\", 4).")
  if (how != "points") {
    n <- suppressWarnings(as.numeric(bins[[length(bins)]]))
    if (!isTRUE(n >= 1 && n %% 1 == 0)) refuse(name, "has ", n, " bins in `bins`, which must be a whole number, from 1.")
    if (!length(x)) refuse(name, "has no value in the original to cut it by. Give cut points.")
  }
  points <- switch(how,
    width = seq(min(x), max(x), length.out = n + 1),
    quantile = quantile(x, 0:n / n, names = FALSE),
    points = tryCatch(as_points(do.call(c, as.list(bins)), filled[[1]]), error = function(e) NA)
  )
  if (how != "points") points <- unique(points[points > min(x) & points < max(x)])
  if (!all(is.finite(points))) refuse(name, "has cut points in `bins` that are no ", kind, "s.")
  if (is.unsorted(points, strictly = TRUE)) refuse(name, "has cut points that do not increase.")
  zone <- filled[[1]]$zone
  shown <- switch(kind, number = digits(points), date = format(structure(points, class = "Date")), moments(points, zone, name))
  ends <- c("-inf", shown, "inf")
  labels <- paste0("(", ends[-length(ends)], ", ", ends[-1], c(rep("]", length(shown)), ")"))
  lapply(parts, function(part) factor(labels[findInterval(as.numeric(part$values), points, left.open = TRUE) + 1], labels))
}
