// docs/trust.md names limits. Each is compared with the constant in the code, so that neither can change without the other.

import { readFileSync } from "node:fs";
import { constants } from "node:buffer";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { MAX_ENVELOPE_BYTES, MAX_SIGNATURES } from "../src/cassette/trust/dsse-file.js";
import { MAX_RECORDING_CHARACTERS } from "../src/cassette/import/http/plain.js";
import { DEFAULT_MAX_BYTES } from "../src/cassette/file/json.js";
import { MAX_STREAM_PIECES } from "../src/cassette/stream/format.js";
import { MAX_RECORDS } from "../src/cli/import/import.js";
import { MAX_HEAD_BYTES } from "../src/cli/import/eval-archive.js";
import { FREE_BYTES, MAX_RATIO } from "../src/cli/import/read-log.js";
import { MAX_RECEIPTS_BYTES } from "../src/cli/verify/receipts.js";
import { MAX_JSON_DEPTH } from "../src/core/canon/value.js";
import { MAX_RECEIPT_FINDINGS } from "../src/core/receipts/verify.js";
import { DEFAULT_MAX_BODY_BYTES } from "../src/core/http/json-request.js";
import { DEFAULT_MAX_STREAM_BYTES } from "../src/core/http/stream-request.js";
import { MAX_ARGUMENT_DEPTH } from "../src/core/tools/argument-check.js";
import { MAX_ARGUMENT_CHARACTERS, MAX_ARGUMENT_VALUES } from "../src/core/tools/argument-bounds.js";
import { MAX_RESULT_CHARACTERS } from "../src/core/tools/result.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const page = readFileSync(`${root}docs/trust.md`, "utf8");

const count = (number: number) => number.toLocaleString("en-US");
const size = (bytes: number) => (bytes % 2 ** 30 === 0 ? `${bytes / 2 ** 30} GiB` : `${bytes / 2 ** 20} MiB`);

const LIMITS: Record<string, string> = {
  "a cassette, a bundle, a lock, a trust list": size(DEFAULT_MAX_BYTES),
  "nesting of any JSON that is read": `${MAX_JSON_DEPTH} levels`,
  "an envelope of signatures": size(MAX_ENVELOPE_BYTES),
  "signatures in an envelope": count(MAX_SIGNATURES),
  "a file of receipts": size(MAX_RECEIPTS_BYTES),
  "findings listed for a chain of receipts": count(MAX_RECEIPT_FINDINGS),
  // The most characters that a text of Node.js holds; some versions hold a few less.
  "a log to import, gunzipped or unzipped": `${Math.round(constants.MAX_STRING_LENGTH / 2 ** 20)} Mi characters`,
  "the head of an `.eval` log": size(MAX_HEAD_BYTES),
  "what a gzipped log may grow to in any case": size(FREE_BYTES),
  "how many times its size it may grow to beyond that": count(MAX_RATIO),
  "records of a log": count(MAX_RECORDS),
  "bodies of one recording of HTTP together": `${MAX_RECORDING_CHARACTERS / 2 ** 20} Mi characters`,
  "pieces of a recorded stream, of one answer": `${count(MAX_STREAM_PIECES)}, and one more for each of its texts`,
  "an answer of a vendor": size(DEFAULT_MAX_BODY_BYTES),
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
