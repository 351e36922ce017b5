import { readMs } from './duration.ts';
import { commaSeparated } from './kinds.ts';
import { key, UnreadableValue } from './key.ts';

/** The name of a schedule that comes with Callout, or the waits in milliseconds before attempts 2, 3, … */
export type ConfiguredRetrySchedule = 'standard' | 'classic' | { readonly waitsMs: readonly number[] };

const maxWaits = 50;
const maxWaitMs = 7 * 86_400_000;

/** `standard`, `classic`, or waits such as `5s,1m,30m,2h`. */
export function retrySchedule() {
  return key<ConfiguredRetrySchedule>({
    description:
      'Waits between the attempts of a callout. `standard`: 9 attempts over about 28 hours; `classic`: 5 attempts 30 s apart; or your own waits, such as `5s,1m,5m` for 4 attempts.',
    accepts: `\`standard\`, \`classic\`, or up to ${maxWaits} comma-separated waits in ms, s, m, h or d, of 7d at most`,
    default: 'standard',
    read: (text) => {
      const folded = text.toLowerCase();
      if (folded === 'standard' || folded === 'classic') return folded;
      const waits = commaSeparated(folded);
      if (waits.length === 0 || waits.length > maxWaits) throw new UnreadableValue();
      return { waitsMs: waits.map(readWaitMs) };
    },
  });
}

function readWaitMs(text: string): number {
  const waitMs = readMs(text);
  if (!(waitMs >= 1 && waitMs <= maxWaitMs)) throw new UnreadableValue(`${JSON.stringify(text)} is no such wait`);
  return waitMs;
}
