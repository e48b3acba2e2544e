// What went wrong while handlers answered. A client may swallow the error it is given, so the first one is thrown at the end.

export interface Trouble {
  note(error: unknown): void;
  /** Waits for what runs beside the answers. */
  track(work: Promise<unknown>): void;
  /** Resolves when nothing runs any more, and nothing went wrong; rejects with what went wrong first. */
  settle(): Promise<void>;
}

export function createTrouble(): Trouble {
  const running = new Set<Promise<unknown>>();
  let first: { error: unknown } | undefined;
  return {
    note(error) {
      first ??= { error };
    },
    track(work) {
      const settled = work.catch(() => undefined).finally(() => running.delete(settled));
      running.add(settled);
    },
    async settle() {
      while (running.size > 0) await Promise.all(running);
      if (first !== undefined) throw first.error;
    },
  };
}
