import { runPlayhead, addTool } from "./turn-loop.mjs";
import { createModel, add, SYSTEM, GOAL } from "./workload.mjs";
import { guardedLoop, hashedLoop } from "./floor/loop.mjs";
import { recordingProvider, cassetteProvider } from "playhead/cassette";
const modes = process.argv[2].split(","); const N = Number(process.argv[3] ?? 300); const T=Number(process.argv[4]??100);
const rec = recordingProvider(createModel(T,1)); await runPlayhead(rec,T); const cas = rec.toCassette();
const F={ guarded:()=>guardedLoop(createModel(T,1),add,SYSTEM,GOAL), hashed:()=>hashedLoop(createModel(T,1),add,SYSTEM,GOAL), run:()=>runPlayhead(createModel(T,1),T), record:async()=>{ const r=recordingProvider(createModel(T,1)); await runPlayhead(r,T); r.toCassette(); }, replay:()=>runPlayhead(cassetteProvider(cas),T)};
const out={};
for (let round=0;round<7;round++) for (const m of modes) { const c=process.cpuUsage().user; for (let i=0;i<N/7;i++) await F[m](); (out[m]??=[]).push((process.cpuUsage().user-c)/Math.ceil(N/7)/T); }
for (const m of modes) console.log(m.padEnd(10), out[m].sort((a,b)=>a-b)[2].toFixed(2),"µs cpu/turn (low-mid of 7)");
