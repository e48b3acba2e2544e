// Values of callers as text in the tables. A codec may encrypt them. Ids and keys stay readable.

import { ownStoredValue, parseBoundedJson, storeFailed, thrownText, type JsonValue } from "../../core/index.js";

/** Transforms the text of each value before it is stored, for example to encrypt it. Ids, keys and times are stored unchanged. */
export interface ValueCodec {
  /** Identifies the format. A database that was written with another codec is refused. */
  readonly id: string;
  encode(text: string): string | Promise<string>;
  decode(text: string): string | Promise<string>;
}

/** The id of a database without a codec. */
export const PLAIN_ID = "plain";

export interface Values {
  /** Throws `store-failed` for a value that is not plain JSON or is too large. */
  toText(what: string, value: unknown, maxBytes?: number): Promise<string>;
  toValue(what: string, text: string): Promise<JsonValue>;
}

export function createValues(codec: ValueCodec | undefined): Values {
  return {
    async toText(what, value, maxBytes) {
      const text = JSON.stringify(ownStoredValue(what, value, maxBytes));
      return codec === undefined ? text : attempt(what, "encode", () => codec.encode(text));
    },
    async toValue(what, stored) {
      const text = codec === undefined ? stored : await attempt(what, "decode", () => codec.decode(stored));
      try {
        return parseBoundedJson(text) as JsonValue;
      } catch (error) {
        throw storeFailed(`${what} is not JSON`, "Something else has changed the database.", { cause: error });
      }
    },
  };
}

async function attempt(what: string, verb: "encode" | "decode", work: () => string | Promise<string>): Promise<string> {
  let text: unknown;
  try {
    text = await work();
  } catch (error) {
    throw storeFailed(
      `the codec cannot ${verb} ${what}: ${thrownText(error)}`,
      "Check the key and the code of the codec.",
      { cause: error },
    );
  }
  if (typeof text === "string") return text;
  throw storeFailed(`${verb} of the codec returned ${typeof text} for ${what}`, "Return a string.");
}
