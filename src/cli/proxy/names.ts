// Names the cassettes of a proxy in their folder: by the header that also selects one when serving, else by the first words of the
// user.

import { CASSETTE_SUFFIX, type CassetteV2, type Finder } from "../../cassette/index.js";
import { isDeviceName, type UserMessage } from "../../core/index.js";
import { PIN_HEADER, slugOf, type Refusal } from "../../harness/index.js";
import type { HttpRequest } from "../../host/index.js";
import { MAX_GIVEN_NAME_BYTES, MAX_NAME_TEXT_CHARACTERS } from "../limits.js";

/** Matches names that some system does not allow (Microsoft: "Naming Files, Paths, and Namespaces"), and hidden files. */
const NOT_A_NAME = /[\\/:*?"<>|\p{Cc}\p{Cs}]|^\.|[. ]$|^ /u;

/** Invisible characters and those that change the direction of text, except the joiners, which some scripts need. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cf}\u2028\u2029]/u;

/**
 * The name that a client gives its recording, percent-decoded, or why it cannot be a file name. A name must not contain a secret,
 * because a listing of the folder shows it.
 */
export function readGivenName({ headers }: HttpRequest, findSecrets: Finder): { name?: string } | { refusal: Refusal } {
  const value = headers[PIN_HEADER];
  if (typeof value !== "string" || value === "") return {};
  const decoded = decode(value);
  const name = decoded.endsWith(CASSETTE_SUFFIX) ? decoded.slice(0, -CASSETTE_SUFFIX.length) : decoded;
  if (findSecrets(name).length > 0) {
    return invalidName(`${PIN_HEADER} contains text that looks like a secret. Use a name such as "weather"`);
  }
  const isName =
    name !== "" &&
    !NOT_A_NAME.test(name) &&
    !isDeviceName(name) &&
    !INVISIBLE.test(name) &&
    Buffer.byteLength(name) <= MAX_GIVEN_NAME_BYTES;
  if (isName) return { name };
  const what = `${PIN_HEADER} is ${JSON.stringify(decoded)}, which cannot be a file name`;
  return invalidName(`${what}. Use a name without a folder, such as "weather"`);
}

function invalidName(message: string): { refusal: Refusal } {
  return { refusal: { status: 400, code: "invalid-name", message } };
}

/** Makes a name such as "how-many-sparrows-are-left". Undefined without words of the user. The cassette is redacted already. */
export function nameOfPrompt({ entries }: CassetteV2): string | undefined {
  const message = entries[0]?.prompt?.messages.find(({ role }) => role === "user");
  if (message?.role !== "user") return undefined;
  const text = firstWords(textOf(message.content).trim());
  return /[\p{L}\p{N}]/u.test(text) ? slugOf(text) : undefined;
}

/** Cuts at the end of a word, if there is one. */
function firstWords(text: string): string {
  if (text.length <= MAX_NAME_TEXT_CHARACTERS) return text;
  const start = text.slice(0, MAX_NAME_TEXT_CHARACTERS + 1).toWellFormed();
  const end = start.search(/\s+\S*$/);
  return end > 0 ? start.slice(0, end) : start.slice(0, MAX_NAME_TEXT_CHARACTERS).toWellFormed();
}

function textOf(content: UserMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join(" ");
}

function decode(value: string): string {
  try {
    return decodeURI(value);
  } catch {
    return value;
  }
}
