import { describe, expect, it } from "vitest";
import { createShelf } from "../../../src/cassette/serve/shelf.js";
import { CassetteError } from "../../../src/cassette/errors.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmTurnRequest } from "../../../src/core/model/provider.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { answer, get, jsonOf, post, recordExchanges } from "../../support/exchange-recording.js";
import { prompt, recordTurns } from "../../support/recording.js";
import { say } from "../../support/script.js";

const item = (file: string, cassette: unknown, names: string[] = [file]) => ({ file, cassette, names });
const over = (request: LlmTurnRequest) => ({
  messages: [...request.messages],
  ...(request.tools === undefined ? {} : { tools: [...request.tools] }),
  settings: { model: "m", ...request.settings },
});

async function missOf(run: Promise<unknown>): Promise<CassetteError> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof CassetteError) return error;
  throw new Error("no CassetteError was thrown");
}

describe("createShelf", () => {
  it("gives each turn once, in the order of the cassettes", async () => {
    const a = await recordTurns([prompt("q")], [say("a")]);
    const b = await recordTurns([prompt("q")], [say("b")]);
    const shelf = createShelf([item("a", a), item("b", b)]);
    const ask = () => shelf.answer(VENDORS.openai, over(prompt("q")));
    expect(await ask()).toMatchObject({ file: "a", turnIndex: 0, response: { finalAnswer: "a" } });
    expect(await ask()).toMatchObject({ file: "b", response: { finalAnswer: "b" } });
    expect((await missOf(ask())).code).toBe("exhausted");
    expect(shelf.counts()).toEqual([
      { file: "a", turns: 1, used: 1 },
      { file: "b", turns: 1, used: 1 },
    ]);
  });

  it("prefers the cassette whose settings fit, whatever its place", async () => {
    const cold = await recordTurns([{ ...prompt("q"), settings: { temperature: 0 } }], [say("cold")]);
    const warm = await recordTurns([{ ...prompt("q"), settings: { temperature: 1 } }], [say("warm")]);
    const shelf = createShelf([item("cold", cold), item("warm", warm)]);
    const ask = (temperature: number) =>
      shelf.answer(VENDORS.openai, over({ ...prompt("q"), settings: { temperature } }));
    expect((await ask(1)).file).toBe("warm");
    expect((await missOf(ask(0.5))).code).toBe("settings-changed");
    expect((await ask(0)).file).toBe("cold");
  });

  it("names the filter that helps also if the client gives each call an id of its own", async () => {
    const asked = (id: string, pid: number): LlmTurnRequest => ({
      messages: [
        { role: "user", content: "q" },
        { role: "assistant", content: "", toolCalls: [{ id, name: "run", arguments: {} }] },
        { role: "tool", toolCallId: id, name: "run", content: `PID: ${pid}` },
      ],
    });
    const cassette = await recordTurns([asked("run_1", 7)], [say("a")]);
    const shelf = createShelf([item("a", cassette)]);
    const { miss } = await missOf(shelf.answer(VENDORS.openai, over(asked("run_2", 8))));
    expect(miss).toMatchObject({ pointer: "/2/content", filters: ["number-in:PID"] });
  });

  it("explains a miss by the cassette that came nearest", async () => {
    const far = await recordTurns([prompt("one", "two")], [say("a")]);
    const near = await recordTurns([prompt("one", "three", "four")], [say("b")]);
    const shelf = createShelf([item("far", far), item("near", near)]);
    const error = await missOf(shelf.answer(VENDORS.openai, over(prompt("one", "three", "five"))));
    expect(error.file).toBe("near");
    expect(error.miss).toMatchObject({ pointer: "/2/content", messageIndex: 2 });
  });

  it("explains a miss by the unused turn that is most alike, over all cassettes", async () => {
    const of = (text: string) => recordTurns([prompt(text)], [say("a")]);
    const texts = ["Tell me a joke", "What is the capital of France?", "Write a poem"];
    const items = await Promise.all(texts.map(async (text) => item(text, await of(text))));
    const [joke = "", france = ""] = texts;
    const spain = over(prompt("What is the capital of Spain?"));
    const fresh = createShelf(items);
    const first = await missOf(fresh.answer(VENDORS.openai, spain));
    expect(first).toMatchObject({ code: "prompt-changed", file: france, miss: { nearest: { used: false } } });

    const shelf = createShelf(items);
    await shelf.answer(VENDORS.openai, over(prompt(joke)));
    const second = await missOf(shelf.answer(VENDORS.openai, spain));
    expect(second).toMatchObject({ code: "prompt-changed", file: france });
    expect(second.miss?.recorded).toContain("France");
  });

  it("calls a changed request changed while any turn is unused, however near the used ones are", async () => {
    const used = await recordTurns([prompt("system", "Draft a title")], [say("a")]);
    const open = await recordTurns([prompt("Summarise the text")], [say("b")]);
    const shelf = createShelf([item("used", used), item("open", open)]);
    await shelf.answer(VENDORS.openai, over(prompt("system", "Draft a title")));
    const ask = (...texts: string[]) => missOf(shelf.answer(VENDORS.openai, over(prompt(...texts))));
    expect(await ask("system", "Draft a headline")).toMatchObject({ code: "prompt-changed", file: "open" });
    expect(await ask("system", "Draft a title")).toMatchObject({ code: "exhausted", file: "used" });
    expect(await ask("system", "Draft a title", "Again")).toMatchObject({ code: "exhausted", file: "used" });
  });

  it("points at the change and not at what the wire lost before it", async () => {
    const messages = (result: string): LlmMessage[] => [
      { role: "user", content: "q" },
      {
        role: "assistant",
        content: "",
        reasoning: [{ type: "text", text: "hm" }],
        toolCalls: [{ id: "toolu_1", name: "look", arguments: {} }],
      },
      { role: "tool", toolCallId: "toolu_1", name: "look", content: result },
    ];
    const shelf = createShelf([item("a", await recordTurns([{ messages: messages("seen") }], [say("a")]))]);
    const read = (result: string) =>
      VENDORS.openai.parse(VENDORS.openai.encode({ messages: messages(result) }, "m", 1)).request;
    const error = await missOf(shelf.answer(VENDORS.openai, read("other")));
    expect(error.miss).toMatchObject({ pointer: "/2/content", recorded: '"seen"', actual: '"other"' });
    expect((await shelf.answer(VENDORS.openai, read("seen"))).response.finalAnswer).toBe("a");
  });

  it("compares hashes alone where a cassette keeps no prompts", async () => {
    const bare = await recordTurns([prompt("q")], [say("a")], { prompts: false });
    const shelf = createShelf([item("bare", bare)]);
    expect((await missOf(shelf.answer(VENDORS.openai, over(prompt("r"))))).message).toContain("holds only hashes");
    expect((await shelf.answer(VENDORS.openai, over(prompt("q")))).response.finalAnswer).toBe("a");
  });

  it("looks a pinned name up and does nothing else with it", async () => {
    const shelf = createShelf([item("a", await recordTurns([prompt("q")], [say("a")]), ["a", "task 1"])]);
    expect((await missOf(shelf.answer(VENDORS.openai, over(prompt("q")), "../a"))).code).toBe("file-not-found");
    expect((await shelf.answer(VENDORS.openai, over(prompt("q")), "task 1")).file).toBe("a");
  });

  it("refuses a cassette that was tampered with, and one that a filter was used on", async () => {
    const good = await recordTurns([prompt("q")], [say("a")]);
    expect(() => createShelf([item("bad", { ...good, recordedAt: "2020-01-01T00:00:00.000Z" })])).toThrow();
    const filtered = await recordTurns([prompt("q")], [say("a")], { hashFilter: (messages) => messages });
    expect(() => createShelf([item("filtered", filtered)])).toThrow("recorded with a hashFilter");
  });
});

describe("the exchanges of a shelf", () => {
  const embed = (input: string) => post("/v1/embeddings", { input });

  it("answer from the first cassette that has an unused one", () => {
    const a = recordExchanges([[embed("x"), answer({ from: "a" })]]);
    const b = recordExchanges([
      [embed("x"), answer({ from: "b" })],
      [get("/v1/models"), answer({ data: [] }, 503, { "retry-after": "1" })],
    ]);
    const shelf = createShelf([item("a", a), item("b", b, ["task"])]);
    expect(shelf.exchange(embed("x"), "task")).toMatchObject({ file: "b", index: 0 });
    const found = shelf.exchange(embed("x"));
    expect([found?.file, found && jsonOf(found.answer)]).toEqual(["a", { from: "a" }]);
    expect(shelf.exchange(embed("x"))).toBeUndefined();
    expect(shelf.exchangeMiss(embed("x"))).toMatchObject({ code: "exhausted", file: "a" });
    expect(shelf.exchange(get("/v1/models"))?.answer).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    expect(shelf.counts()).toEqual([
      { file: "a", turns: 0, used: 0, exchanges: { total: 1, used: 1 } },
      { file: "b", turns: 0, used: 0, exchanges: { total: 2, used: 2 } },
    ]);
  });

  it("explain a miss by the nearest of all cassettes", () => {
    const a = recordExchanges([[embed("far away"), answer({})]]);
    const b = recordExchanges([[embed("near"), answer({})]]);
    const shelf = createShelf([item("a", a), item("b", b)]);
    expect(shelf.exchange(embed("nearer"))).toBeUndefined();
    expect(shelf.exchangeMiss(embed("nearer"))).toMatchObject({ code: "exchange-changed", file: "b" });
    expect(shelf.exchangeMiss(get("/x")).code).toBe("exchange-missing");
    expect(() => shelf.exchange(embed("near"), "nobody")).toThrow("nobody");
  });
});
