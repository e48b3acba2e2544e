// A process that stands still (SIGSTOP) at one place: in a call of the model, in a tool, or in a transaction. Its parent
// hears of it first. What it writes afterwards is counted.

const WRITES = { runs: ["update", "renew"], checkpoints: ["append"], events: ["append"] };

export function createStop(place, tell) {
  let state = place === undefined ? "none" : "ahead";
  let late = 0;

  function at(here) {
    if (state !== "ahead" || here !== place) return;
    state = "over";
    tell({ stopped: place });
    process.kill(process.pid, "SIGSTOP");
  }

  /** Counts the writes that are accepted after the stop. */
  function watchPorts(ports) {
    const watched = {};
    for (const [port, methods] of Object.entries(WRITES)) {
      watched[port] = { ...ports[port] };
      for (const method of methods)
        watched[port][method] = async (...given) => {
          const result = await ports[port][method](...given);
          if (state === "over" && result.ok) late += 1;
          return result;
        };
    }
    return watched;
  }

  /** Stops in the transaction that ends the turn, before its commit. */
  async function inside(tx, work) {
    let isEnd = false;
    const watched = watchPorts(tx);
    const { update } = watched.runs;
    watched.runs.update = async (runId, change, ...rest) => {
      isEnd ||= change.status === "completed";
      return update(runId, change, ...rest);
    };
    const result = await work({ ...tx, ...watched });
    if (isEnd) at("transaction");
    return result;
  }

  return {
    at,
    late: () => late,
    watch: (host) => {
      if (place === undefined) return host;
      const { store } = host;
      const transaction = (work) => store.transaction((tx) => inside(tx, work));
      return { ...host, store: { ...store, ...watchPorts(store), transaction } };
    },
  };
}
