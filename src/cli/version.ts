// The version that `cassette --version` prints. A constant, so that it costs no file read; a test compares it with package.json.

export const VERSION = "0.1.0";
