// A part of the reliability bench on every run; `npm run chaos` is the whole of it. Two flows of a session fail at each of their
// operations. The eyes of the bench are tried too: a broken store is found, and so is a history that no order explains.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { assertBuilt, repositoryRoot } from "./support/built.js";

interface Row {
  fault: string;
  engine: string;
  points: number;
  lost: number;
  torn: number;
  twice: number;
  isFound: boolean;
  problems: string[];
  flows: Record<string, number>;
}

function node(args: string[]) {
  assertBuilt();
  return spawnSync(process.execPath, args, { cwd: repositoryRoot, encoding: "utf8" });
}

test(
  "an operation that fails leaves the old state or the new one, and the run ends undisturbed",
  {
    timeout: 120_000,
  },
  () => {
    // An input is scheduled with few statements, and each of them is failed.
    const leastPoints = { schedule: 30, child: 40, step: 40 };
    const flows = Object.keys(leastPoints).join();
    const args = ["--engine", "sqlite", "--only", "operations", "--flow", flows, "--json"];
    const result = node(["scripts/chaos.mjs", ...args]);
    expect(result.stderr).toBe("");
    const [row, ...rest] = (JSON.parse(result.stdout) as { rows: Row[] }).rows;
    expect(rest).toEqual([]);
    expect(row).toMatchObject({ problems: [], lost: 0, torn: 0, twice: 0, isFound: true });
    expect(Object.keys(row?.flows ?? {}).sort()).toEqual(Object.keys(leastPoints).sort());
    for (const [flow, least] of Object.entries(leastPoints)) expect(row?.flows[flow]).toBeGreaterThan(least);
    expect(result.status).toBe(0);
  },
);

test("the bench refuses a fault that it does not know", () => {
  const result = node(["scripts/chaos.mjs", "--only", "rain"]);
  expect(result.stderr).toContain("--only has rain. Pass any of operations, kills");
  expect(result.status).toBe(2);
});

const histories = `
  import { isLinearizable, toHistory } from "./scripts/chaos/register.mjs";
  const read = (began, until, value) => ["call", "r", "read", began, until, null, null, value];
  const begin = (began, expected, next) => ["call", "r", "begin", began, null, expected, next, null];
  const swap = (began, until, expected, next, stored) => ["call", "r", "swap", began, until, expected, next, stored];
  const other = ["call", "s", "read", 0, 1, null, null, "of another register"];
  const judge = (...lines) => isLinearizable(toHistory([...lines, other], "r"));
  console.log(JSON.stringify({
    "nothing": judge(),
    "in turn": judge(swap(0, 1, null, "a", true), read(2, 3, "a"), swap(4, 5, "a", "b", true), swap(6, 7, "a", "c", false)),
    "a read that overlaps sees the old value": judge(swap(0, 9, null, "a", true), read(1, 2, null), read(3, 4, "a")),
    "a read that overlaps goes back": judge(swap(0, 9, null, "a", true), read(1, 2, "a"), read(3, 4, null)),
    "a stale read": judge(swap(0, 1, null, "a", true), read(2, 3, null)),
    "two swaps of one value": judge(swap(0, 9, null, "a", true), swap(0, 9, null, "b", true)),
    "a swap that was refused without a reason": judge(swap(0, 1, null, "a", false)),
    "a value that nobody wrote": judge(read(0, 1, "a")),
    "a swap that was cut off happened": judge(begin(0, null, "a"), read(5, 6, null), read(7, 8, "a")),
    "a swap that was cut off did not happen": judge(begin(0, null, "a"), swap(1, 2, null, "b", true)),
    "a swap that was cut off happened before it began": judge(read(0, 1, "a"), begin(2, null, "a")),
  }));
`;

test("the bench finds an order for a history of a register, and says where there is none", () => {
  const result = node(["--input-type=module", "-e", histories]);
  expect(result.stderr).toBe("");
  expect(JSON.parse(result.stdout)).toEqual({
    nothing: true,
    "in turn": true,
    "a read that overlaps sees the old value": true,
    "a read that overlaps goes back": false,
    "a stale read": false,
    "two swaps of one value": false,
    "a swap that was refused without a reason": false,
    "a value that nobody wrote": false,
    "a swap that was cut off happened": true,
    "a swap that was cut off did not happen": true,
    "a swap that was cut off happened before it began": false,
  });
});
