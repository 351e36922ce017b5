/**
 * Asks at most once in a while, however many callers there are: an answer, or a failure, is kept for `keptMs` from its
 * arrival, and all who ask while it is under way wait for the same one.
 * @param nowMs a clock in milliseconds; `Date.now` fits.
 */
export function keepFor<T>(keptMs: number, ask: () => Promise<T>, nowMs: () => number): () => Promise<T> {
  let answer: Promise<T> | undefined;
  /** Undefined while it is under way. */
  let answeredAtMs: number | undefined;
  const isKept = () => {
    if (answeredAtMs === undefined) return true;
    const ageMs = nowMs() - answeredAtMs;
    // Below zero: the clock was set back, and the answer would be kept for as long as that.
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
