import { expect, it } from "vitest";
import { readLines } from "../../../src/cli/control/lines.js";
import { MAX_CONTROL_LINE_BYTES } from "../../../src/cli/limits.js";
import { rejection } from "../../support/refusal.js";

async function linesOf(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  async function* bytes() {
    for (const chunk of chunks) yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
  }
  const lines: string[] = [];
  for await (const line of readLines(bytes())) lines.push(line);
  return lines;
}

it("reads lines that chunks cut anywhere, also within a character", async () => {
  const whole = new TextEncoder().encode('{"open":"ä"}\r\n\n{"close":"b"}\nlast');
  const expected = ['{"open":"ä"}', '{"close":"b"}', "last"];
  expect(await linesOf(whole)).toEqual(expected);
  for (let at = 0; at <= whole.length; at++) {
    expect(await linesOf(whole.subarray(0, at), whole.subarray(at))).toEqual(expected);
  }
});

it("reads nothing from nothing", async () => {
  expect(await linesOf()).toEqual([]);
  expect(await linesOf("\n", " \n")).toEqual([]);
});

it("refuses a line beyond the limit, and takes one at the limit", async () => {
  const most = "a".repeat(MAX_CONTROL_LINE_BYTES);
  expect(await linesOf(`${most}\n`, `${most}\n`)).toEqual([most, most]);
  expect(await rejection(linesOf(most, "a"))).toMatchObject({ code: "usage" });
});
