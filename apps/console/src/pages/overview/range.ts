/** The times that the overview can show, all of them until now. */
export const ranges = {
  '1h': { label: '1 h', hours: 1, refreshMs: 20_000 },
  '6h': { label: '6 h', hours: 6, refreshMs: 30_000 },
  '24h': { label: '24 h', hours: 24, refreshMs: 60_000 },
  '7d': { label: '7 d', hours: 168, refreshMs: 60_000 },
  '30d': { label: '30 d', hours: 720, refreshMs: 60_000 },
} as const;

export type Range = keyof typeof ranges;

export const rangeOf = (given: unknown): Range =>
  typeof given === 'string' && given in ranges ? (given as Range) : '1h';
