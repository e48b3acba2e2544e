// docs/trust.md names limits. Each is compared with the constant in the code, so that neither can change without the other.

import { readFileSync } from "node:fs";
import { constants } from "node:buffer";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  DEFAULT_MAX_FILE_BYTES,
  MAX_ENVELOPE_BYTES,
  MAX_RECORDING_CHARACTERS,
  MAX_SIGNATURES,
  MAX_STREAM_PIECES,
  MAX_UNPACKED_RATIO,
} from "../src/cassette/limits.js";
import { FREE_LOG_BYTES, MAX_ARCHIVE_HEAD_BYTES, MAX_IMPORTED_RECORDS, MAX_RECEIPTS_BYTES } from "../src/cli/limits.js";
import {
  DEFAULT_MAX_RESPONSE_BYTES,
  DEFAULT_MAX_STREAM_BYTES,
  MAX_ARGUMENT_CHARACTERS,
  MAX_ARGUMENT_DEPTH,
  MAX_ARGUMENT_VALUES,
  MAX_JSON_DEPTH,
  MAX_RECEIPT_FINDINGS,
  MAX_RESULT_CHARACTERS,
} from "../src/core/limits.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const page = readFileSync(`${root}docs/trust.md`, "utf8");

const count = (number: number) => number.toLocaleString("en-US");
const size = (bytes: number) => (bytes % 2 ** 30 === 0 ? `${bytes / 2 ** 30} GiB` : `${bytes / 2 ** 20} MiB`);

const LIMITS: Record<string, string> = {
  "a cassette, a bundle, a lock, a trust list": size(DEFAULT_MAX_FILE_BYTES),
  "nesting of any JSON that is read": `${MAX_JSON_DEPTH} levels`,
  "an envelope of signatures": size(MAX_ENVELOPE_BYTES),
  "signatures in an envelope": count(MAX_SIGNATURES),
  "a file of receipts": size(MAX_RECEIPTS_BYTES),
  "findings listed for a chain of receipts": count(MAX_RECEIPT_FINDINGS),
  // The most characters that a text of Node.js holds; some versions hold a few less.
  "a log to import, gunzipped or unzipped": `${Math.round(constants.MAX_STRING_LENGTH / 2 ** 20)} Mi characters`,
  "the head of an `.eval` log": size(MAX_ARCHIVE_HEAD_BYTES),
  "unpacked size of a gzipped log that is always accepted": size(FREE_LOG_BYTES),
  "largest unpacked size of any other gzipped log, as a multiple of its size": count(MAX_UNPACKED_RATIO),
  "records of a log": count(MAX_IMPORTED_RECORDS),
  "bodies of one recording of HTTP together": `${MAX_RECORDING_CHARACTERS / 2 ** 20} Mi characters`,
  "pieces of a recorded stream, of one answer": `${count(MAX_STREAM_PIECES)}, and one more for each of its texts`,
  "an answer of a vendor": size(DEFAULT_MAX_RESPONSE_BYTES),
  "a streamed answer": size(DEFAULT_MAX_STREAM_BYTES),
  "arguments of a tool call": `${count(MAX_ARGUMENT_CHARACTERS)} characters`,
  "values in them": count(MAX_ARGUMENT_VALUES),
  "nesting of them": `${MAX_ARGUMENT_DEPTH} levels`,
  "a tool's result, as the model gets it": `${count(MAX_RESULT_CHARACTERS)} characters`,
};

it("the limits on the page are those of the code, all of them and no other", () => {
  const table = page.slice(page.indexOf("| what | limit |")).split("\n\n")[0] ?? "";
  const rows = table
    .split("\n")
    .slice(2)
    .map((row) => row.split("|").map((cell) => cell.trim()));
  expect(Object.fromEntries(rows.map(([, what, limit]) => [what, limit]))).toEqual(LIMITS);
});

it("the page is linked in the README, and reporting is where hosts look for it", () => {
  expect(readFileSync(`${root}README.md`, "utf8")).toContain("(docs/trust.md)");
  expect(readFileSync(`${root}SECURITY.md`, "utf8")).toContain("## Reporting a vulnerability");
});
