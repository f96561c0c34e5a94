# The program capstats: where it is, how it is installed, and how it is run.
home <- function() getOption("capstats.home", tools::R_user_dir("capstats", "data"))
windows <- .Platform$OS.type == "windows"

# What a program needs that R starts: not the libraries of R before its own, and texts as UTF-8.
surroundings <- function() if (windows) character() else c("LD_LIBRARY_PATH=", "PYTHONUTF8=1", "COLUMNS=100")

in_environment <- function(name) {
  file.path(home(), "python", if (windows) "Scripts" else "bin", paste0(name, if (windows) ".exe"))
}

program <- function() {
  given <- c(getOption("capstats.program"), Sys.getenv("CAPSTATS_PROGRAM"))
  places <- path.expand(c(given[nzchar(given)], in_environment("capstats"), Sys.which("capstats")))
  found <- places[nzchar(places) & file.exists(places)]
  if (!length(found)) stop("The program capstats is not there. Install it: install_capstats()", call. = FALSE)
  found[[1]]
}

install_capstats <- function(source = "capstats", python = NULL) {
  if (is.null(python)) {
    found <- Sys.which(c("python3", "python", "py"))
    python <- found[nzchar(found)][1]
    if (is.na(python)) stop("There is no Python. Install Python 3.11 or later, or give its path as `python`.", call. = FALSE)
  }
  if (file.exists(path.expand(source))) source <- normalizePath(path.expand(source))
  folder <- file.path(home(), "python")
  dir.create(home(), recursive = TRUE, showWarnings = FALSE)
  steps <- list(
    list(python, c("-m", "venv", "--clear", shQuote(folder))),
    list(in_environment("python"), c("-m", "pip", "install", "--quiet", "--disable-pip-version-check", shQuote(source)))
  )
  for (step in steps) {
    status <- system2(step[[1]], step[[2]], env = surroundings())
    if (status != 0) stop("Installing failed: ", paste(unlist(step), collapse = " "), call. = FALSE)
  }
  message(system2(in_environment("capstats"), "--version", stdout = TRUE, env = surroundings()), " is in ", folder)
  invisible(in_environment("capstats"))
}

# A folder for the files of one call, which the user alone can read; the caller removes it.
private_folder <- function() {
  folder <- tempfile("capstats")
  dir.create(folder, mode = "0700")
  folder
}

# The flags of options: n = 5 is --n 5, a vector is one flag for each value, names are NAME=VALUE, TRUE is the flag alone.
flags <- function(options) {
  if (sum(nzchar(names(options))) < length(options)) stop("What follows the tables must have a name: `name = value`.", call. = FALSE)
  unlist(Map(function(name, value) {
    flag <- paste0("--", gsub("_", "-", name))
    if (isTRUE(value)) return(flag)
    value <- if (is.numeric(value)) vapply(value, digits, "") else value
    shQuote(paste0(flag, "=", if (is.null(names(value))) value else paste0(names(value), "=", value)))
  }, names(options), options), use.names = FALSE)
}

# Run a command on files in a private folder: its text, and its JSON as a list; warnings of capstats are warnings of R.
run <- function(command, folder, files, options = list(), columns = NULL) {
  out <- file.path(folder, "found.json")
  err <- file.path(folder, "messages")
  arguments <- c(command, shQuote(files), flags(options), "--json", shQuote(out))
  text <- suppressWarnings(system2(program(), arguments, stdout = TRUE, stderr = err, env = surroundings()))
  status <- attr(text, "status")
  said <- in_r(sub("^capstats( [a-z]+)*: ", "", readLines(err, encoding = "UTF-8", warn = FALSE)), columns)
  if (isTRUE(status > 1) || !file.exists(out)) stop(paste(said, collapse = "\n"), call. = FALSE)
  found <- infinite(jsonlite::read_json(out, simplifyVector = TRUE, bigint_as_char = TRUE))
  for (text_of in unlist(found$warnings)) warning(in_r(text_of, columns), call. = FALSE)
  others <- said[!startsWith(said, "warning: ")]
  if (length(others)) warning(paste(others, collapse = "\n"), call. = FALSE)
  found$text <- `Encoding<-`(as.vector(text), "UTF-8")
  found
}

# Options that are a remedy: NAME=VALUE, which may be quoted for a shell.
remedy <- paste0(
  "--(?:bin|null-values|type|decimal)\\s+(?![a-z]+[\\s.,])(?:[\\w@%+=:,./-]|'[^']*'|\"'\")+?",
  "(?=[.](?:\\s+[^a-z]|$)|[,;:)]?(?:\\s|$))"
)
of_type <- c(
  text = "as.character(%s)", number = "as.numeric(as.character(%s))", date = "as.Date(%s)",
  datetime = "as.POSIXct(sub(\"T\", \" \", %s), tz = \"UTC\")",
  bool = "match(tolower(%s), c(\"true\", \"t\", \"yes\", \"1\", \"false\", \"f\", \"no\", \"0\")) < 5"
)

# Options of one remedy as arguments, or as lines that change a column: R has no types of columns beside those of the tables.
remedy_in_r <- function(options, columns) {
  options <- strsplit(options, "\\s+(?=--)", perl = TRUE)[[1]]
  kind <- sub("^--(\\S+)\\s.*", "\\1", options)
  word <- chartr("\1", "'", gsub("'", "", gsub("\"'\"", "\1", sub("^\\S+\\s+", "", options), fixed = TRUE), fixed = TRUE))
  name <- sub("=[^=]*$", "", word)
  name <- sub("^[*][.]", "", ifelse(name %in% names(columns), columns[name], name))
  value <- sub(".*=", "", word)
  argument <- vapply(name, function(x) deparse(as.name(x), backtick = TRUE), "")
  column <- ifelse(make.names(name) == name, paste0("table$", name), sprintf("table[[%s]]", vapply(name, deparse, "")))
  codes <- vapply(strsplit(value, ","), function(x) paste(deparse(x), collapse = ""), "")
  is_typed <- "type" %in% kind
  read <- if ("decimal" %in% kind) sprintf("sub(\",\", \".\", %s, fixed = TRUE)", column) else column
  lines <- c(sprintf("is.na(%s) <- %s %%in%% %s", column, column, codes)[kind == "null-values"],
    if (is_typed) paste(column, "<-", mapply(gsub, "%s", read, of_type[value], fixed = TRUE))[kind == "type"])
  paste(c(
    if (is_typed) paste(paste(lines, collapse = "; "), "in all tables"),
    if (!is_typed) sprintf("null_values = list(%s = %s)", argument, codes)[kind == "null-values"],
    sprintf("bins = list(%s = %s)", argument, value)[kind == "bin"]
  ), collapse = " and ")
}

# A message with R's arguments, lines and names of columns in place of options, Python and the names that the program was given.
in_r <- function(text, columns = NULL) {
  of_python <- c(
    " Try `[^`]*`[.]", " For all levels see compare_levels[.]", ", as with table\\[.*?[.]map\\(\\{code: label\\}\\) in Python",
    "; where it is no CSV file, .*? in Python in place of \\S*decimal`?", "change [^:;]*: in Python [^;]*; or ", "in Python .*?, (?=in R )"
  )
  for (of in of_python) text <- gsub(paste0("(?s)", gsub(" ", "\\\\s+", of)), "", text, perl = TRUE)  # a text of several lines, too
  text <- gsub("'--(bin|null-values|type)=", "--\\1 '", text)
  found <- gregexpr(sprintf("%s(?:\\s+%s)*", remedy, remedy), text, perl = TRUE)
  regmatches(text, found) <- lapply(regmatches(text, found), vapply, remedy_in_r, "", columns = columns)
  for (name in names(columns)) text <- gsub(sprintf("'%s'", name), sprintf("'%s'", columns[[name]]), text, fixed = TRUE)
  for (i in 1:2) text <- gsub("(--[a-z_]+)-([a-z])", "\\1_\\2", text)
  gsub("--([[:alpha:]]\\w*([.]\\w+)*)", "`\\1`", text)
}

# JSON has no infinite numbers; capstats writes "infinite".
infinite <- function(x) {
  if (is.list(x)) {
    x[] <- lapply(x, infinite)
    return(x)
  }
  is_number <- is.character(x) && any(x %in% "infinite") && !anyNA(suppressWarnings(as.numeric(x[!is.na(x) & x != "infinite"])))
  if (is_number) as.numeric(sub("infinite", "Inf", x)) else x
}
