// The matchers through the `expect` of Jest, which shares no code with that of Vitest.

import { stripVTControlCharacters } from "node:util";
import { expect as jestExpect } from "expect";
import { beforeAll, describe, expect, it } from "vitest";
import { matchers } from "../../../src/entry/jest.js";
import type { CassetteAssertions } from "../../../src/harness/index.js";
import { makeChain, publicKey } from "../../support/receipts.js";
import { refusal, rejection } from "../../support/refusal.js";
import { callRun, lookupRun, replay, type Recorded } from "./runs.js";

declare module "expect" {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars, @typescript-eslint/no-empty-object-type -- Merging.
  interface Matchers<R extends void | Promise<void>, T = unknown> extends CassetteAssertions {}
}

let oslo: Recorded;
let rome: Recorded;

beforeAll(async () => {
  jestExpect.extend(matchers);
  oslo = await lookupRun({ city: "Oslo" });
  rome = await lookupRun({ city: "Rome" });
});

const failure = (run: () => unknown) => stripVTControlCharacters((refusal(run) as Error).message);

describe("the matchers in Jest", () => {
  it("hold and, negated, do not: the ones that answer at once", async () => {
    const { result } = oslo;
    jestExpect(result).toCallTool("lookup", { city: "Oslo" });
    jestExpect(result).not.toCallTool("lookup", { city: "Rome" });
    jestExpect(result).toCallToolTimes("lookup", 1);
    jestExpect(result).not.toCallToolTimes("lookup", 2);
    jestExpect(result).toMatchToolSequence(["lookup"]);
    jestExpect(result).not.toMatchToolSequence(["lookup", "lookup"], { mode: "superset" });
    jestExpect(result).toStayWithinBudget({ turns: 2 });
    jestExpect(result).not.toStayWithinBudget({ turns: 1 });
    jestExpect(result).toFinishWith("stop");
    jestExpect(result).not.toFinishWith({ answer: "rain" });
    jestExpect(result).not.toExhaustBudget();
    jestExpect((await replay(oslo.cassette)).provider).toConsumeCassette();
    const both = (await callRun({ name: "lookup" }, { name: "save" })).result;
    jestExpect(both).toCallToolBefore("lookup", "save");
    jestExpect(both).not.toCallToolBefore("save", "lookup");
  });

  it("hold and, negated, do not: the ones to be awaited", async () => {
    await jestExpect(oslo.recorder).toMatchCassette(oslo.cassette);
    await jestExpect(oslo.recorder).not.toMatchCassette(rome.cassette);
    await jestExpect(oslo.cassette).toHaveNoDriftFrom([rome.cassette, oslo.cassette]);
    await jestExpect(oslo.cassette).not.toHaveNoDriftFrom([rome.cassette]);
    await jestExpect(oslo.cassette).toBeVerifiedCassette();
    await jestExpect({ ...oslo.cassette, agentId: "b" }).not.toBeVerifiedCassette();
    const rules = { rulesVersion: 1, rules: [{ id: "none", never: "save" }] } as const;
    await jestExpect(oslo.result).toKeepRules(rules);
    await jestExpect(await makeChain(2)).toHaveValidReceipts({ key: publicKey });
    await jestExpect(Promise.resolve(oslo.cassette)).resolves.toMatchCassette(oslo.cassette);
  });

  it("take the asymmetric matchers of Jest inside of arguments, an answer and a sequence", () => {
    const { result } = oslo;
    jestExpect(result).toCallTool("lookup", { city: jestExpect.stringMatching(/^O/) });
    jestExpect(result).not.toCallTool("lookup", { city: jestExpect.any(Number) });
    jestExpect(result).toCallTool("lookup", jestExpect.objectContaining({ city: "Oslo" }));
    jestExpect(result).toCallToolTimes("lookup", 1, { city: jestExpect.anything() });
    jestExpect(result).toMatchToolSequence([{ name: "lookup", args: { city: jestExpect.any(String) } }]);
    jestExpect(result).toFinishWith({ answer: jestExpect.stringContaining("sun") });
  });

  it("stand themselves as asymmetric matchers in another value", () => {
    const { toCallTool } = jestExpect as unknown as Record<"toCallTool", (name: string, args?: object) => unknown>;
    jestExpect({ run: oslo.result }).toEqual({ run: toCallTool("lookup", { city: "Oslo" }) });
    jestExpect({ run: oslo.result }).not.toEqual({ run: toCallTool("save") });
  });

  it("draw the difference into the message, since Jest draws none", async () => {
    expect(
      failure(() => jestExpect(oslo.result).toCallTool("lookup", { city: jestExpect.stringMatching(/^R/) })),
    ).toMatch(/only call differs:[^]*\n\n- Expected\n\+ Received\n[^]*-.*StringMatching \/\^R\/[^]*\+.*"city": "Oslo"/);
    const { message } = (await rejection(jestExpect(oslo.cassette).toMatchCassette(rome.cassette))) as Error;
    expect(stripVTControlCharacters(message)).toMatch(
      /there is 1 difference:[^]*\n- .*"\/city": "Rome",\n\+ .*"\/city": "Oslo",/,
    );
  });

  it("cut a long difference and say so", () => {
    const args = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field${index}`, index]));
    expect(failure(() => jestExpect(oslo.result).toCallTool("lookup", args))).toMatch(/\nand \d+ more lines$/);
  });

  it("throw for misuse and for what is undecided, also under .not", () => {
    for (const assertion of [jestExpect(oslo.result), jestExpect(oslo.result).not]) {
      expect(refusal(() => assertion.toMatchToolSequence([[]]))).toMatchObject({ code: "matcher-misuse" });
      expect(
        stripVTControlCharacters((refusal(() => assertion.toStayWithinBudget({ usd: 1 })) as Error).message),
      ).toContain("cannot check the budget: this run does not report USD");
      expect((refusal(() => assertion.toCallToolBefore("lookup", "pay")) as Error).message).toContain("no order");
    }
  });
});
