import { cleanName, oneLine } from './clean-text.ts';
import { describeDeactivation } from './describe-deactivation.ts';
import { describeError } from './describe-error.ts';
import { describeFailing, describeRecovered } from './describe-failing.ts';
import { describeCaughtUp, describeHeld } from './describe-threshold.ts';
import type { Draft, Fact, Step } from './draft.ts';
import { installationName, type MailContext } from './mail-context.ts';
import type { NoticeKind, StoredNotice } from './notice.ts';
import type { NoticeNames, Particulars } from './particulars.ts';
import { momentInWords, numberInWords } from './words.ts';

/** A notice about a webhook, and when it was stored. */
type DatedNotice = StoredNotice & { readonly storedAt: Date };

/** How a subject and, of several webhooks, the first sentence begin. */
const kinds: Record<NoticeKind, { subject: string; many: (count: string) => string }> = {
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

/** What is told of one webhook: the latest notice, and when the first of them was stored. */
interface Told {
  readonly notice: DatedNotice;
  readonly times: number;
  readonly firstAt: Date;
  readonly names: NoticeNames;
  readonly name: string;
}

/** The subject of a mail about webhooks, and what it says. @param notices of one kind, the oldest first, at least one. */
export function draftNotices(
  notices: readonly DatedNotice[],
  noticeCount: number,
  context: MailContext,
): [string, Draft] {
  const told = byWebhook(notices, context);
  const [first, ...more] = told;
  if (first === undefined) throw new Error('a mail without a notice');
  const { subject } = kinds[first.notice.kind];
  const others = more.length === 0 ? '' : ` and ${numberInWords(more.length)} more`;
  const draft = more.length === 0 ? draftOne(first, context) : draftMany(told, noticeCount - notices.length, context);
  return [`Callout - ${subject}: ${first.name}${others}`, draft];
}

function byWebhook(notices: readonly DatedNotice[], context: MailContext): Told[] {
  const told = new Map<string, Told>();
  for (const notice of notices) {
    const before = told.get(notice.webhook.guid);
    const name = cleanName(notice.webhook.name) || `webhook ${notice.webhook.id}`;
    told.set(notice.webhook.guid, {
      notice,
      times: (before?.times ?? 0) + 1,
      firstAt: before?.firstAt ?? notice.storedAt,
      names: namesOf(notice, name, context),
      name,
    });
  }
  return [...told.values()];
}

function namesOf({ webhook, tenant }: DatedNotice, name: string, { catalogue, ...context }: MailContext): NoticeNames {
  const entity = catalogue.byEntityType(webhook.entityType);
  const collection = entity?.webhookCollection ?? webhook.entityType;
  const root = `${context.publicUrl ?? tenant?.url ?? ''}/${context.apiRoot}/v1.0`;
  const path = `${root}/${collection}/${webhook.id}`;
  return { webhook: `“${name}”`, path, root, collection, singular: entity?.singular ?? 'record' };
}

function draftOne(told: Told, context: MailContext): Draft {
  const { notice, names } = told;
  const particulars = describe(notice, names);
  const { consoleUrl } = context;
  const url = `${consoleUrl ?? ''}/${names.collection}/${notice.webhook.id}`;
  return {
    ...particulars,
    facts: [...particulars.facts, ...timesFact(told), ...placeFacts(notice, context)],
    link:
      consoleUrl === undefined
        ? undefined
        : { say: 'The webhook in the console', button: 'Open the webhook in the console', url },
    footer: [
      `This is about the webhook ${names.webhook}, ${names.path}, with the GUID ${notice.webhook.guid}.`,
      'You get this mail because the webhook is yours, or because it names your address for such mail.',
    ],
  };
}

/** Several webhooks: what is true of all is said once, in words that hold for each. */
function draftMany(told: readonly Told[], unread: number, context: MailContext): Draft {
  const described = told.slice(0, mostDescribed).map((one) => ({ ...one, ...describe(one.notice, one.names) }));
  const isCommon = (sentence: string) =>
    described.every(({ opening, next }) => opening.includes(sentence) || next.includes(sentence));
  const items = described.map((one) => ({
    title: one.name,
    sentences: [...one.opening, ...one.next].filter((sentence) => !isCommon(sentence)),
    facts: [...one.facts, ...timesFact(one), { label: 'Webhook', value: one.names.path }],
  }));
  const left = told.length - described.length;
  const kind = kinds[told[0]?.notice.kind ?? 'error'];
  const latest = told[0]?.notice;
  return {
    headline: kind.many(numberInWords(told.length)),
    opening: [...(described[0]?.opening ?? []).filter(isCommon), 'The webhooks are listed below.'],
    facts: latest === undefined ? [] : placeFacts(latest, context),
    items,
    next: [
      ...(described[0]?.next ?? []).filter(isCommon),
      ...(left > 0 ? [`${numberInWords(left)} more webhooks are not described here.`] : []),
      ...(unread > 0 ? [`${numberInWords(unread)} more notices are left out.`] : []),
    ],
    advice: commonAdvice(told),
    link: undefined,
    footer: ['You get this mail because the webhooks are yours, or because they name your address for such mail.'],
  };
}

/** What can be done, each step once, with a placeholder where a request names the webhook. */
function commonAdvice(told: readonly Told[]): Step[] {
  const steps = told.slice(0, mostDescribed).flatMap(({ notice, names }) => {
    const path = `${names.root}/${names.collection}/{id}`;
    return describe(notice, { ...names, webhook: 'the webhook', path }, true).advice;
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

function placeFacts({ tenant }: DatedNotice, context: MailContext): Fact[] {
  const installation = installationName(context);
  return [
    ...(tenant ? [{ label: 'Tenant', value: oneLine(tenant.name, 200) }] : []),
    ...(installation === undefined ? [] : [{ label: 'Installation', value: installation }]),
  ];
}

/** @param isTemplate the requests are for any webhook of the mail, so they name no callout. */
function describe(notice: DatedNotice, names: NoticeNames, isTemplate = false): Particulars {
  const { kind, facts, webhook } = notice;
  if (kind === 'error') {
    const told = isTemplate ? { ...facts, calloutId: '{calloutID}' } : facts;
    return describeError(told, webhook, names, notice.storedAt);
  }
  if (kind === 'failing') return describeFailing(facts, webhook, names);
  if (kind === 'recovered') return describeRecovered(facts, names);
  if (kind === 'deactivated') return describeDeactivation(facts, webhook, names);
  return kind === 'caughtUp' ? describeCaughtUp(facts, names) : describeHeld(facts, names);
}
