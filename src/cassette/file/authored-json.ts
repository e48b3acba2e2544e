// Files that people write and that decide what is compared: strict JSON, and whatever is wrong with the text is wrong with the
// file that it belongs to, since no cassette was refused.

import { defined } from "../../core/index.js";
import { CassetteError, type CassetteErrorCode } from "../errors.js";
import { parseStrictJson } from "./json.js";

/** What such a file is called in messages, and the code of one that cannot be meant. */
export interface SettingsOptions {
  what: string;
  code: CassetteErrorCode;
  hint: string;
  maxBytes: number;
  file?: string;
}

/** The value of the text. Throws `CassetteError` with the code that was given. */
export function parseSettings(input: string | Uint8Array, options: SettingsOptions): unknown {
  const { what, code, hint, maxBytes, file } = options;
  const place = defined({ file });
  try {
    return parseStrictJson(input, { ...place, maxBytes });
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    throw new CassetteError(code, `the ${what} cannot be read: ${error.summary}`, {
      cause: error,
      hint: error.hint ?? hint,
      ...place,
    });
  }
}
