import { useSyncExternalStore } from 'react';

const second = 1_000;
const units = [
  ['second', second],
  ['minute', 60 * second],
  ['hour', 3_600 * second],
  ['day', 86_400 * second],
  ['month', 30 * 86_400 * second],
  ['year', 365 * 86_400 * second],
] as const;

const shortest = 10 * second;

/**
 * How far a time is from now, such as `5m ago` or `in 2h`, in the words of a language.
 * @param at and `now`: ms since 1970.
 * @param language the viewer's unless given.
 */
export function relativeTime(at: number, now: number, language?: string): string {
  const words = new Intl.RelativeTimeFormat(language, { style: 'narrow', numeric: 'auto' });
  const distance = at - now;
  const size = Math.abs(distance);
  if (size < shortest) return words.format(0, 'second');
  const [unit, ms] = units.findLast(([, long]) => size >= long) ?? units[0];
  // Nobody counts the seconds with it.
  const count = unit === 'second' ? Math.trunc(distance / shortest) * 10 : Math.trunc(distance / ms);
  return new Intl.RelativeTimeFormat(language, { style: 'narrow' }).format(count, unit);
}

const tickMs = 5_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all times of a page. */
function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const notifyOne of listeners) notifyOne();
    }, tickMs);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

/** How long ago a time was, or how soon it is, in words that are kept up to date. `at`: ms since 1970. */
export function useRelativeTime(at: number): string {
  // Only those times are drawn again whose words have changed.
  return useSyncExternalStore(subscribe, () => relativeTime(at, now));
}
