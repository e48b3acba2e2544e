// An imported run without its secrets, as a recorder would have kept it: a log of another tool holds keys and tokens as its
// conversations do. Tools and settings, then the prompt, then the answer are scrubbed, in this order; a run that holds no secret
// stays the very one it was.

import { hashJson, seal, type JsonObject, type LlmMessage } from "../../core/index.js";
import { buildCassette, type BuiltTurn } from "../file/build.js";
import type { CassetteV2, ContextExtension } from "../file/format.js";
import { createPromptReader } from "../prompt/reader.js";
import type { RedactOption } from "../redact/options.js";
import { createRedactor, type Redactor } from "../redact/redactor.js";
import type { ImportExtension } from "./cassette.js";

/** The cassette as a recorder with this `redact` writes it. Throws `invalid-options`. */
export function redactImported(cassette: CassetteV2, option: RedactOption | undefined): CassetteV2 {
  const redactor = createRedactor(option);
  const { version, entries, envelopeHash, extensions = {}, ...head } = cassette;
  const noted = extensions.contexts ?? [];
  const prompts = createPromptReader({ scrub: redactor.messages });
  const messages: LlmMessage[] = [];
  const contexts: ContextExtension[] = [];
  const turns = entries.map(({ turnIndex, promptHash, prompt, response }): BuiltTurn => {
    for (const context of noted) if (context.fromTurn === turnIndex) contexts.push(cleanContext(context, redactor));
    if (prompt === undefined) return { promptHash, response: redactor.response(seal(response)) };
    messages.length = prompt.keep;
    for (const message of prompt.messages) messages.push(seal(message));
    prompts.begin(messages);
    const { keep, promptHash: hash } = prompts.next();
    return {
      promptHash: hash,
      prompt: { keep, messages: prompts.since(keep) },
      response: redactor.response(seal(response)),
    };
  });
  const facts = cleanFacts(extensions["import"] as ImportExtension, redactor);
  const redacted = redactor.used();
  if (redacted.length === 0) return cassette;
  const cleaned = {
    ...extensions,
    redacted,
    ...(contexts.length === 0 ? {} : { contexts }),
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

/** What the log says beside its turns; where it came from and what it is called stays. */
function cleanFacts(facts: ImportExtension, redactor: Redactor): ImportExtension {
  const { outcome, expected, trailing } = facts;
  return {
    ...facts,
    ...(outcome === undefined ? {} : { outcome: redactor.json(outcome) }),
    ...(expected === undefined ? {} : { expected: redactor.json(expected) }),
    ...(trailing === undefined ? {} : { trailing: redactor.messages(trailing.map((each) => seal(each))) }),
  };
}
