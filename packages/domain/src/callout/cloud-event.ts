import type { CalloutAction } from '../event.ts';
import { contentTypes } from './payload-format.ts';

/** What names the origin of the CloudEvents of a webhook. */
export interface CloudEventOrigin {
  /** A URI of installation, tenant and webhook. */
  readonly source: string;
  /** The entity in `type`, such as `company`; entity and collection are only in callouts about records. */
  readonly entity?: string;
  /** The collection of the records, such as `Companies`. */
  readonly collection?: string;
}

/** Where a webhook is, by the names in the database. */
export interface WebhookPlace {
  /** Of the zone in this database: two installations have zones with the same name. */
  readonly zoneGuid: string;
  readonly zoneName: string;
  /** Empty: the zone has no address of its own. */
  readonly zoneUrl: string;
  readonly tenantName: string;
}

/**
 * The `source` of a webhook's CloudEvents: the address of the zone, or a URN with its name and guid, then tenant and
 * webhook. The webhook is a part, since numbers rise within a webhook and `sequence` orders the events of one source.
 */
export function sourceOf({ zoneGuid, zoneName, zoneUrl, tenantName }: WebhookPlace, webhookGuid: string): string {
  const tenant = encodeURIComponent(tenantName.toWellFormed());
  return zoneUrl === ''
    ? `urn:callout:${encodeURIComponent(zoneName.toWellFormed())}:${zoneGuid}:${tenant}:${webhookGuid}`
    : `${zoneUrl}/tenants/${tenant}/webhooks/${webhookGuid}`;
}

const verbs = {
  Create: 'created',
  Update: 'updated',
  Delete: 'deleted',
  Deactivated: 'deactivated',
} as const satisfies Record<CalloutAction, string>;

/** Whether a callout is about the webhook itself. */
const isOwn = (action: CalloutAction) => action === 'Deactivated';

/** The `type` of a CloudEvent: of a record, such as `callout.company.updated.v1`, or of the webhook itself. */
export function cloudEventType(action: CalloutAction, entity: string | undefined): string {
  return `callout.${isOwn(action) ? 'webhook' : entity}.${verbs[action]}.v1`;
}

/** As many digits as in the largest number: text is then in the order of numbers. */
const SEQUENCE_DIGITS = 16;

interface CloudEventContent {
  readonly id: string;
  readonly action: CalloutAction;
  readonly recordId: number;
  readonly webhookGuid: string;
  /** ISO 8601. */
  readonly time: string;
  readonly sequenceNumber: number;
  /** The body of the typed format, as an object. */
  readonly data: object;
}

/** A CloudEvent 1.0 of the structured JSON mode, with the sequence extension, as an object with its keys in order. */
export function cloudEvent(content: CloudEventContent, origin: CloudEventOrigin): object {
  const { id, action, recordId, webhookGuid, time, sequenceNumber, data } = content;
  return {
    specversion: '1.0',
    id,
    source: origin.source,
    type: cloudEventType(action, origin.entity),
    subject: isOwn(action) ? `webhooks/${webhookGuid}` : `${origin.collection}/${recordId}`,
    time,
    datacontenttype: contentTypes.typed,
    sequence: String(sequenceNumber).padStart(SEQUENCE_DIGITS, '0'),
    data,
  };
}
