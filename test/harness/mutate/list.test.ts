import { describe, expect, it } from "vitest";
import { checkCassette } from "../../../src/cassette/trust/load-cassette.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { MAX_MUTANTS_PER_CASSETTE } from "../../../src/harness/limits.js";
import { mutateCassette } from "../../../src/harness/mutate/apply.js";
import { listMutants } from "../../../src/harness/mutate/list.js";
import type { MutantKind } from "../../../src/harness/mutate/mutant.js";
import { inTurns } from "../../../src/harness/mutate/sample-order.js";
import { prompt, recordTurns, runWeather, weatherCassette } from "../../support/recording.js";
import { ask, say } from "../../support/script.js";

const file = "weather.cassette.json";
const original = await weatherCassette();
const options = { file, seed: "1" };

/** The mutants of one kind, without what follows from the others. */
const of = (...kinds: MutantKind[]) => listMutants(original, { ...options, kinds });

describe("mutateCassette", () => {
  it("changes the copies of its own answer alone if another turn gave the same", async () => {
    const ok = { role: "assistant" as const, content: "OK." };
    const user = (content: string) => ({ role: "user" as const, content });
    const prompts = [[user("a")], [user("a"), ok, user("b")], [user("a"), ok, user("b"), ok, user("c")]];
    // Another conversation with the same answer in the same place.
    const others = [[user("x")], [user("x"), ok, user("y")]];
    const answers = [say("OK."), say("OK."), say("end"), say("OK."), say("end")];
    const cassette = await recordTurns(
      [...prompts, ...others].map((messages) => ({ messages })),
      answers,
    );
    const mutant = listMutants(cassette, { ...options, kinds: ["answer"] }).find(({ turn }) => turn === 0);
    const changed = mutateCassette(cassette, { ...options, kinds: ["answer"] }, mutant?.id ?? "");
    const tape = cassetteProvider(changed?.cassette as never);
    const history: LlmMessage[] = [];
    for (const text of ["a", "b", "c"]) {
      history.push(user(text));
      history.push((await tape.turn({ messages: [...history] })).message);
    }
    for (const messages of others) await tape.turn({ messages });
    tape.assertConsumed();
    expect(history[1]).not.toEqual(ok);
    expect(history[3]).toEqual(ok);
  });
});

describe("listMutants", () => {
  it("names the place, both values and the change in a sentence", () => {
    const at = "/entries/0/response/message/toolCalls/0";
    expect(of("arguments", "tool", "stop")).toMatchObject([
      { kind: "arguments", turn: 0, pointer: `${at}/arguments/city`, old: "Oslo" },
      { pointer: `${at}/arguments/city`, sentence: "turn 0 calls weather without /city" },
      { pointer: `${at}/arguments/days`, old: 2 },
      { pointer: `${at}/arguments/days`, sentence: "turn 0 calls weather without /days" },
      { kind: "tool", pointer: at, sentence: "turn 0 does not call weather" },
      { kind: "stop", pointer: "/entries/0/response/stopReason", old: "toolUse", new: "length" },
      { kind: "stop", pointer: "/entries/1/response/stopReason", old: "stop", new: "length" },
      { kind: "stop", pointer: "/entries/1", sentence: "the recording ends before its last turn 1" },
    ]);
    expect(of("prompt").map(({ pointer }) => pointer)).toEqual([
      "/entries/0/prompt/messages/0/content",
      "/entries/0/prompt/messages/1/content",
    ]);
    expect(of("result")).toMatchObject([
      { turn: 1, pointer: "/entries/1/prompt/messages/1/content", old: "rain" },
      { new: "", sentence: "in the prompt of turn 1 the result of weather is empty" },
    ]);
  });

  it("leaves text next to tool calls, ids and usage alone", () => {
    const pointers = listMutants(original, options).map(({ pointer }) => pointer);
    expect(pointers).not.toContain("/entries/0/response/message/content");
    expect(pointers.filter((pointer) => /usage|costUsd|model|\/id$/.test(pointer))).toEqual([]);
  });

  it("calls another tool where one is known", async () => {
    const cassette = await recordTurns([prompt("a"), prompt("b")], [ask([{ name: "one" }]), ask([{ name: "two" }])]);
    const mutants = listMutants(cassette, { ...options, kinds: ["tool"] });
    expect(mutants.filter((mutant) => mutant.new !== undefined)).toMatchObject([
      { old: "one", new: "two", sentence: "turn 0 calls two instead of one" },
      { old: "two", new: "one" },
    ]);
  });

  it("has no mutants of prompts if the recording kept no prompts", async () => {
    const cassette = await weatherCassette({ prompts: false });
    const kinds = new Set(listMutants(cassette, options).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(["answer", "arguments", "stop", "tool"]);
  });

  it("ends at a number of places", async () => {
    const list = Array.from({ length: MAX_MUTANTS_PER_CASSETTE + 5 }, (_, index) => index);
    const cassette = await recordTurns([prompt("a")], [ask([{ name: "one", arguments: { list } }])]);
    expect(listMutants(cassette, options)).toHaveLength(MAX_MUTANTS_PER_CASSETTE);
  });

  it("makes no mutant of blank text, and turns 0 and numbers too large to count on", async () => {
    const cassette = await recordTurns(
      [prompt(" ")],
      [ask([{ name: "one", arguments: { zero: 0, large: 2 ** 60, no: null, yes: true, blank: "" } }])],
    );
    const changed = listMutants(cassette, { ...options, kinds: ["prompt", "arguments"] }).filter(
      (mutant) => mutant.new !== undefined,
    );
    expect(changed.map((mutant) => mutant.new)).toEqual([1, -(2 ** 60), false, "otherwise"]);
  });
});

describe("mutateCassette", () => {
  it("lets the replay go on with a changed call, as if the model had made it", async () => {
    const [first] = of("arguments");
    const made = mutateCassette(original, options, first?.id ?? "");
    const provider = cassetteProvider(made?.cassette);
    expect((await runWeather(provider)).finalAnswer).toBe("Take an umbrella.");
    provider.assertConsumed();
    expect(JSON.stringify(made?.cassette.entries[1]?.prompt)).toContain(JSON.stringify(first?.new));
  });

  it.each(["prompt", "result"] as const)("makes the replay of a changed %s miss", async (kind) => {
    for (const { id } of of(kind)) {
      const provider = cassetteProvider(mutateCassette(original, options, id)?.cassette);
      await expect(runWeather(provider)).rejects.toMatchObject({ code: "prompt-changed" });
    }
  });

  it("makes an answer of a turn whose only call is dropped", () => {
    const made = mutateCassette(original, options, of("tool")[0]?.id ?? "");
    expect(made?.cassette.entries[0]?.response).toMatchObject({ stopReason: "stop", finalAnswer: "Let me look." });
    expect(made?.cassette.entries[0]?.response.message).not.toHaveProperty("toolCalls");
  });

  it("drops the last turn, and a signature with the rest", () => {
    const drop = of("stop").at(-1);
    const signed = { ...original, signature: { scheme: "ed25519-dsse", keyId: "", publicKey: "", sig: "" } } as const;
    const made = mutateCassette(signed, options, drop?.id ?? "");
    expect(checkCassette(made?.cassette, { requireIntegrity: true }).entries).toHaveLength(1);
    expect(made?.cassette).not.toHaveProperty("signature");
  });

  it("gives nothing for an id that there is not", () => {
    expect(mutateCassette(original, options, "0123456789ab")).toBeUndefined();
  });
});

describe("inTurns", () => {
  it("gives every file its share, and every kind", async () => {
    const large = await recordTurns(
      [prompt("a")],
      [ask([{ name: "one", arguments: { list: [1, 2, 3, 4, 5, 6, 7, 8] } }])],
    );
    const small = await recordTurns([prompt("b")], [say("Two words.")]);
    const all = [
      ...listMutants(large, { file: "large", seed: "1" }),
      ...listMutants(small, { file: "small", seed: "1" }),
    ];
    const first = inTurns(all, "1").slice(0, 6);
    expect(first.map((mutant) => mutant.file)).toEqual(["large", "small", "large", "small", "large", "small"]);
    expect(new Set(first.map(({ kind }) => kind)).size).toBeGreaterThan(2);
    expect(inTurns(all, "2")).not.toEqual(inTurns(all, "1"));
  });
});
