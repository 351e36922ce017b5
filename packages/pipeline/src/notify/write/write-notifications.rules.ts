import { consoleLink, overviewLink, installationName, type MailContext, subjectPrefix } from './mail-context.rules.ts';
import { cleanName, oneLine } from '@callout/domain/mail/clean-text';
import { describeCertificate } from '../describe/describe-certificate.rules.ts';
import { describeDeactivation } from '../describe/describe-deactivation.rules.ts';
import { describeError } from '../describe/describe-error.rules.ts';
import { describeFailing } from '../describe/describe-failing.rules.ts';
import { describeRecovered } from '../describe/describe-recovered.rules.ts';
import { describeCaughtUp, describeHeld } from '../describe/describe-threshold.rules.ts';
import type { Draft, Fact, Step, Description, NotificationNames } from '../text/draft.rules.ts';
import type { NotificationKind, StoredNotification } from './notification.rules.ts';
import { momentInWords, numberInWords } from '../text/words.rules.ts';

/** A notification about a webhook, and when it was stored. */
type DatedNotification = StoredNotification & { readonly storedAt: Date };

/** The beginnings of a subject and, for several webhooks, of the first sentence. */
const kinds: Record<NotificationKind, { subject: string; many: (count: string) => string }> = {
  error: { subject: 'Error', many: (count) => `Callouts of ${count} webhooks could not be delivered.` },
  failing: { subject: 'Failing', many: (count) => `${count} webhooks are failing.` },
  recovered: { subject: 'Recovered', many: (count) => `${count} webhooks have recovered.` },
  deactivated: { subject: 'Deactivated', many: (count) => `${count} webhooks were deactivated.` },
  thresholdExceeded: {
    subject: 'Threshold exceeded',
    many: (count) => `Callouts of ${count} webhooks are being held back.`,
  },
  certificateExpiring: {
    subject: 'Certificate expires',
    many: (count) => `The client certificates of ${count} webhooks expire soon.`,
  },
  caughtUp: { subject: 'Caught up', many: (count) => `No callout of ${count} webhooks is held back any more.` },
};

/** Maximum number of webhooks that a mail describes; the others are counted. */
const maxDescribed = 50;

/** The notifications about one webhook: the latest, their number, and when the first was stored. */
interface WebhookNotifications {
  readonly notification: DatedNotification;
  readonly times: number;
  readonly firstAt: Date;
  readonly names: NotificationNames;
  readonly name: string;
  readonly writtenAt: Date;
}

/** Options of a mail about webhooks. */
interface Writing {
  /** The number of all notifications, when not all of them are read. */
  readonly notificationCount: number;
  /** Whether the announced next step has happened by now. */
  readonly writtenAt: Date;
}

/**
 * The subject and content of a mail about webhooks.
 * @param notifications of one kind, the oldest first, at least one.
 */
export function draftNotifications(
  notifications: readonly DatedNotification[],
  { notificationCount, writtenAt }: Writing,
  context: MailContext,
): [string, Draft] {
  const webhooks = byWebhook(notifications, context, writtenAt);
  const [first, ...more] = webhooks;
  if (first === undefined) throw new Error('a mail without a notification');
  const { subject } = kinds[first.notification.kind];
  const others = more.length === 0 ? '' : ` and ${numberInWords(more.length)} more`;
  const draft =
    more.length === 0
      ? draftOne(first, context)
      : draftMany(webhooks, notificationCount - notifications.length, context);
  const prefix = subjectPrefix(context, first.notification.tenant);
  return [`${prefix}Callout - ${subject}: ${first.name}${others}`, draft];
}

function byWebhook(
  notifications: readonly DatedNotification[],
  context: MailContext,
  writtenAt: Date,
): WebhookNotifications[] {
  const webhooks = new Map<string, WebhookNotifications>();
  for (const notification of notifications) {
    const before = webhooks.get(notification.webhook.guid);
    const name = cleanName(notification.webhook.name) || `webhook ${notification.webhook.id}`;
    webhooks.set(notification.webhook.guid, {
      notification,
      times: (before?.times ?? 0) + 1,
      firstAt: before?.firstAt ?? notification.storedAt,
      names: namesOf(notification, name, context),
      name,
      writtenAt,
    });
  }
  return [...webhooks.values()];
}

function namesOf(
  { webhook, tenant }: DatedNotification,
  name: string,
  { catalogue, ...context }: MailContext,
): NotificationNames {
  const entity = catalogue.byEntityType(webhook.entityType);
  const collection = entity?.webhookCollection ?? webhook.entityType;
  const root = `${baseOf({ tenant }, context)}/${context.apiRoot}/v1.0`;
  const named = `${collection}/${webhook.id}`;
  return {
    webhook: `“${name}”`,
    path: `${root}/${named}`,
    named,
    root,
    collection,
    singular: entity?.singular ?? 'record',
  };
}

function draftOne(webhook: WebhookNotifications, context: MailContext): Draft {
  const { notification, names } = webhook;
  const description = describe(webhook, names);
  return {
    ...description,
    facts: [...description.facts, ...timesFact(webhook), ...placeFacts(notification, context)],
    advice: withCommandLine(description.advice, baseOf(notification, context)),
    link: consoleLink(notification, names.collection, context),
    footer: [
      `This is about the webhook ${names.webhook}, ${names.path}, with the GUID ${notification.webhook.guid}.`,
      'You get this mail because you own the webhook, or because your address is its notification address.',
    ],
  };
}

/** Several webhooks: shared facts are stated once. */
function draftMany(webhooks: readonly WebhookNotifications[], unread: number, context: MailContext): Draft {
  const described = webhooks.slice(0, maxDescribed).map((one) => ({ ...one, ...describe(one, one.names) }));
  const isCommon = (sentence: string) =>
    described.every(({ opening, next }) => opening.includes(sentence) || next.includes(sentence));
  const items = described.map((one) => ({
    title: one.name,
    sentences: [...one.opening, ...one.next].filter((sentence) => !isCommon(sentence)),
    link: consoleLink(one.notification, one.names.collection, context),
    facts: [...one.facts, ...timesFact(one), { label: 'Webhook', value: one.names.path }],
  }));
  const common = (described[0]?.opening ?? []).filter(isCommon);
  const left = webhooks.length - described.length;
  const kind = kinds[webhooks[0]?.notification.kind ?? 'error'];
  const latest = webhooks[0]?.notification;
  return {
    headline: kind.many(numberInWords(webhooks.length)),
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
    advice: withCommandLine(commonAdvice(webhooks), latest === undefined ? '' : baseOf(latest, context)),
    link: overviewLink(context, latest?.tenant?.url),
    footer: ['You get this mail because you own the webhooks, or because your address is their notification address.'],
  };
}

/** Each step of advice once, with a placeholder where a request names the webhook. */
function commonAdvice(webhooks: readonly WebhookNotifications[]): Step[] {
  const steps = webhooks.slice(0, maxDescribed).flatMap((one) => {
    const { names } = one;
    const named = `${names.collection}/{id}`;
    return describe(one, { ...names, webhook: 'the webhook', named, path: `${names.root}/${named}` }, true).advice;
  });
  const bySaying = new Map<string, { commands: Set<string>; requests: Set<string> }>();
  for (const { say, commands = [], requests = [] } of steps) {
    const before = bySaying.get(say) ?? { commands: new Set(), requests: new Set() };
    for (const command of commands) before.commands.add(command);
    for (const request of requests) before.requests.add(request);
    bySaying.set(say, before);
  }
  return [...bySaying].map(([say, { commands, requests }]) => ({
    say,
    commands: [...commands],
    requests: [...requests],
  }));
}

/**
 * The steps, and after those with commands where the command line is: readers of mail have no checkout, and `npx` would
 * look for a package of the same name in a public registry.
 */
function withCommandLine(steps: readonly Step[], base: string): Step[] {
  if (!steps.some(({ commands = [] }) => commands.length > 0)) return [...steps];
  const page = base === '' ? '/docs/downloads of the installation' : `${base}/docs/downloads`;
  return [...steps, { say: `To install the command callout, see ${page}` }];
}

/** The address of the installation, without a trailing slash; empty when it is unknown. */
function baseOf({ tenant }: Pick<DatedNotification, 'tenant'>, { publicUrl }: Pick<MailContext, 'publicUrl'>): string {
  return publicUrl ?? tenant?.url ?? '';
}

function timesFact({ times, firstAt }: WebhookNotifications): Fact[] {
  return times === 1 ? [] : [{ label: 'Times', value: `${numberInWords(times)} since ${momentInWords(firstAt)}` }];
}

function placeFacts({ tenant }: DatedNotification, context: MailContext): Fact[] {
  const installation = installationName(context);
  return [
    ...(tenant ? [{ label: 'Tenant', value: oneLine(tenant.name, 200) }] : []),
    ...(installation === undefined ? [] : [{ label: 'Installation', value: installation }]),
  ];
}

/** @param isTemplate commands and requests are for any webhook of the mail, so they name no callout and no time. */
function describe(
  { notification, writtenAt }: WebhookNotifications,
  names: NotificationNames,
  isTemplate = false,
): Description {
  const { kind, facts, webhook } = notification;
  if (kind === 'error') {
    const shownFacts = isTemplate ? { ...facts, calloutId: '{calloutID}' } : facts;
    return describeError(shownFacts, webhook, names, notification.storedAt);
  }
  if (kind === 'failing') {
    return describeFailing(isTemplate ? { ...facts, givenUpSince: null } : facts, webhook, names, writtenAt);
  }
  if (kind === 'recovered') {
    return describeRecovered(isTemplate ? { ...facts, givenUpSince: null } : facts, webhook, names);
  }
  if (kind === 'certificateExpiring') return describeCertificate(facts, names);
  if (kind === 'deactivated') return describeDeactivation(facts, webhook, names);
  return kind === 'caughtUp' ? describeCaughtUp(facts, names) : describeHeld(facts, names);
}
