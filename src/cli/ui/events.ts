// Tells one page of changes, by server-sent events (WHATWG HTML §9.2).

import { UI_EVENT_MS } from "../limits.js";
import type { Catalogue } from "./catalogue.js";

/** An event for each change of `files`, or of anything if none are given. Ends with `signal`. */
export async function* changeEvents(
  catalogue: Catalogue,
  files: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let isDue = false;
  let wake: () => void = () => undefined;
  const end = catalogue.listen((changed) => {
    if (files.length > 0 && !files.some((file) => changed.has(file))) return;
    isDue = true;
    wake();
  });
  signal.addEventListener("abort", () => wake());
  try {
    yield encoder.encode("retry: 2000\n\n");
    while (!signal.aborted) {
      if (isDue) {
        isDue = false;
        yield encoder.encode("data: changed\n\n");
      }
      await pause(signal);
      // The listener and the signal run between no two of these lines.
      if (!isDue && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    end();
  }
}

/** Changes close to each other become one event. */
function pause(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, UI_EVENT_MS);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
