import { afterAll, describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { rebuildPrompts } from "../../../src/cassette/prompt/rebuild.js";
import { recordingProvider, type RecordingProvider } from "../../../src/cassette/record/recording-provider.js";
import type { Redact } from "../../../src/cassette/redact/answers.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmProviderAdapter, LlmTurnResponse } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import { recordedCassette, verifyKept } from "../../support/oracle.js";
import { fixedPorts, prompt } from "../../support/recording.js";
import { rejection } from "../../support/refusal.js";
import { ask, say, tool } from "../../support/script.js";

afterAll(verifyKept);

const SECRET = /sk-[a-z0-9]+/g;

const redact: Redact = (response) => JSON.parse(JSON.stringify(response).replace(SECRET, "sk-***")) as typeof response;

const script = () =>
  scriptedProvider([
    ask([{ name: "login", arguments: { key: "sk-abc1" } }], { content: "I use sk-abc1." }),
    ask([{ name: "login", arguments: { key: "sk-def2" } }]),
    say("Logged in with sk-def2."),
  ]);

function runLogin(provider: LlmProviderAdapter) {
  const invoked: unknown[] = [];
  const login = tool("login", (args) => {
    invoked.push(args);
    return "welcome";
  });
  const runtime = createRuntime({ agents: [{ id: "a", systemPrompt: "Log in.", provider, customTools: [login] }] });
  return runtime.run({ goal: "go" }).then((result) => ({ result, invoked }));
}

const recorderOf = (provider: LlmProviderAdapter): RecordingProvider =>
  recordingProvider(provider, { redact, ports: fixedPorts() });

describe("redact", () => {
  it("PLK-133 scrubs answers before they are hashed, and the same answers in later prompts", async () => {
    const recorder = recorderOf(script());
    await runLogin(recorder);
    const cassette = recordedCassette(recorder);
    const text = formatCassette(cassette);
    expect(text).not.toMatch(SECRET);
    expect(text).toContain("sk-***");
    expect(parseCassette(text)).toEqual(cassette);
    expect(rebuildPrompts(cassette)?.[2]?.[2]).toEqual(
      ask([{ name: "login", arguments: { key: "sk-***" } }], { content: "I use sk-***." }).message,
    );
  });

  it("PLK-132 PLK-133 leaves what the agent gets untouched", async () => {
    const plain = await runLogin(script());
    const watched = await runLogin(recorderOf(script()));
    expect(watched.result.messages).toEqual(plain.result.messages);
    expect(watched.result.finalAnswer).toBe("Logged in with sk-def2.");
    expect(watched.invoked).toEqual([{ key: "sk-abc1" }, { key: "sk-def2" }]);
  });

  it("PLK-133 gives a recording that replays strictly, with scrubbed answers", async () => {
    const recorder = recorderOf(script());
    await runLogin(recorder);
    const replay = cassetteProvider(recordedCassette(recorder));
    const { result, invoked } = await runLogin(replay);
    expect(result.finalAnswer).toBe("Logged in with sk-***.");
    expect(invoked).toEqual([{ key: "sk-***" }, { key: "sk-***" }]);
    replay.assertConsumed();
  });

  it("is handed a copy: changing it does not reach the agent", async () => {
    const recorder = recordingProvider(scriptedProvider([say("secret")]), {
      redact(response) {
        response.message.content = "gone";
        delete response.finalAnswer;
        return response;
      },
    });
    expect(await recorder.turn(prompt("a"))).toEqual(say("secret"));
    expect(recordedCassette(recorder).entries[0]?.response).toEqual({
      message: { role: "assistant", content: "gone" },
      stopReason: "stop",
    });
  });

  describe("a function that knows the content alone", () => {
    const EMAIL_RE = /[a-z]+@example\.com/g;
    const byContent: Redact = (response) => ({
      ...response,
      message: { ...response.message, content: response.message.content.replace(EMAIL_RE, "<EMAIL>") },
    });
    const record = async (answer: LlmTurnResponse, by = byContent) => {
      const recorder = recordingProvider(scriptedProvider([answer]), { redact: by, ports: fixedPorts() });
      await recorder.turn(prompt("a"));
      return recordedCassette(recorder);
    };

    it("PLK-133 leaves no copy of the secret in the final answer, whole or streamed", async () => {
      const whole = await record(say("Write to ann@example.com"));
      expect(whole.entries[0]?.response).toMatchObject({
        message: { content: "Write to <EMAIL>" },
        finalAnswer: "Write to <EMAIL>",
      });
      const streaming: LlmProviderAdapter = {
        ...scriptedProvider([]),
        async *stream() {
          for (const text of ["Write to ann@", "example.com"]) yield { type: "text-delta" as const, text };
          yield { type: "response" as const, response: say("Write to ann@example.com") };
        },
      };
      const recorder = recordingProvider(streaming, { redact: byContent });
      for await (const event of recorder.stream?.(prompt("a")) ?? []) expect(event).toBeDefined();
      const streamed = recordedCassette(recorder);
      expect(streamed.entries).toHaveLength(1);
      for (const cassette of [whole, streamed]) expect(formatCassette(cassette)).not.toContain("ann@");
    });

    it("PLK-133 leaves none in a final answer that says more or less than the content", async () => {
      const answer: LlmTurnResponse = { ...say("So: ann@example.com"), finalAnswer: "ann@example.com" };
      expect((await record(answer)).entries[0]?.response.finalAnswer).toBe("<EMAIL>");
      expect((await record({ ...answer, message: say("").message })).entries[0]?.response.finalAnswer).toBe("<EMAIL>");
    });

    it("PLK-133 leaves none in a thought or an argument that is the content", async () => {
      const answer = ask([{ name: "mail", arguments: { to: "ann@example.com" } }], { content: "ann@example.com" });
      answer.message.reasoning = [{ type: "text", text: "ann@example.com" }];
      const cassette = await record(answer);
      expect(formatCassette(cassette)).not.toContain("ann@");
      expect(cassette.entries[0]?.response.message.toolCalls?.[0]?.arguments).toEqual({ to: "<EMAIL>" });
    });

    it("keeps a final answer that the function changed itself", async () => {
      const cassette = await record(say("ann@example.com"), (response) => ({
        ...byContent(response),
        finalAnswer: "someone",
      }));
      expect(cassette.entries[0]?.response.finalAnswer).toBe("someone");
    });
  });

  it("works together with a hashFilter, which sees the scrubbed prompt", async () => {
    const seen: string[] = [];
    const recorder = recordingProvider(script(), {
      redact,
      hashFilter: (messages) => (seen.push(JSON.stringify(messages)), messages),
    });
    await runLogin(recorder);
    expect(seen).toHaveLength(3);
    expect(seen.join("")).not.toMatch(SECRET);
    const replay = cassetteProvider(recordedCassette(recorder), { hashFilter: (messages) => messages });
    await runLogin(replay);
    replay.assertConsumed();
  });

  it.each<[string, (answer: LlmTurnResponse) => LlmMessage]>([
    ["its text alone", ({ message }) => ({ role: "assistant", content: message.content })],
    ["its calls alone", ({ message }) => ({ role: "assistant", content: "", toolCalls: message.toolCalls ?? [] })],
    [
      "calls with other ids, and its thoughts",
      ({ message: { toolCalls = [], ...message } }) => ({
        ...message,
        content: "mine",
        toolCalls: toolCalls.map((call) => ({ ...call, id: "other" })),
      }),
    ],
  ])("PLK-133 scrubs an answer of which the agent resends %s, and replays so", async (_, resend) => {
    const answer = ask([{ name: "login", arguments: { key: "sk-abc1" } }], { content: "I use sk-abc1." });
    answer.message.reasoning = [{ type: "text", text: "sk-abc1 it is" }];
    const drive = async (provider: LlmProviderAdapter) => {
      const first = await provider.turn(prompt("a"));
      const { messages } = prompt("a");
      await provider.turn({ messages: [...messages, resend(first)] });
    };
    const recorder = recorderOf(scriptedProvider([answer, say("bye")]));
    await drive(recorder);
    const cassette = recordedCassette(recorder);
    expect(formatCassette(cassette)).not.toMatch(SECRET);
    const replay = cassetteProvider(cassette);
    await drive(replay);
    replay.assertConsumed();
  });

  it("leaves a user's message with the words of an answer as it is", async () => {
    const recorder = recorderOf(scriptedProvider([say("sk-abc1"), say("bye")]));
    await recorder.turn(prompt("sk-abc1"));
    await recorder.turn(prompt("sk-abc1", "b"));
    expect(recordedCassette(recorder).entries[1]?.prompt?.keep).toBe(1);
  });

  it("that throws rejects the turn with its own error, and nothing is kept", async () => {
    const failure = new Error("bad pattern");
    const recorder = recordingProvider(scriptedProvider([say("x")]), {
      redact() {
        throw failure;
      },
    });
    expect(await rejection(recorder.turn(prompt("a")))).toBe(failure);
    expect(recorder.turns).toBe(0);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a promise", Promise.resolve(say("x"))],
    ["a response without a message", { stopReason: "stop" }],
  ])("that returns %s makes the turn not recordable", async (_, returned) => {
    const recorder = recordingProvider(scriptedProvider([say("x")]), { redact: () => returned as never });
    const error = (await rejection(recorder.turn(prompt("a")))) as CassetteError;
    expect(error).toBeInstanceOf(CassetteError);
    expect(error.code).toBe("not-recordable");
    expect(error.hint).toContain("redact function");
    expect(recorder.turns).toBe(0);
  });

  it("is not called for a value that is not an answer", async () => {
    let called = false;
    const recorder = recordingProvider(
      { turn: async () => ({ stopReason: "stop" }) as never },
      { redact: (response) => ((called = true), response) },
    );
    expect(((await rejection(recorder.turn(prompt("a")))) as CassetteError).code).toBe("not-recordable");
    expect(called).toBe(false);
  });
});

it("keeps an answer without secrets as it is", async () => {
  const recorder = recorderOf(scriptedProvider([say("hello")]));
  await recorder.turn(prompt("a"));
  expect(recordedCassette(recorder).entries[0]?.response).toEqual(say("hello"));
});
