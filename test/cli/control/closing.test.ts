// A cassette that closes waits for requests that are still open. Here it would wait for a day, so it must see when they are answered.

import { expect, it, vi } from "vitest";
import { send } from "../serve/running.js";
import { startControl, startVendor } from "./running.js";

vi.mock("../../../src/cli/limits.js", async (original) => ({
  ...(await original<object>()),
  CLOSE_GRACE_MS: 86_400_000,
}));

it("closes once its answers are sent, in a recording and in a replay", async () => {
  const vendor = await startVendor();
  const { order } = await startControl({ OPENAI_BASE_URL: vendor.url });
  for (const [index, mode] of ["record", "replay"].entries()) {
    const { variables } = await order({ open: "sent.cassette.json", mode });
    const answer = await send(variables?.["OPENAI_BASE_URL"] ?? "", "birds", { path: "/chat/completions" });
    expect(answer.status).toBe(200);
    expect(await order({ close: `cassette-${index + 1}` })).toMatchObject({ ok: true });
  }
});
