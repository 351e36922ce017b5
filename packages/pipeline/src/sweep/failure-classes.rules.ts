import type { AttemptFailureReason } from '@callout/domain/outcome/outcome';

/**
 * The classes of failed attempts, in the order in which the counts are stored; attempts without a class are the
 * rest of the failed attempts. Only ever append a class.
 */
export const failureClasses = ['status3xx', 'status4xx', 'status5xx', 'timeout', 'connection'] as const;

export type FailureClass = (typeof failureClasses)[number];

/** The classes of attempts without a response, by reason. */
export const classOfReason: Readonly<Partial<Record<AttemptFailureReason, FailureClass>>> = {
  timeout: 'timeout',
  dnsFailed: 'connection',
  connectFailed: 'connection',
  tlsFailed: 'connection',
  connectionLost: 'connection',
};

/** The number of failed attempts in each class, and without a class. */
type FailureCounts = Readonly<Record<FailureClass | 'other', number>>;

/**
 * Turns stored counts into counts by class.
 * @param counts in the order of `failureClasses`; missing ones at the end were not counted.
 * @param failedAttempts the number of all failed attempts.
 */
export function failureCountsOf(counts: readonly number[], failedAttempts: number): FailureCounts {
  const of = (name: FailureClass) => counts[failureClasses.indexOf(name)] ?? 0;
  const classified = failureClasses.reduce((sum, name) => sum + of(name), 0);
  return {
    status3xx: of('status3xx'),
    status4xx: of('status4xx'),
    status5xx: of('status5xx'),
    timeout: of('timeout'),
    connection: of('connection'),
    other: Math.max(0, failedAttempts - classified),
  };
}
