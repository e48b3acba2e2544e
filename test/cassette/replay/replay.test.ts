import { afterAll, describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmProviderAdapter, LlmToolDefinition } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import { recordedCassette, verifyKept } from "../../support/oracle.js";
import { draft, fixedPorts, prompt, recordTurns, runWeather, weatherCassette } from "../../support/recording.js";
import { refusal, rejection } from "../../support/refusal.js";
import { ask, quietPorts, say } from "../../support/script.js";

afterAll(verifyKept);

async function missed(promise: Promise<unknown>): Promise<CassetteError> {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(CassetteError);
  return error as CassetteError;
}

const tools = (description: string): LlmToolDefinition[] => [
  { name: "weather", description, schema: { type: "object" } },
];

describe("cassetteProvider", () => {
  it("PLK-103 PLK-104 replays a run: the same answer, the same messages, the same calls, nothing left over", async () => {
    const recorded = await weatherCassette();
    const live = await runWeather(scriptedProvider(recorded.entries.map((entry) => draft(entry.response))));
    const replay = cassetteProvider(parseCassette(formatCassette(recorded)));
    const again = await runWeather(replay);
    expect(again.finalAnswer).toBe("Take an umbrella.");
    expect(again.messages).toEqual(live.messages);
    expect([again.turns, again.toolCalls, again.usage]).toEqual([live.turns, live.toolCalls, live.usage]);
    expect(replay.remaining).toBe(0);
    replay.assertConsumed();
  });

  it("PLK-137 is a provider like any other, named after the recorded one, and can be recorded again", async () => {
    const recorded = await weatherCassette();
    const replay = cassetteProvider(recorded);
    expect(replay.name).toBe("cassette:scripted");
    const recorder = recordingProvider(replay, { ports: fixedPorts() });
    await runWeather(recorder);
    expect(recordedCassette(recorder).entries).toEqual(recorded.entries);
  });

  it("gives each caller an answer of its own, which may be changed", async () => {
    const replay = cassetteProvider(await recordTurns([prompt("a")], [say("x")]));
    const answer = await replay.turn(prompt("a"));
    answer.message.content = "changed";
    replay.reset();
    expect(await replay.turn(prompt("a"))).toEqual(say("x"));
  });

  it("rejects with the signal's reason where the signal has fired, and uses nothing up", async () => {
    const replay = cassetteProvider(await recordTurns([prompt("a")], [say("x")]));
    const reason = new Error("stop");
    expect(await rejection(replay.turn({ ...prompt("a"), signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(replay.remaining).toBe(1);
  });

  it("PLK-117 recomputes the hashes of what it is handed and refuses an edited one", async () => {
    const edited = draft(await weatherCassette());
    (edited.entries[1] as { response: { finalAnswer: string } }).response.finalAnswer = "Stay in.";
    const error = refusal(() => cassetteProvider(edited, { file: "w.cassette.json" })) as CassetteError;
    expect([error.code, error.file]).toEqual(["response-hash", "w.cassette.json"]);
  });

  it("PLK-117 replays what it checked, whatever happens to the object afterwards", async () => {
    const mine = draft(await recordTurns([prompt("a")], [say("x")]));
    const replay = cassetteProvider(mine);
    const [entry] = mine.entries as [(typeof mine.entries)[0]];
    entry.response = say("changed");
    entry.promptHash = "0".repeat(64);
    mine.entries.pop();
    expect(await replay.turn(prompt("a"))).toEqual(say("x"));
  });

  it("PLK-117 shows its cassette frozen, so that nobody edits what was checked", async () => {
    const replay = cassetteProvider(draft(await recordTurns([prompt("a")], [say("x")])));
    expect(() => {
      (replay.cassette.entries[0] as { response: unknown }).response = say("changed");
    }).toThrow(TypeError);
    expect(await replay.turn(prompt("a"))).toEqual(say("x"));
  });

  it("PLK-122 PLK-123 takes version 1 with a warning, and not under requireIntegrity", async () => {
    const { entries, recordedAt, recordedProvider } = await recordTurns([prompt("a")], [say("x")]);
    const bare = entries.map(({ turnIndex, promptHash, response }) => ({ turnIndex, promptHash, response }));
    const old = { version: 1, recordedAt, recordedProvider, entries: bare };
    const { warn, warnings } = quietPorts();
    const replay = cassetteProvider(old, { ports: { warn } });
    expect(await replay.turn(prompt("a"))).toEqual(say("x"));
    expect(warnings).toHaveLength(1);
    const error = refusal(() => cassetteProvider(old, { requireIntegrity: true })) as CassetteError;
    expect(error.code).toBe("integrity-required");
  });
});

describe("strict replay", () => {
  it("PLK-111 stops a run whose tool answers otherwise, in the middle and before the cached answer is given", async () => {
    const replay = cassetteProvider(await weatherCassette());
    const error = await missed(runWeather(replay, { weather: "sun" }));
    expect(error.code).toBe("prompt-changed");
    expect(error.miss).toMatchObject({ turn: 1, messageIndex: 3, pointer: "/3/content" });
    expect(replay.remaining).toBe(1);
  });

  it("PLK-111 stops at the first turn where the system prompt changed", async () => {
    const replay = cassetteProvider(await weatherCassette());
    const error = await missed(runWeather(replay, { systemPrompt: "You are long." }));
    expect([error.code, error.pointer, replay.remaining]).toEqual(["prompt-changed", "/0/content", 2]);
  });

  it("does not ask in which order two independent conversations come", async () => {
    const [a1, a2, b1, b2] = [prompt("a"), prompt("a", "a2"), prompt("b"), prompt("b", "b2")];
    const cassette = await recordTurns(
      [a1, b1, a2, b2],
      ["a1", "b1", "a2", "b2"].map((text) => say(text)),
    );
    for (const order of [
      [b1, b2, a1, a2],
      [a1, a2, b1, b2],
      [b1, a1, b2, a2],
    ]) {
      const replay = cassetteProvider(cassette);
      const answers = [];
      for (const request of order) answers.push((await replay.turn(request)).finalAnswer);
      expect(answers).toEqual(order.map((request) => textsOf(request.messages).at(-1)).map((text) => wanted(text)));
      replay.assertConsumed();
    }
  });

  it("gives equal prompts their answers in recorded order", async () => {
    const cassette = await recordTurns([prompt("a"), prompt("a")], [say("first"), say("second")]);
    const replay = cassetteProvider(cassette);
    expect((await replay.turn(prompt("a"))).finalAnswer).toBe("first");
    expect((await replay.turn(prompt("a"))).finalAnswer).toBe("second");
  });

  it("takes a prompt whose keys come in another order, or hold undefined, for the same one", async () => {
    const replay = cassetteProvider(await recordTurns([prompt("a")], [say("x")]));
    const messages = [{ content: "a", role: "user", extra: undefined } as unknown as LlmMessage];
    expect(await replay.turn({ messages })).toEqual(say("x"));
  });

  it("PLK-128 throws exhausted on a second run through the same instance", async () => {
    const replay = cassetteProvider(await weatherCassette());
    await runWeather(replay);
    const error = await missed(runWeather(replay));
    expect(error.code).toBe("exhausted");
    expect(error.summary).toBe(
      "turn 2: recorded turn 0 answers this prompt and was already used\n" +
        "  nearest  recorded turn 0, which was already used",
    );
    expect(error.hint).toBe(
      "The replay is exhausted. Call reset() before a second run, or make a new cassetteProvider.",
    );
  });

  it("PLK-128 throws exhausted, not prompt-changed, when a run is longer than the recording", async () => {
    const replay = cassetteProvider(await recordTurns([prompt("a")], [say("x")]));
    await replay.turn(prompt("a"));
    const error = await missed(replay.turn(prompt("a", "b")));
    expect(error.code).toBe("exhausted");
    expect(error.summary).toBe(
      [
        "turn 1: the one recorded turn was used, and the run asks for more",
        "  at       /1",
        "  recorded (nothing)",
        '  now      {"role":"user","content":"b"}',
        "  nearest  recorded turn 0, which was already used",
      ].join("\n"),
    );
    expect(error.hint).toBe(
      "The run asks for more turns than were recorded. If the change was not intended, undo it. Otherwise record it again.",
    );
  });

  it("throws exhausted on an empty cassette", async () => {
    const replay = cassetteProvider(recordedCassette(recordingProvider(scriptedProvider([]))));
    const error = await missed(replay.turn(prompt("a")));
    expect([error.code, error.summary]).toEqual([
      "exhausted",
      "turn 0: the recording holds no turn, and the run asks for more",
    ]);
  });

  it("PLK-113 answers a turn that is asked for before an earlier one, and reports that once", async () => {
    const cassette = await recordTurns([prompt("a"), prompt("b"), prompt("c")], [say("1"), say("2"), say("3")]);
    const warnings: string[] = [];
    const replay = cassetteProvider(cassette, { file: "x.json", ports: { warn: (text) => void warnings.push(text) } });
    const answers = async (...texts: string[]) => {
      const found: unknown[] = [];
      for (const text of texts) found.push((await replay.turn(prompt(text))).finalAnswer);
      return found;
    };
    expect(await answers("a", "c", "b")).toEqual(["1", "3", "2"]);
    replay.reset();
    expect(await answers("c", "b", "a")).toEqual(["3", "2", "1"]);
    expect(warnings).toEqual([
      "playhead: x.json: recorded turn 2 was requested before turn 1. Turns are found by content, so it was answered.",
    ]);
  });

  it("PLK-129 resets, so that the next run succeeds", async () => {
    const replay = cassetteProvider(await weatherCassette());
    const first = await runWeather(replay);
    replay.reset();
    expect(replay.remaining).toBe(2);
    expect((await runWeather(replay)).messages).toEqual(first.messages);
  });

  it("PLK-129 resets in the middle of a run, and counts turns from 0 again", async () => {
    const cassette = await recordTurns([prompt("a"), prompt("a", "b")], [say("1"), say("2")]);
    const replay = cassetteProvider(cassette);
    await replay.turn(prompt("a"));
    replay.reset();
    expect((await missed(replay.turn(prompt("z")))).miss?.turn).toBe(0);
    expect((await replay.turn(prompt("a"))).finalAnswer).toBe("1");
  });

  it("names the turns that were never asked for", async () => {
    const requests = ["a", "b", "c"].map((text) => prompt(text));
    const replay = cassetteProvider(await recordTurns(requests, [say("1"), say("2"), say("3")]), { file: "f" });
    await replay.turn(prompt("b"));
    expect(replay.remaining).toBe(2);
    const error = refusal(() => replay.assertConsumed()) as CassetteError;
    expect([error.code, error.summary, error.file]).toEqual([
      "unconsumed",
      "2 of 3 recorded turns were never requested: turn 0, 2",
      "f",
    ]);
  });

  it("goes on after a miss: what missed used nothing up", async () => {
    const replay = cassetteProvider(await recordTurns([prompt("a")], [say("x")]));
    await missed(replay.turn(prompt("b")));
    expect(await replay.turn(prompt("a"))).toEqual(say("x"));
  });
});

describe("replay with strict: false", () => {
  it("PLK-112 answers with the next unused turn where no prompt fits", async () => {
    const replay = cassetteProvider(await weatherCassette(), { strict: false });
    const result = await runWeather(replay, { systemPrompt: "You are long.", weather: "sun" });
    expect(result.finalAnswer).toBe("Take an umbrella.");
    expect(replay.remaining).toBe(0);
  });

  it("PLK-112 still prefers the turn whose prompt fits, and takes other tools and settings", async () => {
    const requests = [prompt("a"), prompt("b")];
    const replay = cassetteProvider(await recordTurns(requests, [say("1"), say("2")]), { strict: false });
    const loose = { ...prompt("b"), tools: tools("other"), settings: { temperature: 1 } };
    expect((await replay.turn(loose)).finalAnswer).toBe("2");
    expect((await replay.turn(prompt("z"))).finalAnswer).toBe("1");
    expect((await missed(replay.turn(prompt("y")))).code).toBe("exhausted");
  });

  it("PLK-117 refuses an edited cassette all the same", async () => {
    const edited = { ...draft(await weatherCassette()), recordedProvider: "other" };
    const error = refusal(() => cassetteProvider(edited, { strict: false })) as CassetteError;
    expect(error.code).toBe("envelope-hash");
  });
});

describe("tools and settings", () => {
  const asked = { ...prompt("a"), tools: tools("Looks out."), settings: { temperature: 0, model: "m-1" } };
  const record = () => recordTurns([asked], [say("x")]);

  it("are said to have changed, with the first pointer that differs", async () => {
    const replay = cassetteProvider(await record());
    const error = await missed(replay.turn({ ...asked, tools: tools("Looks in.") }));
    expect([error.code, error.pointer]).toEqual(["tools-changed", "/0/description"]);
    expect(error.summary).toBe(
      [
        "turn 0: the description of tool weather changed",
        "  at       /0/description",
        '  recorded "Looks out."',
        '  now      "Looks in."',
        "  nearest  recorded turn 0",
      ].join("\n"),
    );
    const other = await missed(replay.turn({ ...asked, settings: { temperature: 1 } }));
    expect([other.code, other.pointer]).toEqual(["settings-changed", "/temperature"]);
    expect(other.miss).toMatchObject({ recorded: "0", actual: "1" });
    expect(replay.remaining).toBe(1);
  });

  it("are said to have changed where one was added or taken away", async () => {
    const replay = cassetteProvider(await record());
    const { tools: gone, ...without } = asked;
    const error = await missed(replay.turn(without));
    expect([error.code, error.pointer, error.miss?.actual]).toEqual(["tools-changed", "/0", undefined]);
    const more = await missed(replay.turn({ ...asked, settings: { temperature: 0, seed: 1 } }));
    expect([more.pointer, more.miss?.recorded, more.miss?.actual]).toEqual(["/seed", undefined, "1"]);
  });

  it("may name another model", async () => {
    const replay = cassetteProvider(await record());
    expect(await replay.turn({ ...asked, settings: { temperature: 0, model: "m-2" } })).toEqual(say("x"));
  });

  it("choose among turns with one prompt, in whichever order they come", async () => {
    const [plain, armed] = [prompt("a"), { ...prompt("a"), tools: tools("t") }];
    const replay = cassetteProvider(await recordTurns([plain, armed], [say("plain"), say("armed")]));
    expect((await replay.turn(armed)).finalAnswer).toBe("armed");
    expect((await replay.turn(plain)).finalAnswer).toBe("plain");
  });

  it("that are changed in place between turns are noticed", async () => {
    const cassette = await recordTurns([asked, { ...asked, ...prompt("b") }], [say("1"), say("2")]);
    const mine = tools("Looks out.");
    const replay = cassetteProvider(cassette);
    await replay.turn({ ...asked, tools: mine });
    (mine[0] as LlmToolDefinition).description = "Looks in.";
    expect((await missed(replay.turn({ ...asked, ...prompt("b"), tools: mine }))).code).toBe("tools-changed");
  });
});

describe("hashFilter", () => {
  /** As PLK-136 has it: all but the system message are kept, and the session id in it is replaced. */
  const hashFilter = (messages: LlmMessage[]): LlmMessage[] =>
    messages.map((message) =>
      message.role === "system"
        ? { ...message, content: message.content.replace(/session=[a-f0-9-]+/, "session=<id>") }
        : message,
    );

  it("PLK-130 PLK-136 lets a run replay whose prompt holds another session id", async () => {
    const cassette = await weatherCassette({ hashFilter }, { systemPrompt: "You are brief. session=1f-2e" });
    expect(cassette.entries[0]?.prompt?.messages[0]?.content).toBe("You are brief. session=<id>");
    const replay = cassetteProvider(cassette, { hashFilter });
    const result = await runWeather(replay, { systemPrompt: "You are brief. session=99-aa" });
    expect(result.finalAnswer).toBe("Take an umbrella.");
    replay.assertConsumed();
  });

  it("PLK-130 leaves what is sent to the provider as it is", async () => {
    const seen: unknown[] = [];
    const inner: LlmProviderAdapter = {
      turn: async ({ messages }) => (seen.push(...draft([...messages])), say("x")),
    };
    const recorder = recordingProvider(inner, { hashFilter: (messages) => (messages.pop(), messages) });
    await recorder.turn(prompt("a", "b"));
    expect(seen).toEqual(prompt("a", "b").messages);
    expect(recordedCassette(recorder).entries[0]?.prompt?.messages).toEqual(prompt("a").messages);
  });

  it("PLK-130 still misses what it does not touch", async () => {
    const cassette = await weatherCassette({ hashFilter }, { systemPrompt: "You are brief. session=1f" });
    const replay = cassetteProvider(cassette, { hashFilter });
    const error = await missed(runWeather(replay, { systemPrompt: "You are long. session=1f" }));
    expect([error.code, error.pointer]).toEqual(["prompt-changed", "/0/content"]);
  });

  it("PLK-131 on one side only is refused, whichever side it is", async () => {
    const filtered = await weatherCassette({ hashFilter });
    const onReplay = refusal(() => cassetteProvider(filtered)) as CassetteError;
    expect([onReplay.code, onReplay.summary]).toEqual([
      "filter-one-sided",
      "the cassette was recorded with a hashFilter and is replayed without one",
    ]);
    const plain = await weatherCassette();
    const onRecord = refusal(() => cassetteProvider(plain, { hashFilter, file: "f" })) as CassetteError;
    expect([onRecord.code, onRecord.summary, onRecord.file]).toEqual([
      "filter-one-sided",
      "the cassette was recorded without a hashFilter and is replayed with one",
      "f",
    ]);
  });

  it("that is another function on each side misses", async () => {
    const cassette = await weatherCassette({ hashFilter }, { systemPrompt: "session=1f" });
    const replay = cassetteProvider(cassette, { hashFilter: (messages) => messages });
    expect((await missed(runWeather(replay, { systemPrompt: "session=1f" }))).code).toBe("prompt-changed");
  });
});

describe("a runtime of several conversations", () => {
  it("PLK-104 replays two agents at once from one cassette, each with its own answers", async () => {
    const steps = (goal: string) => [ask([{ name: "weather", arguments: { city: goal } }]), say(`done ${goal}`)];
    const byGoal: LlmProviderAdapter = {
      name: "by-goal",
      turn: async ({ messages }) => {
        await new Promise((resolve) => setImmediate(resolve));
        const goal = textsOf(messages)[1] ?? "";
        return steps(goal)[messages.length === 2 ? 0 : 1] ?? say("none");
      },
    };
    const recorder = recordingProvider(byGoal, { ports: fixedPorts() });
    const live = await Promise.all(["Oslo", "Rome"].map((goal) => runWeather(recorder, { goal })));
    const replay = cassetteProvider(recordedCassette(recorder));
    const again = [await runWeather(replay, { goal: "Rome" }), await runWeather(replay, { goal: "Oslo" })];
    expect(again.map((result) => result.messages)).toEqual(live.map((result) => result.messages).reverse());
    replay.assertConsumed();
  });

  it("PLK-111 ends a runtime's run with the miss itself", async () => {
    const replay = cassetteProvider(await weatherCassette());
    const runtime = createRuntime({ agents: [{ id: "a", systemPrompt: "other", provider: replay }] });
    expect(await rejection(runtime.run({ goal: "g" }))).toBeInstanceOf(CassetteError);
  });
});

function textsOf(messages: readonly LlmMessage[]): string[] {
  return messages.map((message) => message.content as string);
}

function wanted(last: string | undefined): string {
  return last?.length === 1 ? `${last}1` : (last ?? "");
}

describe("the stack of a miss", () => {
  async function anAgentOfThisFile(provider: LlmProviderAdapter, streaming: boolean) {
    const run = await createRuntime({ agents: [{ id: "a", systemPrompt: "", provider, streaming }] }).run({
      goal: "x",
    });
    return run.finalAnswer;
  }

  it.each([false, true])(
    "names the function that started the run, through our own loop (streaming: %s)",
    async (streaming) => {
      const limit = Error.stackTraceLimit;
      const provider = cassetteProvider(await weatherCassette());
      const error = (await rejection(anAgentOfThisFile(provider, streaming))) as CassetteError;
      expect(error.stack).toMatch(/anAgentOfThisFile .*replay\.test\.ts/);
      expect(Error.stackTraceLimit).toBe(limit);
    },
  );

  it("leaves a limit that is off or higher as it is", async () => {
    const limit = Error.stackTraceLimit;
    try {
      for (const own of [0, 80]) {
        Error.stackTraceLimit = own;
        await rejection(cassetteProvider(await weatherCassette()).turn(prompt("x")));
        expect(Error.stackTraceLimit).toBe(own);
      }
    } finally {
      Error.stackTraceLimit = limit;
    }
  });
});
