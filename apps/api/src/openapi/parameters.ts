import type { z } from 'zod';
import type { Endpoint, PublicEndpoint } from '../http/route/endpoint.ts';
import type { Json, Parameter, Reference } from './document-types.ts';
import type { SchemaReader } from './zod-schemas.ts';

/** Parameters of many operations, by their names in the document. */
export const sharedParameters = {
  ImpersonationResourceId: {
    name: 'ImpersonationResourceId',
    in: 'header',
    required: false,
    description:
      'Who acts, instead of the resource of the credential. Rights and ownership stay those of the credential.',
    schema: { type: 'integer', minimum: 1 },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes the request safe to repeat for 24 hours, per credential, method and path: a repeat is answered as the first was, with `Idempotent-Replayed: true`; it waits while the first still runs. What failed is not kept.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The ETag of the version that was read, or several: another version is not written, and answered 412 (RFC 9110, 13.1.1).',
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The ETag of the version that is known, or several: the same version is answered 304.',
    schema: { type: 'string' },
  },
  Strict: {
    name: 'strict',
    in: 'query',
    required: false,
    description: 'true: what the answer would warn of is refused instead (400), and nothing is kept.',
    schema: { type: 'boolean', default: false },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    description: 'handling=strict (RFC 7240) says the same as strict=true.',
    schema: { type: 'string' },
    example: 'handling=strict',
  },
} as const satisfies Record<string, Parameter>;

const anyId: Json = { type: 'integer', format: 'int64', minimum: 1 };
const text: Json = { type: 'string' };

/** Placeholders of many paths. */
const placeholders = {
  id: placeholder('id', 'The id of the record.', anyId),
  parentId: placeholder('parentId', 'The id of the record that those of the collection belong to.', anyId),
  calloutID: placeholder('calloutID', 'The id of the callout: the webhook-id of its requests.', text),
  eventID: placeholder('eventID', 'The eventID of its caller, or that of the service.', text),
  collection: placeholder('collection', 'The collection, such as Companies or CompanyWebhooks.', text),
  children: placeholder('children', 'The collection below a record, such as Contacts or Fields.', text),
} as const satisfies Record<string, Parameter>;

/** All parameters of operations. `entityNames`: the entities whose webhooks are described once. */
export function parameterComponents(entityNames: readonly string[]): Readonly<Record<string, Parameter>> {
  const schema = { type: 'string', enum: entityNames };
  const entityName = placeholder('entityName', 'The entity whose webhooks are meant.', schema);
  return { ...sharedParameters, ...placeholders, entityName };
}

/** The placeholder of a path, as a reference. */
export const placeholderRef = (name: keyof typeof placeholders | 'entityName'): Reference => ({
  $ref: `#/components/parameters/${name}`,
});

/** All parameters of an operation: of path, query string and headers. */
export function parametersOf(
  path: string,
  endpoint: Endpoint | PublicEndpoint,
  reader: SchemaReader,
): (Parameter | Reference)[] {
  const { query, isWarned, version } = endpoint.schema;
  const isForCallers = endpoint.roles !== 'anyone';
  const shared: readonly (keyof typeof sharedParameters)[] = [
    ...(isForCallers ? (['ImpersonationResourceId'] as const) : []),
    ...(isForCallers && endpoint.isIngest === true ? (['IdempotencyKey'] as const) : []),
    ...(version === 'changed' || version === 'deleted' ? (['IfMatch'] as const) : []),
    ...(version === 'read' ? (['IfNoneMatch'] as const) : []),
    ...(isWarned === true ? (['Strict', 'Prefer'] as const) : []),
  ];
  return [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) =>
      Object.hasOwn(placeholders, name) ? placeholderRef(name as 'id') : placeholder(name, '', text),
    ),
    ...(query === undefined ? [] : queryParameters(query, reader)),
    ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function placeholder(name: string, description: string, schema: Json): Parameter {
  return { name, in: 'path', required: true, description, schema };
}

/** The parameters of a query string. */
export function queryParameters(query: z.ZodObject, { read }: SchemaReader): Parameter[] {
  const { properties, required = [] } = read(query) as {
    properties: Readonly<Record<string, Json>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    description: typeof description === 'string' ? description : '',
    required: required.includes(name),
    schema,
  }));
}
