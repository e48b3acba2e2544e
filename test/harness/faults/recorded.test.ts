// The refusals of each wire next to those that the vendors' own servers gave, as recorded.

import { describe, expect, it } from "vitest";
import type { WireName } from "../../../src/core/vendors/table.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { HTTP_FAULTS } from "../../../src/harness/faults/bodies.js";
import { hasShared, readSharedLines } from "../../support/shared.js";

interface Line {
  request: { url: string };
  response?: { status?: number; headers?: Record<string, string | string[]>; body?: string };
}

/** Files with refusals of the vendor itself, and its host. OpenAI's two wires share their errors. */
const RECORDED: Partial<Record<WireName, readonly [host: RegExp, ...files: string[]]>> = {
  openai: [/api\.openai\.com\/v1\/chat/, "openai"],
  responses: [/api\.openai\.com\/v1\/responses/, "openai-responses"],
  anthropic: [/api\.anthropic\.com/, "anthropic"],
  gemini: [/googleapis\.com/, "gemini", "vertex-gemini"],
  bedrock: [/amazonaws\.com/, "bedrock-converse", "bedrock-converse-stream"],
  cohere: [/api\.cohere\.com/, "cohere"],
};

interface Refusal {
  status: number;
  type: string | undefined;
  shape: Record<string, string>;
}

/** Each place of a body with the type of its value. Details are left out, since their contents differ with each error. */
function shapeOf(value: unknown, path = ""): Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { [path]: typeof value };
  return Object.assign({}, ...Object.entries(value).map(([name, item]) => shapeOf(item, `${path}/${name}`))) as Record<
    string,
    string
  >;
}

function refusalsOf(wire: WireName): Refusal[] {
  const [host, ...files] = RECORDED[wire] ?? [/^$/];
  const lines = files.flatMap((name) => readSharedLines<Line>(`data/http/${name}.jsonl.gz`));
  return lines.flatMap(({ request, response: { status = 0, headers = {}, body = "" } = {} }) => {
    if (status < 400 || !host.test(request.url) || !body.trimStart().startsWith("{")) return [];
    const [, type] = Object.entries(headers).find(([name]) => name.toLowerCase() === "x-amzn-errortype") ?? [];
    return [{ status, type: type?.toString(), shape: shapeOf(JSON.parse(body)) }];
  });
}

describe.skipIf(!hasShared)("a refusal", () => {
  it.each(Object.keys(RECORDED) as WireName[])(
    "of %s has no field that a recorded one lacks, and all that each has",
    (wire) => {
      const recorded = refusalsOf(wire);
      expect(recorded.length).toBeGreaterThan(0);
      const known = new Map<string, Set<string>>();
      for (const [path, type] of recorded.flatMap(({ shape }) => Object.entries(shape))) {
        known.set(path, (known.get(path) ?? new Set()).add(type));
      }
      const always = [...known.keys()].filter((path) => recorded.every(({ shape }) => path in shape));
      expect(always.length).toBeGreaterThan(0);
      for (const [name, fault] of Object.entries(HTTP_FAULTS[wire])) {
        if (name === "bad-gateway") continue;
        const shape = shapeOf(JSON.parse(fault.body));
        expect([name, Object.keys(shape).filter((path) => !known.has(path))]).toEqual([name, []]);
        expect([name, always.filter((path) => !(path in shape))]).toEqual([name, []]);
        // Null is of the type object.
        for (const [path, type] of Object.entries(shape)) {
          const types = [...(known.get(path) ?? [])].filter((each) => each !== "object");
          if (type !== "object" && types.length > 0) expect([path, types]).toEqual([path, [type]]);
        }
      }
      // Ours adds fields, but the ones that clients read are there.
      const own = shapeOf(VENDORS[wire].fail({ status: 404, code: "x", message: "y" }));
      expect(always.filter((path) => !(path in own) && !/id$/.test(path))).toEqual([]);
    },
  );

  it("of Bedrock names its kind in the header, as recorded", () => {
    const types = refusalsOf("bedrock").flatMap(({ status, type }) =>
      type === undefined ? [] : [`${status} ${type}`],
    );
    expect(types.length).toBeGreaterThan(2);
    const faults = Object.values(VENDORS.bedrock.faults).map(
      ({ status, headers }) => `${status} ${headers["x-amzn-errortype"] ?? ""}`,
    );
    for (const text of faults)
      expect(text).toMatch(/^\d{3} [A-Z]\w+Exception:http:\/\/internal\.amazon\.com\/coral\/com\.amazon\.[\w.]+\/$/);
    // Expired keys are the one kind that no fault plays.
    const missing = types.filter((text) => !faults.includes(text) && !text.includes("ExpiredToken"));
    expect(missing).toEqual([]);
  });
});
