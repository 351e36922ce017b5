import { key, UnreadableValue } from './key.ts';

const dayMs = 86_400_000;
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: dayMs };

/** The milliseconds of `90s`, `5m` or `2h`; NaN when it is none of these. */
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

/** A duration such as `90s`, `5m` or `2h`, in milliseconds; `0` is none. */
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
