import { expect, it } from "vitest";
import { systemPorts } from "../../../src/core/index.js";
import { MAX_NEWS_RUNS } from "../../../src/host/limits.js";
import { createWakeUps, readNews, writeNews } from "../../../src/host/postgres/wake-ups.js";
import { UNKNOWN_NEWS, type CommitNews } from "../../../src/host/sql/engine.js";

/** Wake-ups whose timers the test fires. Sends fail while `isDown`. */
function openWakeUps() {
  const timers = new Set<() => void>();
  const sent: CommitNews[] = [];
  const state = { isDown: false };
  const timer = (_ms: number, fire: () => void) => {
    timers.add(fire);
    return () => void timers.delete(fire);
  };
  const wakeUps = createWakeUps({ ...systemPorts, timer }, async (news) => {
    if (state.isDown) throw new Error("down");
    sent.push(news);
  });
  const fire = async () => {
    for (const one of [...timers]) if (timers.delete(one)) one();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { ...wakeUps, sent, state, fire, waiting: () => timers.size };
}

const about = (isDue: boolean, ...runs: string[]): CommitNews => ({ isDue, runs: new Set(runs) });

it("joins the wake-ups of several commits", async () => {
  const { announce, sent, fire } = openWakeUps();
  announce(about(false, "a"));
  announce(about(true, "b"));
  announce(about(false, "a", "c"));
  await fire();
  await fire();
  expect(sent).toEqual([about(true, "a", "b", "c")]);
});

it.each([
  ["first", [{ isDue: false }, about(false, "a")]],
  ["last", [about(false, "a"), { isDue: false }]],
])("names no run if one of the commits may be about any run: the %s", async (_which, all) => {
  const { announce, sent, fire } = openWakeUps();
  for (const news of all) announce(news);
  await fire();
  expect(sent).toEqual([{ isDue: false }]);
});

it("tells after a failure that anything may have changed, until that is sent", async () => {
  const { announce, sent, state, fire } = openWakeUps();
  state.isDown = true;
  announce(about(false, "a"));
  await fire();
  await fire();
  state.isDown = false;
  announce(about(false, "b"));
  await fire();
  await fire();
  expect(sent).toEqual([UNKNOWN_NEWS]);
});

it("sends what is left when it closes, and nothing afterwards", async () => {
  const { announce, close, sent, fire, waiting } = openWakeUps();
  announce(about(true, "a"));
  await close();
  expect(sent).toEqual([about(true, "a")]);
  announce(about(true, "b"));
  await fire();
  expect(sent).toHaveLength(1);
  expect(waiting()).toBe(0);
});

it("closes while it can send nothing", async () => {
  const { announce, close, sent, state, waiting } = openWakeUps();
  state.isDown = true;
  announce(about(true, "a"));
  await close();
  expect(sent).toEqual([]);
  expect(waiting()).toBe(0);
});

it("names as many runs as it may, and none of more", () => {
  const many = (count: number) => about(false, ...Array.from({ length: count }, (_, index) => `r${index}`));
  expect(readNews(writeNews(many(MAX_NEWS_RUNS)))).toEqual(many(MAX_NEWS_RUNS));
  expect(readNews(writeNews(many(MAX_NEWS_RUNS + 1)))).toEqual({ isDue: false });
  expect(readNews(writeNews(UNKNOWN_NEWS))).toEqual(UNKNOWN_NEWS);
});
