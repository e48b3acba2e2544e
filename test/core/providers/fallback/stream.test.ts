import { describe, expect, it } from "vitest";
import { LlmProviderHttpError } from "../../../../src/core/errors.js";
import type { LlmProviderAdapter, LlmStreamEvent, LlmTurnRequest } from "../../../../src/core/model/provider.js";
import { chainOf, fail, player } from "../../../support/chain.js";
import { say } from "../../../support/script.js";
import { agentErrorOf, hello } from "../../../support/wire.js";

const text = (piece: string): LlmStreamEvent => ({ type: "text-delta", text: piece });
const response = (words: string): LlmStreamEvent => ({ type: "response", response: say(words) });
const limited = () =>
  new LlmProviderHttpError({
    ...{ status: 429, bodySnippet: "", providerName: "p", hint: "h" },
    ...{ retryable: true, kind: "rate-limit" },
  });

/** A provider whose calls stream these; an error is thrown where it stands. */
function streamer(name: string, ...calls: (LlmStreamEvent | Error)[][]) {
  const left = [...calls];
  const state = { closed: 0 };
  const provider: LlmProviderAdapter = {
    name,
    turn: () => Promise.reject(new Error("not asked for a stream")),
    async *stream() {
      try {
        for (const event of left.shift() ?? []) {
          if (event instanceof Error) throw event;
          yield event;
        }
      } finally {
        state.closed += 1;
      }
    },
  };
  return { ...provider, state };
}

function refuse(): never {
  throw new Error("at once");
}

/** All that the chain streams until it ends or throws. */
async function watch(chain: LlmProviderAdapter, request: LlmTurnRequest = hello) {
  const seen: string[] = [];
  const run = async () => {
    for await (const event of chain.stream!(request)) {
      seen.push(event.type === "response" ? `response ${event.response.message.content}` : event.type);
    }
  };
  return { seen, run };
}

describe("a chain that streams", () => {
  it("REL-59 passes on the deltas of the attempt that answers, and the response last", async () => {
    const a = streamer("a", [limited()], [text("h"), text("i"), response("hi")]);
    const { chain, walked } = chainOf([{ provider: a, maxAttempts: 2 }]);
    const { seen, run } = await watch(chain);
    await run();
    expect(seen).toEqual(["text-delta", "text-delta", "response hi"]);
    expect(walked()).toEqual(["a failed", "a answered"]);
  });

  it("REL-45 moves on to another entry before content was streamed, and never after", async () => {
    const quiet = chainOf([{ provider: streamer("a", [limited()]) }, { provider: streamer("b", [response("hi")]) }]);
    const first = await watch(quiet.chain);
    await first.run();
    expect(first.seen).toEqual(["response hi"]);

    const begun = chainOf([
      { provider: streamer("a", [text("h"), limited()], [response("again")]), maxAttempts: 3 },
      { provider: streamer("b", [response("hi")]) },
    ]);
    const second = await watch(begun.chain);
    expect(await agentErrorOf(second.run)).toMatchObject({ status: 429 });
    expect(second.seen).toEqual(["text-delta"]);
    expect(begun.walked()).toEqual(["a failed"]);
  });

  it("asks an entry without a stream for its turn", async () => {
    const entries = [{ provider: streamer("a", [limited()]) }, { provider: player("b", [say("whole")]) }];
    const { seen, run } = await watch(chainOf(entries).chain);
    await run();
    expect(seen).toEqual(["response whole"]);
  });

  it("takes a stream that ends without a response for a failure", async () => {
    const { chain, walked } = chainOf([{ provider: streamer("a", []) }, { provider: streamer("b", [response("hi")]) }]);
    const { run } = await watch(chain);
    await run();
    expect(walked()).toEqual(["a failed", "b answered"]);
  });

  it("closes the provider's stream and reports the attempt when the caller leaves", async () => {
    const a = streamer("a", [text("h"), text("i"), response("hi")]);
    const { chain, attempts } = chainOf([{ provider: a }, { provider: player("b", []) }]);
    for await (const event of chain.stream!(hello)) if (event.type === "text-delta") break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(a.state.closed).toBe(1);
    expect(attempts).toMatchObject([{ outcome: "failed", error: { code: "aborted" } }]);
  });

  it.each<[string, () => unknown]>([
    ["a plain object", () => ({ done: true })],
    ["nothing", () => undefined],
    ["an error at once", () => refuse()],
    ["an error later", () => Promise.reject(new Error("later"))],
    ["no end", () => new Promise(() => undefined)],
  ])("gives the answer where closing the provider's stream gives %s", async (_what, close) => {
    const events = [text("h"), response("hi"), text("too much")];
    const iterator = { next: async () => ({ done: false, value: events.shift() }), return: close };
    const odd = { ...player("odd", []), stream: () => ({ [Symbol.asyncIterator]: () => iterator }) };
    const { seen, run } = await watch(chainOf([{ provider: odd as LlmProviderAdapter }]).chain);
    await run();
    expect(seen).toEqual(["text-delta", "response hi"]);
  });

  it("REL-47 ends with the caller's abort where the provider's stream hangs", async () => {
    const controller = new AbortController();
    const hanging: LlmProviderAdapter = {
      ...player("hanging", []),
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) }),
    };
    const { chain } = chainOf([{ provider: hanging }, { provider: player("b", [say("hi")]) }]);
    const { run } = await watch(chain, { ...hello, signal: controller.signal });
    const pending = agentErrorOf(run);
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await pending).toMatchObject({ code: "aborted" });
  });

  it("gives the response of turn as the response of stream", async () => {
    const entries = () => [{ provider: player("a", [fail("timeout"), say("same")]), maxAttempts: 2 }];
    const { seen, run } = await watch(chainOf(entries()).chain);
    await run();
    expect(seen).toEqual(["response same"]);
    expect(await chainOf(entries()).chain.turn(hello)).toEqual(say("same"));
  });
});
