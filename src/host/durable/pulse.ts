// The pulse of a host, with which it notices the commits of other processes. It beats only while it has listeners.

import type { Ports } from "../../core/index.js";
import { UNKNOWN_NEWS, type CommitNews } from "../sql/engine.js";
import { PULSE_MS } from "../limits.js";

/** Called at each beat, with what was committed since the previous one. Undefined: nothing. */
export type Beat = (news: CommitNews | undefined) => void;

export interface Pulse {
  /** Returns a function that removes the listener. */
  listen(beat: Beat): () => void;
}

export interface PulseTerms {
  readonly ports: Ports;
  commits(): number;
  /** Calls `heard` soon after a commit of another process. */
  onCommit(heard: (news: CommitNews) => void): void;
}

export function createPulse(terms: PulseTerms): Pulse {
  const listeners = new Set<Beat>();
  let seen = 0;
  let stop: (() => void) | undefined;

  function beat(): void {
    stop = terms.ports.timer(PULSE_MS, beat);
    const commits = count();
    tell(commits === seen ? undefined : UNKNOWN_NEWS, commits);
  }

  /** `commits` is the number that `news` covers. A commit after that read is news of the next beat. */
  function tell(news: CommitNews | undefined, commits: number): void {
    seen = commits;
    for (const listener of [...listeners]) listener(news);
  }

  /** A file that cannot be read is tried again at the next beat. Calls of the ports report the error. */
  function count(): number {
    try {
      return terms.commits();
    } catch {
      return seen;
    }
  }

  terms.onCommit((news) => tell(news, count()));
  return {
    listen(listener) {
      listeners.add(listener);
      stop ??= terms.ports.timer(PULSE_MS, beat);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}
