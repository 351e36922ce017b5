import { withoutQuery } from '@callout/domain/target/target';
import { oneLine } from '@callout/domain/mail/clean-text';
import { mostCounted, type WaitingCallouts } from '../write/notification.rules.ts';
import type { Fact, Step, NotificationNames, NotificationWebhook } from './draft.rules.ts';

const months = 'January February March April May June July August September October November December'.split(' ');
/** A mail has no space for a page of errors; the delivery log has the whole text. */
const longestFailure = 500;
const longestCause = 150;
const [secondMs, minuteMs, hourMs, dayMs] = [1_000, 60_000, 3_600_000, 86_400_000];

/** `20 November 2026, 13:59 UTC` */
export function momentInWords(moment: Date): string {
  const [hours, minutes] = [moment.getUTCHours(), moment.getUTCMinutes()].map((part) => String(part).padStart(2, '0'));
  const day = `${moment.getUTCDate()} ${months[moment.getUTCMonth()] ?? ''} ${moment.getUTCFullYear()}`;
  return `${day}, ${hours}:${minutes} UTC`;
}

/** `1,500` */
export function numberInWords(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/gu, ',');
}

/** `1 callout`, `1,500 callouts` */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${numberInWords(number)} ${number === 1 ? one : many}`;
}

/** The two largest units: `2 hours 5 minutes`, `1 day`, `40 seconds`. */
export function durationInWords(durationMs: number): string {
  const rounded = Math.max(0, durationMs) < minuteMs ? secondMs : minuteMs;
  let rest = Math.round(Math.max(0, durationMs) / rounded) * rounded;
  const parts: string[] = [];
  for (const [unitMs, unit] of [[dayMs, 'day'] as const, [hourMs, 'hour'] as const, [minuteMs, 'minute'] as const]) {
    const units = Math.floor(rest / unitMs);
    rest -= units * unitMs;
    if (units > 0) parts.push(counted(units, unit));
  }
  return parts.length > 0 ? parts.slice(0, 2).join(' ') : counted(rest / secondMs, 'second');
}

/** The destination of callouts. */
export function urlInWords(url: string): string {
  return oneLine(withoutQuery(url), 300);
}

/** The last failure as a fact; none when it is unknown. */
export function failureFact(lastFailure: string | null): Fact[] {
  const value = lastFailure === null ? '' : oneLine(lastFailure, longestFailure);
  return value === '' ? [] : [{ label: 'Last failure', value }];
}

/** Whether the callouts of a webhook are fetched by a program, so that nothing is sent to it. */
export function isPulled({ deliveryMode }: NotificationWebhook): boolean {
  return deliveryMode === 'pull';
}

/** The receiver of the callouts, as a fact. */
export function receiverFact(webhook: NotificationWebhook): Fact {
  const value = isPulled(webhook) ? 'the program that fetches the callouts' : urlInWords(webhook.webhookUrl);
  return { label: 'Receiver', value };
}

/** What has to be fixed at the receiver. */
export function repairReceiver(webhook: NotificationWebhook): Step {
  return {
    say: isPulled(webhook)
      ? 'Make sure that a program fetches the callouts of this webhook and acknowledges them.'
      : 'Make sure that the receiver can be reached and answers with a status from 200 to 299.',
  };
}

/** Only an active webhook can be tested. */
export function testReceiver(
  { path, named }: NotificationNames,
  say = 'Send a test to check that it works again:',
): Step {
  return {
    say,
    commands: [`callout webhooks test ${named}`],
    requests: [`POST ${path}/test`],
  };
}

/**
 * How to see and redeliver the callouts that failed since a webhook began to fail; empty when there are none.
 * @param since when the oldest of them was made; absent for all that ever failed.
 */
export function redeliverFailed(
  failed: number,
  since: Date | null | undefined,
  { path, named }: NotificationNames,
  say = 'Once the receiver works, redeliver what failed:',
): Step[] {
  if (failed === 0) return [];
  const [option, key] = since ? [` --since ${since.toISOString()}`, `,"since":"${since.toISOString()}"`] : ['', ''];
  return [
    {
      say,
      commands: [
        `callout failed --webhook ${named}${option}`,
        `callout redeliver --webhook ${named} --state failed${option}`,
      ],
      requests: [`POST ${path}/redeliver {"states":["failed"]${key}}`],
    },
  ];
}

/** `12 callouts`, and `10,000 callouts or more` where more are not counted. */
export function calloutsInWords(count: number): string {
  return `${counted(count, 'callout')}${count >= mostCounted ? ' or more' : ''}`;
}

/** All open callouts. */
export function sumOfWaiting({ due, behind, held }: WaitingCallouts): number {
  return due + behind + held;
}

/** What waits, as a fact, with why it does; none where it was not counted. */
export function waitingFact(waiting: WaitingCallouts | undefined): Fact[] {
  if (waiting === undefined) return [];
  const { due, behind, held } = waiting;
  const parts = [
    [held, 'held by the threshold'] as const,
    [due, 'due now or at their next attempt'] as const,
    [behind, 'behind an earlier callout of their record'] as const,
  ].flatMap(([count, why]) => (count === 0 ? [] : [`${numberInWords(count)} ${why}`]));
  const sum = sumOfWaiting(waiting);
  // The parts of what is not counted to its end say nothing.
  const shown = sum >= mostCounted || sum === due ? '' : ` (${parts.join(', ')})`;
  return [{ label: 'Waiting', value: `${calloutsInWords(sum)}${shown}` }];
}

/** Of a failure its first sentence, which says what happened, as the end of another one; undefined when it is unknown. */
export function causeOf(lastFailure: string | null): string | undefined {
  const [first = ''] = oneLine(lastFailure ?? '', longestFailure).split(/\.(?= \p{Lu}|$)/u);
  return first === '' ? undefined : oneLine(first.replace(/^The /u, 'the '), longestCause);
}

/** How long something lasted, as a fact. */
export function durationFact(from: Date, to: Date): Fact {
  return { label: 'Duration', value: durationInWords(to.getTime() - from.getTime()) };
}

/** A moment as a fact; none when it is unknown. */
export function momentFact(label: string, moment: Date | null | undefined): Fact[] {
  return moment ? [{ label, value: momentInWords(moment) }] : [];
}
