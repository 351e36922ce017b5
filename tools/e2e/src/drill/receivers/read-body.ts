import { companyUdf, type DrillEntity } from '../traffic/entities.ts';
import type { BodyFormat } from '../traffic/variety.ts';
import type { DrillWebhook } from '../traffic/webhooks.ts';

type Values = Readonly<Record<string, string | null>>;

/** A body, and the format that it has by its looks. */
export interface ReadBody {
  readonly format: BodyFormat;
  readonly body: CalloutBody;
}

/** The body of a callout, as the reference format has it. */
export interface CalloutBody {
  readonly Action: string;
  readonly Guid: string;
  readonly EntityType: string;
  readonly Id: number;
  readonly Fields: Values;
  /** Only of a webhook that asks for them. */
  readonly PreviousFields?: Values;
  readonly EventTime: string;
  readonly SequenceNumber: number;
  readonly PersonID: number;
  /** Only where changes were merged. */
  readonly MergedEventIDs?: readonly string[];
}

type TypedValues = Readonly<Record<string, unknown>>;

interface TypedBody {
  readonly action: string;
  readonly guid: string;
  readonly entityType: string;
  readonly id: number;
  readonly fields: TypedValues;
  readonly userDefinedFields: TypedValues;
  readonly previousFields?: TypedValues;
  readonly previousUserDefinedFields?: TypedValues;
  readonly eventTime: string;
  readonly sequenceNumber: number;
  readonly personID: number;
  readonly mergedEventIDs?: readonly string[];
}

interface CloudEvent {
  readonly source: string;
  readonly data: TypedBody;
}

/** What reads a body, and notes what is wrong with it. */
interface Reading {
  readonly webhook: DrillWebhook;
  readonly calloutId: string;
  readonly claim: (isTrue: boolean, problem: string) => void;
}

/**
 * Reads a body by another code than the one that made it. It must be wholly in one format: that of its webhook, unless
 * the drill changes it.
 */
export function readBody(bodyText: string, reading: Reading): ReadBody {
  const { webhook, claim } = reading;
  const parsed = JSON.parse(bodyText) as object;
  const format = 'specversion' in parsed ? 'cloudevents' : 'action' in parsed ? 'typed' : 'reference';
  claim(bodyText === JSON.stringify(parsed), 'is not compact JSON');
  claim(format === webhook.format || webhook.fate === 'reformatted', `has the format ${format}`);
  if (format === 'reference') {
    const body = parsed as CalloutBody;
    checkKeys(reading, body, keysOf(webhook, body.Action, body.MergedEventIDs));
    return { format, body };
  }
  if (format === 'typed') return { format, body: readTyped(parsed as TypedBody, reading) };
  const event = parsed as CloudEvent;
  const body = readTyped(event.data, reading);
  checkCloudEvent(event, body, reading);
  return { format, body };
}

const MERGED = 'MergedEventIDs';

/** Of the reference format, in order. */
function keysOf({ withPrevious }: DrillWebhook, action: string, merged: readonly string[] | undefined): string[] {
  const isOfRecord = action !== 'Deactivated';
  return [
    ...['Action', 'Guid', 'EntityType', 'Id', 'Fields'],
    ...(withPrevious && isOfRecord ? ['PreviousFields'] : []),
    ...['EventTime', 'SequenceNumber', 'PersonID'],
    ...(merged === undefined ? [] : [MERGED]),
  ];
}

function checkKeys({ claim }: Reading, body: object, expected: readonly string[]): void {
  const keys = Object.keys(body).join(',');
  claim(keys === expected.join(','), `has the keys ${keys}`);
}

function readTyped(body: TypedBody, reading: Reading): CalloutBody {
  const { webhook, claim } = reading;
  const expected = keysOf(webhook, body.action, body.mergedEventIDs).flatMap((key) => {
    if (key === 'Fields') return ['fields', 'userDefinedFields'];
    return key === 'PreviousFields' ? ['previousFields', 'previousUserDefinedFields'] : [uncapitalised(key)];
  });
  checkKeys(reading, body, expected);
  const text = (values: TypedValues, udfs: TypedValues = {}): Values => ({
    ...Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        claim(hasType(webhook.entity, name, value), `has a ${typeof value} in ${name}`);
        return [capitalised(name), wireOf(value)];
      }),
    ),
    ...Object.fromEntries(
      Object.entries(udfs).map(([label, value]) => {
        claim(label === companyUdf.definition.label, `has the user-defined field ${label}`);
        return [label, wireOf(value)];
      }),
    ),
  });
  return {
    Action: body.action,
    Guid: body.guid,
    EntityType: body.entityType,
    Id: body.id,
    Fields: text(body.fields, body.userDefinedFields),
    ...(body.previousFields && { PreviousFields: text(body.previousFields, body.previousUserDefinedFields) }),
    EventTime: body.eventTime,
    SequenceNumber: body.sequenceNumber,
    PersonID: body.personID,
    ...(body.mergedEventIDs && { MergedEventIDs: body.mergedEventIDs }),
  };
}

function hasType({ fields }: DrillEntity, name: string, value: unknown): boolean {
  return value === null || typeof value === (fields[name]?.type ?? 'string');
}

function wireOf(value: unknown): string | null {
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}

const VERBS: Readonly<Record<string, string>> = { Create: 'created', Update: 'updated', Delete: 'deleted' };

function checkCloudEvent(event: CloudEvent, body: CalloutBody, { webhook, calloutId, claim }: Reading): void {
  const { data, source, ...attributes } = event;
  const { entity } = webhook;
  const verb = VERBS[body.Action];
  const expected = {
    specversion: '1.0',
    id: calloutId,
    type: verb ? `callout.${entity.eventName}.${verb}.v1` : `callout.webhook.${body.Action.toLowerCase()}.v1`,
    subject: verb ? `${entity.collection}/${body.Id}` : `webhooks/${body.Guid}`,
    time: data.eventTime,
    datacontenttype: 'application/json',
    sequence: String(body.SequenceNumber).padStart(16, '0'),
  };
  const got = JSON.stringify(attributes);
  claim(got === JSON.stringify(expected), `has the attributes ${got}`);
  claim(source.endsWith(body.Guid), `has the source ${source}`);
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function uncapitalised(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
