// The law of OTLP spans: what the exporter writes, the importer reads back, up to the losses that were listed.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exportDocuments } from "../../src/cassette/export/documents.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { importLog } from "../../src/cassette/import/import.js";
import { rebuildPrompts } from "../../src/cassette/prompt/rebuild.js";
import type { AssistantMessage, LlmMessage } from "../../src/core/model/message.js";
import { cassetteOf, turnsOf } from "../../src/harness/arbitraries/cassettes.js";
import { conversation } from "../../src/harness/arbitraries/messages.js";

function readBack(cassette: CassetteV2) {
  const exported = exportDocuments(cassette, "otlp");
  const text = exported.documents.map((document) => `${JSON.stringify(document)}\n`).join("");
  const all = [...importLog(text, { source: "x.jsonl", recordedAt: "2026-11-20T12:00:00Z", format: "otlp" })];
  return { losses: exported.losses.map(({ kind }) => kind), all };
}

const asked = (cassette: CassetteV2): LlmMessage[][] => rebuildPrompts(cassette) ?? [];

/** The parts of a user's message are texts or images; a span makes no difference between one text and a list of them. */
function asRead(message: LlmMessage): LlmMessage {
  // The mark of an error is on the tool's own span, and the importer reads the spans of model calls alone.
  if (message.role === "tool") {
    const { isError: _isError, ...rest } = message;
    return rest;
  }
  if (message.role === "assistant") return withoutEmptyThoughts(message);
  const { content } = message;
  if (message.role !== "user" || typeof content === "string") return message;
  if (content.some(({ type }) => type === "image")) return message;
  return { role: "user", content: content.map((part) => (part.type === "text" ? part.text : "")).join("") };
}

/** A thought without words does not count. */
function withoutEmptyThoughts({ reasoning = [], ...message }: AssistantMessage): AssistantMessage {
  const kept = reasoning.filter((thought) => thought.type !== "text" || thought.text !== "");
  return kept.length === 0 ? message : { ...message, reasoning: kept };
}

/** A conversation that a trace holds whole. */
const PLAIN: LlmMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Where is Ada?" },
  { role: "assistant", content: "", toolCalls: [{ id: "call-0", name: "look", arguments: { name: "Ada" } }] },
  { role: "tool", toolCallId: "call-0", name: "look", content: "In Oslo." },
  {
    role: "assistant",
    content: "In Oslo.",
    reasoning: [
      { type: "text", text: "The tool says it." },
      { type: "text", text: "So I do." },
    ],
  },
];

describe("export to otlp", () => {
  it("is read back with the same prompts and answers, up to the losses it lists", () => {
    let whole = 0;
    fc.assert(
      fc.property(conversation(), (messages) => {
        const cassette = cassetteOf(turnsOf(messages));
        fc.pre(cassette.entries.length > 0);
        const { losses, all } = readBack(cassette);
        expect(all).toHaveLength(1);
        if (losses.length + (all[0]?.repairs.length ?? 0) > 0) return;
        whole++;
        const again = all[0]?.cassette as CassetteV2;
        expect(asked(again)).toEqual(asked(cassette).map((prompt) => prompt.map(asRead)));
        expect(again.entries.map(({ response }) => response.message)).toEqual(
          cassette.entries.map(({ response }) => withoutEmptyThoughts(response.message)),
        );
      }),
      // Few arbitrary conversations lose nothing at all.
      { examples: [[PLAIN]] },
    );
    expect(whole).toBeGreaterThan(0);
  });
});
