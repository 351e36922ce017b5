import { commaSeparated } from './kinds.ts';
import { key, UnreadableValue } from './key.ts';

/** The name of a schedule that ships with Callout, or the waits in milliseconds before attempts 2, 3, … */
export type ConfiguredRetrySchedule = 'standard' | 'classic' | { readonly waitsMs: readonly number[] };

const MAX_WAITS = 50;
const MAX_WAIT_S = 7 * 24 * 3600;

/** `standard`, `classic`, or waits in seconds such as `5,60,300`. */
export function retrySchedule() {
  return key<ConfiguredRetrySchedule>({
    description:
      'Waits between the attempts of a callout. `standard`: 9 attempts over about 28 hours; `classic`: 5 attempts 30 s apart; or your own waits in seconds, such as `5,60,300` for 4 attempts.',
    accepts: `\`standard\`, \`classic\`, or up to ${MAX_WAITS} comma-separated waits of 1 to ${MAX_WAIT_S} seconds`,
    default: 'standard',
    read: (text) => {
      const folded = text.toLowerCase();
      if (folded === 'standard' || folded === 'classic') return folded;
      const waits = commaSeparated(text);
      if (waits.length === 0 || waits.length > MAX_WAITS) throw new UnreadableValue();
      return { waitsMs: waits.map((wait) => waitS(wait) * 1000) };
    },
  });
}

function waitS(text: string): number {
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > MAX_WAIT_S) throw new UnreadableValue(`${JSON.stringify(text)} is no such wait`);
  return seconds;
}
