import { deliveryModes } from '@callout/domain/target/delivery-mode';
import { z } from 'zod';

// A stored notification is read when the mail is written, possibly days later and by a newer release: a fact that is
// added must have a default.

/** The largest number of callouts that is counted for a mail, which then says that there may be more. */
export const mostCounted = 10_000;

/** The open callouts of a webhook when a mail is written; up to `mostCounted` together. */
export interface WaitingCallouts {
  /** May be sent or fetched, now or at the time of the next attempt. */
  readonly due: number;
  /** Wait for an earlier callout of the record. */
  readonly behind: number;
  /** Held by the threshold. */
  readonly held: number;
}

/** A moment as a Date, or as JSON stores it. */
const moment = z.union([z.date(), z.iso.datetime({ offset: true })]).transform((value) => new Date(value));
const count = z.int().nonnegative();
/** Why an attempt failed, as a sentence; null when the reason is no longer known. */
const failure = z.string().nullable();

/** The callouts that failed since the webhook began to fail and can be redelivered. */
const failed = {
  /** Their number, up to `mostCounted`. */
  failed: count,
  /** When the oldest was made. */
  failedSince: moment.nullable(),
};

/** The facts in the mails about a webhook, by kind. */
const notificationContents = {
  /** A callout used up its attempts. */
  error: z.object({
    calloutId: z.string(),
    sequenceNumber: count,
    recordId: count,
    /** The number of attempts. */
    attempts: count,
    lastFailure: failure,
    /** Since when no callout of the webhook has been delivered. */
    failingSince: moment.nullable(),
    /** Callouts in a row that used up all attempts, with the callout. */
    failedInRow: count,
    /** The number of failures in a row that deactivates the webhook; 0: the webhook is never deactivated. */
    deactivateAfter: count,
    /** The time of the change that caused the callout. */
    eventTime: moment.nullable(),
  }),
  /** No callout of a webhook has been delivered for some time. */
  failing: z.object({
    failingSince: moment,
    /** Whether the webhook is paused: a single call at a time is sent as a probe. */
    isPaused: z.boolean(),
    /** Whether callouts are fetched, and no program has fetched any since then. */
    isUnfetched: z.boolean().default(false),
    /** When the next attempt is made, as known at that time; null when unknown, or up to the program that fetches. */
    nextAttemptAt: moment.nullable().default(null),
    lastFailure: failure,
    failedInRow: count,
    deactivateAfter: count,
    /** When the webhook is deactivated if nothing is delivered until then; null when the time is not known yet. */
    deactivationAt: moment.nullable(),
    /** When the first open callout uses up all attempts; null without open callouts. */
    firstFailsAt: moment.nullable(),
    ...failed,
  }),
  /** A callout of a failing webhook was delivered. */
  recovered: z.object({ since: moment, until: moment, ...failed }),
  /** A webhook was deactivated, and not by a change of a user. */
  deactivated: z.object({
    cause: z.enum(['ownerDeactivated', 'ownerDeleted', 'repeatedFailure', 'gone']),
    at: moment,
    lastFailure: failure,
    /** Since when no callout of the webhook had been delivered. */
    failingSince: moment.nullish(),
    failedInRow: count,
    /** Callouts that were open until then: all are cancelled that no call under way delivers. */
    openCallouts: count,
  }),
  /** Callouts are held, since the entity's threshold is used up. */
  thresholdExceeded: z.object({
    /** Maximum number of first attempts of the tenant and entity in an hour. */
    limit: count,
    since: moment,
  }),
  /** The client certificate expires soon. */
  certificateExpiring: z.object({
    expiresAt: moment,
    /** Whether no further mail follows before the end. */
    isLast: z.boolean(),
  }),
  /** No callout is held any more. */
  caughtUp: z.object({
    since: moment,
    until: moment,
    /** Callouts of the webhook that were held in between. */
    held: count,
  }),
};

/** The kinds of notifications about a webhook. */
export type NotificationKind = keyof typeof notificationContents;

/** The facts of a kind, as the caller passes them; dates are dates, or ISO 8601 with an offset. */
export type NotificationContent<Kind extends NotificationKind> = z.input<(typeof notificationContents)[Kind]>;

/** The webhook when the notification was stored: the webhook may be renamed or deleted before the mail is sent. */
const notificationWebhook = z.object({
  id: z.int(),
  guid: z.string(),
  name: z.string(),
  entityType: z.string(),
  webhookUrl: z.string(),
  deliveryMode: z.enum(deliveryModes).default('push'),
  deactivationUrl: z.string(),
  deactivationMode: z.enum(deliveryModes).default('push'),
});

/** The tenant, and the URL of the zone; absent in notifications of older versions. */
const notificationTenant = z
  .object({
    name: z.string(),
    url: z.string().nullable(),
    /** Whether the installation has several tenants, so that a subject has to name the tenant. */
    isOneOfSeveral: z.boolean().default(false),
  })
  .nullish();
export type NotificationTenant = z.output<typeof notificationTenant>;

/** The stored content of a notification about a webhook. */
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
  notificationOf('certificateExpiring'),
]);

function notificationOf<Kind extends NotificationKind>(kind: Kind) {
  return z.object({
    kind: z.literal(kind),
    webhook: notificationWebhook,
    tenant: notificationTenant,
    facts: notificationContents[kind],
  });
}

/**
 * Reads the stored content of a notification about a webhook: `{ webhook, tenant, facts }`.
 * @throws when the content is invalid.
 */
export function readNotification(kind: string, content: unknown): StoredNotification {
  return storedNotification.parse(Object.assign({}, content, { kind }));
}

const storedConfirmation = z.object({
  tenant: notificationTenant,
  facts: z.object({ ticket: z.string(), tokenHash: z.string(), expiresAt: moment }),
});

/** Reads the stored content of a request to confirm an address. @throws when the content is invalid. */
export function readConfirmation(content: unknown): z.output<typeof storedConfirmation> {
  return storedConfirmation.parse(content);
}

const storedAlert = z.object({
  name: z.string(),
  /** The problem, as the end of a subject: `events wait to be matched`. */
  title: z.string(),
  /** A description in sentences, from the time of the alert. */
  detail: z.string(),
  /** The possible actions. */
  advice: z.array(z.object({ say: z.string(), commands: z.array(z.string()).optional() })),
  since: moment,
  /** Absent as long as the problem lasts. */
  until: moment.nullish(),
});

/** A present or past problem of the installation. */
export type StoredAlert = z.output<typeof storedAlert>;

/** Reads the stored content of an alert. @throws when the content is invalid. */
export function readAlert(content: unknown): StoredAlert {
  return storedAlert.parse(content);
}
