// The import for programs. The readers of the formats are loaded by the first import.

import type { ImportedCassette, ImportOptions } from "./import.js";

/**
 * Reads a log, one run at a time. `text` is one JSON document, an array or JSON Lines. Throws `CassetteError`, or passes it to `onError`:
 * `import-malformed` for a record that is not JSON or cannot be read, `import-unknown-format` for a record in no known format. Both name
 * the place. A document beyond `maxMemory` always throws `too-large`.
 */
export async function* parseImport(text: string, options: ImportOptions): AsyncGenerator<ImportedCassette, void> {
  const { importLog } = await import("./import.js");
  yield* importLog(text, options);
}
