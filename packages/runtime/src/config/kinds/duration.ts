import { key, UnreadableValue } from './key.ts';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const dayMs = 86_400_000;

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
      const [, amount = '', unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.toLowerCase()) ?? [];
      const ms = text === '0' ? 0 : Number(amount) * (unitMs[unit] ?? Number.NaN);
      if (!(ms >= 0 && ms <= mostDays * dayMs)) throw new UnreadableValue();
      return ms;
    },
  });
}
