// A wait that ends: what a tool or provider gives, what it throws, or that it took too long.

import { systemPorts } from "../../core/index.js";

export type Settled =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "thrown"; readonly error: unknown }
  | { readonly kind: "late" };

/** Calls `start` and waits for it `timeoutMs` milliseconds at the most. What comes later is dropped, a rejection as well. */
export async function settle(start: () => unknown, timeoutMs: number): Promise<Settled> {
  let stop = (): void => undefined;
  const late = new Promise<Settled>((resolve) => {
    stop = systemPorts.timer(timeoutMs, () => resolve({ kind: "late" }));
  });
  const work = (async (): Promise<Settled> => {
    try {
      return { kind: "value", value: await start() };
    } catch (error) {
      return { kind: "thrown", error };
    }
  })();
  try {
    return await Promise.race([work, late]);
  } finally {
    stop();
  }
}
