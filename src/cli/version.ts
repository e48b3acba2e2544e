// The version that `cassette --version` prints. A constant, so that it costs no file read; a test compares it with package.json.

/** Printed by `cassette --version`. */
export const VERSION = "0.1.0";

/** The flags that ask for it. Alone on the command line they are answered before anything else is loaded. */
export const VERSION_FLAGS: readonly string[] = ["-V", "--version"];
