import type { Output } from '../../output/output.ts';

/** Receivers refuse signatures that are older or newer than this. */
const toleratedMs = 5 * 60_000;

/** How far the clock of this machine is ahead of the one of the API, in milliseconds; undefined: not known. */
export function clockOf(response: Response, now = Date.now()): number | undefined {
  const theirs = Date.parse(response.headers.get('Date') ?? '');
  return Number.isNaN(theirs) ? undefined : now - theirs;
}

/** Reports a wrong clock. @returns whether it was reported. */
export function reportClockSkew(aheadMs: number | undefined, out: Pick<Output, 'tell'>): boolean {
  if (aheadMs === undefined || Math.abs(aheadMs) < toleratedMs) return false;
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  out.tell(
    `The clock of this machine is ${minutes} minutes ${aheadMs > 0 ? 'ahead of' : 'behind'} that of Callout: a receiver here refuses signatures by their time. Set the clock.`,
  );
  return true;
}
