import { z } from 'zod';

// What is stored of a notice is read again when its mail is written, which may be days later and by a newer release: a fact
// that is added must have a default.

/** A moment as it is in hand, or as JSON keeps it. */
const moment = z.union([z.date(), z.iso.datetime({ offset: true })]).transform((value) => new Date(value));
const count = z.int().nonnegative();
/** What an attempt failed of, in words; null when nobody knows any more. */
const failure = z.string().nullable();

/** The facts that the mails of each kind tell. */
const noticeContents = {
  /** A callout used up its attempts. */
  error: z.object({
    sequenceNumber: count,
    recordId: count,
    /** How often it was tried. */
    attempts: count,
    lastFailure: failure,
    /** Since when no callout of the webhook has got through. */
    failingSince: moment.nullable(),
    /** Callouts in a row that used up their attempts, this one included. */
    failedInRow: count,
    /** So many in a row deactivate the webhook; 0: it is not deactivated for that. */
    deactivateAfter: count,
    /** When the change happened that the callout tells of. */
    eventTime: moment.nullable(),
  }),
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

export type NoticeKind = keyof typeof noticeContents;

/** The facts of one kind, as they are given; dates are dates, or ISO 8601 with an offset. */
export type NoticeContent<Kind extends NoticeKind> = z.input<(typeof noticeContents)[Kind]>;

/** The webhook as it was when the notice was stored: it may be renamed or deleted before the mail is out. */
const noticedWebhook = z.object({
  id: z.int(),
  guid: z.string(),
  name: z.string(),
  entityType: z.string(),
  webhookUrl: z.string(),
  deactivationUrl: z.string(),
});

/** What is stored of a notice. */
export type StoredNotice = {
  [Kind in NoticeKind]: {
    readonly kind: Kind;
    readonly webhook: Readonly<z.output<typeof noticedWebhook>>;
    readonly facts: Readonly<z.output<(typeof noticeContents)[Kind]>>;
  };
}[NoticeKind];

const storedNotice = z.discriminatedUnion('kind', [
  noticeOf('error'),
  noticeOf('deactivated'),
  noticeOf('thresholdExceeded'),
  noticeOf('caughtUp'),
]);

function noticeOf<Kind extends NoticeKind>(kind: Kind) {
  return z.object({ kind: z.literal(kind), webhook: noticedWebhook, facts: noticeContents[kind] });
}

/** Reads what is stored of a notice: `{ webhook, facts }`. @throws when it is none. */
export function readNotice(kind: string, content: unknown): StoredNotice {
  return storedNotice.parse(Object.assign({}, content, { kind }));
}
