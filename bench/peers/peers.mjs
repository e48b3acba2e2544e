// Measures the peers next to Playhead. A peer that cannot be installed or does not do the work is listed with the
// reason, and the others continue.

import { fileURLToPath } from "node:url";
import { sampleField } from "../field.mjs";
import { ownSessions } from "../session.mjs";
import { ownLoops, toTable } from "../turn-loop.mjs";
import { FACE_PEERS, LOOP_PEERS, REPLAY_PEERS, SERVE_PEERS, SESSION_PEERS } from "./catalog.mjs";
import { installPeer } from "./install.mjs";

const OWN_LOOPS = ["floor: bare", "floor: and every hash", "playhead: run", "playhead: run and record"];
const OWN_FACES = [
  ["playhead: graph vertex", "vertex-ways.mjs", "vertex"],
  ["playhead: conversation in memory", "env-ways.mjs", "conversation"],
].map(([name, file, part]) => ({ name, file: fileURLToPath(new URL(`../${file}`, import.meta.url)), part }));
const OWN_REPLAYS = [
  ["floor: request hashed, response verified, fresh object", "floor-replay.mjs"],
  ["playhead: cassetteProvider, every hash verified", "playhead-replay.mjs"],
  ["a function in the place of fetch", "function.mjs"],
].map(([name, file]) => ({ name, file: fileURLToPath(new URL(`contestants/${file}`, import.meta.url)) }));

const OWN_SERVES = [
  ["floor: node:http, the completion found by the message of the user", "serve-floor.mjs"],
  ["playhead: cassette serve", "serve-playhead.mjs"],
  ["playhead/msw, in the process of the client", "serve-playhead-msw.mjs"],
].map(([name, file]) => ({ name, file: fileURLToPath(new URL(`contestants/${file}`, import.meta.url)) }));
/** What a client asks of the servers. */
const SERVE_WORKS = [
  {
    work: { kind: "serve", parallel: 1, isWarm: false },
    title: "peers: a completion of 2 KB over HTTP, median latency of the first 1,000 requests",
  },
  {
    work: { kind: "serve", parallel: 1, isWarm: true },
    title: "peers: a completion of 2 KB over HTTP, median latency of 1,000 requests after 2,000 others",
  },
  {
    work: { kind: "serve", parallel: 16, isWarm: true },
    title:
      "peers: 1,000 completions of 2 KB over HTTP after 2,000 others, 16 at once, time for each (1,000,000 ÷ requests per second)",
  },
];

export async function* peerLoops({
  turns = [10, 100, 1000],
  calls = [1, 3],
  rounds = 5,
  sampleMs = 100,
  ...options
} = {}) {
  const field = [...ownLoops(OWN_LOOPS), ...installed(LOOP_PEERS)];
  // For several calls in a turn, one length is enough.
  const works = calls.flatMap((perTurn) =>
    (perTurn === 1 ? turns : [100]).map((length) => ({ kind: "loop", turns: length, calls: perTurn })),
  );
  for (const work of works) {
    const [rows] = await sampleField(field, [work], { ...options, rounds, sampleMs });
    yield { ...toTable("peers: turn loop", work, rows), versions: versionsOf(LOOP_PEERS) };
  }
}

export async function* peerFaces({ turns = [10, 100], rounds = 5, sampleMs = 100, ...options } = {}) {
  const field = [...OWN_FACES, ...installed(FACE_PEERS)];
  for (const work of turns.map((length) => ({ kind: "loop", turns: length, calls: 1 }))) {
    const [rows] = await sampleField(field, [work], { ...options, rounds, sampleMs });
    yield { ...toTable("peers: graph vertex and conversation", work, rows), versions: versionsOf(FACE_PEERS) };
  }
}

export async function* peerSessions({ turns = [10, 100], rounds = 5, sampleMs = 100, ...options } = {}) {
  const field = [...ownSessions(), ...installed(SESSION_PEERS)];
  for (const work of turns.map((length) => ({ kind: "loop", turns: length, calls: 1 }))) {
    const [rows] = await sampleField(field, [work], { ...options, rounds, sampleMs });
    yield { ...toTable("peers: session", work, rows), versions: versionsOf(SESSION_PEERS) };
  }
}

export async function* peerReplays({ rounds = 5, sampleMs = 100, ...options } = {}) {
  const field = [...OWN_REPLAYS, ...installed(REPLAY_PEERS)];
  const [rows] = await sampleField(field, [{ kind: "replay" }], { ...options, rounds, sampleMs });
  const title = "peers: replay of one completion of 2 KB";
  yield { key: "replay", title, unit: "µs", rows, versions: versionsOf(REPLAY_PEERS) };
}

export async function* peerServes({ rounds = 7, ...options } = {}) {
  const field = [...OWN_SERVES, ...installed(SERVE_PEERS)];
  for (const { work, title } of SERVE_WORKS) {
    const [rows] = await sampleField(field, [work], { ...options, rounds });
    const key = `${work.parallel} ${work.isWarm ? "warm" : "cold"}`;
    yield { key, title, unit: "µs", rows, versions: versionsOf(SERVE_PEERS) };
  }
}

function installed(peers) {
  return peers.map((peer) => ({ name: peer.name, part: peer.part, isPeer: true, ...installPeer(peer) }));
}

/** By the name of the contestant, because two may be versions of one package. */
function versionsOf(peers) {
  return Object.fromEntries(peers.map(({ name, main, version }) => [name, `${main} ${version}`]));
}
