import { z } from 'zod';

// A stored notification is read when its mail is written, possibly days later and by a newer release: a fact that is added
// must have a default.

/** A moment as it is in hand, or as JSON keeps it. */
const moment = z.union([z.date(), z.iso.datetime({ offset: true })]).transform((value) => new Date(value));
const count = z.int().nonnegative();
/** Why an attempt failed, in words; null when that is no longer known. */
const failure = z.string().nullable();

/** The facts that the mails about a webhook tell, by kind. */
const notificationContents = {
  /** A callout used up its attempts. */
  error: z.object({
    /** Absent in notifications of older versions. */
    calloutId: z.string().nullish(),
    sequenceNumber: count,
    recordId: count,
    /** How often it was tried. */
    attempts: count,
    lastFailure: failure,
    /** Since when no callout of the webhook has got through. */
    failingSince: moment.nullable(),
    /** Callouts in a row that used up their attempts, this one included. */
    failedInRow: count,
    /** How many in a row deactivate the webhook; 0: none do. */
    deactivateAfter: count,
    /** When the change happened that caused the callout. */
    eventTime: moment.nullable(),
  }),
  /** No callout of a webhook has got through for some time. */
  failing: z.object({
    failingSince: moment,
    /** One call at a time is sent, to find out whether the receiver is back. */
    isPaused: z.boolean(),
    lastFailure: failure,
    failedInRow: count,
    deactivateAfter: count,
    /** Open callouts; counting stops at a few thousand. */
    openCallouts: count,
    /** When it is deactivated if nothing gets through until then; null: that cannot be known yet. */
    deactivationAt: moment.nullable(),
    /** When the first of its open callouts uses up its attempts; null: none is open. */
    firstGivenUpAt: moment.nullable(),
  }),
  /** A callout of a webhook that was failing got through. */
  recovered: z.object({ since: moment, until: moment }),
  /** A webhook was deactivated, and not by a user's own change of it. */
  deactivated: z.object({
    cause: z.enum(['ownerDeactivated', 'ownerDeleted', 'repeatedFailure', 'gone']),
    at: moment,
    lastFailure: failure,
    /** Since when no callout of the webhook had got through. */
    failingSince: moment.nullish(),
    failedInRow: count,
    /** Callouts that were still open, and will not be sent. */
    cancelledCallouts: count,
  }),
  /** Callouts are held back, since the entity's threshold is used up. */
  thresholdExceeded: z.object({
    /** First attempts that the tenant and entity may make in an hour. */
    limit: count,
    /** Callouts held when this was noticed. */
    held: count,
    since: moment,
  }),
  /** No callout is held any more. */
  caughtUp: z.object({
    since: moment,
    until: moment,
    /** Callouts of the webhook that were held in between; absent in mails of older versions. */
    held: count.nullish(),
  }),
};

/** The kinds of notifications about a webhook. */
export type NotificationKind = keyof typeof notificationContents;

/** The facts of one kind, as they are given; dates are dates, or ISO 8601 with an offset. */
export type NotificationContent<Kind extends NotificationKind> = z.input<(typeof notificationContents)[Kind]>;

/** The webhook as it was when the notification was stored: it may be renamed or deleted before the mail is out. */
const notificationWebhook = z.object({
  id: z.int(),
  guid: z.string(),
  name: z.string(),
  entityType: z.string(),
  webhookUrl: z.string(),
  deactivationUrl: z.string(),
});

/** Its tenant, and the URL of the tenant's zone; absent in notifications of older versions. */
const notificationTenant = z.object({ name: z.string(), url: z.string().nullable() }).nullish();
export type NotificationTenant = z.output<typeof notificationTenant>;

/** What is stored of a notification about a webhook. */
export type StoredNotification = {
  [Kind in NotificationKind]: {
    readonly kind: Kind;
    readonly webhook: Readonly<z.output<typeof notificationWebhook>>;
    readonly tenant?: NotificationTenant;
    readonly facts: Readonly<z.output<(typeof notificationContents)[Kind]>>;
  };
}[NotificationKind];

const storedNotification = z.discriminatedUnion('kind', [
  notificationOf('error'),
  notificationOf('failing'),
  notificationOf('recovered'),
  notificationOf('deactivated'),
  notificationOf('thresholdExceeded'),
  notificationOf('caughtUp'),
]);

function notificationOf<Kind extends NotificationKind>(kind: Kind) {
  return z.object({
    kind: z.literal(kind),
    webhook: notificationWebhook,
    tenant: notificationTenant,
    facts: notificationContents[kind],
  });
}

/** Reads what is stored of a notification about a webhook: `{ webhook, tenant, facts }`. @throws when it is none. */
export function readNotification(kind: string, content: unknown): StoredNotification {
  return storedNotification.parse(Object.assign({}, content, { kind }));
}

const storedConfirmation = z.object({
  tenant: notificationTenant,
  facts: z.union([
    z.object({ ticket: z.string(), tokenHash: z.string(), expiresAt: moment }),
    // Of version 0.1.0.
    z.object({ token: z.string(), expiresAt: moment }),
  ]),
});

/** Reads what is stored of a request to confirm an address. @throws when it is none. */
export function readConfirmation(content: unknown): z.output<typeof storedConfirmation> {
  return storedConfirmation.parse(content);
}

const storedAlert = z.object({
  name: z.string(),
  /** What is wrong, as the end of a subject: `events wait to be matched`. */
  title: z.string(),
  /** In sentences, as it was when it was raised. */
  detail: z.string(),
  /** What to do about it. */
  advice: z.array(z.string()),
  since: moment,
  /** Absent as long as it lasts. */
  until: moment.nullish(),
});

/** Something that is wrong with the installation, or was. */
export type StoredAlert = z.output<typeof storedAlert>;

/** Reads what is stored of an alert. @throws when it is none. */
export function readAlert(content: unknown): StoredAlert {
  return storedAlert.parse(content);
}
