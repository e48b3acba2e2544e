// Measures the peers next to Playhead. A peer that cannot be installed or does not do the work is listed with the
// reason, and the others continue.

import { fileURLToPath } from "node:url";
import { closeField, openField, sampleField } from "../field.mjs";
import { ownLoops, toTable } from "../turn-loop.mjs";
import { LOOP_PEERS, REPLAY_PEERS, SERVE_PEERS } from "./catalog.mjs";
import { installPeer } from "./install.mjs";

const OWN_LOOPS = ["floor: bare", "floor: and every hash", "playhead: run", "playhead: run and record"];
const OWN_REPLAYS = [
  ["floor: request hashed, response verified, fresh object", "floor-replay.mjs"],
  ["playhead: cassetteProvider, every hash verified", "playhead-replay.mjs"],
  ["a function in the place of fetch", "function.mjs"],
].map(([name, file]) => ({ name, file: fileURLToPath(new URL(`contestants/${file}`, import.meta.url)) }));

export async function* peerLoops({
  turns = [10, 100, 1000],
  calls = [1, 3],
  rounds = 5,
  sampleMs = 100,
  ...options
} = {}) {
  const field = openField([...ownLoops(OWN_LOOPS), ...installed(LOOP_PEERS)]);
  // For several calls in a turn, one length is enough.
  const works = calls.flatMap((perTurn) =>
    (perTurn === 1 ? turns : [100]).map((length) => ({ kind: "loop", turns: length, calls: perTurn })),
  );
  try {
    for (const work of works) {
      const [rows] = await sampleField(field, [work], { ...options, rounds, sampleMs });
      yield { ...toTable("peers: turn loop", work, rows), versions: versionsOf(LOOP_PEERS) };
    }
  } finally {
    closeField(field);
  }
}

export async function* peerReplays({ rounds = 5, sampleMs = 100, ...options } = {}) {
  const field = openField([...OWN_REPLAYS, ...installed(REPLAY_PEERS)]);
  try {
    const [rows] = await sampleField(field, [{ kind: "replay" }], { ...options, rounds, sampleMs });
    const title = "peers: replay of one completion of 2 KB";
    yield { key: "replay", title, unit: "µs", rows, versions: versionsOf(REPLAY_PEERS) };
  } finally {
    closeField(field);
  }
}

export async function* peerServes({ rounds = 7, ...options } = {}) {
  const own = fileURLToPath(new URL("contestants/serve-playhead.mjs", import.meta.url));
  const field = openField([{ name: "playhead: cassette serve", file: own }, ...installed(SERVE_PEERS)]);
  const works = [
    { kind: "serve", parallel: 1 },
    { kind: "serve", parallel: 16 },
  ];
  try {
    for (const work of works) {
      const [rows] = await sampleField(field, [work], { ...options, rounds });
      const title =
        work.parallel === 1
          ? "peers: a completion of 2 KB over HTTP, median latency of 1,000 requests"
          : "peers: 1,000 completions of 2 KB over HTTP, 16 at once, time for each (1,000,000 ÷ requests per second)";
      yield { key: `${work.parallel}`, title, unit: "µs", rows, versions: versionsOf(SERVE_PEERS) };
    }
  } finally {
    closeField(field);
  }
}

function installed(peers) {
  return peers.map((peer) => ({ name: peer.name, isPeer: true, ...installPeer(peer) }));
}

/** By the name of the contestant, because two may be versions of one package. */
function versionsOf(peers) {
  return Object.fromEntries(peers.map(({ name, main, version }) => [name, `${main} ${version}`]));
}
