import { InvalidArgumentError } from 'commander';
import { canonicalInstant } from '@callout/domain/values/instant';

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const ago = /^(\d{1,6})\s*([smhdw])(?:\s+ago)?$/iu;
const day = /^\d{4}-\d{2}-\d{2}$/u;

/** The possible forms of a time, for the help of an option. */
export const momentHelp = '1h or 2d ago, today, yesterday, 2026-01-15 (days of this machine), or 2026-01-15T09:00:00Z';

/**
 * Reads a moment as people type moments: a time ago, a day, which begins at midnight where the person is, or a date and
 * time with a zone. Throws an InvalidArgumentError of commander.
 * @param now the present time; for tests.
 */
export function moment(text: string, now = new Date()): Date {
  const word = text.trim().toLowerCase();
  if (word === 'now') return now;
  if (word === 'today' || word === 'yesterday') return midnight(now, word === 'today' ? 0 : -1);
  const [, count = '', unit = ''] = ago.exec(word) ?? [];
  if (count !== '') return new Date(now.getTime() - Number(count) * unitMs[unit as keyof typeof unitMs]);
  if (day.test(word)) {
    const [year = 0, month = 0, date = 0] = word.split('-').map(Number);
    const midnight = new Date(year, month - 1, date);
    if (midnight.getMonth() === month - 1 && midnight.getDate() === date) return midnight;
  }
  const wire = canonicalInstant(text.trim());
  if (wire === undefined) throw new InvalidArgumentError(`It must be a time: ${momentHelp}.`);
  return new Date(wire);
}

function midnight(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
}
