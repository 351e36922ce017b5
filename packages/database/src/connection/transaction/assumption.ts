/** The SQLSTATE of `raise_assumption_failed()`. */
const assumptionFailed = 'CO001';

/**
 * Something that a transaction took for granted is not so. It is rolled back and done again with what is so now:
 * statements raise the same (`raise_assumption_failed()`), so a caller that can begin again recognises one error.
 */
export class AssumptionFailed extends Error {
  readonly code = assumptionFailed;
}

/** Whether a transaction failed because of an assumption, and has stored nothing. */
export function isAssumptionFailed(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === assumptionFailed;
}
