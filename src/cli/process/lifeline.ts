// A pipe that the parent of this process holds open. When it ends, nobody waits for this process any more.

import { Socket } from "node:net";

/** `descriptor` is the value of the environment variable. Without a number, nothing is watched. */
export function watchLifeline(descriptor: string | undefined, gone: () => void): { close(): void } {
  if (descriptor === undefined || !/^\d+$/.test(descriptor)) return { close: () => undefined };
  const pipe = new Socket({ fd: Number(descriptor), readable: true, writable: false });
  pipe.on("error", gone);
  pipe.on("end", gone);
  pipe.resume();
  // The pipe alone must not keep the process alive.
  pipe.unref();
  return {
    close() {
      pipe.removeAllListeners("end");
      pipe.destroy();
    },
  };
}
