import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readHashFilter } from "../../../src/cassette/index.js";
import { CODING_AGENTS, type CodingAgent } from "../../../src/cli/agent/agents.js";
import { compareFiles, differenceText, hadState } from "../../../src/cli/agent/compare.js";
import { createProviderTest } from "../../../src/cli/agent/provider-hosts.js";
import { AGENT_CHOICES } from "../../../src/cli/options/values.js";

const URL_OF_DOOR = "http://127.0.0.1:1234";

describe("the registry of agents", () => {
  it("is the list of choices", () => {
    expect(Object.keys(CODING_AGENTS)).toEqual(AGENT_CHOICES);
  });

  it.each(Object.entries<CodingAgent>(CODING_AGENTS))(
    "%s reads our address, and its filters can be read",
    (_, agent) => {
      const folder = "/private";
      const texts = [agent.variables(URL_OF_DOOR, folder), agent.files?.(URL_OF_DOOR, folder) ?? {}].flatMap((all) =>
        Object.values(all),
      );
      expect(texts.join("\n")).toContain(URL_OF_DOOR);
      expect(() => readHashFilter(agent.filters)).not.toThrow();
      expect(agent.keys.length).toBeGreaterThan(0);
    },
  );

  it("claude does not compare the ids and times of sub-agents", () => {
    const done = (id: string, ms: number) =>
      `Done.agentId: ${id} (use SendMessage with to: '${id}', summary: '…')\n<usage>tool_uses: 1\nduration_ms: ${ms}</usage>`;
    const { rewrite } = readHashFilter(CODING_AGENTS.claude.filters);
    expect(rewrite?.(done("ac2706fed658c182d", 845))).toBe(rewrite?.(done("a6d373a2131cfc934", 12)));
    expect(rewrite?.(done("ac2706fed658c182d", 845))).toContain("tool_uses: 1");
  });

  it("codex does not compare the id of a chunk, also one that looks like a duration", () => {
    const { rewrite } = readHashFilter(CODING_AGENTS.codex.filters);
    const said = (id: string) => `Chunk ID: ${id}\nWall time: 0.1 seconds`;
    expect(rewrite?.(said("12345d"))).toBe(rewrite?.(said("a1b2c3")));
  });

  it("qwen does not compare the tree of the folder, nor where its configuration is", () => {
    const said = (tree: string, up: string) =>
      `Showing up to 20 items:\n\n/home/ann/shop/\n${tree}\n--- Context from: ${up}playhead-qwen-a1/.qwen/output-language.md ---\nText`;
    const { rewrite } = readHashFilter(CODING_AGENTS.qwen.filters);
    const [one, other] = [
      said("├───a.txt\n└───__cassettes__/\n    └───qwen/", "../"),
      said("├───a.txt\n├───b.txt\n└───__cassettes__/\n│   └───qwen/\n│       └───a.cassette.json", "../../../"),
    ].map((text) => rewrite?.(text));
    expect(one).toBe(other);
    expect(one).toContain("Text");
  });

  it("is on the page on coding agents, with every variable and filter", () => {
    const page = readFileSync(new URL("../../../docs/coding-agents.md", import.meta.url), "utf8");
    for (const [name, agent] of Object.entries<CodingAgent>(CODING_AGENTS)) {
      const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`)) ?? "";
      for (const variable of Object.keys(agent.variables(URL_OF_DOOR, ""))) expect(row).toContain(`\`${variable}\``);
      for (const filter of agent.filters)
        expect(row).toContain(`\`${typeof filter === "string" ? filter : filter.name}\``);
      for (const key of agent.keys) expect(row).toContain(`\`${key}\``);
    }
  });
});

describe("the hosts of vendors", () => {
  const isProvider = createProviderTest([new URL("https://gateway.example.com/v1")]);

  it.each([
    "api.openai.com",
    "API.OpenAI.com",
    "api.openai.com.",
    "api.anthropic.com",
    "generativelanguage.googleapis.com",
    "europe-west1-aiplatform.googleapis.com",
    "aiplatform.googleapis.com",
    "bedrock-runtime.eu-central-1.amazonaws.com",
    "my-resource.openai.azure.com",
    "chatgpt.com",
    "openrouter.ai",
    "gateway.example.com",
  ])("%s is one", (host) => {
    expect(isProvider(host)).toBe(true);
  });

  it.each([
    "github.com",
    "registry.npmjs.org",
    "example.com",
    "127.0.0.1",
    "localhost",
    "api.openai.com.evil.example",
    "xapi.openai.com",
  ])("%s does not count", (host) => {
    expect(isProvider(host)).toBe(false);
  });
});

describe("the comparison of files", () => {
  const state = (text: string) => ({ size: text.length, sha256: text.padEnd(64, "0") });
  const files = (all: Record<string, string>) =>
    new Map(Object.entries(all).map(([path, text]) => [path, state(text)]));
  const change = (step: number, path: string, after?: string) => ({
    step,
    turn: 0,
    path,
    ...(after === undefined ? {} : { after: state(after) }),
  });

  it("takes the last state of each file over all conversations", () => {
    const recorded = [
      { agent: "claude", changes: [change(2, "a", "2"), change(1, "b", "1")] },
      { agent: "claude", changes: [change(1, "a", "1"), change(3, "b")] },
    ];
    expect(compareFiles(recorded, files({}), files({ a: "2" }))).toEqual({ compared: 2, differences: [] });
    expect(compareFiles(recorded, files({}), files({ a: "1", b: "1" }), 2).differences).toEqual([]);
  });

  it("says what differs", () => {
    const recorded = [{ agent: "claude", changes: [change(1, "a", "1"), change(1, "b"), change(1, "c", "33")] }];
    const { differences } = compareFiles(recorded, files({ d: "1" }), files({ a: "2", b: "1", d: "" }));
    expect(differences.map(differenceText)).toEqual([
      "a has other contents (200000000000), recorded: 100000000000",
      "b has 1 byte, recorded: does not exist",
      "c does not exist, recorded: has 2 bytes",
      "d has 0 bytes, recorded: has 1 byte",
    ]);
  });

  it("knows the states that a sub-agent saw", () => {
    const other = { agent: "claude", changes: [change(1, "a", "1"), change(2, "a", "2")] };
    const [before, later, never] = [{}, { a: "2" }, { a: "3" }].map((now) => {
      const [difference] = compareFiles(
        [{ agent: "claude", changes: [change(3, "a", "9")] }],
        files({}),
        files(now),
      ).differences;
      return difference !== undefined && hadState(other, difference);
    });
    expect([before, later, never]).toEqual([true, true, false]);
  });

  it("does not compare kept texts", () => {
    const after = { ...state("1"), contents: "1" };
    const recorded = [{ agent: "claude", changes: [{ step: 1, turn: 0, path: "a", after }] }];
    expect(compareFiles(recorded, files({}), files({ a: "1" })).differences).toEqual([]);
  });
});
