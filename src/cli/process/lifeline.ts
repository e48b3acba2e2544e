// A pipe that whoever started this process holds open. Its end means that nobody waits for this process any more.

import { Socket } from "node:net";

/** `descriptor`: the text of the variable. Without it nothing is watched. */
export function watchLifeline(descriptor: string | undefined, gone: () => void): { close(): void } {
  if (descriptor === undefined || !/^\d+$/.test(descriptor)) return { close: () => undefined };
  const pipe = new Socket({ fd: Number(descriptor), readable: true, writable: false });
  pipe.on("error", gone);
  pipe.on("end", gone);
  pipe.resume();
  // It alone must not keep the process alive.
  pipe.unref();
  return {
    close() {
      pipe.removeAllListeners("end");
      pipe.destroy();
    },
  };
}
