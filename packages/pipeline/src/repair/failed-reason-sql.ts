import { failedReasons, isOfStatus } from '@callout/domain/callout/failed-reason';

const stored = failedReasons.filter((reason) => !isOfStatus(reason)).map((reason) => `'${reason}'`);

/**
 * `failedReasonOf` as SQL.
 * @param attempt the alias of a row of `attempts` that was no success.
 */
export function failedReasonSql(attempt: string): string {
  const status = `${attempt}.status`;
  return `CASE WHEN ${status} = 410 THEN 'status410'
    WHEN ${status} BETWEEN 300 AND 599 THEN 'status' || ${status} / 100 || 'xx'
    WHEN ${status} IS NULL AND ${attempt}.failure_reason IN (${stored.join(', ')}) THEN ${attempt}.failure_reason
    ELSE 'other' END`;
}

/**
 * The reason of a failed callout, by its last attempt, as SQL. Looked up by the callout, so further conditions should
 * come first.
 * @param calloutId an expression for the id of the callout.
 */
export function lastFailedReasonSql(calloutId: string): string {
  return `(SELECT ${failedReasonSql('last')} FROM attempts last WHERE last.callout_id = ${calloutId}
    ORDER BY last.number DESC LIMIT 1)`;
}
