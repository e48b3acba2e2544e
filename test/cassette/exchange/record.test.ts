import { describe, expect, it } from "vitest";
import { createExchangeLine } from "../../../src/cassette/exchange/record.js";
import { MAX_EXCHANGE_BYTES } from "../../../src/cassette/limits.js";
import { answer, get, post } from "../../support/exchange-recording.js";
import { refusal } from "../../support/refusal.js";

const line = () => createExchangeLine({ scrub: (value) => value, filter: undefined });

describe("createExchangeLine", () => {
  it("keeps answered exchanges in the order of their calls", () => {
    const exchanges = line();
    const [one, two, three] = [get("/1"), get("/2"), post("/3", { a: 1 })].map((request) => exchanges.open(request));
    expect(exchanges.pending()).toBe(3);
    three?.answer(answer({ at: 3 }));
    two?.fail();
    expect(exchanges.answered().map(({ path }) => path)).toEqual(["/3"]);
    one?.answer(answer({ at: 1 }));
    one?.answer(answer({ at: "again" }));
    two?.answer(answer({ at: 2 }));
    expect(exchanges.pending()).toBe(0);
    expect(exchanges.answered()).toEqual([
      {
        method: "GET",
        path: "/1",
        status: 200,
        headers: { "content-type": "application/json" },
        response: { json: { at: 1 } },
      },
      {
        method: "POST",
        path: "/3",
        request: { json: { a: 1 } },
        status: 200,
        headers: { "content-type": "application/json" },
        response: { json: { at: 3 } },
      },
    ]);
  });

  it("forgets an exchange whose answer cannot be kept", () => {
    const exchanges = line();
    const open = exchanges.open(get("/1"));
    const long = { status: 200, headers: {}, body: new Uint8Array(MAX_EXCHANGE_BYTES + 1) };
    expect(refusal(() => open.answer(long))).toMatchObject({ code: "not-recordable" });
    expect([exchanges.pending(), exchanges.answered()]).toEqual([0, []]);
  });
});
