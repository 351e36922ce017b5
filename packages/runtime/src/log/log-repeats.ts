import type { Logger } from './logger.ts';

interface RepeatOptions {
  readonly everyMs?: number;
  readonly now?: () => number;
}

const MOST_MESSAGES = 50;

/**
 * For errors that come many times a second while a server is away: each message is logged at once, then again at most
 * every `everyMs` (a minute by default), with the number of repeats meanwhile.
 */
export function logRepeats(
  log: Pick<Logger, 'warn'>,
  message: string,
  options: RepeatOptions = {},
): (err: unknown) => void {
  const { everyMs = 60_000, now = Date.now } = options;
  const seen = new Map<string, { againAt: number; repeats: number }>();
  return (err) => {
    const what = String(err);
    const last = seen.get(what);
    const waitMs = last === undefined ? 0 : last.againAt - now();
    // Longer: the clock was set back.
    if (last !== undefined && waitMs > 0 && waitMs <= everyMs) {
      last.repeats += 1;
      return;
    }
    // Messages may name ports or commands; there are few of them all the same.
    if (seen.size >= MOST_MESSAGES) seen.clear();
    seen.set(what, { againAt: now() + everyMs, repeats: 0 });
    log.warn({ err, ...(last === undefined || last.repeats === 0 ? {} : { repeats: last.repeats }) }, message);
  };
}
