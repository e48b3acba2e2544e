// Standard output belongs to the messages of the agent. Text that other code writes there goes to `stray` instead.

import { Writable } from "node:stream";

export interface OwnStdout extends Writable {
  /** Gives standard output back. */
  release(): void;
}

/** `stray` receives the text that other code writes. */
export function ownStdout(stray: (text: string) => void): OwnStdout {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = (chunk: unknown, ...rest: unknown[]): boolean => {
    stray(typeof chunk === "string" ? chunk : Buffer.from(chunk as Uint8Array).toString());
    const done = rest.find((value) => typeof value === "function");
    if (done !== undefined) process.nextTick(done);
    return true;
  };
  const own = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => void write(chunk, done),
  });
  stdout.on("error", (error: Error) => own.destroy(error));
  return Object.assign(own, {
    release() {
      stdout.write = write;
    },
  });
}
