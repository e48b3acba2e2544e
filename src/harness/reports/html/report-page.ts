// Writes the gate's findings as one HTML file for a person. The top gives the verdict and links to the first divergence. All
// scenarios follow, worst first, each with both timelines side by side. docs/drift.md describes the guarantees of the page.

import type { GateReport, ScenarioReport, UnpairedScenario } from "../../drift/gate-report.js";
import { WORST_FIRST, worstFirst } from "../../drift/paths/ranking.js";
import { createAllowance, type LeftOut } from "../../html/allowance.js";
import { counted, grouped } from "../../html/figures.js";
import { toPage, type PageFrame } from "../../html/page-shell.js";
import { CONVERSATION_STYLE } from "../../html/style/conversation.js";
import { PAGE_STYLE } from "../../html/style/page.js";
import { preview } from "../../html/text-view.js";
import { html, type Child, type Html } from "../../html/template.js";
import {
  allowedText,
  countFew,
  firstEdit,
  headOf,
  notShownLines,
  hintLines,
  otherCauses,
  turnsOf,
  undecidedText,
  withoutOutcomeLines,
} from "../facts.js";
import { percent } from "../figures.js";
import { rulesView, scenarioView, startOf, verdictBadge, VERDICT_SIGNS } from "./scenario-view.js";
import { REPORT_SCRIPT } from "./script.js";
import { REPORT_STYLE } from "./style.js";
import { failOnText, metricNotes } from "../metrics.js";
import { metricsView } from "./metrics-view.js";
import { distanceView, outcomeView } from "./tables-view.js";

const SHOWN_NAMES = 100;
const SHOWN_CAUSES = 20;

/**
 * Writes the text of the file. The same report gives the same bytes. Without a frame, the page makes no network requests. `all` leads to
 * the page of all candidates.
 */
export function htmlReport(report: GateReport, frame?: PageFrame, all?: string): string {
  const allowance = createAllowance(false, "the cassette has the full text");
  const places = worstFirst(report).map((scenario, index) => ({ scenario, id: `scenario-${index + 1}` }));
  const head = headOf(report)?.scenario.scenario;
  const views = places.map(({ scenario, id }) =>
    scenarioView(scenario, { id, isHead: scenario.scenario === head }, allowance),
  );
  const body = html`<a class="skip" href="#scenarios">Skip to the scenarios</a>
    <header class="top">${headView(report, places, all)} ${leftOutNote(allowance.leftOut())}</header>
    <div class="layout">
      ${railView(places)}
      <main id="scenarios" tabindex="-1">
        ${barView(report)}
        <h2 class="hidden">Scenarios</h2>
        ${views.length === 0 ? html`<p class="note">No scenario exists on both sides.</p>` : views}
        <p class="note nothing" hidden>No scenario matches. Press Escape in the search field to see all scenarios.</p>
      </main>
    </div>`;
  const style = PAGE_STYLE + CONVERSATION_STYLE + REPORT_STYLE;
  const title = `Drift gate: ${report.verdict} · ${preview(report.base, 80)} → ${preview(report.candidate, 80)}`;
  return toPage({ title, style, script: REPORT_SCRIPT, body, frame });
}

interface Place {
  scenario: ScenarioReport;
  id: string;
}

function headView(report: GateReport, places: readonly Place[], all: string | undefined): Html {
  const { verdict, fails, reason, headline, base, candidate } = report;
  const notShown = notShownLines(report);
  const [few, undecided] = [verdict === "same" && countFew(report) > 0, undecidedText(report)];
  // A pass over all scenarios together, or in few runs, proves less, so the page does not look like a full pass.
  const look = notShown.length === 0 && !few ? verdict : "inconclusive";
  const title = few ? "Nothing differs, but there are too few runs" : `${TITLES[verdict]} over all scenarios together`;
  return html`<p class="sides-named">
      Drift gate: <code>${preview(base, 200)}</code> <span aria-hidden="true">→</span
      ><span class="hidden">against</span>
      <code>${preview(candidate, 200)}</code>
      ${all !== undefined && html`<a class="jump" href="${all}">All candidates</a>`}
    </p>
    <h1 class="verdict-line ${look}">
      <span class="sign-big" aria-hidden="true">${VERDICT_SIGNS[verdict]}</span>
      ${look === verdict ? TITLES[verdict] : title}
      <span class="outcome"
        >${fails ? "the gate fails" : undecided === "" ? "the gate passes" : `the gate passes, ${undecided}`}</span
      >
    </h1>
    <p class="plain">${preview(headline.sentence, 1_000)}</p>
    <p class="reason">${preview(reason, 2_000)}</p>
    ${[...notShown, ...hintLines(report)].map((line) => html`<p class="note">${line}.</p>`)} ${causesView(report)}
    ${withoutOutcomeLines(report.withoutOutcome).map((line) => html`<p class="reason">${line}.</p>`)}
    ${divergenceView(report, places)}
    <div class="folds">
      ${pooledView(report)} ${commandsView(report)} ${settingsView(report)} ${oneSideView("base", report)}
      ${oneSideView("candidate", report)}
    </div>`;
}

const TITLES = {
  regression: "Regression",
  drift: "Drift",
  inconclusive: "Inconclusive",
  better: "Better",
  same: "Same",
} as const;

function divergenceView(report: GateReport, places: readonly Place[]): Html {
  const found = headOf(report);
  const place = places.find(({ scenario }) => scenario.scenario === found?.scenario.scenario);
  if (found === undefined || place === undefined) {
    return html`<p class="callout">No difference was found between the typical runs.</p>`;
  }
  const { edit, lost, grown, scenario } = found;
  const address = `#${startOf(place.scenario, place.id)}`;
  const name = html`<code>${preview(scenario.scenario, 120)}</code>`;
  if (grown !== undefined) {
    return html`<p class="callout" id="head-divergence">
      <strong>Where ${report.headline.metric} grew most:</strong> in ${name}. ${preview(grown, 400)}.
      <a class="jump" href="${address}">Show it <kbd>n</kbd></a>
    </p>`;
  }
  if (edit === undefined && lost.length === 0) {
    return html`<p class="callout" id="head-divergence">
      <strong>First finding:</strong> in ${name}, whose typical runs do not differ. ${preview(scenario.reason, 600)}.
      <a class="jump" href="${address}">Show it <kbd>n</kbd></a>
    </p>`;
  }
  if (edit === undefined) {
    return html`<p class="callout" id="head-divergence">
      <strong>Where outcomes were lost:</strong> in ${name}, whose typical runs do not differ.
      ${lost.map((line) => preview(line, 400))}.
      <a class="jump" href="${address}">Show it <kbd>n</kbd></a>
    </p>`;
  }
  return html`<p class="callout" id="head-divergence">
    <strong>${report.verdict === "same" ? "Nothing beyond chance. First difference:" : "First divergence:"}</strong> in
    ${name} at ${turnsOf(edit)}. ${preview(edit.drift.sentence, 400)}
    ${edit.allowedBy !== undefined && html`<span class="note">${allowedText(edit)}.</span>`}
    ${scenario.verdict === "better" && html`<span>${preview(scenario.reason, 600)}.</span>`}
    ${lost.map((line) => html`<span class="lost">${preview(line, 400)}.</span> `)}
    <a class="jump" href="${address}">Show it <kbd>n</kbd></a>
  </p>`;
}

function pooledView({ pooled: { outcome, distance }, scenarios, metrics }: GateReport): Child {
  if (scenarios.length === 0) return undefined;
  return html`<details class="long">
    <summary>All ${counted(scenarios.length, "scenario")} together</summary>
    <div class="inner">
      ${outcome !== undefined && outcomeView(outcome)}${distance !== undefined && distanceView(distance)}
      ${metricsView(metrics.all, metricNotes(metrics))}
    </div>
  </details>`;
}

function commandsView({ commands }: GateReport): Html {
  return html`<details class="long">
    <summary>Commands to reproduce and accept this</summary>
    <div class="inner">
      <h2 class="small">Reproduce it</h2>
      <pre class="code" tabindex="0">${preview(commands.reproduce, 4_000)}</pre>
      ${
        commands.bless !== undefined &&
        html`<h2 class="small">Accept it as a variant of the baseline</h2>
          <pre class="code" tabindex="0">${preview(commands.bless, 4_000)}</pre>`
      }
      ${
        commands.notBlessed !== undefined &&
        html`<p class="note">It cannot be accepted yet: ${preview(commands.notBlessed, 400)}.</p>`
      }
    </div>
  </details>`;
}

function settingsView({ settings }: GateReport): Html {
  const { alpha, minRuns, onInconclusive, seed, order, content } = settings;
  const rows: [string, string][] = [
    ["False alarm rate", percent(alpha)],
    ["Minimum runs", String(minRuns)],
    ["Fails on", failOnText(settings, "nothing").replaceAll(",", ", ")],
    ["Inconclusive", onInconclusive === "pass" ? "passes" : "fails"],
    ["Order of calls", order],
    ["Texts", content ? "compared" : "not compared"],
    ["Seed", String(seed)],
  ];
  return html`<details class="long">
    <summary>Settings</summary>
    <dl class="inner about-run">
      ${rows.map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div> `,
      )}
    </dl>
  </details>`;
}

/** Lists the causes of failure that are not a scenario on this page. */
function causesView(report: GateReport): Child {
  const causes = otherCauses(report);
  if (causes.length === 0) return undefined;
  const more = causes.length - SHOWN_CAUSES;
  return html`<ul class="broken causes">
    ${causes
      .slice(0, SHOWN_CAUSES)
      .map(
        ({ verdict, scenario, reason }) =>
          html`<li>
            ${verdictBadge(verdict)} ${scenario !== undefined && html`<code>${preview(scenario, 200)}</code>:`}
            ${preview(reason, 400)}
          </li> `,
      )}${more > 0 && html`<li class="note">and ${more} more</li>`}
  </ul>`;
}

function oneSideView(wanted: UnpairedScenario["side"], { unpaired }: GateReport): Child {
  const found = unpaired.filter(({ side }) => side === wanted).sort((a, b) => b.rules.length - a.rules.length);
  if (found.length === 0) return undefined;
  const more = found.length - SHOWN_NAMES;
  const name = wanted === "base" ? "baseline" : wanted;
  return html`<details class="long">
    <summary>${counted(found.length, "scenario")} only in the ${name}, not compared</summary>
    <ul class="inner">
      ${found
        .slice(0, SHOWN_NAMES)
        .map(({ scenario, rules }) => html`<li><code>${preview(scenario, 200)}</code>${rulesView({ rules })}</li> `)}${
        more > 0 && html`<li class="note">and ${more} more</li>`
      }
    </ul>
  </details>`;
}

function railView(places: readonly Place[]): Html {
  return html`<nav class="rail" aria-label="Scenarios">
    <details class="rail-fold" open>
      <summary>Scenarios, worst first</summary>
      <ol>
        ${places.map(({ scenario, id }) => railEntry(scenario, id))}
      </ol>
    </details>
  </nav>`;
}

function railEntry(scenario: ScenarioReport, id: string): Html {
  const [edit, address] = [firstEdit(scenario), `#${id}`];
  const { verdict } = scenario;
  return html`<li data-for="${id}">
    <a href="${address}"
      ><span class="mini ${verdict}" aria-hidden="true">${VERDICT_SIGNS[verdict]}</span
      ><span class="lines"
        ><span>${preview(scenario.scenario, 80)} <span class="hidden">, ${verdict}</span></span
        ><span class="answered">${edit === undefined ? verdict : `${edit.drift.kind}, ${turnsOf(edit)}`}</span></span
      ></a
    >
  </li> `;
}

function barView({ counts, scenarios }: GateReport): Html {
  const shown = WORST_FIRST.filter((verdict) => counts[verdict] > 0);
  return html`<div class="bar" role="search" hidden>
    <div class="filters" role="group" aria-label="Show scenarios by verdict">
      <button type="button" data-verdict="" aria-pressed="true">
        All <span class="times">${grouped(scenarios.length)}</span>
      </button>
      ${shown.map(
        (verdict) =>
          html`<button type="button" data-verdict="${verdict}" aria-pressed="false">
            ${verdictBadge(verdict)} <span class="times">${grouped(counts[verdict])}</span>
          </button> `,
      )}
    </div>
    <label class="hidden" for="find">Show the scenarios that contain</label>
    <input id="find" type="search" placeholder="Find in scenarios" autocomplete="off" spellcheck="false" />
    <button type="button" id="previous" title="Previous difference (p)">
      ↑ <span class="hidden">Previous difference</span>
    </button>
    <button type="button" id="next" title="Next difference (n)">↓ <span class="hidden">Next difference</span></button>
    <output id="found" for="find"></output>
    <p class="keys">
      <kbd>n</kbd> <kbd>p</kbd> next, previous difference · <kbd>j</kbd> <kbd>k</kbd> scenario · <kbd>o</kbd> open ·
      <kbd>/</kbd> find
    </p>
  </div>`;
}

function leftOutNote({ texts, characters, items }: LeftOut): Child {
  if (texts + items === 0) return undefined;
  return html`<p class="proof warn">
    <strong>Some content is left out.</strong> ${counted(texts, "text")} cut by ${counted(characters, "character")},
    ${counted(items, "turn or call", "turns or calls")} left out. The cassettes have everything.
  </p>`;
}
