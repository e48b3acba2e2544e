// How well repeated grades of the same answer agree: Krippendorff's alpha for intervals (K. Krippendorff, "Content Analysis: An Introduction
// to Its Methodology", 4th edition, 2018, chapter 12).

/** The agreement of repeated grades. It says how far a judge can be relied on, and nothing about whether the judge is right. */
export interface Agreement {
  /** Answers that were graded more than once. */
  answers: number;
  /** All grades of these answers. */
  grades: number;
  /** The share of pairs of grades of one answer that are equal, each answer with the same weight. */
  same: number;
  /** 1: the repetitions agree. 0: they differ as much as grades of different answers. Absent if all grades are equal, and for one answer. */
  alpha?: number;
}

/** Compares the grades of each answer. Answers with a single grade do not count. Undefined if no answer has two. */
export function agreementOf(answers: readonly (readonly number[])[]): Agreement | undefined {
  const repeated = answers.filter(({ length }) => length > 1);
  if (repeated.length === 0) return undefined;
  const all = repeated.flat();
  const expected = spread(all) / (all.length - 1);
  const observed = sum(repeated.map((grades) => spread(grades) / (grades.length - 1)));
  return {
    answers: repeated.length,
    grades: all.length,
    same: sum(repeated.map(sharedPairs)) / repeated.length,
    ...(expected === 0 || repeated.length === 1 ? {} : { alpha: 1 - observed / expected }),
  };
}

/** "the grades of 12 answers are equal in 83% of pairs, Krippendorff's alpha 0.71". */
export function agreementText({ answers, same, alpha }: Agreement): string {
  const of = answers === 1 ? "1 answer" : `${answers} answers`;
  const pairs = `repeated grades of ${of} are equal in ${Number((100 * same).toFixed(1))}% of pairs`;
  return alpha === undefined ? pairs : `${pairs}, Krippendorff's alpha ${Number(alpha.toFixed(2))}`;
}

export function meanGrade(grades: readonly number[]): number {
  return sum(grades) / grades.length;
}

/** The sum of squared differences over all ordered pairs. */
function spread(values: readonly number[]): number {
  const middle = meanGrade(values);
  return 2 * values.length * sum(values.map((value) => (value - middle) ** 2));
}

function sharedPairs(grades: readonly number[]): number {
  const pairs = grades.length * (grades.length - 1);
  const counts = new Map<number, number>();
  for (const grade of grades) counts.set(grade, (counts.get(grade) ?? 0) + 1);
  return sum([...counts.values()].map((count) => count * (count - 1))) / pairs;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
