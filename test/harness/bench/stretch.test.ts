import { describe, expect, it } from "vitest";
import { parseCassette } from "../../../src/cassette/index.js";
import { checkCassette } from "../../../src/cassette/trust/load-cassette.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { stretchCassette } from "../../../src/harness/bench/stretch.js";
import { prompt, recordTurns, runWeather, weatherCassette } from "../../support/recording.js";
import { ask, say } from "../../support/script.js";

const original = await weatherCassette();
const promptless = await weatherCassette({ prompts: false });
const toolless = await recordTurns([prompt("a")], [say("b")]);

describe("stretchCassette", () => {
  it.each([2, 3, 4, 25])("makes %i turns that verify and that the same loop replays", async (turns) => {
    const stretched = stretchCassette(original, turns);
    const loaded = parseCassette(formatCassette(stretched));
    expect(checkCassette(loaded, { requireIntegrity: true })).toEqual(stretched);
    const provider = cassetteProvider(loaded);
    const { finalAnswer, messages } = await runWeather(provider);
    provider.assertConsumed();
    expect(finalAnswer).toBe("Take an umbrella.");
    expect(messages.filter(({ role }) => role === "tool")).toHaveLength(turns - 1);
  });

  it("gives every repeated call an id of its own, and its result the same", () => {
    const { entries } = stretchCassette(original, 4);
    const ids = entries.flatMap(({ response }) => (response.message.toolCalls ?? []).map(({ id }) => id));
    const results = entries.flatMap(({ prompt }) =>
      (prompt?.messages ?? []).flatMap((message) => (message.role === "tool" ? message.toolCallId : [])),
    );
    expect(ids).toEqual(["call_1", "call_1_2", "call_1_3"]);
    expect(results).toEqual(ids);
  });

  it("marks the copy by the recording, and gives the same cassette the same id", () => {
    const { cassetteId, envelopeHash } = original;
    const stretched = stretchCassette(original, 4);
    expect(stretched.extensions).toMatchObject({ stretched: { cassetteId, envelopeHash, turns: 2 } });
    expect(stretched.cassetteId).not.toBe(cassetteId);
    expect(stretchCassette(original, 4)).toEqual(stretched);
  });

  it("repeats several turns in their order, and keeps what comes after them", async () => {
    const goal = { role: "user" as const, content: "go" };
    const called = (id: string, name: string) => ask([{ id, name }]);
    const result = (id: string, name: string) => ({ role: "tool" as const, toolCallId: id, name, content: name });
    const [one, two, end, more] = [called("a", "one"), called("b", "two"), say("done"), say("bye")];
    const first = [goal, one.message, result("a", "one")];
    const second = [...first, two.message, result("b", "two")];
    const third = [...second, end.message, { role: "user" as const, content: "and?" }];
    const requests = [[goal], first, second, third].map((messages) => ({ messages }));
    const cassette = await recordTurns(requests, [one, two, end, more]);
    const stretched = stretchCassette(cassette, 7);
    const said = stretched.entries.map(({ response: { message } }) => message.toolCalls?.[0]?.id ?? message.content);
    expect(said).toEqual(["a", "b", "a_2", "b_2", "a_3", "done", "bye"]);
    expect(stretched.entries.at(-1)?.prompt?.messages).toEqual([end.message, { role: "user", content: "and?" }]);
    expect(checkCassette(stretched, { requireIntegrity: true })).toEqual(stretched);
  });

  it.each([
    ["fewer turns", original, 1, "cannot stretch the cassette to 1 turns"],
    ["too many turns", original, 100_001, "to 100001 turns"],
    ["a part of a turn", original, 2.5, "to 2.5 turns"],
    ["no prompts", promptless, 4, "it keeps no prompts"],
    ["no turn", { ...original, entries: [] }, 4, "it has no turns"],
    ["no tool", toolless, 4, "no turn calls a tool"],
  ])("refuses %s", (_, cassette, turns, message) => {
    expect(() => stretchCassette(cassette, turns)).toThrow(
      expect.objectContaining({ code: "invalid-options", message: expect.stringContaining(message) as string }),
    );
  });
});
