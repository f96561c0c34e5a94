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
run <- function(command, folder, files, options = list()) {
  out <- file.path(folder, "found.json")
  err <- file.path(folder, "messages")
  arguments <- c(command, shQuote(files), flags(options), "--json", shQuote(out))
  text <- suppressWarnings(system2(program(), arguments, stdout = TRUE, stderr = err, env = surroundings()))
  status <- attr(text, "status")
  said <- in_r(sub("^capstats( [a-z]+)*: ", "", readLines(err, encoding = "UTF-8", warn = FALSE)))
  if (isTRUE(status > 1) || !file.exists(out)) stop(paste(said, collapse = "\n"), call. = FALSE)
  found <- infinite(jsonlite::read_json(out, simplifyVector = TRUE, bigint_as_char = TRUE))
  for (text_of in unlist(found$warnings)) warning(in_r(text_of), call. = FALSE)
  others <- said[!startsWith(said, "warning: ")]
  if (length(others)) warning(paste(others, collapse = "\n"), call. = FALSE)
  found$text <- `Encoding<-`(as.vector(text), "UTF-8")
  found
}

# A message with the names of R's arguments in place of options.
in_r <- function(text) {
  text <- gsub(" Try `[^`]*`[.]", "", gsub("in Python .*?, in R ", "in R ", text, perl = TRUE))
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
