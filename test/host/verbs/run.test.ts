// The verbs in a run: what a model reads of them.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LlmToolCall } from "../../../src/core/model/message.js";
import { createVerbs } from "../../../src/host/verbs/verbs.js";
import { agent, runtime } from "../../support/agents.js";
import { ask, say, tool, watchedScript } from "../../support/script.js";
import { pages, startSite, type Site } from "../../support/site.js";

let site: Site;
let folder = "";
beforeAll(async () => {
  site = await startSite(pages({ "/": "<title>Stock</title><p>Three sparrows are left.</p>" }));
  folder = await mkdtemp(join(tmpdir(), "playhead-run-"));
  await writeFile(join(folder, "letter.txt"), "Dear {{name}}, {{count}} are left.");
});
afterAll(async () => {
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

const verbs = () => createVerbs({ root: folder, allowPrivateNetwork: ["127.0.0.1"] });

/** What the model reads after asking for these calls in one turn. */
async function read(calls: Pick<LlmToolCall, "name" | "arguments">[], part: Parameters<typeof agent>[1] = {}) {
  const provider = watchedScript([ask(calls), say("done")]);
  const result = await runtime([agent(provider, part)], { verbs: verbs() }).run({ goal: "g" });
  const contents = result.messages.flatMap((message) => (message.role === "tool" ? [String(message.content)] : []));
  return { contents, offered: provider.asked[0]?.tools?.map(({ name }) => name), events: result.events };
}

describe("a run with verbs over HTTP and a folder", () => {
  it("PLK-08 PLK-10 looks, reads, shapes and writes", async () => {
    const provider = watchedScript([
      ask([{ name: "connect", arguments: { uri: site.url } }]),
      ask([
        { name: "extract", arguments: { uri: site.url } },
        { name: "extract", arguments: { uri: "letter.txt" } },
      ]),
      ask([{ name: "shape", arguments: { template: "{{count}} for {{name}}", data: { name: "Ann", count: 3 } } }]),
      ask([{ name: "act", arguments: { uri: "out/letter.txt", action: "write", input: "3 for Ann" } }]),
      say("written"),
    ]);
    const result = await runtime([agent(provider, { tools: ["connect", "extract", "shape", "act"] })], {
      verbs: verbs(),
    }).run({ goal: "Write to Ann." });
    const contents = result.messages.flatMap((message) => (message.role === "tool" ? [String(message.content)] : []));
    expect(contents.map((content) => content.slice(0, 300))).toEqual([
      expect.stringContaining('"title":"Stock"'),
      expect.stringContaining('"text":"Three sparrows are left."'),
      expect.stringContaining("Dear {{name}}"),
      "3 for Ann",
      '{"uri":"out/letter.txt","action":"write","bytes":9}',
    ]);
    expect(await readFile(join(folder, "out", "letter.txt"), "utf8")).toBe("3 for Ann");
    expect(result.finalAnswer).toBe("written");
  });

  it("PLK-43 PLK-44 offers act to the agent that lists it and to no other", async () => {
    const call = { name: "act", arguments: { uri: "never.txt", action: "write", input: "x" } };
    const { offered, contents } = await read([call]);
    expect(offered).toEqual(["connect", "extract", "shape", "sense", "probe", "context", "dowse"]);
    expect(contents).toEqual(["tool unavailable"]);
    await expect(readFile(join(folder, "never.txt"))).rejects.toMatchObject({ code: "ENOENT" });
    expect((await read([], { tools: ["act"] })).offered).toEqual(["act"]);
  });

  it("PLK-45 PLK-46 PLK-47 leaves manifests what they are", async () => {
    const own = tool("shop_list", () => "mine");
    const calls = [
      { name: "shop_list", arguments: {} },
      { name: "extract", arguments: { uri: "letter.txt" } },
    ];
    const { offered, contents } = await read(calls, { tools: [], customTools: [own] });
    expect([offered, contents]).toEqual([["shop_list"], ["mine", "tool unavailable"]]);
    expect(() => runtime([agent(watchedScript([]), { tools: ["fly"] })], { verbs: verbs() })).toThrow("fly");
  });

  it("PLK-67 tells a model nothing of arguments that the schema refuses, and why a target cannot be read", async () => {
    const { contents, events } = await read([
      { name: "extract", arguments: { uri: 1 } },
      { name: "extract", arguments: { uri: "../secret" } },
      { name: "extract", arguments: { uri: "none.txt" } },
      { name: "extract", arguments: { uri: "http://169.254.169.254/latest" } },
    ]);
    expect(contents).toEqual([
      "tool unavailable",
      "a path with .. in it is refused",
      "there is no none.txt",
      "169.254.169.254 is not an address that may be reached",
    ]);
    expect(JSON.stringify(contents)).not.toContain(folder);
    expect(events.filter((event) => event.type === "tool-failed")[0]).toMatchObject({ field: "/uri" });
  });
});
