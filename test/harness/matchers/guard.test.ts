// What every matcher's failure has in common: the commands it names, and what it never shows.

import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { recordingProvider } from "../../../src/cassette/index.js";
import "../../../src/entry/vitest.js";
import { toVisible } from "../../../src/core/text/visible.js";
import {
  handleAdvice,
  nodeTestCommand,
  rerecordCommand,
  vitestCommand,
} from "../../../src/harness/text/rerun-commands.js";
import type { MatcherContext } from "../../../src/harness/matchers/matcher.js";
import { refusal, rejection } from "../../support/refusal.js";
import { ask, say } from "../../support/script.js";
import { lookupRun, record } from "../vitest/runs.js";

const secret = "sk-" + "ant-api03-" + "Ab1".repeat(31) + "AA";
const context: MatcherContext = { equals: Object.is, utils: { iterableEquality: undefined } };

/** Every text in a value, keys as well. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(textsIn)];
}

describe("a failure", () => {
  it("shows no secret that a rule knows, in its words and in the values that are drawn", async () => {
    const steps = [ask([{ name: "lookup", arguments: { note: `key: ${secret}`, [secret]: 1 } }]), say(secret)];
    const { result } = await record(steps);
    const open = recordingProvider({ turn: async () => steps[0] as (typeof steps)[0] }, { redact: false });
    await open.turn({ messages: [{ role: "user", content: "go" }] });
    const { cassette: other } = await lookupRun();
    const errors = [
      refusal(() => expect(result).toCallTool("lookup", { note: "other" })),
      refusal(() => expect(result).not.toCallTool("lookup")),
      refusal(() => expect(result).toCallToolTimes("lookup", 2)),
      refusal(() => expect(result).toCallToolBefore("lookup", "save")),
      refusal(() => expect(result).toMatchToolSequence([{ name: "lookup", args: { note: "other" } }])),
      refusal(() => expect(result).toFinishWith({ answer: "other" })),
      refusal(() => expect(result).toFinishWith({ answer: `no ${secret}` })),
      await rejection(expect(open).toMatchCassette(other)),
      await rejection(expect(open).toHaveNoDriftFrom(other)),
    ] as { message: string; actual?: unknown; expected?: unknown }[];
    for (const { message, actual, expected } of errors) {
      const shown = JSON.stringify([message, actual, expected]);
      expect(shown).not.toContain(secret.slice(0, 24));
    }
    expect(errors[0]?.message).toMatch(/<hidden:[\w-]+>/);
    expect(JSON.stringify(errors[0]?.actual)).toMatch(/<hidden:[\w-]+>/);
  });

  it("hides a secret before it cuts a long text", async () => {
    const { result } = await record([
      ask([{ name: "lookup", arguments: { a: "x".repeat(40) + " " + secret } }]),
      say(""),
    ]);
    const { message } = refusal(() => expect(result).toCallTool("lookup", { a: "other" })) as Error;
    expect(message).not.toContain(secret.slice(0, 12));
  });

  it("comes to an end for expected arguments that hold themselves", async () => {
    const args: Record<string, unknown> = {};
    args["self"] = args;
    const { result } = await lookupRun();
    expect(() => expect(result).toCallTool("lookup", args)).toThrow("expected a call of lookup");
    expect(() => expect(result).toMatchToolSequence([{ name: "lookup", args }])).toThrow("expected these tool calls");
  });

  it("comes to an end for expected arguments that hold themselves twice, or one thing in very many places", async () => {
    const twice: Record<string, unknown> = {};
    Object.assign(twice, { one: twice, two: twice });
    let shared: object = { end: 1 };
    for (let depth = 0; depth < 60; depth++) shared = { left: shared, right: shared };
    const { result } = await lookupRun();
    for (const args of [twice, shared]) {
      expect(() => expect(result).toCallTool("lookup", args)).toThrow("expected a call of lookup");
    }
  });

  it("has nothing in it that a terminal acts on but colours, in its words and in the values that are drawn", async () => {
    const hostile = "\u001b]0;title\u0007\u009b2J\u202eabc\rover";
    const { result, cassette } = await record([
      ask([{ name: "lookup", arguments: { [hostile]: hostile } }]),
      say(hostile),
    ]);
    const { cassette: other } = await lookupRun();
    const errors = [
      refusal(() => expect(result).toCallTool("lookup", { a: 1 })),
      refusal(() => expect(result).toFinishWith({ answer: "other" })),
      refusal(() => expect(result).toMatchToolSequence(["save"])),
      await rejection(expect(cassette).toMatchCassette(other)),
      await rejection(expect(cassette).toHaveNoDriftFrom(other)),
    ] as { message: string; actual?: unknown; expected?: unknown }[];
    const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;
    for (const { message, actual, expected } of errors) {
      expect(message.replace(/\u001b\[[\d;]*m/g, "")).not.toMatch(control);
      for (const text of textsIn([actual, expected])) expect(text).not.toMatch(control);
    }
    expect(textsIn(errors[0]?.actual).join()).toContain("\\u001b]0;title");
  });

  it("tells 0 from -0, and takes a matcher of one's own that has no name", async () => {
    const { result } = await record([ask([{ name: "lookup", arguments: { n: 0 } }]), say("")]);
    expect(() => expect(result).toCallTool("lookup", { n: -0 })).toThrow("expected -0, was 0");
    const nameless = Object.assign(Object.create(null) as object, { asymmetricMatch: () => false });
    expect(() => expect(result).toCallTool("lookup", { n: nameless })).toThrow("a matcher of one's own");
  });

  it("names the commands for the cassette of a handle", async () => {
    const { provider } = { provider: (await lookupRun()).recorder };
    const handle = { provider, done: async () => undefined, mode: "replay", file: "my runs/a.cassette.json" };
    const { message } = refusal(() => expect(handle).toCallTool("save")) as Error;
    expect(message).toContain(
      "\n  look     npx playhead show 'my runs/a.cassette.json'" +
        "\n  again    CASSETTE_MODE=refresh npx vitest run test/harness/matchers/guard.test.ts --project shared -t " +
        "'^a failure( | > )names the commands for the cassette of a handle$'",
    );
  });

  it("names no file that is not there for a handle that records", async () => {
    const { recorder: provider } = await lookupRun();
    const handle = { provider, done: async () => undefined, mode: "record", file: "a b.cassette.json" };
    const messageOf = (received: object) => (refusal(() => expect(received).toCallTool("save")) as Error).message;
    expect(messageOf(handle)).toContain("\n  keep     done({ failed: true })\n  again    CASSETTE_MODE=refresh");
    expect(messageOf(handle)).not.toContain("cassette show");
    expect(messageOf({ ...handle, failedFile: "a b.failed.cassette.json" })).toContain(
      "\n  look     npx playhead show 'a b.failed.cassette.json'" +
        "\n  keep     npx playhead record --adopt 'a b.failed.cassette.json' # if the assertion was wrong" +
        "\n  again    CASSETTE_MODE=refresh",
    );
  });
});

describe("the command that records a test again", () => {
  const NAMES = [
    "it's a (test) > $(rm -rf) `x` | a+b*c? [d] {e} \\ ^f$ “g” …\n",
    "ümläut 測試 42 a/b",
    "🎉 > of\u2028two\r\nlines",
    "costs $5 > \ud83d",
  ];

  /** The pattern of a command, as a shell reads it. */
  function patternIn(command: string): RegExp {
    const written = /-t (.*)$/s.exec(command)?.[1] ?? "";
    expect(toVisible(written)).toBe(written);
    return new RegExp(/^'(.*)'$/s.exec(written)?.[1]?.replaceAll(`'\\''`, "'") ?? written);
  }

  it("is of this very test, whatever stands in its name", () => {
    const named = (currentTestName: string) => rerecordCommand({ ...context, currentTestName });
    expect(named("books")).toBe("CASSETTE_MODE=refresh npx vitest run -t '^books$'");
    for (const name of NAMES) {
      const pattern = patternIn(named(name));
      expect(pattern.test(name)).toBe(true);
      expect(pattern.test(name.replaceAll(" > ", " "))).toBe(true);
      expect(pattern.test(`${name} too`)).toBe(false);
    }
  });

  it("is one of Jest where Jest runs, with the path as a path, and none outside of a test", () => {
    const running = { ...context, currentTestName: "a b", dontThrow: () => undefined };
    expect(rerecordCommand(running)).toBe("CASSETTE_MODE=refresh npx jest -t '^a b$'");
    expect(rerecordCommand({ ...running, testPath: resolve("app/[id].test.js") })).toBe(
      "CASSETTE_MODE=refresh npx jest --runTestsByPath 'app/[id].test.js' -t '^a b$'",
    );
    expect(rerecordCommand(context)).toBe("CASSETTE_MODE=refresh");
  });

  it("names no test where several run at once, since Vitest's own expect may name another one", () => {
    const task = { concurrent: true };
    expect(rerecordCommand({ ...context, task, currentTestName: "a" })).toBe("CASSETTE_MODE=refresh");
    expect(
      handleAdvice({ ...context, task }, { file: "a.cassette.json", done: () => undefined, rerecord: "npm run tapes" }),
    ).toContain("\n  again    npm run tapes");
  });

  it("names the project where there are several", () => {
    const task = { file: { projectName: "node 20" } };
    expect(rerecordCommand({ ...context, task, currentTestName: "a" })).toBe(
      "CASSETTE_MODE=refresh npx vitest run --project 'node 20' -t '^a$'",
    );
    const test = { file: resolve("a.test.ts"), name: "a" };
    expect(vitestCommand("record", { ...test, project: "!x" })).toBe(
      "CASSETTE_MODE=record npx vitest run a.test.ts -t '^a$'",
    );
  });

  it("names files from the working folder", () => {
    const file = resolve("my tests/a.test.ts");
    expect(vitestCommand("record", { file, name: "a > b" })).toBe(
      "CASSETTE_MODE=record npx vitest run 'my tests/a.test.ts' -t '^a( | > )b$'",
    );
    expect(nodeTestCommand("from-first-miss", file)).toBe(
      "CASSETTE_MODE=from-first-miss node --test 'my tests/a.test.ts'",
    );
  });
});
