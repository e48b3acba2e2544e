// Laws of the comparison of what two runs were offered, over small alphabets of names, properties and keywords.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffContracts, isBecauseOfSchema, type ContractChange } from "../../src/cassette/offer/run-offers.js";
import type { Drift } from "../../src/cassette/diff/drift.js";
import type { CassetteV2, ContextExtension } from "../../src/cassette/file/format.js";
import { hashJson, type JsonObject } from "../../src/core/index.js";
import { runOf } from "../cassette/diff/runs.js";

const keyword = fc.oneof(
  fc.record({ type: fc.constantFrom("string", "integer", "number") }),
  fc.record({ enum: fc.uniqueArray(fc.nat(2), { maxLength: 3 }) }),
  fc.record({ description: fc.constantFrom("a", "b") }),
  fc.record({ minimum: fc.nat(2) }),
);
const schema: fc.Arbitrary<JsonObject> = fc.record(
  {
    properties: fc.dictionary(fc.constantFrom("p", "q"), keyword, { maxKeys: 2 }),
    required: fc.uniqueArray(fc.constantFrom("p", "q")),
    additionalProperties: fc.boolean(),
  },
  { requiredKeys: ["properties"] },
);
const tools = fc.uniqueArray(
  fc.record({ name: fc.constantFrom("f", "g"), description: fc.constantFrom("x", "y"), schema }),
  { selector: ({ name }) => name, maxLength: 2 },
);
const settings = fc.dictionary(fc.constantFrom("seed", "topP"), fc.nat(2), { maxKeys: 2 });
const run: fc.Arbitrary<CassetteV2> = fc
  .array(fc.record({ tools, settings }), { minLength: 1, maxLength: 3 })
  .map((contexts) => ({
    ...runOf([]),
    extensions: {
      contexts: contexts.map((context, fromTurn): ContextExtension => {
        const { tools: offered, settings: asked } = context as { tools: JsonObject[]; settings: JsonObject };
        return {
          fromTurn,
          toolsHash: hashJson(offered),
          settingsHash: hashJson(asked),
          tools: offered,
          settings: asked,
        };
      }),
    },
  }));

const SWAPPED: Partial<Record<ContractChange["kind"], ContractChange["kind"]>> = {
  "tool-added": "tool-removed",
  "tool-removed": "tool-added",
};
const essence = ({ sentence: _sentence, ...change }: ContractChange) => change;
const mirrored = ({ kind, name, pointer, old, new: now }: ContractChange) => ({
  kind: SWAPPED[kind] ?? kind,
  name,
  ...(pointer === undefined ? {} : { pointer }),
  ...(now === undefined ? {} : { old: now }),
  ...(old === undefined ? {} : { new: old }),
});

const LAWS = { numRuns: 500 };

describe("laws of diffContracts", () => {
  it("finds nothing between a run and itself", () => {
    fc.assert(
      fc.property(run, (a) => {
        expect(diffContracts(a, a)).toEqual([]);
      }),
      LAWS,
    );
  });

  it("gives the mirror image with its sides swapped", () => {
    fc.assert(
      fc.property(run, run, (a, b) => {
        expect(diffContracts(b, a).map(essence)).toEqual(diffContracts(a, b).map(mirrored));
      }),
      LAWS,
    );
  });

  it("calls nothing breaking where every old call is valid still", () => {
    fc.assert(
      fc.property(run, (a) => {
        const wider = structuredClone(a);
        for (const { tools: offered = [] } of wider.extensions?.contexts ?? []) {
          for (const tool of offered) tool["schema"] = {};
        }
        const breaking = diffContracts(a, wider).filter(({ sentence }) =>
          /required now|narrower|tighter/.test(sentence),
        );
        expect(breaking).toEqual([]);
      }),
      LAWS,
    );
  });

  it("lays no change of arguments on a schema that is the same", () => {
    const drift: Drift = {
      kind: "args-changed",
      tool: "f",
      oldTurn: 0,
      newTurn: 0,
      oldPointer: "/entries/0/response/message/toolCalls/0",
      newPointer: "/entries/0/response/message/toolCalls/0",
      changes: [{ pointer: "/p", old: 1, new: 2 }],
      sentence: "",
    };
    fc.assert(
      fc.property(run, run, (a, b) => {
        const changes = diffContracts(a, b);
        const ofTool = changes.filter(({ name, kind }) => name === "f" && kind === "schema-changed");
        if (isBecauseOfSchema(drift, changes))
          expect(ofTool.some(({ pointer }) => pointer !== "/description")).toBe(true);
        expect(
          isBecauseOfSchema(
            drift,
            changes.filter((change) => !ofTool.includes(change)),
          ),
        ).toBe(false);
      }),
      LAWS,
    );
  });
});
