/** How a rate was kept. */
export interface KeptRate {
  /** Calls of the measured time. */
  readonly calls: number;
  /** Their share of the calls that the rate allows in it. */
  readonly share: number;
  /** The most calls of any second. */
  readonly mostInSecond: number;
  /** By how many calls the rate was exceeded at most, in a time of any length: a burst. */
  readonly mostBeyond: number;
}

/**
 * Judges the arrivals of calls.
 * @param timesMs rising.
 * @param measuredS counts from the first one.
 */
export function judgeRate(timesMs: readonly number[], perSecond: number, measuredS: number): KeptRate {
  const [beginMs = 0] = timesMs;
  const calls = timesMs.filter((ms) => ms < beginMs + measuredS * 1_000).length;
  let [first, mostInSecond, mostBeyond, lowest] = [0, 0, 0, Infinity];
  for (const [nth, ms] of timesMs.entries()) {
    while (ms - (timesMs[first] ?? ms) >= 1_000) first += 1;
    mostInSecond = Math.max(mostInSecond, nth - first + 1);
    // How far the calls are ahead of the rate, now and when they were furthest behind.
    const ahead = nth - (perSecond * (ms - beginMs)) / 1_000;
    lowest = Math.min(lowest, ahead);
    mostBeyond = Math.max(mostBeyond, ahead - lowest + 1);
  }
  return { calls, share: calls / (perSecond * measuredS), mostInSecond, mostBeyond };
}
