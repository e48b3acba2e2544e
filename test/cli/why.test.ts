import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rebuildPrompts } from "../../src/cassette/prompt/rebuild.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmTurnRequest } from "../../src/core/model/provider.js";
import { VENDORS } from "../../src/core/vendors/vendors.js";
import { createRecorder } from "../../src/cassette/record/recorder.js";
import { fixedPorts, weatherCassette } from "../support/recording.js";
import { say } from "../support/script.js";
import { cli, documentOf, folder, place } from "./run.js";
import { placeJson } from "./serve/running.js";

const cassette = await weatherCassette();
const file = place("why.cassette.json", cassette);
const context = cassette.extensions?.contexts?.[0];
const own: LlmTurnRequest = {
  messages: rebuildPrompts(cassette)?.[1] ?? [],
  tools: context?.tools as unknown as NonNullable<LlmTurnRequest["tools"]>,
  settings: {},
};
const changed: LlmTurnRequest = {
  ...own,
  messages: own.messages.map((message): LlmMessage =>
    message.role === "tool" ? { ...message, content: "sun" } : message,
  ),
};

let count = 0;
function ask(body: unknown, ...more: string[]) {
  const path = join(folder, `request-${count++}.json`);
  writeFileSync(path, typeof body === "string" ? body : JSON.stringify(body));
  return cli(["why", file, "--request", path, ...more]);
}

describe("cassette why", () => {
  it("exits 0 and names the turn that answers", async () => {
    const ran = await ask(own);
    expect(ran).toEqual({ code: 0, out: "match: recorded turn 1 answers it\n", err: "" });
    expect(documentOf(await ask(own, "--json"))).toMatchObject({ form: "own", kind: "match", turnIndex: 1 });
  });

  it("exits 1 and prints the report of a replay", async () => {
    const ran = await ask(changed);
    expect(ran.code).toBe(1);
    expect(ran.out).toBe(
      [
        "miss: turn 1: the result of tool weather changed (message 3)",
        "  at       /3/content",
        '  recorded "rain"',
        '  now      "sun"',
        "  nearest  recorded turn 1",
        "  to do    If the change was not intended, undo it. Otherwise record it again (with useCassette: CASSETTE_MODE=refresh) and review the new cassette.",
        "",
      ].join("\n"),
    );
    const report = { code: "prompt-changed", pointer: "/3/content", nearest: { turnIndex: 1, used: false } };
    expect(documentOf(await ask(changed, "--json"))).toMatchObject({ kind: "miss", report });
  });

  it("says that the tools or the settings changed instead", async () => {
    expect((await ask({ ...own, tools: [] })).out).toContain("miss: turn 1: tool weather was removed");
    expect((await ask({ ...own, settings: { temperature: 1 } })).out).toMatch(/miss: turn 1: .*temperature/);
  });

  it.each(["openai", "anthropic", "ollama"] as const)("reads the body of a request to %s", async (name) => {
    const body = (request: LlmTurnRequest) => VENDORS[name].encode(request, "m-1", 4096);
    expect(documentOf(await ask(body(own), "--json"))).toMatchObject({ form: name, kind: "match", turnIndex: 1 });
    const missed = documentOf(await ask(body(changed), "--json", "--wire", name));
    expect(missed).toMatchObject({ exitCode: 1, report: { messageIndex: 3, recorded: '"rain"' } });
  });

  it.each(["own", "openai"] as const)(
    "leaves out of the comparison what --filter names, in the form %s",
    async (form) => {
      const dated = (day: string): LlmTurnRequest => ({ messages: [{ role: "user", content: `Today is ${day}.` }] });
      const recorder = createRecorder(() => "m", { ports: fixedPorts() });
      recorder.open(dated("2026-01-02")).answer(say("Yes."));
      const path = place(`dated-${form}.cassette.json`, recorder.toCassette());
      const later = dated("2026-03-04");
      const request = placeJson(
        `dated-${form}.json`,
        form === "own" ? later : VENDORS[form].encode(later, "m-1", 4096),
      );
      const missed = await cli(["why", path, "--request", request]);
      expect([missed.code, missed.out]).toEqual([1, expect.stringContaining("isoDate")]);
      expect((await cli(["why", path, "--request", request, "--filter", "isoDate"])).out).toContain(
        "match: recorded turn 0",
      );
    },
  );

  it("names the cassettes of a folder", async () => {
    const { code, err } = await cli(["why", ".", "--request", "-"], { stdin: "{}" });
    expect(code).toBe(2);
    expect(err).toMatch(
      /error: \. is a folder, and why takes one cassette\n.*\n {2}hint: Name one of them: .*why\.cassette\.json/,
    );
  });

  it("exits 2 for a value that is not a request", async () => {
    expect(await ask("[]")).toMatchObject({ code: 2, out: "" });
    const torn = await ask('{"messages":[');
    expect([torn.code, torn.out]).toEqual([2, ""]);
    expect(torn.err).toContain("the request cannot be read: the file is not JSON, or was cut short");
    expect(torn.err).toContain("hint: Give { messages, tools?, settings? }");
    expect((await cli(["why", file, "--request", "-"], { stdin: '{"foo":1}' })).err).toBe(
      [
        "error: the messages of the request are not a list of messages: it is undefined",
        "  hint: Give { messages, tools?, settings? }, or the body of a request to a vendor.",
        "",
      ].join("\n"),
    );
    const tornAtStdin = await cli(["why", file, "--request", "-"], { stdin: "{" });
    expect(tornAtStdin.err).toContain("the request cannot be read");
    expect(tornAtStdin.err).not.toContain("file:");
    expect((await ask({ foo: 1 })).err).toMatch(/\n {2}file: .*request-\d+\.json\n/);
    expect((await ask(own, "--wire", "toString")).err).toContain('"toString" is not a wire');
    expect((await cli(["why", file, "--request", "none.json"])).err).toContain("none.json does not exist");
  });
});
