// Laws of exporting: what was written is read back by the importer up to the losses that were listed, and every turn of a
// cassette is in exactly one thread.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exportDocuments } from "../../src/cassette/export/documents.js";
import type { ExportedCassette } from "../../src/cassette/export/format.js";
import type { LossKind } from "../../src/cassette/export/loss.js";
import { findThreads } from "../../src/cassette/export/threads.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import type { ImportFormat } from "../../src/cassette/import/registry.js";
import { importLog, type ImportedCassette } from "../../src/cassette/import/import.js";
import { rebuildPrompts } from "../../src/cassette/prompt/rebuild.js";
import type { AssistantMessage, ContentPart, LlmMessage, LlmToolCall } from "../../src/core/model/message.js";
import { cassetteOf, turnsOf, type AskedTurn } from "../../src/harness/arbitraries/cassettes.js";
import { conversation } from "../../src/harness/arbitraries/messages.js";

const tools = [{ name: "look", description: "Looks.", schema: { type: "object", properties: {} } }];
const contexts = [{ fromTurn: 0, toolsHash: "0".repeat(64), settingsHash: "0".repeat(64), tools }];

function linesOf({ documents }: ExportedCassette): string {
  return documents.map((document) => `${JSON.stringify(document)}\n`).join("");
}

function importOne(exported: ExportedCassette, format: ImportFormat): ImportedCassette {
  const all = [...importLog(linesOf(exported), { source: "x.jsonl", recordedAt: "2026-11-20T12:00:00Z", format })];
  expect(all).toHaveLength(1);
  return all[0] as ImportedCassette;
}

/** The last prompt and the last answer. */
function threadOf(cassette: CassetteV2): LlmMessage[] {
  const last = cassette.entries.at(-1);
  return last === undefined ? [] : [...(rebuildPrompts(cassette)?.at(-1) ?? []), last.response.message];
}

function kindsOf({ losses }: ExportedCassette): LossKind[] {
  return losses.map(({ kind }) => kind);
}

/** The importer makes one text of a list of texts. */
function joinTexts(content: string | ContentPart[]): string | ContentPart[] {
  if (typeof content === "string" || content.some(({ type }) => type === "image")) return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function vendorName(name: string, max: number): string {
  return name.replace(/[^\w-]/g, "_").slice(0, max) || "unnamed";
}

/** A conversation without what `losses` say was lost: written from the meaning of each kind, not from the exporter. */
function without(messages: readonly LlmMessage[], losses: readonly LossKind[], max: number): LlmMessage[] {
  const lost = (kind: LossKind): boolean => losses.includes(kind);
  const nameOf = (name: string): string => (lost("tool-name") ? vendorName(name, max) : name);
  const cut = messages.flatMap((message): LlmMessage[] => {
    switch (message.role) {
      case "system":
        return message.content === "" && lost("empty-message") ? [] : [message];
      case "user":
        return [{ role: "user", content: joinTexts(message.content) }];
      case "assistant": {
        const toolCalls = message.toolCalls?.map((call) => withoutCall(call, nameOf(call.name), lost));
        const plain: AssistantMessage = { role: "assistant", content: message.content };
        if (toolCalls !== undefined) plain.toolCalls = toolCalls;
        else if (message.content === "" && lost("empty-message")) return [];
        const kept = (message.reasoning ?? []).filter(
          (thought) =>
            !lost("reasoning") || (max === 128 && (thought.type === "redacted" || thought.signature !== undefined)),
        );
        return [kept.length === 0 ? plain : { ...plain, reasoning: kept }];
      }
      case "tool": {
        const { isError, ...rest } = message;
        const named = { ...rest, name: nameOf(message.name) };
        if (isError !== true || lost("tool-error")) return [named];
        const content = message.content === "" && lost("empty-error") ? "error" : message.content;
        return [{ ...named, content, isError }];
      }
    }
  });
  return lost("system-joined") ? joinSystems(cut) : cut;
}

function withoutCall(call: LlmToolCall, name: string, lost: (kind: LossKind) => boolean): LlmToolCall {
  const { malformedArguments, ...rest } = call;
  if (malformedArguments === undefined || lost("malformed-arguments")) return { ...rest, name };
  return { ...call, name };
}

function joinSystems(messages: readonly LlmMessage[]): LlmMessage[] {
  const systems = messages.flatMap((message) => (message.role === "system" ? [message.content] : []));
  return [{ role: "system", content: systems.join("\n\n") }, ...messages.filter(({ role }) => role !== "system")];
}

/** A conversation that every format holds. */
const PLAIN: LlmMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Go." },
  { role: "assistant", content: "I look.", toolCalls: [{ id: "call_1", name: "look", arguments: { at: "it" } }] },
  { role: "tool", toolCallId: "call_1", name: "look", content: "seen" },
  { role: "assistant", content: "Done." },
];

const MESSAGE_LOSSES: readonly LossKind[] = [
  ...(["call-id", "empty-error", "empty-message", "malformed-arguments", "reasoning", "system-joined"] as const),
  ...(["system-moved", "tool-error", "tool-name"] as const),
];

describe.each([
  { format: "openai", from: "openai-messages", max: 64 },
  { format: "anthropic", from: "anthropic-messages", max: 128 },
] as const)("export to $format", ({ format, from, max }) => {
  it("is read back with the same prompts, answers and tools, up to the losses it lists", () => {
    fc.assert(
      fc.property(conversation(), (messages) => {
        const cassette = cassetteOf(turnsOf(messages), { contexts });
        const exported = exportDocuments(cassette, format);
        const { cassette: again } = importOne(exported, from);
        const expected = without(messages, kindsOf(exported), max);
        expect([...threadOf(again), ...trailingOf(again)]).toEqual(expected);
        expect(again.entries.length).toBe(expected.filter(({ role }) => role === "assistant").length);
        expect(again.extensions?.contexts?.[0]?.tools).toEqual(tools);
      }),
    );
  });

  it("keeps every hash of a prompt where it lists no loss of a message", () => {
    let whole = 0;
    fc.assert(
      fc.property(conversation(), (messages) => {
        const cassette = cassetteOf(turnsOf(messages));
        const exported = exportDocuments(cassette, format);
        const { cassette: again } = importOne(exported, from);
        if (messages.some(({ content }) => joinTexts(content) !== content)) return;
        if (kindsOf(exported).some((kind) => MESSAGE_LOSSES.includes(kind))) return;
        whole++;
        expect(again.entries.map(({ promptHash }) => promptHash)).toEqual(
          cassette.entries.map(({ promptHash }) => promptHash),
        );
      }),
      // Few arbitrary conversations lose nothing at all.
      { examples: [[PLAIN]] },
    );
    expect(whole).toBeGreaterThan(0);
  });
});

describe("export to ai-sdk", () => {
  it("is read back whole, but for lists of texts, which become one", () => {
    fc.assert(
      fc.property(conversation(), (messages) => {
        const exported = exportDocuments(cassetteOf(turnsOf(messages), { contexts }), "ai-sdk");
        const { cassette: again } = importOne(exported, "ai-sdk-messages");
        const expected = messages.map((message) =>
          message.role === "user" ? { ...message, content: joinTexts(message.content) } : message,
        );
        expect([...threadOf(again), ...trailingOf(again)].map(plainOf)).toEqual(expected.map(plainOf));
        expect(again.extensions?.contexts?.[0]?.tools).toEqual(tools);
      }),
      { examples: [[PLAIN]] },
    );
  });
});

/** A call that failed says so, and one that did not need not. */
function plainOf(message: LlmMessage): LlmMessage {
  if (message.role !== "tool" || message.isError === true) return message;
  const { isError: _, ...rest } = message;
  return rest;
}

/** What the importer keeps of messages after the last answer. */
function trailingOf({ extensions }: CassetteV2): LlmMessage[] {
  return (extensions?.["import"] as { trailing?: LlmMessage[] } | undefined)?.trailing ?? [];
}

/** Turns that each go on from somewhere in an earlier one, with its answer, with another or without. */
const tangle: fc.Arbitrary<AskedTurn[]> = fc
  .array(
    fc.record({ from: fc.nat(), cut: fc.nat(), how: fc.constantFrom("answer", "other", "none"), say: fc.nat(2) }),
    { maxLength: 8 },
  )
  .map((steps) => {
    const turns: AskedTurn[] = [];
    for (const { from, cut, how, say } of steps) {
      const base = turns[from % (turns.length || 1)];
      const before: LlmMessage[] =
        base === undefined
          ? []
          : how === "answer"
            ? [...base.prompt, base.response.message]
            : how === "other"
              ? [...base.prompt, { role: "assistant", content: "in other words" }]
              : base.prompt.slice(0, cut % (base.prompt.length + 1));
      const response = { message: { role: "assistant", content: `a${say}` }, stopReason: "stop" } as const;
      turns.push({ prompt: [...before, { role: "user", content: `u${say}` }], response });
    }
    return turns;
  });

describe("threads", () => {
  it("hold every turn exactly once, at its own prompt and with its own answer unless that was rewritten", () => {
    fc.assert(
      fc.property(tangle, (turns) => {
        const { entries } = cassetteOf(turns);
        const threads = findThreads(entries, { kind: "threads" });
        const places = threads.flatMap((thread) => thread.turns.map((turn) => turn.turnIndex));
        expect(places.sort((a, b) => a - b)).toEqual(entries.map((_, index) => index));
        for (const { messages, turns: own, rewritten } of threads) {
          const different = own.filter(({ turnIndex, promptLength, response }) => {
            expect(messages.slice(0, promptLength)).toEqual(turns[turnIndex]?.prompt);
            expect(messages[promptLength]?.role).toBe("assistant");
            return JSON.stringify(messages[promptLength]) !== JSON.stringify(response.message);
          });
          expect(different).toHaveLength(rewritten);
        }
      }),
    );
  });

  it("are one where every prompt goes on from the one before", () => {
    fc.assert(
      fc.property(conversation(), (messages) => {
        const threads = findThreads(cassetteOf(turnsOf(messages)).entries, { kind: "threads" });
        expect(threads.map((thread) => thread.messages)).toEqual([messages]);
      }),
    );
  });
});
