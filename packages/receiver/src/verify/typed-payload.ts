/** A value of the typed format. Numbers that JSON would round are their exact text. */
type JsonValue = string | number | boolean | null;

/** Picklists have their label beside the value; null: the value has none. */
export type TypedValue = JsonValue | { readonly value: JsonValue; readonly label: string | null };

/** The fields of a webhook with the format `typed` or `cloudevents`, as `callout types` writes them. */
export interface TypedShape {
  readonly fields: object;
  readonly userDefinedFields: object;
}

/** The values where nothing is known of the webhook. */
export interface AnyTypedFields {
  readonly fields: Readonly<Record<string, TypedValue>>;
  readonly userDefinedFields: Readonly<Record<string, TypedValue>>;
}

/** The body of a callout with the format `typed`, or the `data` of a CloudEvent, as it is sent. */
export type TypedPayload<Shape extends TypedShape = AnyTypedFields> = Shape & {
  readonly action: Action;
  readonly guid: string;
  readonly entityType: string;
  readonly id: number;
  /** Only with `includePreviousValues`: what the changed fields were before. */
  readonly previousFields?: Partial<Shape['fields']>;
  readonly previousUserDefinedFields?: Partial<Shape['userDefinedFields']>;
  /** Only with `mergeWhileWaiting`: the carried events, in order, where there are several. */
  readonly mergedEventIDs?: readonly string[];
  readonly eventTime: string;
  readonly sequenceNumber: number;
  readonly personID: number | null;
};

/** The typed data in a body; undefined: it has the reference format. */
export function typedIn(body: unknown): TypedPayload | undefined {
  const data = isObject(body) && 'specversion' in body ? body['data'] : body;
  return isObject(data) && 'action' in data ? (data as unknown as TypedPayload) : undefined;
}

/** The callout in the reference format: text under names with a capital first letter. */
export function referenceOf(typed: TypedPayload): Record<string, unknown> {
  const { fields, userDefinedFields, previousFields, previousUserDefinedFields, ...values } = typed;
  const payload: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) payload[capitalised(key)] = value;
  if (isObject(fields)) payload['Fields'] = textsOf(fields, userDefinedFields);
  if (previousFields !== undefined) payload['PreviousFields'] = textsOf(previousFields, previousUserDefinedFields);
  return payload;
}

function textsOf(fields: object, userDefinedFields: object | undefined): Record<string, string | null> {
  const ofFields = Object.entries(fields).map(([name, value]) => [capitalised(name), value] as const);
  const texts = [...ofFields, ...Object.entries(userDefinedFields ?? {})].map(
    ([key, value]) => [key, textOf(value as TypedValue)] as const,
  );
  // As JSON.parse makes it: a label may be `__proto__`, which an assignment would not make a property.
  return Object.fromEntries(texts);
}

/** Numbers are sent as numbers only where their text is the same. */
function textOf(value: TypedValue): string | null {
  const json = isObject(value) ? value['value'] : value;
  return json === null || json === undefined ? null : String(json);
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Why a callout was sent. `Deactivated` is the call to a webhook's deactivation URL. */
export type Action = 'Create' | 'Update' | 'Delete' | 'Deactivated';
