// Mutants of what the model was asked: a system or user message, or the result of a tool. Each recorded message is changed where
// it first stands, so the prompts that keep it change with it.

import { toPointer, type LlmMessage } from "../../core/index.js";
import type { CassetteV2 } from "../../cassette/index.js";
import type { Candidate, Choose, MutantKind } from "./mutant.js";
import { replaceWord, textChanges } from "./text.js";

/** Of the kinds `prompt` and `result`. None where the cassette keeps no prompts. */
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

/** A prompt is compared as a whole, so one change of each text is enough; what becomes of a result depends on the change. */
function* messageChanges(message: LlmMessage, name: string, choose: Choose): Generator<MessageChange> {
  switch (message.role) {
    case "assistant":
      return;
    case "tool": {
      const { content: old } = message;
      for (const { text, says } of textChanges(old, name, choose)) {
        const what = `the result of ${message.name} ${says}`;
        yield { path: ["content"], old, text, what, message: { ...message, content: text } };
      }
      return;
    }
    case "system":
    case "user": {
      const { content } = message;
      if (typeof content === "string") {
        if (content.trim() === "") return;
        const { text, says } = replaceWord(content, name, choose);
        const what = `the ${message.role} message ${says}`;
        yield { path: ["content"], old: content, text, what, message: { ...message, content: text } };
        return;
      }
      if (message.role === "system") return;
      for (const [place, part] of content.entries()) {
        if (part.type !== "text" || part.text.trim() === "") continue;
        const { text, says } = replaceWord(part.text, `${name}/${place}`, choose);
        const other = { ...message, content: content.with(place, { ...part, text }) };
        const path = ["content", place, "text"];
        yield { path, old: part.text, text, what: `the ${message.role} message ${says}`, message: other };
      }
    }
  }
}
