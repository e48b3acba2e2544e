// Formats figures for a page. No locale is used, so a number reads the same on every machine.

import type { TurnUsage, UsageSum } from "../../cassette/index.js";
import { PRICING_DATE } from "../../core/index.js";

/** Formats 1234567 as "1,234,567". */
export function grouped(number: number): string {
  return String(number).replace(/^\d+/, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ","));
}

/** "1 turn", "1,200 turns". */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : plural}`;
}

/** Formats USD to 1e-12, without trailing zeros: "$0.00042". */
export function money(usd: number): string {
  if (usd >= 1e15) return `$${usd}`;
  const [whole = "0", fraction = ""] = usd.toFixed(12).split(".");
  const digits = fraction.replace(/0+$/, "");
  return `$${grouped(Number(whole))}${digits === "" ? "" : `.${digits.padEnd(2, "0")}`}`;
}

/** The tokens and cost of one turn. Missing figures are shown as unknown. */
export function turnFigures({ inputTokens, outputTokens, costUsd }: TurnUsage): string[] {
  if (inputTokens === undefined && costUsd === undefined) return ["tokens and cost unknown"];
  return [
    inputTokens === undefined ? "tokens unknown" : `${grouped(inputTokens)} in · ${grouped(outputTokens ?? 0)} out`,
    costUsd === undefined ? "cost unknown" : money(costUsd),
  ];
}

/** The tokens of all turns, and the number of turns without a token count. */
export function tokenTotal({ turns, inputTokens, outputTokens, turnsWithoutTokens }: UsageSum): string {
  if (turns === turnsWithoutTokens) return "unknown";
  const rest = turnsWithoutTokens === 0 ? "" : `, and ${counted(turnsWithoutTokens, "turn")} unknown`;
  return `${grouped(inputTokens)} in · ${grouped(outputTokens)} out${rest}`;
}

/** The cost of all turns, whether part of it is derived, and the number of turns without a cost. */
export function costTotal({ costUsd, turnsWithDerivedCost, turnsWithoutCost }: UsageSum): string {
  if (costUsd === undefined) return "unknown";
  const derived = turnsWithDerivedCost === undefined ? "" : ` (derived by list prices of ${PRICING_DATE})`;
  return `${money(costUsd)}${derived}${turnsWithoutCost === 0 ? "" : `, and ${counted(turnsWithoutCost, "turn")} unknown`}`;
}
