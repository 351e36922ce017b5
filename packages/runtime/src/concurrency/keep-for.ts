/**
 * Runs a lookup at most once per period, for any number of callers: the result, or the failure, is kept for `keptMs`
 * from its arrival, and concurrent callers wait for the same lookup.
 * @param nowMs a clock in milliseconds, such as `Date.now`.
 */
export function keepFor<T>(keptMs: number, ask: () => Promise<T>, nowMs: () => number): () => Promise<T> {
  let answer: Promise<T> | undefined;
  /** Undefined while it is under way. */
  let answeredAtMs: number | undefined;
  const isKept = () => {
    if (answeredAtMs === undefined) return true;
    const ageMs = nowMs() - answeredAtMs;
    // Below zero: the clock was set back, and the response would be kept for as long as that.
    return ageMs >= 0 && ageMs < keptMs;
  };
  return () => {
    if (answer === undefined || !isKept()) {
      answeredAtMs = undefined;
      answer = ask().finally(() => (answeredAtMs = nowMs()));
    }
    return answer;
  };
}
