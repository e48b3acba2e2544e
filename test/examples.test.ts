// The programs of examples/, run as a reader would run them, and what each prints.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { assertBuilt, cassetteBin, repositoryRoot } from "./support/built.js";

beforeAll(assertBuilt);

function run(...args: string[]): { code: number | null; out: string; err: string } {
  const { CI: _ci, CASSETTE_MODE: _mode, VITEST: _vitest, SLACK_BOT_TOKEN: _token, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: repositoryRoot, encoding: "utf8", env });
  return { code: status, out: stdout, err: stderr };
}

it("newsroom.mjs: two agents on two vendors hand over, against served cassettes and without a key", () => {
  const program = ["--", process.execPath, "examples/newsroom.mjs"];
  const { code, out, err } = run(cassetteBin, "serve", "examples/cassettes/newsroom", ...program);
  expect(out.split("\n")).toEqual([
    "posted: After 167 years the lighthouse on Rott went dark for good on Sunday.",
    "researcher: 2 turns, actor: 2 turns",
    "The summary is posted.",
    "",
  ]);
  expect(err).toContain("4 answered, 0 misses, 0 left over");
  expect(code).toBe(0);
});

it("custom-tool.mjs: a tool beside a verb, and what the model does not get to read", () => {
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

it("the README shows newsroom.mjs as it is", () => {
  const shown = /```js\n\/\/ examples\/newsroom\.mjs\n([^]*?)```/.exec(
    readFileSync(join(repositoryRoot, "README.md"), "utf8"),
  );
  expect(shown?.[1]).toBe(readFileSync(join(repositoryRoot, "examples/newsroom.mjs"), "utf8"));
});
