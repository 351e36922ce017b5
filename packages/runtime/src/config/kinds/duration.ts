import { key, UnreadableValue, commaSeparated } from './key.ts';

const dayMs = 86_400_000;
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: dayMs };

/** The milliseconds of `90s`, `5m` or `2h`; NaN for other text. */
export function readMs(text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  return Number(amount) * (unitMs[unit] ?? Number.NaN);
}

interface DurationRules {
  readonly description: string;
  /** As it is written: `5m`. */
  readonly default: string;
  readonly mostDays: number;
}

/** A duration such as `90s`, `5m` or `2h`, in milliseconds; `0` is no duration. */
export function duration({ description, default: byDefault, mostDays }: DurationRules) {
  return key<number>({
    description,
    accepts: `a duration in ms, s, m, h or d, such as \`90s\` or \`5m\`, of ${mostDays}d at most; \`0\` is none`,
    default: byDefault,
    read: (text) => {
      const ms = text === '0' ? 0 : readMs(text.toLowerCase());
      if (!(ms >= 0 && ms <= mostDays * dayMs)) throw new UnreadableValue();
      return ms;
    },
  });
}

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
