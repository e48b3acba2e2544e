import { expect, it } from "vitest";
import { systemPorts } from "../../../src/core/index.js";
import { createPulse } from "../../../src/host/durable/pulse.js";
import { UNKNOWN_NEWS, type CommitNews } from "../../../src/host/sql/engine.js";

/** A pulse whose beats the test makes. Each read of the number of commits takes the next one. */
function openPulse(reads: (() => number)[]) {
  const told: (CommitNews | undefined)[] = [];
  let fire = (): void => undefined;
  let heard = (_news: CommitNews): void => undefined;
  const pulse = createPulse({
    ports: { ...systemPorts, timer: (_ms, next) => ((fire = next), () => undefined) },
    commits: () => (reads.length > 1 ? reads.shift() : reads[0])?.() ?? 0,
    onCommit: (listener) => (heard = listener),
  });
  pulse.listen((news) => told.push(news));
  return { told, beat: () => fire(), hear: (news: CommitNews) => heard(news) };
}

it("tells of a commit that comes right after a beat has read the number of commits", () => {
  const { told, beat } = openPulse([() => 0, () => 1]);
  beat();
  beat();
  beat();
  expect(told).toEqual([undefined, UNKNOWN_NEWS, undefined]);
});

it("tells at the next beat of a commit whose number could not be read", () => {
  const fail = (): never => {
    throw new Error("busy");
  };
  const { told, beat } = openPulse([fail, () => 1]);
  beat();
  beat();
  expect(told).toEqual([undefined, UNKNOWN_NEWS]);
});

it("tells of a commit once if the engine has named it", () => {
  const { told, beat, hear } = openPulse([() => 1]);
  const news: CommitNews = { isDue: false, runs: new Set(["a"]) };
  hear(news);
  beat();
  expect(told).toEqual([news, undefined]);
});
