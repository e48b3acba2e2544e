// One text with every kind of invisible character, through every kind of output: a reviewer sees the same escapes in all.

import { describe, expect, it } from "vitest";
import { quoteForeign } from "../src/core/text/mask.js";
import { showValue } from "../src/core/text/show.js";
import { sentenceOf } from "../src/cassette/diff/sentence.js";
import "../src/entry/vitest.js";
import { toHtml } from "../src/harness/reports/html/report-page.js";
import { toMarkdown } from "../src/harness/reports/markdown.js";
import { toText } from "../src/harness/reports/text.js";
import { cli } from "./cli/run.js";
import { record } from "./harness/vitest/runs.js";
import { gateReport, scenario } from "./support/gate-report.js";
import { parsePage } from "./support/page.js";
import { refusal } from "./support/refusal.js";
import { say } from "./support/script.js";

/** Well-formed, as every recording is. */
const RECORDED = "pay\u200bpal a\u202eb soft\u00adhyphen tag\u{e0041} blank\u2800 sel\ufe0f bom\ufeff";
const TEXT = `${RECORDED} bell\u0007 esc\u001b c1\u009b line\u2028 half\ud800`;
const SEEN_RECORDED = "pay\\u200bpal a\\u202eb soft\\u00adhyphen tag\\u{e0041} blank\\u2800 sel\\ufe0f bom\\ufeff";
const SEEN = `${SEEN_RECORDED} bell\\u0007 esc\\u001b c1\\u009b line\\u2028 half\\ud800`;

describe("a text with invisible characters reads the same", () => {
  it("on the command line", async () => {
    const { err } = await cli(["show", `${TEXT}.json`]);
    expect(err).toContain(`${SEEN}.json`);
  });

  it("in the failure of a matcher, and in the values that the runner draws", async () => {
    const { result } = await record([say(RECORDED)]);
    expect(refusal(() => expect(result).toFinishWith({ answer: TEXT }))).toMatchObject({
      message: expect.stringContaining(`"${SEEN_RECORDED}"`),
      expected: { answer: SEEN },
      actual: { answer: SEEN_RECORDED },
    });
  });

  it("in the drift report: as text, as Markdown and as a page", () => {
    const report = gateReport([scenario(TEXT, "drift")]);
    const unescaped = toMarkdown(report).replaceAll("&#8203;", "").replaceAll(/\\(.)/g, "$1");
    expect(toText(report)).toContain(SEEN);
    expect(unescaped).toContain(SEEN);
    expect(parsePage(toHtml(report)).documentElement.textContent).toContain(SEEN);
  });

  it("in the sentence of a drift, in a wrong option and in the words of a vendor", () => {
    const added = { kind: "content-added", new: RECORDED, newTurn: 1 } as const;
    expect(sentenceOf(added)).toContain(`"${SEEN_RECORDED}"`);
    expect(showValue("pay\u200bpal a\u202eb half\ud800")).toBe('"pay\\u200bpal a\\u202eb half\\ud800"');
    expect(quoteForeign(RECORDED)).toBe(SEEN_RECORDED);
  });
});
