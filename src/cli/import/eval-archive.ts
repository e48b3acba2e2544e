// An `.eval` log of Inspect AI: a zip (APPNOTE 6.3) of JSON members, one for each epoch of each sample. Made into the JSON
// Lines text of the same log, one line for each sample; nothing of the archive touches the disk.

import { constants } from "node:buffer";
import { crc32 } from "node:zlib";
import { unzipSync, type UnzipFileInfo } from "fflate";
import { parseBoundedJson, thrownText } from "../../core/index.js";
import { CliError } from "../errors.js";
import { readChecksums } from "./zip-directory.js";

/** What an archive may hold: members, and bytes of those that are read once they are unpacked. */
export interface ArchiveLimits {
  maxMembers: number;
  maxBytes: number;
  /** What the archive may grow to in any case, and how many times its own size beyond that. */
  freeBytes: number;
  maxRatio: number;
  /** Characters of the text that is made of it: what a text can hold, unless a test says less. */
  maxCharacters?: number;
}

/** `header.json` is written at the end; a log that broke off has what it began with. */
const HEADS = ["header.json", "_journal/start.json"];
const SAMPLE = /^samples\/[^/]+\.json$/;

const AGAIN = "Fetch or write it again.";
const SPLIT = "Split it into logs of fewer samples.";

/** The characters that a line has around its head and its sample. */
const AROUND_SAMPLE = ',"samples":[]}\n'.length;

/** A head has some thousand; this many bytes of tiny values still fit into memory once they are read. */
export const MAX_HEAD_BYTES = 16 * 1024 * 1024;

const STORED = 0;
const DEFLATED = 8;
const ZSTANDARD = 93;

/** APPNOTE 4.3.7: a zip begins with the header of its first member, an empty one with the end record. */
export function isZip(bytes: Uint8Array): boolean {
  return (
    bytes[0] === 0x50 && bytes[1] === 0x4b && ((bytes[2] === 3 && bytes[3] === 4) || (bytes[2] === 5 && bytes[3] === 6))
  );
}

/** The log as text. Throws {@link CliError}: `log-too-large` beyond a limit, `log-unreadable` for what is no such archive. */
export function readEvalArchive(bytes: Uint8Array, path: string, limits: ArchiveLimits): string {
  const members = unpack(bytes, path, limits);
  const head = HEADS.flatMap((name) => members.get(name) ?? [])[0];
  if (head === undefined) {
    throw unreadable(
      path,
      "is a zip, but holds no header.json as an .eval log does",
      "Unpack it, and import what is in it.",
    );
  }
  if (head.length > MAX_HEAD_BYTES) throw tooLarge(path, `has a head of more than ${MAX_HEAD_BYTES} bytes`);
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
    if (length > maxCharacters) throw tooLarge(path, "holds more samples than one text can hold", SPLIT);
    lines.push(`${front},"samples":[${sample}]}\n`);
  }
  return lines.join("");
}

type Member = [name: string, bytes: Uint8Array];

/** In the order of a .json log: by epoch, then by sample. */
function bySample([a]: Member, [b]: Member): number {
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
      if (expected.has(info.name)) throw unreadable(path, `holds ${JSON.stringify(info.name)} twice`, AGAIN);
      expected.set(info.name, checksum);
      return true;
    };
    const members = new Map(Object.entries(unzipSync(bytes, { filter })));
    for (const [name, member] of members) {
      if (crc32(member) !== expected.get(name)) {
        throw unreadable(path, `holds ${JSON.stringify(name)}, which is damaged: its CRC-32 does not fit`, AGAIN);
      }
    }
    return members;
  } catch (error) {
    if (error instanceof CliError) throw error;
    const why = thrownText(error);
    throw unreadable(path, `cannot be unzipped: ${why}`, AGAIN);
  }
}

/** Sees each member before it is unpacked, takes those of a log, and refuses what no log is. */
function createGuard(size: number, path: string, limits: ArchiveLimits): (info: UnzipFileInfo) => boolean {
  const { maxMembers, maxBytes, freeBytes, maxRatio } = limits;
  const maxGrown = Math.max(freeBytes, size * maxRatio);
  let members = 0;
  let total = 0;
  return ({ name, compression, originalSize }) => {
    if (++members > maxMembers) throw tooLarge(path, `holds more than ${maxMembers} members`);
    if (name.split(/[\\/]/).includes("..") || /^([\\/]|[A-Za-z]:)/.test(name)) {
      throw unreadable(path, `holds a member named ${JSON.stringify(name)}, which leads out of it`, "Do not trust it.");
    }
    if (!HEADS.includes(name) && !SAMPLE.test(name)) return false;
    if (compression === ZSTANDARD) {
      const hint = "Write it again as .json or with deflate: inspect log convert --to json.";
      throw unreadable(path, `holds ${JSON.stringify(name)} in Zstandard (method 93), which is not read`, hint);
    }
    if (compression !== STORED && compression !== DEFLATED) {
      throw unreadable(
        path,
        `holds ${JSON.stringify(name)} in method ${compression}, which is not read`,
        "Write it again.",
      );
    }
    total += originalSize;
    if (total > maxBytes) throw tooLarge(path, `has more than the limit of ${maxBytes} bytes when unzipped`);
    if (total > maxGrown) {
      throw tooLarge(
        path,
        `grows beyond ${freeBytes} bytes and ${maxRatio} times its size when unzipped, which no log does`,
      );
    }
    return true;
  };
}

interface LogHead {
  version?: unknown;
  status?: unknown;
  eval?: unknown;
}

function parseHead(text: string, path: string): LogHead {
  try {
    const value = parseBoundedJson(text);
    if (typeof value === "object" && value !== null) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw unreadable(path, "has a head that is no JSON object", AGAIN);
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_STRING_TOO_LONG") {
      throw tooLarge(path, `has a member of ${bytes.length} bytes, more than one text can hold`);
    }
    throw unreadable(path, "has a member that is not UTF-8 text", AGAIN);
  }
}

function unreadable(path: string, what: string, hint: string): CliError {
  return new CliError("log-unreadable", `${path} ${what}`, hint, path);
}

function tooLarge(path: string, what: string, hint = "If it is a log all the same, convert it to JSON."): CliError {
  return new CliError("log-too-large", `${path} ${what}`, hint, path);
}
