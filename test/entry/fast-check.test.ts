// The door `playhead/fast-check`: what it exports, and that nothing else of the package needs its peer.

import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import * as door from "../../src/entry/fast-check.js";
import { assertBuilt, repositoryRoot } from "../support/built.js";

it("exports the arbitraries and the laws", () => {
  expect(Object.keys(door).sort()).toEqual([
    "AWKWARD_TEXTS",
    "LawBrokenError",
    "TRAP_KEYS",
    "answerOf",
    "argumentsFor",
    "budgetLimits",
    "cassette",
    "cassetteOf",
    "changedJson",
    "changesOf",
    "checkBudget",
    "checkHashFilter",
    "checkProvider",
    "checkRedaction",
    "checkTool",
    "contentPart",
    "conversation",
    "faultyScript",
    "handoffGraph",
    "hostileArguments",
    "jsonObject",
    "jsonValue",
    "malformedArguments",
    "message",
    "notJson",
    "planOf",
    "providerFault",
    "providerScript",
    "reasoning",
    "spending",
    "text",
    "toFaultError",
    "toScriptSteps",
    "toolCall",
    "toolDefinition",
    "toolSchema",
    "turnsOf",
    "usage",
    "word",
  ]);
});

/** Imports `doors` where nobody can find fast-check; gives what each came to. */
function importWithoutPeer(doors: readonly string[]): string[] {
  const hook = `export async function resolve(name, context, next) {
    if (name === "fast-check") throw new Error("fast-check is not installed");
    return next(name, context);
  }`;
  const script = `
    import { register } from "node:module";
    register("data:text/javascript,${encodeURIComponent(hook)}");
    for (const door of ${JSON.stringify(doors)}) {
      console.log(await import(door).then(() => "opened", (error) => error.message));
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: repositoryRoot,
    encoding: "utf8",
  });
  if (stdout === "") throw new Error(stderr);
  return stdout.trimEnd().split("\n");
}

it("is the one door that needs fast-check", () => {
  assertBuilt();
  const others = ["playhead", "playhead/cassette", "playhead/harness", "playhead/host"];
  expect(importWithoutPeer([...others, "playhead/fast-check"])).toEqual([
    ...others.map(() => "opened"),
    "fast-check is not installed",
  ]);
});
