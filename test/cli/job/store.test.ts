import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, folder } from "../run.js";

const PASSWORD = "quite-secret";
const merge = (store: string, env = {}) => cli(["merge", "--job", "nightly", "--store", store, "--into", "x"], { env });

describe("--store", () => {
  it.each([
    `postgress://me:${PASSWORD}@host/db`,
    `postgres:/me:${PASSWORD}@host/db`,
    `me:${PASSWORD}@host/db`,
    `"postgres://me:${PASSWORD}@host/db"`,
    `postgres//me:${PASSWORD}@host/db`,
    `postgres://me:${PASSWORD}@127.0.0.1:1/db`,
    `postgres://me:${PASSWORD}@[host/db`,
  ])("neither prints nor stores the password of %s", async (address) => {
    for (const ran of [await merge(address), await merge("env:JOBS", { JOBS: address })]) {
      expect(ran.code).toBe(2);
      expect(ran.err + ran.out).not.toContain(PASSWORD);
    }
    expect(readdirSync(folder).join()).not.toContain(PASSWORD);
  });

  it("refuses a variable that is not set, a file of something else, and one option without the other", async () => {
    expect((await merge("env:JOBS")).err).toContain("--store names the variable JOBS, which is not set");
    const file = join(folder, "notes.txt");
    writeFileSync(file, "x".repeat(2_000));
    expect(await merge(file)).toMatchObject({ code: 2, err: expect.stringContaining("is not a SQLite database") });
    const alone = [
      [["merge", "--job", "nightly"], "--job was given without --store"],
      [["merge", "--store", "a.db"], "--store was given without --job"],
      [["merge", "part", "--job", "nightly", "--store", file], "--job was given with parts"],
      [["merge", "--into", "x"], "no part was given"],
      [["merge", "part"], "--into was not given"],
      [["record", "--runs", "1", "--into", "x", "--job", "nightly", "--", "true"], "--job was given without --store"],
      [
        ["record", "--runs", "1", "--into", "x", "--job", "n", "--store", "a.db", "--shard", "1/2", "--", "true"],
        "--job cannot be used with --shard",
      ],
      [["record", "--job", "n", "--store", "a.db", "--", "true"], "need --runs"],
      [
        ["mutate", "--job", "n", "--store", "a.db", "--only", "abcdefabcdef", "--", "true"],
        "--job cannot be used with --report",
      ],
      [["mutate", "--job", "n", "--store", "a.db", "--resume", "--", "true"], "--resume cannot be used with --job"],
      [["mutate", "--merge", "--job", "n", "--store", "a.db", "r.jsonl"], "--merge cannot be used with --job"],
      [["merge", "--job", "../n", "--store", "a.db"], "letters, digits"],
    ] as const;
    for (const [argv, message] of alone)
      expect(await cli(argv)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(existsSync(join(folder, "a.db"))).toBe(false);
  });
});
