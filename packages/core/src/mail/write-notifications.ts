import { consoleLink, overviewLink } from './console-link.ts';
import { cleanName, oneLine } from './text/clean-text.ts';
import { describeDeactivation } from './describe/describe-deactivation.ts';
import { describeError } from './describe/describe-error.ts';
import { describeFailing, describeRecovered } from './describe/describe-failing.ts';
import { describeCaughtUp, describeHeld } from './describe/describe-threshold.ts';
import type { Draft, Fact, Step } from './text/draft.ts';
import { installationName, type MailContext } from './mail-context.ts';
import type { NotificationKind, StoredNotification } from './notification.ts';
import type { Description, NotificationNames } from './describe/description.ts';
import { momentInWords, numberInWords } from './text/words.ts';

/** A notification about a webhook, and when it was stored. */
type DatedNotification = StoredNotification & { readonly storedAt: Date };

/** How a subject and, of several webhooks, the first sentence begin. */
const kinds: Record<NotificationKind, { subject: string; many: (count: string) => string }> = {
  error: { subject: 'Error', many: (count) => `Callouts of ${count} webhooks could not be delivered.` },
  failing: { subject: 'Failing', many: (count) => `${count} webhooks are failing.` },
  recovered: { subject: 'Recovered', many: (count) => `${count} webhooks have recovered.` },
  deactivated: { subject: 'Deactivated', many: (count) => `${count} webhooks were deactivated.` },
  thresholdExceeded: {
    subject: 'Threshold exceeded',
    many: (count) => `Callouts of ${count} webhooks are being held back.`,
  },
  caughtUp: { subject: 'Caught up', many: (count) => `No callout of ${count} webhooks is held back any more.` },
};

/** Webhooks that a mail describes; of more it says how many there are. */
const mostDescribed = 50;

/** The notifications about one webhook: the latest, their number, and when the first was stored. */
interface Told {
  readonly notification: DatedNotification;
  readonly times: number;
  readonly firstAt: Date;
  readonly names: NotificationNames;
  readonly name: string;
}

/** The subject of a mail about webhooks, and what it says. @param notifications of one kind, the oldest first, at least one. */
export function draftNotifications(
  notifications: readonly DatedNotification[],
  notificationCount: number,
  context: MailContext,
): [string, Draft] {
  const told = byWebhook(notifications, context);
  const [first, ...more] = told;
  if (first === undefined) throw new Error('a mail without a notification');
  const { subject } = kinds[first.notification.kind];
  const others = more.length === 0 ? '' : ` and ${numberInWords(more.length)} more`;
  const draft =
    more.length === 0 ? draftOne(first, context) : draftMany(told, notificationCount - notifications.length, context);
  return [`Callout - ${subject}: ${first.name}${others}`, draft];
}

function byWebhook(notifications: readonly DatedNotification[], context: MailContext): Told[] {
  const told = new Map<string, Told>();
  for (const notification of notifications) {
    const before = told.get(notification.webhook.guid);
    const name = cleanName(notification.webhook.name) || `webhook ${notification.webhook.id}`;
    told.set(notification.webhook.guid, {
      notification,
      times: (before?.times ?? 0) + 1,
      firstAt: before?.firstAt ?? notification.storedAt,
      names: namesOf(notification, name, context),
      name,
    });
  }
  return [...told.values()];
}

function namesOf(
  { webhook, tenant }: DatedNotification,
  name: string,
  { catalogue, ...context }: MailContext,
): NotificationNames {
  const entity = catalogue.byEntityType(webhook.entityType);
  const collection = entity?.webhookCollection ?? webhook.entityType;
  const root = `${context.publicUrl ?? tenant?.url ?? ''}/${context.apiRoot}/v1.0`;
  const path = `${root}/${collection}/${webhook.id}`;
  return { webhook: `“${name}”`, path, root, collection, singular: entity?.singular ?? 'record' };
}

function draftOne(told: Told, context: MailContext): Draft {
  const { notification, names } = told;
  const description = describe(notification, names);
  return {
    ...description,
    facts: [...description.facts, ...timesFact(told), ...placeFacts(notification, context)],
    link: consoleLink(notification, names.collection, context),
    footer: [
      `This is about the webhook ${names.webhook}, ${names.path}, with the GUID ${notification.webhook.guid}.`,
      'You get this mail because you own the webhook, or because your address is its notification address.',
    ],
  };
}

/** Several webhooks: what is true of all of them is said once. */
function draftMany(told: readonly Told[], unread: number, context: MailContext): Draft {
  const described = told.slice(0, mostDescribed).map((one) => ({ ...one, ...describe(one.notification, one.names) }));
  const isCommon = (sentence: string) =>
    described.every(({ opening, next }) => opening.includes(sentence) || next.includes(sentence));
  const items = described.map((one) => ({
    title: one.name,
    sentences: [...one.opening, ...one.next].filter((sentence) => !isCommon(sentence)),
    facts: [...one.facts, ...timesFact(one), { label: 'Webhook', value: one.names.path }],
  }));
  const common = (described[0]?.opening ?? []).filter(isCommon);
  const left = told.length - described.length;
  const kind = kinds[told[0]?.notification.kind ?? 'error'];
  const latest = told[0]?.notification;
  return {
    headline: kind.many(numberInWords(told.length)),
    opening: [
      ...(common.length === 0 ? [] : [`For each of them: ${common.join(' ')}`]),
      'The webhooks are listed below.',
    ],
    facts: latest === undefined ? [] : placeFacts(latest, context),
    items,
    next: [
      ...(described[0]?.next ?? []).filter(isCommon),
      ...(left > 0 ? [`${numberInWords(left)} more webhooks are not described here.`] : []),
      ...(unread > 0 ? [`${numberInWords(unread)} more notifications are left out.`] : []),
    ],
    advice: commonAdvice(told),
    link: overviewLink(context, latest?.tenant?.url),
    footer: ['You get this mail because you own the webhooks, or because your address is their notification address.'],
  };
}

/** Each step of advice once, with a placeholder where a request names the webhook. */
function commonAdvice(told: readonly Told[]): Step[] {
  const steps = told.slice(0, mostDescribed).flatMap(({ notification, names }) => {
    const path = `${names.root}/${names.collection}/{id}`;
    return describe(notification, { ...names, webhook: 'the webhook', path }, true).advice;
  });
  const bySaying = new Map<string, Set<string>>();
  for (const { say, requests = [] } of steps) {
    bySaying.set(say, new Set([...(bySaying.get(say) ?? []), ...requests]));
  }
  return [...bySaying].map(([say, requests]) => ({ say, requests: [...requests] }));
}

function timesFact({ times, firstAt }: Told): Fact[] {
  return times === 1 ? [] : [{ label: 'Times', value: `${numberInWords(times)} since ${momentInWords(firstAt)}` }];
}

function placeFacts({ tenant }: DatedNotification, context: MailContext): Fact[] {
  const installation = installationName(context);
  return [
    ...(tenant ? [{ label: 'Tenant', value: oneLine(tenant.name, 200) }] : []),
    ...(installation === undefined ? [] : [{ label: 'Installation', value: installation }]),
  ];
}

/** @param isTemplate the requests are for any webhook of the mail, so they name no callout. */
function describe(notification: DatedNotification, names: NotificationNames, isTemplate = false): Description {
  const { kind, facts, webhook } = notification;
  if (kind === 'error') {
    const told = isTemplate ? { ...facts, calloutId: '{calloutID}' } : facts;
    return describeError(told, webhook, names, notification.storedAt);
  }
  if (kind === 'failing') return describeFailing(facts, webhook, names);
  if (kind === 'recovered') return describeRecovered(facts, webhook, names);
  if (kind === 'deactivated') return describeDeactivation(facts, webhook, names);
  return kind === 'caughtUp' ? describeCaughtUp(facts, names) : describeHeld(facts, names);
}
