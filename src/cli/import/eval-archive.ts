// Converts an `.eval` log of Inspect AI, a zip (APPNOTE 6.3) with a JSON member for each epoch of each sample, into the JSON Lines
// text of the same log, one line for each sample. It unpacks in memory only.

import { constants } from "node:buffer";
import { crc32 } from "node:zlib";
import { unzipSync, type UnzipFileInfo } from "fflate";
import { parseBoundedJson, thrownText } from "../../core/index.js";
import { CliError } from "../errors.js";
import { MAX_ARCHIVE_HEAD_BYTES } from "../limits.js";
import { readChecksums } from "./zip-directory.js";

/** Limits of an archive. Bytes count the unpacked members that are read. */
export interface ArchiveLimits {
  maxMembers: number;
  maxBytes: number;
  /** The archive may unpack to this many bytes, or to `maxRatio` times its own size if that is more. */
  freeBytes: number;
  maxRatio: number;
  /** Limit of the resulting text. Default: the limit of a string. */
  maxCharacters?: number;
}

/** `header.json` is written at the end. An interrupted log has only the journal. */
const HEADS = ["header.json", "_journal/start.json"];
const SAMPLE = /^samples\/[^/]+\.json$/;

const AGAIN = "Download or write it again.";
const SPLIT = "Split it into logs with fewer samples.";

/** The characters of a line besides its head and its sample. */
const AROUND_SAMPLE = ',"samples":[]}\n'.length;

const STORED = 0;
const DEFLATED = 8;
const ZSTANDARD = 93;

/** APPNOTE 4.3.7: a zip begins with the header of its first member, an empty one with the end record. */
export function isZip(bytes: Uint8Array): boolean {
  return (
    bytes[0] === 0x50 && bytes[1] === 0x4b && ((bytes[2] === 3 && bytes[3] === 4) || (bytes[2] === 5 && bytes[3] === 6))
  );
}

/** The log as text. Throws {@link CliError}: `log-too-large` beyond a limit, `log-unreadable` for anything but such an archive. */
export function readEvalArchive(bytes: Uint8Array, path: string, limits: ArchiveLimits): string {
  const members = unpack(bytes, path, limits);
  const head = HEADS.flatMap((name) => members.get(name) ?? [])[0];
  if (head === undefined) {
    throw unreadable(path, "is a zip without the header.json of an .eval log", "Unpack it, and import its files.");
  }
  if (head.length > MAX_ARCHIVE_HEAD_BYTES)
    throw tooLarge(path, `has a head of more than ${MAX_ARCHIVE_HEAD_BYTES} bytes`);
  const { version, status, eval: about } = parseHead(decode(head, path), path);
  const front = JSON.stringify({ version, status, eval: about }).slice(0, -1);
  const samples = [...members].filter(([name]) => SAMPLE.test(name)).sort(bySample);
  if (samples.length === 0) return `${front},"samples":[]}\n`;
  const { maxCharacters = constants.MAX_STRING_LENGTH } = limits;
  const lines: string[] = [];
  let length = 0;
  for (const [, text] of samples) {
    // A line break in JSON stands between its tokens, never inside a string (RFC 8259 §7).
    const sample = decode(text, path).replace(/[\r\n]+/g, " ");
    length += front.length + sample.length + AROUND_SAMPLE;
    if (length > maxCharacters) throw tooLarge(path, "has more samples than fit into one string", SPLIT);
    lines.push(`${front},"samples":[${sample}]}\n`);
  }
  return lines.join("");
}

/** Sorts like a .json log: by epoch, then by sample. */
function bySample([a]: [name: string, ...unknown[]], [b]: [name: string, ...unknown[]]): number {
  const [idA, epochA] = nameParts(a);
  const [idB, epochB] = nameParts(b);
  return epochA - epochB || idA.localeCompare(idB, "en", { numeric: true });
}

function nameParts(name: string): [id: string, epoch: number] {
  const [, id = name, epoch = "0"] = /^samples\/(.*)_epoch_(\d+)\.json$/.exec(name) ?? [];
  return [id, Number(epoch)];
}

function unpack(bytes: Uint8Array, path: string, limits: ArchiveLimits): Map<string, Uint8Array> {
  const check = createGuard(bytes.length, path, limits);
  try {
    const checksums = readChecksums(bytes);
    const expected = new Map<string, number | undefined>();
    let index = 0;
    // Called for each member in the order of the directory.
    const filter = (info: UnzipFileInfo): boolean => {
      const checksum = checksums[index++];
      if (!check(info)) return false;
      if (expected.has(info.name)) throw unreadable(path, `contains ${JSON.stringify(info.name)} twice`, AGAIN);
      expected.set(info.name, checksum);
      return true;
    };
    const members = new Map(Object.entries(unzipSync(bytes, { filter })));
    for (const [name, member] of members) {
      if (crc32(member) !== expected.get(name)) {
        throw unreadable(path, `contains a damaged ${JSON.stringify(name)}: its CRC-32 does not match`, AGAIN);
      }
    }
    return members;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw unreadable(path, `cannot be unzipped: ${thrownText(error)}`, AGAIN);
  }
}

/** A filter that is called before each member is unpacked. It selects the members of a log, and refuses what no log contains. */
function createGuard(size: number, path: string, limits: ArchiveLimits): (info: UnzipFileInfo) => boolean {
  const { maxMembers, maxBytes, freeBytes, maxRatio } = limits;
  const maxGrown = Math.max(freeBytes, size * maxRatio);
  let members = 0;
  let total = 0;
  return ({ name, compression, originalSize }) => {
    if (++members > maxMembers) throw tooLarge(path, `has more than ${maxMembers} members`);
    const member = `a member named ${JSON.stringify(name)}`;
    if (name.split(/[\\/]/).includes("..") || /^([\\/]|[A-Za-z]:)/.test(name)) {
      throw unreadable(path, `contains ${member}, a path outside of it`, "Do not trust it.");
    }
    if (!HEADS.includes(name) && !SAMPLE.test(name)) return false;
    if (compression !== STORED && compression !== DEFLATED) {
      const method = compression === ZSTANDARD ? "Zstandard (method 93)" : `method ${compression}`;
      const hint = "Write it again as .json or with deflate: inspect log convert --to json.";
      throw unreadable(path, `contains ${member} in ${method}, which is not supported`, hint);
    }
    total += originalSize;
    if (total > maxBytes) throw tooLarge(path, `has more than the limit of ${maxBytes} bytes when unzipped`);
    if (total <= maxGrown) return true;
    const limit = `${freeBytes} bytes and ${maxRatio} times its size`;
    throw tooLarge(path, `grows beyond ${limit} when unzipped, which no log does`);
  };
}

function parseHead(text: string, path: string): { version?: unknown; status?: unknown; eval?: unknown } {
  try {
    const value = parseBoundedJson(text);
    if (typeof value === "object" && value !== null) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw unreadable(path, "has a head that is not a JSON object", AGAIN);
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_STRING_TOO_LONG") {
      throw tooLarge(path, `has a member of ${bytes.length} bytes, which do not fit into one string`);
    }
    throw unreadable(path, "has a member that is not UTF-8 text", AGAIN);
  }
}

function unreadable(path: string, what: string, hint: string): CliError {
  return new CliError("log-unreadable", `${path} ${what}`, hint, path);
}

function tooLarge(path: string, what: string, hint = "If it is a log, convert it to JSON."): CliError {
  return new CliError("log-too-large", `${path} ${what}`, hint, path);
}
