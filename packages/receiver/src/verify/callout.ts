import type { Action, TypedPayload, TypedShape } from './typed-payload.ts';

/**
 * What a webhook sends, as `callout types` writes it: an interface for each webhook, and a union of them for a receiver of
 * several.
 */
export interface CalloutShape {
  readonly Action: Action;
  readonly Guid: string;
  readonly EntityType: string;
  readonly Fields: object;
  /** Of a webhook with `includePreviousValues`. */
  readonly PreviousFields?: object;
  /** Of a webhook with the format `typed` or `cloudevents`. */
  readonly typed?: TypedShape;
}

/**
 * A receiver's knowledge of its webhooks: the names of their fields, or the interfaces that `callout types` writes.
 */
export type Sends = string | CalloutShape;

/** Values are text, as they were right after the event; null is known to be empty. */
export type FieldValues<Sent extends Sends = string> = [Sent] extends [string]
  ? Partial<Record<Sent, string | null>>
  : Sent extends CalloutShape
    ? Sent['Fields']
    : never;

/**
 * The body of a callout, as it is sent.
 *
 * @template Sent the fields that the webhook sends, `Payload<'Phone' | 'CompanyName'>`, or what `callout types` wrote.
 * Of several interfaces it is a union, which `Guid` distinguishes.
 */
export type Payload<Sent extends Sends = string> = [Sent] extends [string]
  ? PayloadOf<Sent>
  : Sent extends CalloutShape
    ? PayloadOf<Sent>
    : never;

interface PayloadOf<Sent extends Sends> {
  readonly Action: Sent extends CalloutShape ? Sent['Action'] : Action;
  /** The webhook's GUID. */
  readonly Guid: Sent extends CalloutShape ? Sent['Guid'] : string;
  /** `Account`, `Contact`, `InstalledProduct`, `Ticket` or `TicketNote`. */
  readonly EntityType: Sent extends CalloutShape ? Sent['EntityType'] : string;
  /** The record's id; the webhook's for a `Deactivated`, 0 for a test. */
  readonly Id: number;
  /** Empty for a `Delete` and a `Deactivated`. */
  readonly Fields: FieldValues<Sent>;
  /** Only of webhooks with `includePreviousValues`: what the changed fields were before. */
  readonly PreviousFields?: PreviousOf<Sent>;
  /** When it happened, in UTC: `2026-01-15T09:30:00Z`. */
  readonly EventTime: string;
  /** Counts the callouts of the webhook from 1; 0 for a test. */
  readonly SequenceNumber: number;
  /** The resource that made the change, null without a resource. */
  readonly PersonID: number | null;
  /** Only of webhooks with `mergeWhileWaiting`: the carried events, in order, where there are several. */
  readonly MergedEventIDs?: readonly string[];
}

/** Of a webhook that `callout types` has written, the type says whether previous values are sent. */
type PreviousOf<Sent extends Sends> = Sent extends CalloutShape
  ? 'PreviousFields' extends keyof Sent
    ? NonNullable<Sent['PreviousFields']>
    : never
  : FieldValues<Sent>;

/** A callout whose signature is right. */
export interface Callout<Sent extends Sends = string> {
  /** `webhook-id`: the same for every attempt, so a second callout with the id is a repeat. */
  readonly id: string;
  /** When the attempt was signed; undefined for `X-Hook-Signature`, which does not sign the time. */
  readonly sentAt: Date | undefined;
  /** From 1. Read from a header that is not signed. */
  readonly attempt: number;
  /** The id of the event, undefined where no event caused it. Read from a header that is not signed. */
  readonly eventId: string | undefined;
  /** A sample that the integrator asked for. Read from the signed body. */
  readonly isTest: boolean;
  /** As the format `reference` has it, whichever format was sent: text, under names with a capital first letter. */
  readonly payload: Payload<Sent>;
  /**
   * The body as it was sent with the format `typed`, or the `data` of a CloudEvent: numbers and booleans, and the labels of
   * picklists. Undefined for the format `reference`.
   */
  readonly typed: TypedOf<Sent>;
}

/** Of a webhook that `callout types` has written, the type says whether the property is there. */
type TypedOf<Sent extends Sends> = Sent extends { readonly typed: infer Shape extends TypedShape }
  ? TypedPayload<Shape>
  : TypedPayload | undefined;
