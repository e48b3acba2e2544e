// Removes secrets from an imported run, as a recorder would have. Tools and settings are scrubbed first, then the prompt, then
// the answer, and exchanges last. A run without secrets stays the same object.

import { defined, hashJson, seal, type JsonObject, type LlmMessage } from "../../core/index.js";
import { buildCassette, type BuiltTurn } from "../file/build.js";
import { rewriteExchange, type ExchangeReading } from "../exchange/read.js";
import type { CassetteV2, ContextExtension } from "../file/format.js";
import { createPromptReader } from "../prompt/reader.js";
import { readHashFilter } from "../prompt/hash-filters.js";
import type { RecordingOptions } from "../record/recorder.js";
import { createRedactor, type Redactor } from "../redact/redactor.js";
import type { ImportExtension } from "./cassette.js";

/** Gives the cassette that a recorder with these options writes. Throws `invalid-options`. */
export function redactImported(
  cassette: CassetteV2,
  { redact, hashFilter }: Pick<RecordingOptions, "redact" | "hashFilter">,
): CassetteV2 {
  const redactor = createRedactor(redact);
  const { filter, noted: filters } = readHashFilter(hashFilter);
  const { version, entries, envelopeHash, extensions = {}, ...head } = cassette;
  const noted = extensions.contexts ?? [];
  const prompts = createPromptReader({ scrub: redactor.messages, ...defined({ filter }) });
  const messages: LlmMessage[] = [];
  const contexts: ContextExtension[] = [];
  const turns = entries.map(({ turnIndex, promptHash, prompt, response }): BuiltTurn => {
    for (const context of noted) if (context.fromTurn === turnIndex) contexts.push(cleanContext(context, redactor));
    if (prompt === undefined) return { promptHash, response: redactor.response(seal(response)) };
    messages.length = prompt.keep;
    for (const message of prompt.messages) messages.push(seal(message));
    prompts.begin(messages);
    const { keep, promptHash: hash } = prompts.next();
    const delta = { keep, messages: prompts.since(keep) };
    return { promptHash: hash, prompt: delta, response: redactor.response(seal(response)) };
  });
  const reading: ExchangeReading = { scrub: (value) => redactor.json(value), filter };
  const exchanges = extensions.exchanges?.map((exchange) => rewriteExchange(exchange, reading));
  const facts = cleanFacts(extensions["import"] as ImportExtension, redactor);
  const redacted = redactor.used();
  if (redacted.length === 0 && filter === undefined) return cassette;
  const cleaned = {
    ...extensions,
    ...filters,
    ...(redacted.length === 0 ? {} : { redacted }),
    ...(contexts.length === 0 ? {} : { contexts }),
    ...defined({ exchanges }),
    import: facts as unknown as JsonObject,
  };
  return buildCassette({ ...head, extensions: cleaned }, turns);
}

function cleanContext(context: ContextExtension, redactor: Redactor): ContextExtension {
  const { tools, settings, ...rest } = context;
  const clean: ContextExtension = { ...rest };
  if (tools !== undefined) {
    clean.tools = redactor.json(tools);
    clean.toolsHash = hashJson(clean.tools);
  }
  if (settings !== undefined) {
    clean.settings = redactor.json(settings);
    clean.settingsHash = hashJson(clean.settings);
  }
  return clean;
}

/** Scrubs what the log tells about the run besides its turns. Its source and its names stay. */
function cleanFacts(facts: ImportExtension, redactor: Redactor): ImportExtension {
  const { outcome, expected, session, trailing } = facts;
  return {
    ...facts,
    ...defined({
      outcome: outcome && redactor.json(outcome),
      expected: expected && redactor.json(expected),
      session: session && redactor.json(session),
      trailing: trailing && redactor.messages(trailing.map((each) => seal(each))),
    }),
  };
}
