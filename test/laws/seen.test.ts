// A recorder and a replay know by identity what they have seen of a conversation. Held against the same requests as copies, of which
// nothing is known: whatever a caller does to its list and its tools between two turns, the cassettes are equal and replay alike.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import type { RecordingOptions } from "../../src/cassette/record/recorder.js";
import { seal } from "../../src/core/canon/copy.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmProviderAdapter } from "../../src/core/model/provider.js";

const TOKEN = "ghp_" + "a1B2c3D4".repeat(5);
const LEARNED = "correct-horse-9";
const TEXTS = [
  "hello",
  "hello again",
  `use ${TOKEN} now`,
  `Authorization: Bearer ${LEARNED}-battery-staple`,
  `later ${LEARNED}-battery-staple`,
];

const message: fc.Arbitrary<LlmMessage> = fc
  .tuple(fc.constantFrom(...TEXTS), fc.constantFrom("user", "assistant", "tool"), fc.boolean())
  .map(([content, role, isSealed]) => {
    const made: LlmMessage =
      role === "tool" ? { role, toolCallId: "1", name: "read", content } : { role: role as "user", content };
    return isSealed ? seal(made) : made;
  });

/** Steps are played several times, and edit in place what is not sealed. */
const fresh = (own: LlmMessage): LlmMessage => (Object.isFrozen(own) ? own : { ...own });

type Step = (list: unknown[]) => void;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(message, { maxLength: 3 }).map(
      (added): Step =>
        (list) =>
          void list.push(...added.map(fresh)),
    ),
  },
  fc.nat(3).map(
    (count): Step =>
      (list) =>
        void (list.length = Math.max(1, list.length - count)),
  ),
  fc.tuple(fc.nat(8), message).map(
    ([at, next]): Step =>
      (list) =>
        void (list[at % list.length] = fresh(next)),
  ),
  fc.tuple(fc.nat(8), fc.constantFrom(...TEXTS)).map(([at, content]): Step => (list) => {
    const found = list[at % list.length];
    // What is sealed stays as it is.
    if (typeof found === "object" && found !== null && !Object.isFrozen(found)) Object.assign(found, { content });
  }),
  fc.constant<Step>((list) => void list.splice(0, 1, list[0])),
  fc.constant<Step>((list) => void list.push(null)),
  fc.constant<Step>((list) => void list.splice(0, list.length, ...list.filter((item) => item !== null))),
);

const ANSWERS = ["ok", `your token is ${TOKEN}`];

const ports = { now: () => 0, randomBytes: (length: number) => new Uint8Array(length), warn: () => undefined };

function createModel(): LlmProviderAdapter {
  let turn = 0;
  return {
    name: "model",
    turn: async () => {
      const content = ANSWERS[turn++ % ANSWERS.length] as string;
      return { message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" };
    },
  };
}

type Hand = <List extends readonly unknown[]>(list: List) => List;

/** What each turn came to: the answer's text, or the code of the refusal. The tool changes its description half-way. */
async function play(steps: readonly Step[], tools: readonly string[], provider: LlmProviderAdapter, hand: Hand) {
  const list: unknown[] = [seal({ role: "system", content: "Be brief." })];
  const offered = tools.map((description) => seal([{ name: "read", description, schema: { type: "object" } }]));
  const outcomes: string[] = [];
  for (const [index, change] of steps.entries()) {
    change(list);
    const now = offered[Math.floor((index * offered.length) / steps.length)] ?? [];
    const asked = provider.turn({ messages: hand(list) as LlmMessage[], tools: hand(now) });
    outcomes.push(
      await asked.then(
        ({ message: { content } }) => content,
        (error: unknown) => (error as { code: string }).code,
      ),
    );
  }
  return outcomes;
}

const itself: Hand = (list) => list;
const aCopy: Hand = (list) => structuredClone(list);

const offers = fc.array(fc.constantFrom(...TEXTS), { maxLength: 2 });

describe("laws of what was seen of a conversation", () => {
  it.each<[string, RecordingOptions]>([
    ["with redaction", {}],
    ["without", { redact: false }],
    [
      "with a filter",
      { hashFilter: (messages) => messages.map((each) => ({ ...each, content: "same" }) as LlmMessage) },
    ],
  ])("PLK-110 a list that is known and copies of it record and replay alike, %s", async (_name, options) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), offers, async (steps, tools) => {
        const recorders = [itself, aCopy].map(() => recordingProvider(createModel(), { ...options, ports }));
        const [known, copied] = recorders as [(typeof recorders)[0], (typeof recorders)[0]];
        expect(await play(steps, tools, known, itself)).toEqual(await play(steps, tools, copied, aCopy));
        const cassette = known.toCassette();
        expect(cassette).toEqual(copied.toCassette());
        const replay = () => cassetteProvider(cassette, { ...options, ports });
        expect(await play(steps, tools, replay(), itself)).toEqual(await play(steps, tools, replay(), aCopy));
      }),
    );
  });
});
