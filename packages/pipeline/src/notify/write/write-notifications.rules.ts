import { consoleLink, overviewLink, installationName, type MailContext, subjectPrefix } from './mail-context.rules.ts';
import { cleanName, oneLine } from '@callout/domain/mail/clean-text';
import { describeCertificate } from '../describe/describe-certificate.rules.ts';
import { describeDeactivation } from '../describe/describe-deactivation.rules.ts';
import { describeError } from '../describe/describe-error.rules.ts';
import { describeFailing } from '../describe/describe-failing.rules.ts';
import { describeRecovered } from '../describe/describe-recovered.rules.ts';
import { describeCaughtUp, describeHeld } from '../describe/describe-threshold.rules.ts';
import type { Draft, Fact, Step, Description, NotificationNames } from '../text/draft.rules.ts';
import type { NotificationKind, StoredNotification, WaitingCallouts } from './notification.rules.ts';
import { counted, momentInWords, numberInWords } from '../text/words.rules.ts';

/** A notification about a webhook, when it was stored, and what waits now; undefined where that was not counted. */
type DatedNotification = StoredNotification & {
  readonly storedAt: Date;
  readonly waiting?: WaitingCallouts | undefined;
};

/** The beginnings of a subject and, for several webhooks, of the first sentence. */
const kinds: Record<NotificationKind, { subject: string; many: (count: string) => string }> = {
  error: { subject: 'Error', many: (count) => `Callouts of ${count} webhooks could not be delivered` },
  failing: { subject: 'Failing', many: (count) => `${count} webhooks are failing` },
  recovered: { subject: 'Recovered', many: (count) => `${count} webhooks have recovered` },
  deactivated: { subject: 'Deactivated', many: (count) => `${count} webhooks were deactivated` },
  thresholdExceeded: {
    subject: 'Threshold exceeded',
    many: (count) => `Callouts of ${count} webhooks are being held back`,
  },
  certificateExpiring: {
    subject: 'Certificate expires',
    many: (count) => `The client certificates of ${count} webhooks expire soon`,
  },
  caughtUp: { subject: 'Caught up', many: (count) => `No callout of ${count} webhooks is held back any more` },
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
  /** The number of webhooks that these are about. */
  readonly webhookCount: number;
  /** Whether the announced next step has happened by now. */
  readonly writtenAt: Date;
}

/**
 * The subject and content of a mail about webhooks.
 * @param notifications of one kind, the oldest first, at least one.
 */
export function draftNotifications(
  notifications: readonly DatedNotification[],
  { notificationCount, webhookCount, writtenAt }: Writing,
  context: MailContext,
): [string, Draft] {
  const webhooks = byWebhook(notifications, context, writtenAt);
  const [first, ...more] = webhooks;
  if (first === undefined) throw new Error('a mail without a notification');
  const { subject } = kinds[first.notification.kind];
  const count = Math.max(webhookCount, webhooks.length);
  const others = count === 1 ? '' : ` and ${numberInWords(count - 1)} more`;
  const left = { webhooks: count - maxDescribed, notifications: notificationCount - notifications.length };
  const draft = more.length === 0 && count === 1 ? draftOne(first, context) : draftMany(webhooks, count, left, context);
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
  const { cause, ...parts } = description;
  return {
    ...parts,
    headline: `${description.headline}${becauseOf(cause)}.`,
    facts: [...description.facts, ...timesFact(webhook), ...placeFacts(notification, context)],
    advice: withCommandLine(description.advice, notification, context),
    link: consoleLink(notification, names.collection, context),
    footer: [
      `This is about the webhook ${names.webhook}, ${names.path}, with the GUID ${notification.webhook.guid}.`,
      'You get this mail because you own the webhook, or because your address is its notification address.',
    ],
  };
}

function becauseOf(cause: string | undefined): string {
  return cause === undefined ? '' : `, because ${cause}`;
}

/**
 * Several webhooks: shared facts are stated once.
 * @param left what is not described.
 */
function draftMany(
  webhooks: readonly WebhookNotifications[],
  count: number,
  left: { readonly webhooks: number; readonly notifications: number },
  context: MailContext,
): Draft {
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
  const [cause, ...otherCauses] = new Set(described.map((one) => one.cause));
  const because = otherCauses.length === 0 || cause === undefined ? becauseOf(cause) : `, the first because ${cause}`;
  const kind = kinds[webhooks[0]?.notification.kind ?? 'error'];
  const latest = webhooks[0]?.notification;
  return {
    headline: `${kind.many(numberInWords(count))}${because}.`,
    opening: [
      ...(common.length === 0 ? [] : [`For each of them: ${common.join(' ')}`]),
      'The webhooks are listed below.',
    ],
    facts: latest === undefined ? [] : placeFacts(latest, context),
    items,
    next: [
      ...(described[0]?.next ?? []).filter(isCommon),
      ...(left.webhooks > 0
        ? [`${counted(left.webhooks, 'more webhook is', 'more webhooks are')} not described here.`]
        : []),
      ...(left.notifications > 0
        ? [`${counted(left.notifications, 'more notification is', 'more notifications are')} left out.`]
        : []),
    ],
    advice: latest === undefined ? [] : withCommandLine(commonAdvice(webhooks, count), latest, context),
    link: overviewLink(context, latest?.tenant?.url),
    footer: ['You get this mail because you own the webhooks, or because your address is their notification address.'],
  };
}

/** Webhooks whose commands a mail about several has. */
const mostCommanded = 3;

/** Each step of advice once, with its commands for the first webhooks. */
function commonAdvice(webhooks: readonly WebhookNotifications[], count: number): Step[] {
  const steps = webhooks
    .slice(0, mostCommanded)
    .flatMap((one) => describe(one, { ...one.names, webhook: 'the webhook' }).advice);
  const bySaying = new Map<string, { commands: Set<string>; requests: Set<string> }>();
  for (const { say, commands = [], requests = [] } of steps) {
    const before = bySaying.get(say) ?? { commands: new Set(), requests: new Set() };
    for (const command of commands) before.commands.add(command);
    for (const request of requests) before.requests.add(request);
    bySaying.set(say, before);
  }
  const common = [...bySaying].map(([say, { commands, requests }]) => ({
    say,
    commands: [...commands],
    requests: [...requests],
  }));
  const others = count - mostCommanded;
  if (others <= 0 || !common.some(hasCommands)) return common;
  const say = `For the other ${counted(others, 'webhook')}, put the end of each address into the same commands, such as ${webhooks[0]?.names.named ?? ''}.`;
  return [...common, { say }];
}

function hasCommands({ commands = [] }: Step): boolean {
  return commands.length > 0;
}

/**
 * The steps, and after those with commands where the command line is: readers of mail have no checkout, and `npx` would
 * look for a package of the same name in a public registry.
 */
function withCommandLine(steps: readonly Step[], notification: DatedNotification, context: MailContext): Step[] {
  const base = baseOf(notification, context);
  if (base === '' || !steps.some(hasCommands)) return [...steps];
  return [
    ...steps,
    {
      say: `Install the command callout from ${base}/docs/downloads and sign in once:`,
      commands: [`callout login --url ${base}/${context.apiRoot}`],
    },
  ];
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

function describe({ notification, writtenAt }: WebhookNotifications, names: NotificationNames): Description {
  const { kind, facts, webhook, waiting } = notification;
  if (kind === 'error') return describeError(facts, webhook, names, notification.storedAt);
  if (kind === 'failing') return describeFailing(facts, webhook, names, { writtenAt, waiting });
  if (kind === 'recovered') return describeRecovered(facts, webhook, names, { waiting });
  if (kind === 'certificateExpiring') return describeCertificate(facts, names);
  if (kind === 'deactivated') return describeDeactivation(facts, webhook, names);
  return kind === 'caughtUp' ? describeCaughtUp(facts, names) : describeHeld(facts, names, { waiting });
}
