import { describe, expect, it } from "vitest";
import {
  hintForStatus,
  isRetryableStatus,
  kindForStatus,
  parseRetryAfter,
  readRetryAfter,
} from "../../../src/core/http/status.js";
import { MAX_RETRY_AFTER_MS } from "../../../src/core/limits.js";

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
    ["Fri Nov 20 12:01:30 2026", 90_000],
    ["86401", MAX_RETRY_AFTER_MS],
    ["99999999999999999999", MAX_RETRY_AFTER_MS],
    ["Fri, 20 Nov 2099 12:00:00 GMT", MAX_RETRY_AFTER_MS],
  ])("PLK-35 reads %j as %i ms", (header, ms) => expect(parseRetryAfter(header, now)).toBe(ms));

  it.each([
    [null],
    [""],
    ["soon"],
    ["-5"],
    ["3 days"],
    ["1e3"],
    ["NaN"],
    ["Infinity"],
    ["0x10"],
    ["Fri, 99 Foo 2026 GMT"],
  ])("reads nothing from %j", (header) => expect(parseRetryAfter(header, now)).toBeUndefined());
});

describe("readRetryAfter", () => {
  const now = Date.UTC(2026, 10, 20, 12, 0, 0);
  const read = (headers: Record<string, string>, status = 429) => readRetryAfter(new Headers(headers), status, now);

  it("PLK-35 takes milliseconds before seconds, and seconds before the moment of a reset", () => {
    const reset = { "x-ratelimit-reset": String(now + 9_000) };
    expect(read({ "retry-after-ms": "1500.2", "retry-after": "7", ...reset })).toBe(1501);
    expect(read({ "retry-after": "7", ...reset })).toBe(7_000);
    expect(read(reset)).toBe(9_000);
    expect(read({ "retry-after-ms": "soon", "retry-after": "7" })).toBe(7_000);
    expect(read({})).toBeUndefined();
  });

  it("reads a reset only with 429, only as a moment, and never as a wait below 0", () => {
    expect(read({ "x-ratelimit-reset": String(now + 9_000) }, 503)).toBeUndefined();
    expect(read({ "x-ratelimit-reset": "60" })).toBeUndefined();
    expect(read({ "x-ratelimit-reset": "1s" })).toBeUndefined();
    expect(read({ "x-ratelimit-reset": String(now - 9_000) })).toBe(0);
  });

  it.each(["-5", "NaN", "", "1e9", "Infinity"])("reads nothing from %j milliseconds", (value) => {
    expect(read({ "retry-after-ms": value })).toBeUndefined();
  });

  it("believes no wait over 24 hours", () => {
    expect(MAX_RETRY_AFTER_MS).toBe(86_400_000);
    expect(read({ "retry-after-ms": "9".repeat(400) })).toBe(MAX_RETRY_AFTER_MS);
    expect(read({ "x-ratelimit-reset": "9999999999999" })).toBe(MAX_RETRY_AFTER_MS);
  });
});

describe("kindForStatus", () => {
  it.each([
    [302, "unknown"],
    [400, "bad-request"],
    [401, "auth"],
    [402, "permission"],
    [403, "permission"],
    [404, "not-found"],
    [408, "timeout"],
    [413, "context-length"],
    [418, "bad-request"],
    [422, "bad-request"],
    [429, "rate-limit"],
    [451, "content-filter"],
    [500, "unavailable"],
    [503, "unavailable"],
    [504, "timeout"],
    [524, "timeout"],
    [529, "overloaded"],
    [599, "unavailable"],
  ])("REL-81 %i is %s", (status, kind) => expect(kindForStatus(status)).toBe(kind));

  it("has a hint for a kind that the status does not tell", () => {
    expect(hintForStatus(400, "context-length")).toMatch(/too long/);
    expect(hintForStatus(400, "bad-request")).toBe(hintForStatus(400));
    expect(hintForStatus(400, "timeout")).toBe(hintForStatus(400));
  });
});
