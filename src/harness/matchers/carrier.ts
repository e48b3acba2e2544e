// Values in `expect` that carry a cassette: a cassette, a recorder, a replaying provider, or the handle of `useCassette`.

import { plural } from "../../core/index.js";
import { checkCassette, type Cassette, type CassetteProvider, type RecordingProvider } from "../../cassette/index.js";
import { misfit, misuse } from "./matcher.js";

const HINT = "Pass a cassette, a recordingProvider, a cassetteProvider, or the handle of useCassette.";

/** A value that carries a cassette, and its kind. `live` is a `useCassette` handle that neither replays nor records. */
type Carrier =
  | { kind: "cassette"; value: object }
  | { kind: "recorder"; provider: RecordingProvider; isHandle: boolean }
  | { kind: "replay"; provider: CassetteProvider }
  | { kind: "live" };

export function findCarrier(received: unknown): Carrier | undefined {
  if (typeof received !== "object" || received === null) return undefined;
  if (isHandle(received)) {
    const carrier = findCarrier(received.provider);
    return carrier?.kind === "recorder" ? { ...carrier, isHandle: true } : (carrier ?? { kind: "live" });
  }
  if (isRecorder(received)) return { kind: "recorder", provider: received, isHandle: false };
  if (isReplay(received)) return { kind: "replay", provider: received };
  if (isCassetteLike(received)) return { kind: "cassette", value: received };
  return undefined;
}

/** The checked cassette of `received`. Throws if `received` carries none, or `CassetteError` if the cassette is refused. */
export function cassetteOf(matcher: string, received: unknown, requireIntegrity: boolean): Cassette {
  const carrier = findCarrier(received);
  switch (carrier?.kind) {
    case undefined:
      throw misfit(matcher, "it needs a value with a cassette", received, HINT);
    case "live":
      throw misuse(matcher, "the handle is live, so there is no cassette", "Replay or record with CASSETTE_MODE.");
    case "cassette":
      return checkCassette(carrier.value, { requireIntegrity });
    case "recorder":
      return carrier.provider.toCassette();
    case "replay":
      assertReplayed(matcher, carrier.provider);
      return checkCassette(carrier.provider.cassette, { requireIntegrity });
  }
}

/** Throws for a replay with unused turns, because its cassette holds more than the run. */
function assertReplayed(matcher: string, { remaining, cassette }: CassetteProvider): void {
  if (remaining === 0) return;
  const what = `the run did not replay ${remaining} of ${plural(cassette.entries.length, "recorded turn")}`;
  throw misuse(matcher, what, "Await the run first. expect(provider).toConsumeCassette() names the unused turns.");
}

/** True with either of the two fields: a value without the other one is a damaged cassette. */
export function isCassetteLike(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && (Object.hasOwn(value, "entries") || Object.hasOwn(value, "version"))
  );
}

function isHandle(value: object): value is { provider: object } {
  const handle = value as { provider?: unknown; done?: unknown; mode?: unknown };
  return typeof handle.provider === "object" && typeof handle.done === "function" && typeof handle.mode === "string";
}

function isRecorder(value: object): value is RecordingProvider {
  return typeof (value as { toCassette?: unknown }).toCassette === "function";
}

function isReplay(value: object): value is CassetteProvider {
  const { cassette, remaining, assertConsumed } = value as Partial<CassetteProvider>;
  return typeof cassette === "object" && typeof remaining === "number" && typeof assertConsumed === "function";
}
