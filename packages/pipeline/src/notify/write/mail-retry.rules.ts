import type { MailOutcome } from '@callout/domain/mail/mail-message';

/** What happens to a mail after an attempt. */
export type MailVerdict =
  | { readonly state: 'sent' }
  | { readonly state: 'refused' | 'failed'; readonly reason: string }
  | { readonly state: 'waiting'; readonly reason: string; readonly waitMs: number };

const firstWaitMs = 30_000;
const longestWaitMs = 3_600_000;
/** An older mail that could not be sent fails. */
export const mailTriedForMs = 7 * 86_400_000;
/** Mails that failed together are retried apart. */
const jitter = 0.2;

/**
 * A mail that could not be sent is tried again, after waits that double from 30 s to an hour, ±20 %, and fails when
 * an attempt fails 7 days after storing or later. However old, a mail is tried once.
 * @param attemptNumber 1 for the first
 * @param random at least 0, less than 1
 */
export function judgeMail(
  outcome: MailOutcome,
  { attemptNumber, ageMs }: { attemptNumber: number; ageMs: number },
  random: () => number,
): MailVerdict {
  if (outcome.kind === 'sent') return { state: 'sent' };
  const { reason } = outcome;
  if (outcome.kind === 'refused') return { state: 'refused', reason };
  if (ageMs >= mailTriedForMs) return { state: 'failed', reason };
  const waitMs = Math.min(firstWaitMs * 2 ** Math.min(attemptNumber - 1, 20), longestWaitMs);
  return { state: 'waiting', reason, waitMs: Math.round(waitMs * (1 + jitter * (2 * random() - 1))) };
}
