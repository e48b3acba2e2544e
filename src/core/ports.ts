// The only door to the outside that the core uses: time, randomness, timers, fetch and warnings. Everything that is not
// deterministic and is neither a provider nor a tool enters here, so that a test can hand in its own.

export interface Ports {
  /** Milliseconds since the Unix epoch. Must not throw. */
  now(): number;
  /** `length` unpredictable bytes, owned by the caller. */
  randomBytes(length: number): Uint8Array;
  /** Calls `fire` once after `ms` milliseconds, unless the returned function is called first. */
  timer(ms: number, fire: () => void): () => void;
  fetch: typeof globalThis.fetch;
  /** Says something to a developer that is no error. Must not throw. */
  warn(message: string): void;
}

/** The ambient effects of the machine this runs on. */
export const systemPorts: Ports = {
  now: () => Date.now(),
  randomBytes: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
  timer(ms, fire) {
    const handle = setTimeout(fire, ms);
    return () => clearTimeout(handle);
  },
  fetch: (input, init) => globalThis.fetch(input, init),
  warn: (message) => console.warn(message),
};

/** The system's ports with some replaced, as every constructor that takes `ports` fills them in. */
export function withSystemPorts(ports: Partial<Ports> = {}): Ports {
  return { ...systemPorts, ...ports };
}
