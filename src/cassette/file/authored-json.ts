// Strict JSON files that people write. A malformed text has the code of its file, since no cassette was refused.

import { defined } from "../../core/index.js";
import { CassetteError, type CassetteErrorCode } from "../errors.js";
import { parseStrictJson } from "./json.js";

/** The name of such a file in messages, and the code of a malformed one. */
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
    return parseStrictJson(input, { ...place, maxBytes, remedy: hint });
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    throw new CassetteError(code, `the ${what} cannot be read: ${error.summary}`, {
      cause: error,
      hint: error.hint ?? hint,
      ...place,
    });
  }
}
