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

# One column of all tables: its levels as JSON, and for each table the place of each value among them, from 0.
coded <- function(columns, name) {
  parts <- lapply(columns, plain, name)
  filled <- Filter(function(part) length(part$levels) || any(!is.na(part$values)), parts)
  kinds <- unique(vapply(filled, `[[`, "", "kind"))
  if (length(kinds) > 1) refuse(name, "holds ", paste(kinds, collapse = " in one table and "), " in another. Convert it to one kind.")
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
  as.numeric(switch(of$kind, number = given, date = as.Date(given), datetime = as.POSIXct(given, tz = of$zone)))
}

# Numbers and dates cut into bins, in all tables at the same points, which come from the original.
cut_columns <- function(columns, bins, name) {
  parts <- lapply(columns, plain, name)
  kind <- parts[[1]]$kind
  x <- parts[[1]]$values
  if (!kind %in% c("number", "date", "datetime") || is.character(x)) refuse(name, "is ", kind, "; only numbers and dates can be cut.")
  x <- x[is.finite(x)]
  how <- if (is.character(bins[[1]])) "quantile" else if (is.numeric(bins) && length(bins) == 1 && !is.object(bins)) "width" else "points"
  n <- if (how == "quantile") as.numeric(bins[[2]]) else bins[[1]]
  points <- switch(how,
    width = seq(min(x), max(x), length.out = n + 1),
    quantile = quantile(x, 0:n / n, names = FALSE),
    points = as_points(do.call(c, as.list(bins)), parts[[1]])
  )
  if (how != "points") points <- unique(points[points > min(x) & points < max(x)])
  if (is.unsorted(points, strictly = TRUE)) refuse(name, "has cut points that do not increase.")
  shown <- switch(kind, number = digits(points), date = format(structure(points, class = "Date")), moments(points, parts[[1]]$zone, name))
  ends <- c("-inf", shown, "inf")
  labels <- paste0("(", ends[-length(ends)], ", ", ends[-1], c(rep("]", length(shown)), ")"))
  lapply(parts, function(part) factor(labels[findInterval(part$values, points, left.open = TRUE) + 1], labels))
}
