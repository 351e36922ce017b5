import { tokenOfTicket } from './confirmation-token.rules.ts';
import type { Draft, Step } from '../text/draft.rules.ts';
import { htmlOf } from '../text/html.rules.ts';
import { installationName, type MailContext, subjectPrefix } from './mail-context.rules.ts';
import {
  readAlert,
  readConfirmation,
  readNotification,
  type StoredAlert,
  type WaitingCallouts,
} from './notification.rules.ts';
import { plainTextOf } from '../text/plain-text.rules.ts';
import type { WrittenMail } from '@callout/domain/mail/mail-message';
import { draftNotifications } from './write-notifications.rules.ts';
import { oneLine, cleanName } from '@callout/domain/mail/clean-text';
import { durationFact, momentFact, momentInWords } from '../text/words.rules.ts';

/** The stored content of a mail that is to be written. */
export interface UnwrittenMail {
  readonly kind: string;
  /** Its notifications, the oldest first; at least one. */
  readonly notifications: readonly {
    /** For a webhook: `{ webhook, tenant, facts }`. */
    readonly content: unknown;
    /** The time of the occasion; the mail may be written days later. */
    readonly storedAt: Date;
    /** The open callouts of its webhook now; undefined for kinds that do not say what waits. */
    readonly waiting?: WaitingCallouts | undefined;
  }[];
  /** The number of all notifications, when not all of them are here. */
  readonly notificationCount: number;
  /** The number of webhooks that these are about. */
  readonly webhookCount: number;
  /** Milliseconds since the first of them was stored. */
  readonly ageMs: number;
}

/**
 * Writes a mail: subject, plain text and HTML, with the same content in both bodies.
 * @throws when a notification is not one of this kind.
 */
export function writeMail(mail: UnwrittenMail, context: MailContext): WrittenMail {
  const [subject, draft] = subjectAndDraft(mail, context);
  return { subject, text: plainTextOf(draft), html: htmlOf(draft, subject) };
}

function subjectAndDraft(
  { kind, notifications, notificationCount, webhookCount, ageMs }: UnwrittenMail,
  context: MailContext,
): [string, Draft] {
  const installation = installationName(context) ?? 'Callout';
  if (kind === 'alert' || kind === 'alertOver') {
    const alerts = notifications.map(({ content }) => readAlert(content));
    const more = notificationCount > 1 ? ` and ${notificationCount - 1} more` : '';
    const what = kind === 'alert' ? 'Alert' : 'Alert over';
    const subject = `${subjectPrefix(context)}Callout - ${what}: ${alerts[0]?.title ?? ''}${more}`;
    return [subject, draftAlerts(alerts, installation, context.operatorConsole)];
  }
  if (kind === 'confirmation') {
    const { tenant, facts } = readConfirmation(notifications[0]?.content);
    const token = tokenOfTicket(facts, context.confirmationKeys);
    const url = `${context.publicUrl ?? tenant?.url ?? ''}/confirm-mail?token=${token}`;
    const draft = draftConfirmation({ tenantName: tenant?.name, expiresAt: facts.expiresAt, url, installation });
    return [`${subjectPrefix(context)}Callout - Confirm this address`, draft];
  }
  const read = notifications.map(({ content, ...now }) => ({ ...readNotification(kind, content), ...now }));
  const writtenAt = new Date((notifications[0]?.storedAt.getTime() ?? 0) + ageMs);
  return draftNotifications(read, { notificationCount, webhookCount, writtenAt }, context);
}

const longestDetail = 1_000;

/** The mail about one alert, or several of the same time: the present or past problems of the installation. */
function draftAlerts(alerts: readonly StoredAlert[], installation: string, console: string | undefined): Draft {
  const areOver = alerts.every(({ until }) => Boolean(until));
  const items = alerts.map((alert) => ({
    title: capital(alert.title),
    sentences: [`${alert.until ? 'When it was raised: ' : ''}${oneLine(alert.detail, longestDetail)}`],
    facts: [
      ...momentFact('Since', alert.since),
      ...momentFact('Until', alert.until),
      ...(alert.until ? [durationFact(alert.since, alert.until)] : []),
    ],
  }));
  const [only] = items.length === 1 ? items : [];
  const over = only === undefined ? `${items.length} alerts of ${installation} are` : `An alert of ${installation} is`;
  const titles = alerts.map(({ title }) => title).join(', ');
  return {
    headline: `${areOver ? `${over} over` : `${installation} needs attention`}: ${titles}.`,
    opening: only?.sentences ?? [],
    facts: only?.facts ?? [],
    ...(only === undefined ? { items } : {}),
    next: areOver ? [] : ['You get one more mail when this is over, and none in between.'],
    advice: areOver ? [] : adviceOf(alerts),
    link:
      console === undefined
        ? undefined
        : { say: 'The console for operators', button: 'Open the console for operators', url: console },
    footer: [
      `This is about the installation ${installation}.`,
      'You get this mail because your address is one of OPERATOR_MAIL.',
    ],
  };
}

/** Each step once, and what its commands need. */
function adviceOf(alerts: readonly StoredAlert[]): Step[] {
  const steps = [...new Map(alerts.flatMap(({ advice }) => advice.map((step) => [step.say, step]))).values()];
  if (!steps.some(({ commands = [] }) => commands.length > 0)) return steps;
  const say = 'Commands run where Callout is installed, with OPERATOR_TOKEN set to that of the API.';
  return [...steps, { say }];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface Asked {
  readonly tenantName: string | undefined;
  readonly expiresAt: Date;
  readonly url: string;
  readonly installation: string;
}

/**
 * The mail that asks for the consent of an address. Operators choose the names of tenants; it contains no text of
 * users.
 */
function draftConfirmation({ tenantName, expiresAt, url, installation }: Asked): Draft {
  const tenant = tenantName === undefined ? '' : ` of “${cleanName(tenantName)}”`;
  return {
    headline: 'Please confirm this address.',
    opening: [
      `Your address was entered at ${installation} for mail about webhooks${tenant}: when one fails, recovers or is deactivated. No such mail is sent to you before you agree.`,
    ],
    facts: [{ label: 'Link valid until', value: momentInWords(expiresAt) }],
    next: ['If you do nothing, you get no such mail. You are asked at most three times.'],
    advice: [{ say: 'Open the link and press the button there, if you want the mail.' }],
    link: { say: 'To confirm', button: 'Confirm the address', url },
    footer: [`This mail comes from ${installation}.`],
  };
}
