import type { Occurrence, OccurrenceSubject } from '@callout/domain/catalogue/webhook-health';
import { cleanName, oneLine } from '@callout/domain/mail/clean-text';
import { withoutQuery } from '@callout/domain/target/target';
import { toWireInstant } from '@callout/domain/values/instant';
import type { FieldValue, FieldValues } from '@callout/domain/values/values';
import { counted, momentInWords, numberInWords } from '../notify/text/words.rules.ts';

/** The facts of an occurrence besides the webhook. Absent: the fact does not apply. */
export interface OccurrenceFacts {
  /** Why the webhook was deactivated. */
  readonly cause?: string;
  /** The last failure as a sentence. */
  readonly reason?: string | null;
  /** When the failures, the pause or the holding began. */
  readonly since?: Date | string | null;
  readonly failedInRow?: number;
  readonly calloutID?: string;
  readonly eventID?: string | null;
  readonly sequenceNumber?: number;
  readonly recordID?: number;
  readonly attempts?: number;
  readonly heldCount?: number;
  readonly thresholdLimit?: number;
  readonly previousSecretUntil?: Date | string | null;
  readonly certificateExpiresAt?: Date | string;
}

/** Something that happened to a webhook. */
export interface NewOccurrence {
  readonly webhookKey: number;
  readonly occurrence: Occurrence;
  readonly subject: OccurrenceSubject;
  readonly facts: OccurrenceFacts;
  /** The resource that acted; absent or null when the service or an operator acted. */
  readonly actorResourceId?: number | null;
}

/** The webhook at the time of the occurrence, as the row was. */
export interface OccurrenceWebhook {
  readonly guid: string;
  readonly entityType: string;
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly state: 'active' | 'paused' | 'inactive' | 'deleted';
}

/** An occurrence without an event yet. */
export interface StoredOccurrence {
  readonly occurrence: Occurrence;
  readonly subject: OccurrenceSubject;
  readonly webhook: OccurrenceWebhook;
  readonly facts: OccurrenceFacts;
}

// The lengths of the catalogue.
const longestReason = 2_000;
const longestSummary = 1_000;
const longestUrl = 500;
/** Of a reason within a summary: the field `reason` has more characters. */
const longestShownReason = 500;

/**
 * The values of the event: every field of the entity except the id. A fact that does not apply is null, so that nothing
 * of an earlier event of the webhook remains.
 * @param consoleUrl the page of the webhook; null where the page is unknown.
 */
export function valuesOf(stored: StoredOccurrence, consoleUrl: string | null): FieldValues {
  const { occurrence, subject, webhook, facts } = stored;
  const values = Object.create(null) as Record<string, FieldValue>;
  return Object.assign(values, {
    webhookGUID: webhook.guid,
    entityType: webhook.entityType,
    webhookID: String(webhook.id),
    name: cleanName(webhook.name),
    url: oneLine(withoutQuery(webhook.url), longestUrl),
    occurrence,
    subject,
    state: webhook.state,
    summary: summaryOf(stored),
    cause: facts.cause ?? null,
    reason: facts.reason ? oneLine(facts.reason, longestReason) : null,
    since: instantOf(facts.since),
    failedInRow: numberOf(facts.failedInRow),
    calloutID: facts.calloutID ?? null,
    eventID: facts.eventID ?? null,
    sequenceNumber: numberOf(facts.sequenceNumber),
    recordID: numberOf(facts.recordID),
    attempts: numberOf(facts.attempts),
    heldCount: numberOf(facts.heldCount),
    thresholdLimit: numberOf(facts.thresholdLimit),
    previousSecretUntil: instantOf(facts.previousSecretUntil),
    certificateExpiresAt: instantOf(facts.certificateExpiresAt),
    consoleURL: consoleUrl !== null && consoleUrl.length <= longestUrl ? consoleUrl : null,
  });
}

/**
 * The fields that count as changed: the fields with a value. A webhook that is subscribed to `occurrence` so gets every
 * event, also when something happens twice.
 */
export function changedFieldsOf(values: FieldValues): string[] {
  return Object.keys(values).filter((name) => values[name] !== null);
}

/** The event in a sentence. The name is quoted, and comes from an integrator: formats escape what has a meaning there. */
function summaryOf({ occurrence, subject, webhook, facts }: StoredOccurrence): string {
  const name = `${webhook.entityType} webhook “${cleanName(webhook.name) || webhook.id}”`;
  const reason = facts.reason ? ` Last failure: ${oneLine(facts.reason, longestShownReason)}` : '';
  return oneLine(`${sentences[occurrence](name, facts, subject)}${reason}`, longestSummary);
}

const sentences: Record<Occurrence, (name: string, facts: OccurrenceFacts, subject: OccurrenceSubject) => string> = {
  deactivated: (name, { cause = '' }) =>
    `${name} was ${cause === 'deleted' ? 'deleted' : `deactivated${why[cause] ?? ''}`}.`,
  paused: (name) => `${name} is paused, because its receiver is down: one call at a time finds out when it is back.`,
  failing: (name, { since }) =>
    `${name} is failing: no callout has been delivered since ${momentInWords(new Date(since ?? 0))}.`,
  recovered: (name, _facts, subject) => `${name} ${recoveries[subject]}.`,
  calloutFailed: (name, { sequenceNumber = 0, attempts = 0 }) =>
    `Callout ${sequenceNumber} of ${name} failed for good after ${counted(attempts, 'attempt')}.`,
  thresholdHeld: (name, { thresholdLimit = 0 }) =>
    `Callouts of ${name} are held, because its entity has used up its threshold of ${numberInWords(thresholdLimit)} per hour.`,
  thresholdReleased: (name, { heldCount = 0 }) =>
    `No callout of ${name} is held any more; ${counted(heldCount, 'callout')} had to wait.`,
  secretRotated: (name, { previousSecretUntil }, subject) =>
    `${subject === 'signingKey' ? `The signing key of the tenant, which signs for ${name},` : `The secret of ${name}`} was replaced${previousSecretUntil ? `; the one before signs as well until ${momentInWords(new Date(previousSecretUntil))}` : ''}.`,
  certificateExpiring: (name, { certificateExpiresAt }) =>
    `The client certificate of ${name} expires on ${momentInWords(new Date(certificateExpiresAt ?? 0))}.`,
};

const why: Readonly<Record<string, string>> = {
  user: ' by a user',
  ownerDeactivated: ', because its owner was deactivated',
  ownerDeleted: ', because its owner was deleted',
  repeatedFailure: ', because too many of its callouts in a row failed',
  gone: ', because its receiver answered 410 (Gone)',
};

const recoveries: Readonly<Record<OccurrenceSubject, string>> = {
  delivery: 'works again',
  certificate: 'has no client certificate any more that expires soon',
  threshold: 'is not held any more',
  secret: 'has a new secret',
  signingKey: 'has a new signing key',
};

function numberOf(value: number | undefined): string | null {
  return value === undefined ? null : String(value);
}

function instantOf(value: Date | string | null | undefined): string | null {
  return value ? toWireInstant(new Date(value)) : null;
}
