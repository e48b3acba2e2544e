// The version that `cassette --version` prints. A constant, so that it costs no file read; a test compares it with package.json.

/** Printed by `cassette --version`. */
export const VERSION = "0.1.0";
