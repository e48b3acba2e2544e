import { runPlayhead } from "./turn-loop.mjs";
import { createModel } from "./workload.mjs";
import { recordingProvider, cassetteProvider } from "playhead/cassette";
const mode = process.argv[2]; const N = Number(process.argv[3] ?? 300); const T=100;
const rec = recordingProvider(createModel(T,1)); await runPlayhead(rec,T); const cas = rec.toCassette();
const t0=performance.now();
for (let i=0;i<N;i++) { if (mode==="run") await runPlayhead(createModel(T,1),T); else if (mode==="record"){ const r=recordingProvider(createModel(T,1)); await runPlayhead(r,T); r.toCassette(); } else await runPlayhead(cassetteProvider(cas),T); }
console.log(mode, ((performance.now()-t0)*1000/N/T).toFixed(2),"µs/turn");
