// Names the cassettes of a proxy in their folder: by the header that also selects one when serving, else by the first words of the
// user.

import { CASSETTE_SUFFIX, type CassetteV2, type Finder } from "../../cassette/index.js";
import { isDeviceName, type UserMessage } from "../../core/index.js";
import { PIN_HEADER, slugOf, type Refusal } from "../../harness/index.js";
import type { HttpRequest } from "../../host/index.js";
import { MAX_ADDED_BLOCKS, MAX_GIVEN_NAME_BYTES, MAX_NAME_TEXT_CHARACTERS } from "../limits.js";

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

/**
 * Makes a name such as "how-many-sparrows-are-left" from the last message of the user before the first answer, since earlier ones are
 * often context that the client adds. Undefined without words of the user. The cassette is redacted already.
 */
export function nameOfPrompt({ entries }: CassetteV2): string | undefined {
  const messages = entries[0]?.prompt?.messages.filter((message) => message.role === "user") ?? [];
  const texts = messages.map(({ content }) => textOf(content)).reverse();
  const text = [...texts.map(withoutAddedBlocks), ...texts].find((text) => /[\p{L}\p{N}]/u.test(text));
  return text === undefined ? undefined : slugOf(firstWords(text.trim()));
}

/** Removes blocks such as `<system-reminder>…</system-reminder>`, which coding agents put around the words of the user. */
function withoutAddedBlocks(text: string): string {
  let rest = "";
  let end = 0;
  let count = 0;
  for (const { 0: opening, 1: tag = "", index } of text.matchAll(/<([a-z][\w-]*)>/gi)) {
    if (index < end) continue;
    if (++count > MAX_ADDED_BLOCKS) break;
    const closing = text.indexOf(`</${tag}>`, index + opening.length);
    if (closing === -1) continue;
    rest += `${text.slice(end, index)} `;
    end = closing + tag.length + 3;
  }
  return rest + text.slice(end);
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
