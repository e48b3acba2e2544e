// How long a test waits for what must happen, with `vi.waitFor`. Its own second is too short for a busy machine. It ends before the test.

export const PATIENCE = { timeout: 50_000, interval: 20 };
