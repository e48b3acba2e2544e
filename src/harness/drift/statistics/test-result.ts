// What a statistical test found.

/** A p-value and its test. Two-sided unless `sides` is 1. */
export interface TestResult {
  test: "fisher" | "mcnemar" | "permutation" | "stratified-permutation" | "paired-permutation";
  sides: 1 | 2;
  /** The p-value as computed, from 0 to 1. */
  p: number;
  /** The p-value corrected for all tests of the report, to compare with alpha. 1 if the test cannot decide. */
  adjusted: number;
  /** The smallest p that this test can give with these runs. If it is above alpha, the test cannot decide. */
  attainable: number;
  /** True if all relabelings were counted. If not, `draws` random ones were. */
  exact: boolean;
  draws?: number;
}
