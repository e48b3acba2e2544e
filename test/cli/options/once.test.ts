import type { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../../src/cli/main.js";
import { nodeFiles } from "../../../src/host/files.js";
import { refusal } from "../../support/refusal.js";
import { cli, documentOf } from "../run.js";

const io = {
  stdout: () => undefined,
  stderr: () => undefined,
  env: {},
  cwd: ".",
  isTTY: false,
  stderrIsTTY: false,
  files: nodeFiles(),
  exit: () => undefined,
};

/** Commands whose own parser is new: one that has parsed keeps what it parsed. */
const commands = async () => (await createProgram(undefined, io)).commands;

const all = (await commands()).flatMap((command) =>
  command.options
    .filter(({ required, optional }) => required || optional)
    .map((option): [string, string, Option] => [command.name(), option.long ?? option.flags, option]),
);

const CANDIDATES = ["1", "10", "text", "drift", "a".repeat(12), "openai:gpt", "1,2", "0.1", "junit=a", "prompt", "1/2"];

/** A value that the option takes. */
function valueOf({ flags, argChoices, parseArg, defaultValue }: Option): string {
  const value = [...(argChoices ?? []), ...CANDIDATES].find((text) => {
    try {
      parseArg?.(text, defaultValue as never);
      return true;
    } catch {
      return false;
    }
  });
  if (value === undefined) throw new Error(`no candidate is a value of ${flags}`);
  return value;
}

async function parse(command: string, argv: readonly string[]): Promise<Command> {
  const found = (await commands()).find((each) => each.name() === command) as Command;
  found.parseOptions([...argv]);
  return found;
}

describe("an option that takes a value", () => {
  it("is one of many", () => {
    expect(all.length).toBeGreaterThan(80);
  });

  it.each(all)(
    "of %s, %s, may be repeated where its help says so, and is refused elsewhere",
    async (name, flag, option) => {
      const value = valueOf(option);
      const once = await parse(name, [flag, value]);
      expect(once.getOptionValueSource(option.attributeName())).toBe("cli");
      if (option.description.includes("repeatable")) {
        const twice = await parse(name, [flag, value, flag, value]);
        expect(twice.getOptionValue(option.attributeName())).toHaveLength(2);
        return;
      }
      const found = (await commands()).find((each) => each.name() === name) as Command;
      expect(refusal(() => found.parseOptions([flag, value, `${flag}=${value}`]))).toMatchObject({
        message: expect.stringContaining(`option '${option.flags}' was given twice`) as string,
      });
    },
  );

  it("given twice is wrong usage, before anything is read", async () => {
    const argv = ["verify", "--receipts", "good.jsonl", "--key", "bad", "--key", "good"];
    expect(await cli(argv)).toEqual({
      code: 2,
      out: "",
      err: "error: option '--key <key>' was given twice\n  hint: Use it once. It takes one value.\n",
    });
    expect(documentOf(await cli([...argv, "--json"]))).toMatchObject({ exitCode: 2, error: { code: "usage" } });
  });

  const negated = all.filter(([name, flag]) => flag === "--tolerances" || (name === "drift" && flag === "--rules"));

  it.each(negated)("of %s, %s, is refused with its --no- form, in either order", async (name, flag, option) => {
    const value = valueOf(option);
    const no = flag.replace("--", "--no-");
    for (const argv of [
      [flag, value, no],
      [no, flag, value],
    ]) {
      const found = (await commands()).find((each) => each.name() === name) as Command;
      expect(refusal(() => found.parseOptions(argv))).toMatchObject({
        message: expect.stringContaining(`'${option.flags}' and '${no}' contradict each other`) as string,
      });
    }
    expect((await parse(name, [no])).getOptionValue(option.attributeName())).toBe(false);
    expect((await parse(name, [no, no])).getOptionValue(option.attributeName())).toBe(false);
  });

  it("given with its --no- form is wrong usage that says what to do", async () => {
    expect(await cli(["diff", "a", "b", "--tolerances", "t.json", "--no-tolerances"])).toEqual({
      code: 2,
      out: "",
      err: "error: options '--tolerances <file>' and '--no-tolerances' contradict each other\n  hint: Use only one of them.\n",
    });
  });

  it("of the command that is run is not one of ours", async () => {
    const ran = await cli([
      "replay",
      "--",
      process.execPath,
      "-e",
      "process.exit(7)",
      "--",
      "--key",
      "a",
      "--key",
      "b",
    ]);
    expect(ran.code).toBe(7);
  });
});
