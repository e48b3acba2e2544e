// Reads a price file: a JSON object of model names, each with its prices. Unknown fields are refused, since a misspelled price would be
// the price of the input.

import {
  defined,
  isPlainObject,
  MAX_RATE,
  showValue,
  toPointer,
  type FilePort,
  type Pricing,
  type Rate,
} from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { parseSettings } from "../file/authored-json.js";
import { readWhole } from "../file/read-bytes.js";
import { MAX_PRICED_MODELS, MAX_PRICES_FILE_BYTES } from "../limits.js";

const HINT =
  'A price file is { "<model>": { "input": 2.5, "output": 10 } }, in USD per million tokens. See docs/cli.md.';
const FIELDS = ["input", "output", "cacheRead", "cacheWrite"] as const;

/** Parses the text of a price file. Throws {@link CassetteError} `prices-malformed` with a JSON pointer. */
export function parsePrices(input: string | Uint8Array, { file }: { file?: string } = {}): Pricing {
  const place = defined({ file });
  const format = { maxBytes: MAX_PRICES_FILE_BYTES, what: "price file", code: "prices-malformed", hint: HINT } as const;
  const refuse = (what: string, path: readonly string[]): never => {
    const pointer = toPointer(path);
    const message = `the price file ${what} (at ${pointer || "the top"})`;
    throw new CassetteError("prices-malformed", message, { pointer, hint: HINT, ...place });
  };
  const value = parseSettings(input, { ...format, ...place });
  if (!isPlainObject(value)) return refuse(`is ${showValue(value)}, not an object`, []);
  const models = Object.entries(value).filter(([model]) => model !== "$schema");
  if (models.length === 0) refuse("names no model", []);
  if (models.length > MAX_PRICED_MODELS) refuse(`names ${models.length} models, more than ${MAX_PRICED_MODELS}`, []);
  return Object.fromEntries(models.map(([model, rate]) => [model, checkRate(model, rate, refuse)]));
}

/** {@link parsePrices} for a file. Also throws `file-not-found`, `file-unreadable` and `too-large`. */
export async function readPrices(files: FilePort, path: string): Promise<Pricing> {
  const missing = "Check the path. docs/cli.md shows a price file.";
  const bytes = await readWhole(files, path, { what: "price file", maxBytes: MAX_PRICES_FILE_BYTES, missing });
  return parsePrices(bytes, { file: path });
}

function checkRate(model: string, rate: unknown, refuse: (what: string, path: readonly string[]) => never): Rate {
  if (model === "") refuse("has a model without a name", [model]);
  if (!isPlainObject(rate)) return refuse(`has the price ${showValue(rate)}, not an object`, [model]);
  const unknown = Object.keys(rate).find((field) => !(FIELDS as readonly string[]).includes(field));
  if (unknown !== undefined) refuse(`has an unknown field. The fields are ${FIELDS.join(", ")}`, [model, unknown]);
  for (const field of FIELDS) {
    const price = rate[field];
    if (price === undefined && field !== "input" && field !== "output") continue;
    if (typeof price !== "number" || price < 0 || price > MAX_RATE) {
      const found = price === undefined ? "lacks the price" : `has the price ${showValue(price)}`;
      refuse(`${found}. It must be a number from 0 to ${MAX_RATE}`, [model, field]);
    }
  }
  return { ...rate } as unknown as Rate;
}
