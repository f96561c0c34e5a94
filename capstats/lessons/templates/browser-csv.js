// CSV by the rules of capstats (sources/csv_rules.py), from the bytes of a file, a few megabytes at a time. This runs in a worker.

const QUOTE = 34;
const FEED = 10;
const RETURN = 13;
const MARK = [0xef, 0xbb, 0xbf]; // of the order of bytes
const ENDED = 0; // after each field of a row; no text has this byte
const ABSENT = 0xff; // in place of an empty field without quotes, which is missing; UTF-8 does not have this byte
const SLICE = 1 << 22; // bytes that are read at a time
const LONGEST_HEADER = 1 << 22;
const LONGEST_RECORD = 1 << 26;
const MOST_COLUMNS = 100_000;
const ENDINGS = [".csv", ".tsv", ".txt"];
const AS_CSV = "as CSV in UTF-8 (in Excel: File, Save As, CSV UTF-8)";
const REPAIR = "Repair the file, and choose it again.";
const OTHERS = { // by ending, and by first bytes
  "an Excel file": [".xlsx", ".xlsm", ".xlsb", ".xls", "\xd0\xcf\x11\xe0"],
  "a Parquet file": [".parquet", ".pq", ".parq", "PAR1\x15"],
  "an Arrow file": [".feather", ".arrow", "ARROW1\0"],
  "a Stata file": [".dta", "<stata_dta><"],
  "an SPSS file": [".sav", ".zsav", ".por", "$FL2@(#)", "$FL3@(#)"],
  "a SAS file": [".sas7bdat", ".xpt"],
  "compressed with gzip": [".gz", "\x1f\x8b"],
  "compressed with bzip2": [".bz2", "BZh91AY&SY"],
  "compressed with xz": [".xz", "\xfd7zXZ"],
  "a zip archive, as an Excel file is, too": [".zip", "PK\x03\x04"],
};

/** Why there are no numbers, and what helps. */
class Refused extends Error {}

/** A part of a file as bytes. */
const bytesOf = async (file, from, to) => new Uint8Array(await file.slice(from, to).arrayBuffer());

/** The separator of a text: of comma, tab, semicolon and bar that which occurs most often in its first record outside of quotes. */
function separatorOf(text, end) {
  const found = new Map([44, 9, 59, 124].map((separator) => [separator, 0]));
  for (let p = 0; p < end && text[p] !== FEED && text[p] !== RETURN; p += 1) {
    if (text[p] === QUOTE && (p === 0 || found.has(text[p - 1]))) {
      let q = p + 1;
      while (q < end && (text[q] !== QUOTE || text[q + 1] === QUOTE)) q += text[q] === QUOTE ? 2 : 1;
      if (q < end) p = q;
    } else if (found.has(text[p])) found.set(text[p], found.get(text[p]) + 1);
  }
  return [...found].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/** Records of a text, one after the other: where the fields of the last one lie, as written. */
class Records {
  constructor(separator, line = 1) {
    Object.assign(this, { separator, line, fields: 0, from: new Int32Array(64), to: new Int32Array(64) });
  }

  /** Where the record at `p` ends, with its line; -1 where the text ends before it does. The byte at `end`, after the text, is a line feed. */
  next(text, p, end, isLast) {
    const { separator } = this;
    let { from, to } = this;
    let lines = 1;
    let field = 0;
    for (;;) {
      let q = p;
      if (text[p] === QUOTE && p < end) {
        const opened = lines;
        for (q += 1; q < end && (text[q] !== QUOTE || text[q + 1] === QUOTE); q += 1) {
          if (text[q] === QUOTE) q += 1;
          else if (text[q] === FEED || (text[q] === RETURN && text[q + 1] !== FEED)) lines += 1;
        }
        if (q + 1 >= end && !isLast) return -1;
        if (q >= end) {
          throw new Refused(`line ${this.line + opened - 1}, field ${field + 1}: its quote is not closed before the end of the file. ${REPAIR}`);
        }
        q += 1;
        if (q < end && text[q] !== separator && text[q] !== FEED && text[q] !== RETURN) {
          throw new Refused(`line ${this.line + lines - 1}, field ${field + 1}: text follows the closing quote. ${REPAIR}`);
        }
      } else {
        let sign = text[q];
        while (sign !== separator && sign !== FEED && sign !== RETURN) sign = text[(q += 1)];
      }
      if (q >= end && !isLast) return -1;
      if (field === from.length) {
        from = this.from = grown(from);
        to = this.to = grown(to);
      }
      from[field] = p;
      to[field] = q;
      field += 1;
      if (q < end && text[q] === separator) {
        p = q + 1;
        continue;
      }
      const after = this.after(text, q, end, isLast);
      if (after < 0) return -1;
      this.fields = field;
      this.lines = lines;
      return after;
    }
  }

  /** What follows the end of a line at `q`; -1 where it may go on in the text to come. */
  after(text, q, end, isLast) {
    if (q >= end) return end;
    if (text[q] === FEED) return q + 1;
    if (q + 1 === end) return isLast ? end : -1;
    return text[q + 1] === FEED ? q + 2 : q + 1;
  }
}

function grown(array, least = 0) {
  const found = new array.constructor(Math.max(2 * array.length, least));
  found.set(array);
  return found;
}

const SAID = /^sep=([,\t;|])(?:\r\n|[\r\n])/i; // Excel's word for the separator, as a line of its own

/** The names of the columns, the separator, and where the records begin: the byte, and the line. */
async function readHeader(file) {
  const start = await opened(file);
  for (let size = 1 << 16; ; size *= 4) {
    const isLast = start + size >= file.size;
    const whole = await bytesOf(file, start, start + size);
    const said = SAID.exec(String.fromCharCode(...whole.subarray(0, 8)));
    const before = said ? said[0].length : 0;
    const held = whole.subarray(before);
    const text = grown(held, held.length + 1);
    text[held.length] = FEED;
    const separator = said ? said[1].charCodeAt(0) : file.name.toLowerCase().endsWith(".tsv") ? 9 : separatorOf(text, held.length);
    const records = new Records(separator);
    const isEmpty = held.length === 0 || text[0] === FEED || text[0] === RETURN;
    const end = isEmpty ? 0 : records.next(text, 0, held.length, isLast);
    if (end >= 0) {
      const names = Array.from({ length: records.fields }, (_, i) => valueOf(text, records.from[i], records.to[i]) ?? "");
      if (names.length > MOST_COLUMNS) throw new Refused("its header names more than 100,000 columns. Keep those that are needed, in a file of their own.");
      if (!names.some((name) => name !== "")) throw new Refused("it has no header row. Add one: its first line must name the columns.");
      return { names, separator, start: start + before + end, line: 1 + Number(before > 0) + records.lines };
    }
    if (size >= LONGEST_HEADER) throw new Refused(`its header is longer than 4 MB; perhaps line 1 has a quote that is not closed. ${REPAIR}`);
  }
}

/** Where the text of a file begins, behind a mark; files of other kinds are refused. */
async function opened(file) {
  const name = file.name.toLowerCase();
  const head = await bytesOf(file, 0, 16);
  const first = String.fromCharCode(...head);
  for (const [kind, signs] of Object.entries(OTHERS)) {
    if (signs.some((sign) => (sign.startsWith(".") ? name.endsWith(sign) : first.startsWith(sign)))) {
      throw new Refused(`it is ${kind}, and this page reads CSV only. Save it ${AS_CSV}; or install capstats, which reads more formats.`);
    }
  }
  if (!ENDINGS.some((ending) => name.endsWith(ending))) {
    throw new Refused(`its name does not end in ${ENDINGS.join(", ")}, which are the files that this page reads. Rename it if it is CSV.`);
  }
  return MARK.every((byte, i) => head[i] === byte) ? 3 : 0;
}

/** The text of a field; null where it is missing. */
function valueOf(text, from, to) {
  const bytes = text.subarray(from, to);
  if (bytes.includes(0)) throw notText(1, "it holds a zero byte, as UTF-16 does");
  try {
    const value = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value || null;
  } catch {
    throw notText(1, "it may be cp1252 or UTF-16");
  }
}

const notText = (line, why) => new Refused(`line ${line} is not UTF-8: ${why}. Save the file ${AS_CSV}.`);

/**
 * Give each record of a file to `sink.add(row, length, hash)`: the values of the wanted columns in turn, each with ENDED behind it. The row is
 * the same array each time. `progress(bytes)` is called now and then. Returns the sink.
 */
async function readRecords(file, wanted, sink, progress) {
  const { names, separator, start, line } = await readHeader(file);
  const places = wanted.map((name) => names.indexOf(name));
  const records = new Records(separator, line);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let row = new Uint8Array(1 << 16);
  let text = new Uint8Array(2 * SLICE);
  let held = 0; // bytes of a record that is not whole
  let following = bytesOf(file, start, start + SLICE);
  for (let at = start, isLast = false; !isLast; ) {
    const part = await following;
    at += part.length;
    isLast = at >= file.size || part.length === 0;
    if (!isLast) following = bytesOf(file, at, at + Math.max(SLICE, held)); // twice as much, not to begin a long record too often
    if (text.length <= held + part.length) text = grown(text, held + part.length + 1);
    text.set(part, held);
    const end = held + part.length;
    text[end] = FEED;
    checkText(decoder, part, isLast, records.line, text, held);
    let p = 0;
    while (p < end) {
      if (text[p] === FEED || text[p] === RETURN) { // an empty line is no record
        const after = records.after(text, p, end, isLast);
        if (after < 0) break;
        records.line += 1;
        p = after;
        continue;
      }
      const after = records.next(text, p, end, isLast);
      if (after < 0) break;
      if (records.fields !== names.length) throw ragged(records, names.length);
      if (after - p >= row.length - 2 * places.length) row = grown(row, after - p + 2 * places.length + 1);
      let length = 0;
      let hash = 0x811c9dc5;
      for (const place of places) {
        let q = records.from[place];
        let to = records.to[place];
        const begun = length;
        if (q === to) row[length++] = ABSENT;
        else if (text[q] === QUOTE) {
          for (q += 1, to -= 1; q < to; q += 1) {
            row[length++] = text[q];
            if (text[q] === QUOTE) q += 1;
          }
        } else while (q < to) row[length++] = text[q++];
        row[length++] = ENDED;
        for (let i = begun; i < length; i += 1) hash = Math.imul(hash ^ row[i], 0x01000193);
      }
      sink.add(row, length, hash);
      records.line += records.lines;
      p = after;
    }
    held = end - p;
    if (held > LONGEST_RECORD) throw new Refused(`line ${records.line}: the record is longer than 64 MB; perhaps a quote is not closed. ${REPAIR}`);
    text.copyWithin(0, p, end);
    progress(at);
  }
  await bytesOf(file, 0, 1); // fails where the file was changed in the meantime
  if (sink.size === 0) throw new Refused("it is empty: it has no record below its header.");
  return sink;
}

/** Raise where the bytes that were read last, at `held` of the text, are not UTF-8 or hold a zero byte; `line` is that of the text. */
function checkText(decoder, part, isLast, line, text, held) {
  let good = part.indexOf(0); // bytes before the wrong one
  const why = good < 0 ? "it may be cp1252" : "it holds a zero byte, as UTF-16 does";
  try {
    decoder.decode(part, { stream: !isLast });
    if (good < 0) return;
  } catch {
    if (good < 0) good = 0;
    for (let bad = part.length; bad - good > 1; ) { // by halving
      const half = (good + bad) >> 1;
      if (isGood(text.subarray(Math.max(0, held - 3), held + half))) good = half;
      else bad = half;
    }
  }
  for (let i = 0; i < held + good; i += 1) line += text[i] === FEED || (text[i] === RETURN && text[i + 1] !== FEED) ? 1 : 0;
  throw notText(line, why);
}

/** Whether bytes are UTF-8, but for a letter that they begin or end within. */
function isGood(bytes) {
  let from = 0;
  while (from < 3 && (bytes[from] & 0xc0) === 0x80) from += 1;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(from), { stream: true });
    return true;
  } catch {
    return false;
  }
}

function ragged({ line, fields }, length) {
  const place = `field ${Math.min(fields, length) + 1} is ${fields < length ? "missing" : "one too many"}`;
  return new Refused(`line ${line}: the record has ${fields} field${fields > 1 ? "s" : ""}, the header has ${length}; ${place}. ${REPAIR}`);
}
