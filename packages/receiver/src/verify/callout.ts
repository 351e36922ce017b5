/** Why a callout was sent. `Deactivated` is the call to a webhook's deactivation URL. */
export type Action = 'Create' | 'Update' | 'Delete' | 'Deactivated';

/** Values are text, as they were right after the event; null is known to be empty. */
export type FieldValues<Field extends string = string> = Partial<Record<Field, string | null>>;

/**
 * The body of a callout, as it is sent.
 *
 * @template Field the fields that the webhook sends: `Payload<'Phone' | 'CompanyName'>`.
 */
export interface Payload<Field extends string = string> {
  readonly Action: Action;
  /** The webhook's GUID. */
  readonly Guid: string;
  /** `Account`, `Contact`, `InstalledProduct`, `Ticket` or `TicketNote`. */
  readonly EntityType: string;
  /** The record's id; the webhook's for a `Deactivated`, 0 for a test. */
  readonly Id: number;
  /** Empty for a `Delete` and a `Deactivated`. */
  readonly Fields: FieldValues<Field>;
  /** When it happened, in UTC: `2026-01-15T09:30:00Z`. */
  readonly EventTime: string;
  /** Counts the callouts of the webhook from 1; 0 for a test. */
  readonly SequenceNumber: number;
  /** The resource that made the change, null when there was none. */
  readonly PersonID: number | null;
}

/** A callout whose signature is right. */
export interface Callout<Field extends string = string> {
  /** `webhook-id`: the same for every attempt, so a second callout with it is a repeat. */
  readonly id: string;
  /** When this attempt was signed; undefined for `X-Hook-Signature`, which does not sign it. */
  readonly sentAt: Date | undefined;
  /** From 1. Read from a header that is not signed. */
  readonly attempt: number;
  /** The id of the event, undefined for tests and deactivation calls. Read from a header that is not signed. */
  readonly eventId: string | undefined;
  /** A sample that the integrator asked for. Read from the signed body. */
  readonly isTest: boolean;
  readonly payload: Payload<Field>;
}
