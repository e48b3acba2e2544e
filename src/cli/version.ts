// The version that `cassette --version` prints. It is a constant to save reading a file; a test compares it with package.json.

export const VERSION = "0.1.0";

/** Flags for the version. Alone on the command line they are answered before anything else is loaded. */
export const VERSION_FLAGS: readonly string[] = ["-V", "--version"];
