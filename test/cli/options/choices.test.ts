import { expect, it } from "vitest";
import { CALL_ORDERS } from "../../../src/cassette/index.js";
import { MUTANT_CHOICES, ORDER_CHOICES, REPORTER_CHOICES, VERDICT_CHOICES } from "../../../src/cli/options/choices.js";
import { MUTANT_KINDS } from "../../../src/harness/index.js";
import { VERDICTS } from "../../../src/harness/drift/report.js";
import { REPORTER_NAMES } from "../../../src/harness/reports/registry.js";

it("lists the words that the layers below take", () => {
  expect(ORDER_CHOICES).toEqual(CALL_ORDERS);
  expect(VERDICT_CHOICES).toEqual(VERDICTS);
  expect(REPORTER_CHOICES).toEqual(REPORTER_NAMES);
  expect(MUTANT_CHOICES).toEqual(MUTANT_KINDS);
});
