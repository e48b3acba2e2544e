import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCut, findCutPlaces } from "../../../src/core/context/cut.js";
import { createContextMeter, tokensOf } from "../../../src/core/context/meter.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { conversation, message } from "../../../src/harness/arbitraries/index.js";
import { isWhole } from "../../support/env.js";
import "../../support/law-seed.js";

const user = (content: string): LlmMessage => ({ role: "user", content });
const said = (content: string): LlmMessage => ({ role: "assistant", content });
const called = (...ids: string[]): LlmMessage => ({
  role: "assistant",
  content: "",
  toolCalls: ids.map((id) => ({ id, name: "t", arguments: {} })),
});
const result = (toolCallId: string): LlmMessage => ({ role: "tool", toolCallId, name: "t", content: "r" });

const cut = (messages: LlmMessage[], keepTokens: number) => findCut(messages, messages.map(tokensOf), keepTokens);

describe("a cut", () => {
  it("lies in front of user messages and of answers whose calls all have results", () => {
    const messages = [user("1"), called("a", "b"), result("a"), result("b"), said("2"), user("3")];
    expect(findCutPlaces(messages)).toEqual([1, 4, 5]);
  });

  it("does not lie in front of an answer with an open call, nor behind it", () => {
    expect(findCutPlaces([user("1"), called("a"), user("2"), result("a"), said("3")])).toEqual([1, 4]);
    expect(findCutPlaces([user("1"), said("0"), called("a")])).toEqual([1]);
  });

  it("pairs a result with the nearest call of its id, since models repeat ids", () => {
    expect(findCutPlaces([user("1"), called("c0"), result("c0"), called("c0"), result("c0")])).toEqual([1, 3]);
  });

  it("keeps the newest steps within keepTokens, and always the last one", () => {
    const messages = [user("x".repeat(40)), said("y".repeat(40)), user("z".repeat(40)), said("w".repeat(40))];
    expect(cut(messages, 25)).toBe(2);
    expect(cut(messages, 30)).toBe(1);
    expect(cut(messages, 40)).toBe(0);
    expect(cut(messages, 1)).toBe(3);
    expect(cut([user("x")], 1)).toBe(0);
    expect(cut([], 1)).toBe(0);
  });

  it("never separates a call from its result, for any conversation", () => {
    // Ids that models repeat, and conversations in a row, of which the last answer may have open calls.
    const idOf = (index: number) => `call_${index % 8}`;
    const close = (list: LlmMessage[]) => {
      const last = list.at(-1);
      return last?.role === "assistant" ? [...list, ...(last.toolCalls ?? []).map(({ id }) => result(id))] : list;
    };
    fc.assert(
      fc.property(fc.array(conversation({ idOf }), { minLength: 1, maxLength: 3 }), fc.nat(500), (parts, keep) => {
        const messages = parts.flatMap(close).filter(({ role }) => role !== "system");
        const at = cut(messages, keep);
        expect(isWhole(messages)).toBe(true);
        expect(at).toBeLessThan(Math.max(messages.length, 1));
        expect(isWhole(messages.slice(0, at))).toBe(true);
        expect(isWhole(messages.slice(at))).toBe(true);
      }),
    );
  });

  it("leaves no result without its call behind, whatever messages there are", () => {
    fc.assert(
      fc.property(fc.array(message()), (messages) => {
        const ids = (list: LlmMessage[]) =>
          list.flatMap((each) => (each.role === "assistant" ? (each.toolCalls ?? []).map(({ id }) => id) : []));
        for (const place of findCutPlaces(messages)) {
          const [before, behind] = [messages.slice(0, place), messages.slice(place)];
          const own = new Set<string>();
          for (const each of behind) {
            ids([each]).forEach((id) => own.add(id));
            if (each.role === "tool" && !own.has(each.toolCallId)) expect(ids(before)).not.toContain(each.toolCallId);
          }
        }
      }),
    );
  });
});

describe("the meter", () => {
  it("measures each message once, by its text", () => {
    const meter = createContextMeter();
    const messages = [user("x".repeat(40))];
    expect(meter.measure(messages)).toBe(10);
    messages.push(said("y".repeat(4)));
    expect(meter.measure(messages)).toBe(11);
    expect(meter.sizes).toEqual([10, 1]);
    meter.replace(1, [user("z".repeat(8))]);
    expect(meter.total).toBe(3);
    expect(meter.sizes).toEqual([2, 1]);
  });
});
