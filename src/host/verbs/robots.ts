// Finds the rule of a robots.txt (RFC 9309) for a path. Groups are merged by name, the longest matching pattern wins, and Allow wins ties.

import { MAX_ROBOTS_PATH, MAX_ROBOTS_RULES } from "../limits.js";

export interface RobotsAnswer {
  readonly allowed: boolean;
  /** The rule that decided, as written. Absent if no rule matched. */
  readonly rule?: string;
}

interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
}

/** `agent` is a product token such as `playhead`, `path` the path and query of the URL as sent. */
export function askRobots(text: string, agent: string, path: string): RobotsAnswer {
  if (path === "/robots.txt") return { allowed: true };
  const groups = parseRobots(text);
  const rules = groups.get(agent.toLowerCase()) ?? groups.get("*") ?? [];
  const wanted = normalise(path);
  let best: Rule | undefined;
  for (const rule of rules) {
    if (!matches(wanted, rule.pattern)) continue;
    const longer = best === undefined ? 1 : rule.pattern.length - best.pattern.length;
    if (longer > 0 || (longer === 0 && rule.allow)) best = rule;
  }
  if (best === undefined) return { allowed: true };
  return { allowed: best.allow, rule: `${best.allow ? "Allow" : "Disallow"}: ${best.pattern}` };
}

/** The rules by lower-case product token. A group is one or more user-agent lines with the rules up to the next such line. */
function parseRobots(text: string): Map<string, Rule[]> {
  const groups = new Map<string, Rule[]>();
  let open: Rule[][] = [];
  let isNaming = false;
  let count = 0;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [key = "", ...rest] = (line.split("#")[0] as string).split(":");
    const name = key.trim().toLowerCase();
    const value = rest.join(":").trim();
    if (name === "user-agent") {
      if (!isNaming) open = [];
      isNaming = true;
      const agent = value === "*" ? "*" : (/^[a-z_-]+/i.exec(value)?.[0] ?? value).toLowerCase();
      const rules = groups.get(agent) ?? [];
      groups.set(agent, rules);
      if (!open.includes(rules)) open.push(rules);
    } else if (name === "allow" || name === "disallow") {
      isNaming = false;
      // An empty pattern matches nothing.
      if (value === "" || value.length > MAX_ROBOTS_PATH || open.length === 0 || ++count > MAX_ROBOTS_RULES) continue;
      for (const rules of open) rules.push({ allow: name === "allow", pattern: normalise(value) });
    }
  }
  return groups;
}

/** Normalises escapes: only necessary ones, in upper case (RFC 9309 §2.2.2). */
function normalise(path: string): string {
  return path
    .replaceAll(/%([0-9a-f]{2})/gi, (escape, hex: string) => {
      const char = String.fromCharCode(Number.parseInt(hex, 16));
      return /[A-Za-z0-9._~-]/.test(char) ? char : escape.toUpperCase();
    })
    .toWellFormed()
    .replaceAll(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text));
}

/** `*` matches any text, and a final `$` the end. Each part is matched where it first fits, without backtracking. */
function matches(path: string, pattern: string): boolean {
  const isAnchored = pattern.endsWith("$");
  const parts = (isAnchored ? pattern.slice(0, -1) : pattern).split("*");
  const first = parts.shift() as string;
  if (!path.startsWith(first)) return false;
  if (parts.length === 0) return !isAnchored || path.length === first.length;
  const last = isAnchored ? (parts.pop() as string) : undefined;
  let at = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return last === undefined || (path.length - last.length >= at && path.endsWith(last));
}
