// What a test hands to `expect` and where its cassette is: a cassette itself, a recorder, a replaying provider, or the
// handle of `useCassette` around one of the two.

import { plural } from "../../core/index.js";
import { checkCassette, type Cassette, type CassetteProvider, type RecordingProvider } from "../../cassette/index.js";
import { misuse } from "./matcher.js";
import { describeValue } from "../text/describe.js";

/** A value with its kind found out. `live` is a handle of `useCassette` that neither replays nor records. */
export type Carrier =
  | { kind: "cassette"; value: object }
  | { kind: "recorder"; provider: RecordingProvider; isHandle: boolean }
  | { kind: "replay"; provider: CassetteProvider }
  | { kind: "live" };

/** What `received` is, or undefined when no cassette can be had from it. */
export function findCarrier(received: unknown): Carrier | undefined {
  if (typeof received !== "object" || received === null) return undefined;
  if (isHandle(received)) return findInHandle(received.provider);
  if (isRecorder(received)) return { kind: "recorder", provider: received, isHandle: false };
  if (isReplay(received)) return { kind: "replay", provider: received };
  if (isCassetteLike(received)) return { kind: "cassette", value: received };
  return undefined;
}

/** The checked cassette of `received`. Throws for what has none, and `CassetteError` for a cassette that is refused. */
export function cassetteOf(matcher: string, received: unknown, requireIntegrity: boolean): Cassette {
  const carrier = findCarrier(received);
  switch (carrier?.kind) {
    case undefined:
      throw misuse(
        matcher,
        `it needs what carries a cassette and was given ${describeValue(received)}`,
        "Pass a cassette, a recordingProvider, a cassetteProvider, or the handle of useCassette.",
      );
    case "live":
      throw misuse(matcher, "the handle is live, so there is no cassette", "Replay or record: see CASSETTE_MODE.");
    case "cassette":
      return checkCassette(carrier.value, { requireIntegrity });
    case "recorder":
      return carrier.provider.toCassette();
    case "replay":
      assertReplayed(matcher, carrier.provider);
      return checkCassette(carrier.provider.cassette, { requireIntegrity });
  }
}

/** A replay that has turns left did less than its cassette says, so its cassette must not speak for it. */
function assertReplayed(matcher: string, { remaining, cassette }: CassetteProvider): void {
  if (remaining === 0) return;
  throw misuse(
    matcher,
    `${plural(remaining, "turn")} of ${cassette.entries.length} were not replayed, so the cassette says more than the run did`,
    "Await the run first; expect(provider).toConsumeCassette() says which turns are left.",
  );
}

/** Either field is enough: a cassette that lost one is a damaged cassette, not something else. */
export function isCassetteLike(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && (Object.hasOwn(value, "entries") || Object.hasOwn(value, "version"))
  );
}

function findInHandle(provider: unknown): Carrier {
  const carrier = findCarrier(provider);
  if (carrier?.kind === "recorder") return { ...carrier, isHandle: true };
  return carrier ?? { kind: "live" };
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
