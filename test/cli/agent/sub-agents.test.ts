// Sub-agents have conversations, and so recordings, of their own. A replay finds each, whatever their ids and the order of their ends.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { assertBuilt } from "../../support/built.js";
import { listen } from "../../support/wire.js";
import { KEY, load, repository, run, takeRecordings } from "./running.js";

const agent = fileURLToPath(new URL("sub-agents.mjs", import.meta.url));
let model: Awaited<ReturnType<typeof listen>>;
let asked = 0;

beforeAll(async () => {
  assertBuilt();
  model = await listen((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { system, messages } = JSON.parse(Buffer.concat(parts).toString()) as Asked;
      const id = `toolu_${++asked}`;
      const call = (name: string, input: object, suffix = "") => ({ type: "tool_use", id: id + suffix, name, input });
      const file = /note (\S+)\./.exec(String(messages[0]?.content))?.[1] ?? "";
      const isFirst = messages.length === 1;
      const leads = isFirst
        ? ["a.txt", "b.txt"].map((name, index) => call("Task", { prompt: `Write the note ${name}.` }, `_${index}`))
        : [{ type: "text", text: "Both are written." }];
      const writes = [isFirst ? call("Write", { file, text: file }) : { type: "text", text: `${file} is written.` }];
      const content = system === "You lead." ? leads : writes;
      const message = { id: `msg_${asked}`, type: "message", role: "assistant", model: "small", content };
      const stop = { stop_reason: content[0]?.type === "text" ? "end_turn" : "tool_use", stop_sequence: null };
      const usage = { input_tokens: 1, output_tokens: 1 };
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ ...message, ...stop, usage }));
    });
  });
});
afterAll(() => model.close());

interface Asked {
  system: string;
  messages: { content: unknown }[];
}

it("records each sub-agent apart, and replays them with other ids, done in another order", async () => {
  const here = repository();
  const args = ["record", "--agent", "claude", "--target", model.baseURL, "--", "node", agent];
  const recorded = await run(here, args, KEY);
  expect([recorded.code, recorded.out]).toEqual([0, "Both are written.\n"]);
  const files = readdirSync(join(here, "__cassettes__/claude")).sort();
  expect(files).toHaveLength(3);
  const turns = files.map((file) => load(here, `__cassettes__/claude/${file}`).entries.length);
  expect(turns).toEqual([2, 2, 2]);
  const before = asked;

  for (const order of [[], ["swap"]]) {
    const there = repository();
    takeRecordings(here, there);
    const ran = await run(there, ["replay", "--agent", "claude", "--", "node", agent, ...order]);
    expect(ran.err).toContain("2 files ended as recorded");
    expect([ran.code, ran.out]).toEqual([0, "Both are written.\n"]);
    expect(readFileSync(join(there, "b.txt"), "utf8")).toBe("b.txt");
  }
  expect(asked).toBe(before);
});
