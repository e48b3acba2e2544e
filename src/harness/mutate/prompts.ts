// Mutants of prompts: a system or user message, or the result of a tool. A message is changed in the entry that first records it, so
// every later prompt that keeps it changes too.

import { toPointer, type LlmMessage } from "../../core/index.js";
import type { CassetteV2 } from "../../cassette/index.js";
import type { Candidate, Choose, MutantKind } from "./mutant.js";
import { replaceWord, textChanges } from "./text.js";

/** Candidates of the kinds `prompt` and `result`; none for a cassette without prompts. */
export function* promptCandidates(
  { entries }: CassetteV2,
  kinds: ReadonlySet<MutantKind>,
  choose: Choose,
): Generator<Candidate> {
  for (const { turnIndex: turn, prompt } of entries) {
    for (const [index, message] of (prompt?.messages ?? []).entries()) {
      const kind = message.role === "tool" ? "result" : "prompt";
      if (!kinds.has(kind)) continue;
      for (const { path, old, text, what, message: other } of messageChanges(message, `${turn}/${index}`, choose)) {
        yield {
          kind,
          turn,
          pointer: toPointer(["entries", turn, "prompt", "messages", index, ...path]),
          old,
          new: text,
          sentence: `in the prompt of turn ${turn} ${what}`,
          edit: () => ({ part: "message", turn, index, message: other }),
        };
      }
    }
  }
}

interface MessageChange {
  path: (string | number)[];
  old: string;
  text: string;
  what: string;
  message: LlmMessage;
}

/** A prompt is compared as a whole, so one change per text is enough. Results get every change, because the effects differ. */
function* messageChanges(message: LlmMessage, name: string, choose: Choose): Generator<MessageChange> {
  if (message.role === "assistant") return;
  const isResult = message.role === "tool";
  const subject = isResult ? `the result of ${message.name}` : `the ${message.role} message`;
  const { content } = message;
  if (typeof content === "string") {
    for (const { text, says } of textChanges(content, name, choose).slice(0, isResult ? undefined : 1)) {
      yield {
        path: ["content"],
        old: content,
        text,
        what: `${subject} ${says}`,
        message: { ...message, content: text },
      };
    }
    return;
  }
  for (const [place, part] of content.entries()) {
    if (part.type !== "text" || part.text.trim() === "") continue;
    const { text, says } = replaceWord(part.text, `${name}/${place}`, choose);
    const other = { ...message, content: content.with(place, { ...part, text }) } as LlmMessage;
    yield { path: ["content", place, "text"], old: part.text, text, what: `${subject} ${says}`, message: other };
  }
}
