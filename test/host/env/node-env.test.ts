import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createEnvRuntime } from "../../../src/core/env/runtime.js";
import { createInMemoryStorage } from "../../../src/core/env/storage/memory-storage.js";
import type { LlmTurnRequest } from "../../../src/core/model/provider.js";
import { createNodeEnv } from "../../../src/host/env/node-env.js";
import { openFileStorage } from "../../../src/host/env/file-storage.js";
import { openSqliteMemory } from "../../../src/host/memory/sqlite.js";
import { loadSqlite } from "../../../src/host/sqlite/driver.js";
import { say } from "../../support/script.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());
let made = 0;

function project(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = folder.path(`project-${made++}`);
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe("CRB-27 instruction files", () => {
  it("are read from the root down to the folder, with paths and line ends that are the same on every system", async () => {
    const root = project({
      "AGENTS.md": "\ufeffRoot.\r\nTwo.\r\n",
      "a/b/AGENTS.md": "Inner.",
      "a/c/AGENTS.md": "Other.",
      "a/CLAUDE.md": "C.",
    });
    const env = createNodeEnv({ hook: {}, root, instructionFiles: ["AGENTS.md", "CLAUDE.md"] });
    expect(await env.discoverInstructions("a/b")).toBe(
      "# AGENTS.md\n\nRoot.\nTwo.\n\n# a/CLAUDE.md\n\nC.\n\n# a/b/AGENTS.md\n\nInner.",
    );
    expect(await env.discoverInstructions(".")).toBe("# AGENTS.md\n\nRoot.\nTwo.");
    expect(await createNodeEnv({ hook: {}, root, instructionFiles: [] }).discoverInstructions(".")).toBeUndefined();
  });

  it.each<[string, () => [string, string]]>([
    ["a folder above the root", () => [project({}), ".."]],
    ["a folder far below the root", () => [project({}), "x/".repeat(16)]],
    ["a large file", () => [project({ "AGENTS.md": "x".repeat(65_537) }), "."]],
    ["bytes that are not text", () => [project({ "AGENTS.md": new Uint8Array([0xff]) }), "."]],
    ["a folder of that name", () => [project({ "AGENTS.md/x": "" }), "."]],
    [
      "a link out of the root",
      () => {
        const root = project({});
        symlinkSync(join(project({ secret: "s" }), "secret"), join(root, "AGENTS.md"));
        return [root, "."];
      },
    ],
  ])("refuse %s", async (_name, make) => {
    const [root, cwd] = make();
    await expect(createNodeEnv({ hook: {}, root }).discoverInstructions(cwd)).rejects.toMatchObject({
      code: "conversation-failed",
    });
  });
});

describe("CRB-15 an environment on Node", () => {
  it("CRB-09 CRB-24 CRB-25 CRB-26 CRB-28 owns its hook, sends events, and honours a folder of a conversation", async () => {
    const root = project({ "one/AGENTS.md": "One.", "two/AGENTS.md": "Two." });
    const hook = {};
    const env = createNodeEnv({ hook, root, cwd: "one", capacity: 2 });
    expect(env.hook()).toBe(hook);
    const seen: (string | undefined)[] = [];
    const provider = {
      turn: async ({ messages }: LlmTurnRequest) => {
        seen.push(/\n\n(\w+)\.\n<\/instructions>$/.exec(messages[1]?.content as string)?.[1]);
        return say("end");
      },
    };
    const storage = createInMemoryStorage();
    const runtime = createEnvRuntime({ storage, provider, env }, { agents: [{ name: "a", instructions: "" }] });
    const events = env.subscribeEvents();
    await runtime.send({ agent: "a", content: "Go." });
    env.setCwd("a:", "two");
    await runtime.send({ agent: "a", content: "Go." });
    await runtime.send({ agent: "a", sender: "ann", content: "Go." });
    env.setCwd("a:", undefined);
    await runtime.send({ agent: "a", content: "Go." });
    expect(seen).toEqual(["One", "Two", "One", "One"]);
    env.close();
    const told: unknown[] = [];
    for await (const item of events) told.push("missed" in item ? item : item.event.type);
    expect(told).toEqual([{ kind: "lagged", missed: 10 }, "step-end", "done"]);
  });

  it("refuses wrong options", () => {
    expect(() => createNodeEnv({} as never)).toThrow(/no hook/);
    expect(() => createNodeEnv({ hook: {}, instructionFiles: ["../x"] })).toThrow(/instructionFiles/);
    expect(() => createNodeEnv({ hook: {}, hooks: 1 } as never)).toThrow(/unknown option/);
  });
});

describe("CRB-11 CRB-15 a storage in a folder", () => {
  it("keeps conversations, memory and skills, and reads them again", async () => {
    const root = project({
      "skills/zip/SKILL.md": "---\nname: zip\ndescription: Packs.\n---\nUse zip.\r\nTwice.\n",
      "skills/No/SKILL.md": "",
      "skills/x.md": "",
    });
    const first = await openFileStorage(root);
    await first.conversations.append("x", 0, [{ kind: "created", version: 1, agent: "a", sender: "" }]);
    await first.memory.set("s", "k", 1);
    first.close();
    first.close();
    const second = await openFileStorage(root);
    expect(await second.conversations.length("x")).toBe(1);
    expect(await second.memory.get("s", "k")).toBe(1);
    expect(await second.skills.list()).toEqual([{ name: "zip", description: "Packs." }]);
    expect(await second.skills.load("zip")).toEqual({ name: "zip", description: "Packs.", body: "Use zip.\nTwice.\n" });
    second.close();
    expect(() => second.conversations.length("x")).toThrow(/closed/);
  });

  it.each([
    ["no header", "Use zip."],
    ["a header that is not YAML", "---\na: [\n---\n"],
    ["no description", "---\nname: zip\n---\n"],
    ["a description that is not text", "---\ndescription: [1]\n---\n"],
    ["too many bytes", `---\ndescription: x\n---\n${"x".repeat(65_536)}`],
  ])("refuses a skill with %s", async (_name, text) => {
    const storage = await openFileStorage(project({ "skills/zip/SKILL.md": text }));
    await expect(Promise.resolve(storage.skills.load("zip"))).rejects.toMatchObject({ code: "conversation-failed" });
    storage.close();
  });

  it("refuses another kind of file, and does not change it", async () => {
    const root = project({ "conversations.db": "not a database, but long enough to be read as one" });
    await expect(openFileStorage(root)).rejects.toMatchObject({ code: "conversation-failed" });
    const swapped = project({});
    (await openSqliteMemory(join(swapped, "conversations.db"))).close();
    await expect(openFileStorage(swapped)).rejects.toThrow(/another kind of database/);
    await expect(openFileStorage("")).rejects.toMatchObject({ code: "invalid-options" });
  });

  it("without a SQLite is refused by what is missing", async () => {
    await expect(loadSqlite([])).rejects.toMatchObject({ code: "capability-missing" });
  });
});
