// The programs of examples/, run as a reader would run them, and what each prints.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "./support/temporary-folder.js";
import { assertBuilt, cassetteBin, repositoryRoot } from "./support/built.js";

beforeAll(assertBuilt);

function run(...args: string[]): { code: number | null; out: string; err: string } {
  const { CI: _ci, CASSETTE_MODE: _mode, VITEST: _vitest, SLACK_BOT_TOKEN: _token, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: repositoryRoot, encoding: "utf8", env });
  return { code: status, out: stdout, err: stderr };
}

it("newsroom.mjs: two agents on two vendors hand over, against served cassettes and without a key", () => {
  const program = ["--", process.execPath, "examples/newsroom.mjs"];
  const { code, out, err } = run(cassetteBin, "serve", "cassettes/newsroom", ...program);
  expect(out.split("\n")).toEqual([
    "posted: After 167 years the lighthouse on Rott went dark for good on Sunday.",
    "researcher: 2 turns, actor: 2 turns",
    "The summary is posted.",
    "",
  ]);
  expect(err).toContain("4 answered, 0 misses, 0 refused, 0 unused");
  expect(code).toBe(0);
});

it("custom-tool.mjs: a tool together with a verb, and what the model does not get to read", () => {
  const { code, out } = run("examples/custom-tool.mjs");
  expect(code).toBe(0);
  expect(out).toContain(
    'the channel got {"channel":"#general","text":"The lighthouse on Rott went dark."} from Bearer none',
  );
  expect(out).toContain("the model read of slack_post: tool unavailable\n");
  expect(out).toContain("the log has: posting to #board is not allowed\nPosted.\n");
});

it("record-and-compare.mjs: record, replay, upgrade, and the one call that drifted", () => {
  const { code, out } = run("examples/record-and-compare.mjs");
  expect(code).toBe(0);
  expect(out.split("\n").slice(0, 3)).toEqual([
    "recorded: They sell kits of birds.",
    "replayed: They sell kits of birds.",
    "upgraded: Kits of birds, since 1987.",
  ]);
  expect(out.match(/^drift: /gm)).toHaveLength(1);
  expect(out).toContain('"kind":"added","tool":"read_page","arguments":{"url":"/about"}');
});

it("fleet.mjs: three members over four targets, each with a chain of receipts of its own", () => {
  const { code, out } = run("examples/fleet.mjs");
  expect(code).toBe(0);
  expect(out.match(/^(ann|bob|cem) (oslo|bergen|tromso|rott) done$/gm)).toHaveLength(12);
  expect(out.match(/^(ann|bob|cem): 5 receipts, ok, complete$/gm)).toHaveLength(3);
});

it("process/shop.mjs: an agent as a process with a tool of this one, without a key", () => {
  const { code, out } = run("examples/process/shop.mjs");
  expect(out).toBe("somebody asks for the price of a rocket\nA rocket is 40 euros.\nWe have no boats.\n");
  expect(code).toBe(0);
});

it("session/hello.mjs: PSS-12 one turn of a session, and the events that its consumer reads", () => {
  const { code, out } = run("examples/session/hello.mjs");
  expect(out).toBe("user-text turn-start step-start assistant-text step-end turn-end\n");
  expect(code).toBe(0);
});

it(
  "session/desk.mjs: PSS-36 a coordinator and three background jobs, recorded once and replayed 50 times",
  { timeout: 120_000 },
  () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const file = folder.path("desk.bundle.json");
    const desk = join(repositoryRoot, "examples/session/desk.mjs");
    const { CI: _ci, VITEST: _vitest, ...env } = process.env;
    const record = { env: { ...env, CASSETTE_MODE: "record" }, encoding: "utf8" } as const;
    expect(spawnSync(process.execPath, [desk, file], record).stdout).toMatch(/^recorded \d+ events in /);
    const { code, out } = run(desk, file);
    expect(out).toMatch(/^turn-end\n50 replays, all equal\n$/m);
    expect(code).toBe(0);
    const verified = run(cassetteBin, "verify", file);
    expect(verified.out).toMatch(/^ok .*bundle v1 {2}4 agents/m);
  },
);

it(
  "session/survive.mjs: PSS-85 a background helper whose worker is killed, and the one that goes on",
  { timeout: 180_000 },
  () => {
    const { code, out } = run("examples/session/survive.mjs");
    expect(out.split("\n")).toEqual([
      "I have asked the helper.",
      "worker 1 ended with SIGKILL",
      "Sail on Sunday: high water is at noon.",
      "worker 2 ended with 0",
      "model calls of the helper: 2",
      "the tool ran 2 times under 1 key",
      "notifications that wait: 0",
      "",
    ]);
    expect(code).toBe(0);
  },
);

it("vertex.mjs: two vertices of a graph replay with their failed attempts, costs and outcomes, the same each time", () => {
  const [first, second] = [run("examples/vertex.mjs"), run("examples/vertex.mjs")];
  expect([first.code, first.err]).toEqual([0, ""]);
  expect(second).toEqual(first);
  const lines = first.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const costs = lines.filter(({ type }) => type === "cost:updated");
  expect(costs.map(({ model, costMicrocents }) => [model, costMicrocents])).toEqual([
    ["model-a", 0],
    ["model-a", 0],
    ["model-b", 100_000],
    ["model-b", 200_000],
    ["model-c", 300_000],
  ]);
  expect(lines.filter(({ kind }) => kind === "completed").map(({ output }) => output)).toEqual([
    "The lighthouse on Rott went dark.",
    { score: 4 },
  ]);
});
it(
  "assistant.mjs: a conversation that a second process goes on with, and a folder that is gone begins another",
  { timeout: 180_000 },
  () => {
    const folder = temporaryFolder();
    const send = (content: string, name: string) => {
      process.env["ASSISTANT_FOLDER"] = folder.path(name);
      return run(
        cassetteBin,
        "serve",
        "cassettes/assistant",
        "--allow-unused",
        "--",
        process.execPath,
        "examples/assistant.mjs",
        content,
      );
    };
    try {
      expect(send("My till is blue.", "a").out).toBe("Noted: your till is blue.\n3 entries\n");
      // The recorded second prompt has 4 messages: only that prompt has an answer.
      const second = send("Which colour is it?", "a");
      expect(second).toMatchObject({ out: "Your till is blue.\n5 entries\n", code: 0 });
      expect(second.err).toContain("1 answered, 0 misses, 0 refused");
      expect(send("My till is blue.", "b").out).toBe("Noted: your till is blue.\n3 entries\n");
      expect(send("Which colour is it?", "c").code).not.toBe(0);
    } finally {
      delete process.env["ASSISTANT_FOLDER"];
      folder.remove();
    }
  },
);

it("docs/runtime.md shows newsroom.mjs as it is", () => {
  const shown = /```js\n\/\/ examples\/newsroom\.mjs\n([^]*?)```/.exec(
    readFileSync(join(repositoryRoot, "docs/runtime.md"), "utf8"),
  );
  expect(shown?.[1]).toBe(readFileSync(join(repositoryRoot, "examples/newsroom.mjs"), "utf8"));
});

describe("frameworks/: one agent on four frameworks, each recorded, replayed, tampered with and compared", () => {
  const names = ["runtime", "ai-sdk", "openai-agents", "langchain"];
  const cells = {
    recorded: "3 turns, 0 differences today",
    replayed: "Take the umbrella and the boots.",
    tampered: "refused: response-hash",
    "orbit-2": "removed weather",
  };

  it("all.mjs prints what each did, without a network", { timeout: 120_000 }, () => {
    const { code, out, err } = run("examples/frameworks/all.mjs");
    expect(err).toBe("");
    expect(code).toBe(0);
    const [head, ...rows] = out.trimEnd().split("\n");
    expect(head?.split(/ {2,}/)).toEqual(["framework", ...Object.keys(cells)]);
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual(names.map((name) => [name, ...Object.values(cells)]));
  });

  it("each runs by itself", { timeout: 120_000 }, () => {
    const { code, out } = run("examples/frameworks/langchain.mjs");
    const lines = Object.entries({ framework: "langchain", ...cells });
    expect(out).toBe(lines.map(([what, found]) => `${what.padEnd(10)} ${found}\n`).join(""));
    expect(code).toBe(0);
  });

  it.each(names.slice(1))("%s made the same calls and said the same as our runtime", (name) => {
    const file = (each: string) => `cassettes/frameworks/orbit-1/${each}.cassette.json`;
    const { code, out } = run(cassetteBin, "diff", "--content", file("runtime"), file(name));
    expect(out).toContain("same: 1 task compared, 1 same, 0 drifted");
    expect(code).toBe(0);
  });

  it("the gate says of the other model that it is undecided where single runs differ", () => {
    const [base, other] = ["orbit-1", "orbit-2"].map((model) => `cassettes/frameworks/${model}`);
    const { code, out } = run(cassetteBin, "drift", base ?? "", other ?? "");
    expect(out).toContain("inconclusive: 4 of 4 scenarios differ");
    expect(out.match(/first difference: weather\(\{"city":"Bergen"\}\) was removed/g)).toHaveLength(4);
    expect(code).toBe(0);
  });
});
