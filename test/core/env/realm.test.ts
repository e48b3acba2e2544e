import { join } from "node:path";
import { expect, it } from "vitest";
import { execFileSync } from "node:child_process";
import { repositoryRoot } from "../../support/built.js";

it("CRB-02 CRB-04 CRB-06 CRB-08 converses and compacts in a realm without process, fetch and timers", () => {
  const support = (name: string) => join(repositoryRoot, "test/support", name);
  const flags = ["--no-warnings", "--experimental-vm-modules", "--experimental-import-meta-resolve"];
  const door = join(repositoryRoot, "dist/entry/env.js");
  const args = [...flags, support("realm.mjs"), door, support("realm-conversation.mjs")];
  const { result } = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as { result: unknown };
  expect(result).toEqual({ finalAnswer: "end", archives: ["archive-1"], missing: ["process", "fetch", "setTimeout"] });
}, 60_000);
