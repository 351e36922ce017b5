export interface Refresher {
  /** Asks for a refresh soon. */
  readonly ask: () => void;
  readonly stop: () => void;
}

const soonMs = 150;
const shortestGapMs = 1_000;
const longestGapMs = 10_000;

/**
 * Refreshes soon after it is asked to, and ever less often while it is asked again and again: a session may
 * read so much an hour, and a page need not be read anew for each of a thousand callouts.
 */
export function createRefresher(refresh: () => Promise<unknown>): Refresher {
  let gapMs = shortestGapMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isResting = false;
  let isAsked = false;
  let isStopped = false;

  async function run(): Promise<void> {
    isResting = true;
    isAsked = false;
    await refresh().catch(() => undefined);
    if (!isStopped) timer = setTimeout(endRest, gapMs);
  }
  function endRest(): void {
    gapMs = isAsked ? Math.min(longestGapMs, gapMs * 2) : shortestGapMs;
    isResting = false;
    if (isAsked) void run();
  }

  return {
    ask() {
      if (isStopped || isAsked) return;
      isAsked = true;
      if (!isResting) timer = setTimeout(() => void run(), soonMs);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
