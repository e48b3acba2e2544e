import { expect, it } from "vitest";
import { AgentError } from "../../../../src/core/errors.js";
import { createCooldown } from "../../../../src/core/providers/fallback/cooldown.js";
import { chainOf, fail, player } from "../../../support/chain.js";
import { gate } from "../../../support/loop.js";
import { say } from "../../../support/script.js";
import { hello } from "../../../support/wire.js";

it("of two cooldowns of one provider the one that ends later holds, in either order", () => {
  const clock = { now: 1_000 };
  const cooldown = createCooldown({ now: () => clock.now });
  const [a, b] = [player("a", []), player("b", [])];
  cooldown.start(a, 3_600_000, "rate-limit");
  clock.now += 10;
  cooldown.start(a, 50, "overloaded");
  expect(cooldown.of(a)).toEqual({ remainingMs: 3_599_990, kind: "rate-limit" });
  cooldown.start(b, 50, "overloaded");
  cooldown.start(b, 3_600_000, "rate-limit");
  expect(cooldown.of(b)).toEqual({ remainingMs: 3_600_000, kind: "rate-limit" });
  clock.now += 3_600_000;
  expect(cooldown.of(a)).toBeUndefined();
});

it("a turn that fails later does not shorten what the vendor asked another turn for", async () => {
  const late = gate();
  const failLate = async () => {
    await late.opened;
    throw new AgentError("provider-response", "down", { kind: "unavailable", retryable: true });
  };
  const a = player("a", [fail("rate-limit", { retryAfterMs: 3_600_000 }), failLate]);
  const { chain, attempts } = chainOf([{ provider: a }, { provider: player("b", [say("1"), say("2"), say("3")]) }]);
  const turns = [chain.turn(hello), chain.turn(hello)];
  await turns[0];
  late.open();
  await turns[1];
  await chain.turn(hello);
  expect(attempts.at(-2)).toMatchObject({ outcome: "skipped", remainingMs: 3_600_000 });
});
