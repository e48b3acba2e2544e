// Lets two commands alternate, so that a slow moment of the machine affects both. A command gets its answer when it is its turn, and
// passes the turn on with its next request. Neither works while the other is measured.

/** The turns of several commands. */
export interface Baton {
  /** Adds a command. */
  join(): Runner;
}

export interface Runner {
  /** Resolves when all commands have sent a request or ended, and it is this one's turn. */
  take(): Promise<void>;
  /** Called when a request comes in. */
  give(): void;
  /** Called when the command has ended. */
  leave(): void;
}

/** Creates the turns for this many commands. A single command always has the turn. */
export function createBaton(commands: number): Baton {
  const arrived = new Set<Runner>();
  let waiting: { runner: Runner; go: () => void }[] = [];
  let holder: Runner | undefined;
  /** Releases all waiting answers of a command. */
  const release = (runner: Runner): void => {
    const own = waiting.filter((each) => each.runner === runner);
    waiting = waiting.filter((each) => each.runner !== runner);
    for (const { go } of own) go();
  };
  const pass = (): void => {
    if (holder !== undefined || arrived.size < commands) return;
    holder = waiting[0]?.runner;
    if (holder !== undefined) release(holder);
  };
  return {
    join() {
      const runner: Runner = {
        take() {
          arrived.add(runner);
          // Answers to requests that were sent at the same time belong to one turn.
          if (holder === runner) return Promise.resolve();
          return new Promise((go) => {
            waiting.push({ runner, go });
            pass();
          });
        },
        give() {
          if (holder !== runner) return;
          holder = undefined;
          pass();
        },
        leave() {
          arrived.add(runner);
          release(runner);
          if (holder === runner) holder = undefined;
          pass();
        },
      };
      return runner;
    },
  };
}
