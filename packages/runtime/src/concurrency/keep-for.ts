/**
 * Asks at most once in a while, however many callers there are: an answer, or a failure, is kept for `keptMs` from its
 * arrival, and all who ask while it is under way wait for the same one.
 * @param nowMs a clock in milliseconds; `Date.now` fits.
 */
export function keepFor<T>(keptMs: number, ask: () => Promise<T>, nowMs: () => number): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let untilMs = 0;
  return () => {
    if (answer === undefined || nowMs() >= untilMs) {
      untilMs = Infinity;
      answer = ask().finally(() => (untilMs = nowMs() + keptMs));
    }
    return answer;
  };
}
