// Waits that always end: with a value, with an error, or with the finding that the call took too long.

import { systemPorts, within as settleWithin } from "../../core/index.js";
import { ABORT_GRACE_MS } from "../limits.js";
import { fail, Violation } from "./clause.js";

export type Settled =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "thrown"; readonly error: unknown }
  | { readonly kind: "late" };

/** Calls `start` and waits at most `timeoutMs` milliseconds for it. Later results and rejections are dropped. */
export function settle(start: () => unknown, timeoutMs: number): Promise<Settled> {
  const work = (async (): Promise<Settled> => {
    try {
      return { kind: "value", value: await start() };
    } catch (error) {
      return { kind: "thrown", error };
    }
  })();
  return settleWithin(work, timeoutMs, systemPorts).catch(() => ({ kind: "late" }));
}

export async function within<T>(ms: number, what: string, start: () => T | Promise<T>): Promise<T> {
  const end = await settle(start, ms);
  if (end.kind === "late") fail(what, `nothing within ${ms} ms`, "something");
  if (end.kind === "thrown") throw end.error;
  return end.value as T;
}

/** The error that `work` rejects with. Fails if `work` fulfils. Rejects with a violation that `work` itself found. */
export async function rejection(what: string, work: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await work;
  } catch (error) {
    if (error instanceof Violation) throw error;
    return error;
  }
  return fail(what, value, "a rejection");
}

/** Fires a signal once the call has started. `isLate`: the call ended more than {@link ABORT_GRACE_MS} later. */
export async function abortMidway(
  call: (signal: AbortSignal, begun: () => void) => Promise<Settled>,
): Promise<{ readonly end: Settled; readonly isLate: boolean }> {
  const controller = new AbortController();
  let isLate = false;
  let stop = (): void => undefined;
  const fire = () => {
    controller.abort();
    stop = systemPorts.timer(ABORT_GRACE_MS, () => (isLate = true));
  };
  const end = await call(controller.signal, () => queueMicrotask(fire)).finally(() => stop());
  return { end, isLate };
}
