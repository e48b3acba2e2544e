import { describe, expect, it } from "vitest";
import { hintForStatus, isRetryableStatus, parseRetryAfter } from "../../../src/core/providers/status.js";

describe("hintForStatus", () => {
  it.each([
    [401, "auth rejected – verify apiKey is set + valid for this baseURL"],
    [403, "auth rejected – verify apiKey is set + valid for this baseURL"],
    [429, "rate-limited – back off and retry"],
    [529, "vendor overloaded – back off and retry"],
  ])("PLK-34 says for %i: %s", (status, hint) => expect(hintForStatus(status)).toBe(hint));

  it.each([[302], [400], [404], [408], [413], [418], [422], [500], [503], [599]])("has words for %i", (status) => {
    expect(hintForStatus(status)).toMatch(/ – /);
  });
});

describe("isRetryableStatus", () => {
  it.each([[408], [409], [425], [429], [500], [502], [503], [529]])("%i may pass", (status) => {
    expect(isRetryableStatus(status)).toBe(true);
  });
  it.each([[302], [400], [401], [402], [403], [404], [413], [422]])("%i stays", (status) => {
    expect(isRetryableStatus(status)).toBe(false);
  });
});

describe("parseRetryAfter", () => {
  const now = Date.UTC(2026, 10, 20, 12, 0, 0);

  it.each([
    ["0", 0],
    ["30", 30_000],
    [" 7 ", 7_000],
    ["0.5", 500],
    ["Fri, 20 Nov 2026 12:01:30 GMT", 90_000],
    ["Friday, 20-Nov-26 12:01:30 GMT", 90_000],
    ["Fri, 20 Nov 2026 11:00:00 GMT", 0],
  ])("PLK-35 reads %j as %i ms", (header, ms) => expect(parseRetryAfter(header, now)).toBe(ms));

  it.each([[null], [""], ["soon"], ["-5"], ["3 days"], ["1e3"], ["99999999999999999999"], ["Fri, 99 Foo 2026 GMT"]])(
    "reads nothing from %j",
    (header) => expect(parseRetryAfter(header, now)).toBeUndefined(),
  );
});
