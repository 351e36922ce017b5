import type { Catalogue } from '@callout/core/catalogue';
import type { Endpoint, PublicEndpoint } from '../http/route/endpoint.ts';
import type { OperationSchema } from '../http/route/operation-schema.ts';
import { collectionOf, words, type BodyUse, type DocumentedCollection } from './collections.ts';
import type { Description } from './description.ts';
import { describeRoute } from './descriptions.ts';
import type { Operation, Parameter, Reference } from './document-types.ts';
import { requiredOfRecord } from './entity-schemas.ts';
import { exampleOf } from './examples.ts';
import { object, ref, requiring, type Json } from './json-schema.ts';
import { operationId } from './operation-id.ts';
import { placeholderMeanings } from './property-descriptions.ts';
import { queryParameters } from './query-parameters.ts';
import { failureReferences, jsonContent, successOf, type FailureStatus } from './responses.ts';
import type { SchemaReader } from './zod-schemas.ts';

export interface OperationContext {
  readonly catalogue: Catalogue;
  readonly collections: readonly DocumentedCollection[];
  readonly tag: string;
  readonly reader: SchemaReader;
}

/** Bodies that may be left out. */
const mayBeAbsent: ReadonlySet<Description['request']> = new Set(['nextPage']);

/** Bodies whose answers may carry warnings. */
const warned: ReadonlySet<Description['request']> = new Set(['create', 'update', 'replace', 'query', 'nextPage']);

/** What the document says of an operation that depends on who describes it: the route, or the kind of its collection. */
interface Described {
  readonly summary: string;
  readonly description?: string | undefined;
  readonly query: readonly Parameter[];
  readonly body?: { readonly schema: Json; readonly example: unknown; readonly isRequired: boolean } | undefined;
  readonly isWarned: boolean;
  readonly successes: Operation['responses'];
  readonly conflict?: string | undefined;
}

/** One method of one registered path. */
export function operation(
  path: string,
  method: string,
  endpoint: Endpoint | PublicEndpoint,
  context: OperationContext,
): Operation {
  const found = collectionOf(path, context.collections);
  const rest = found?.rest ?? path;
  const described =
    endpoint.schema === undefined
      ? describedByKind(path, method, context)
      : describedByRoute(endpoint.schema, found?.collection, context.reader);
  const { body, conflict } = described;
  return {
    operationId: operationId(method, path, found, endpoint.schema?.id),
    tags: [context.tag],
    summary: described.summary,
    description: [described.description, rolesText(endpoint)].filter((text) => text !== undefined).join('\n\n'),
    ...(endpoint.roles === 'anyone' ? { security: [] } : { 'x-roles': endpoint.roles }),
    parameters: parametersOf(path, described, endpoint),
    ...(body !== undefined && {
      requestBody: {
        ...sizeOf(endpoint),
        required: body.isRequired,
        content: jsonContent(body.schema, body.example),
      },
    }),
    responses: {
      ...described.successes,
      ...failureReferences(failuresOf(path, method, rest, endpoint, found?.collection), conflictOf(conflict, endpoint)),
    },
  };
}

function describedByRoute(
  { summary, description, query, body, answers, conflict }: OperationSchema,
  collection: DocumentedCollection | undefined,
  reader: SchemaReader,
): Described {
  const properties = query === undefined ? {} : (reader.read(query)['properties'] as Readonly<Record<string, Json>>);
  return {
    summary: summaryOf(summary, collection),
    description,
    query: Object.entries(properties).map(([name, { description: meaning, ...schema }]) => ({
      name,
      in: 'query',
      description: typeof meaning === 'string' ? meaning : '',
      required: query?.shape[name]?.safeParse(undefined).success !== true,
      schema,
    })),
    body: body && {
      schema: reader.read(body.schema),
      example: body.example,
      isRequired: body.isOptional !== true,
    },
    isWarned: body?.isWarned === true,
    successes: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [
        status,
        { description: answer.description, content: jsonContent(reader.read(answer.schema)) },
      ]),
    ),
    conflict,
  };
}

function describedByKind(path: string, method: string, { catalogue, collections }: OperationContext): Described {
  const found = collectionOf(path, collections);
  const collection = found?.collection;
  const rest = found?.rest ?? path;
  const { summary, description, request, response, query, conflict } =
    (collection && describeRoute(collection.kind, rest, method)) ?? undescribed(method, path);
  return {
    summary: summaryOf(summary, collection),
    description,
    query: (query ?? []).map((name) => ({ name, in: 'query', ...queryParameters[name], schema: { type: 'string' } })),
    body:
      request === undefined
        ? undefined
        : {
            schema: requestSchema(request, collection, rest),
            example: exampleOf(catalogue, request, collection, rest !== ''),
            isRequired: !mayBeAbsent.has(request),
          },
    isWarned: warned.has(request) || query?.includes('search') === true,
    successes: successOf(response, collection),
    conflict,
  };
}

/** A new route is served before somebody describes it; a test insists that somebody does. */
function undescribed(method: string, path: string): Description {
  return { summary: `${method} ${path}`, response: 'item' };
}

function summaryOf(summary: string, collection: DocumentedCollection | undefined): string {
  if (collection === undefined) return summary;
  const owner = collection.parent === undefined ? '' : ` of a ${words(collection.parent.entity.singular)}`;
  const many = words(collection.name) + owner;
  const one = words(collection.name.replace(/ies$/, 'y').replace(/s$/, '')) + owner;
  return summary.replace('{one}', `a ${one}`).replace('{many}', many);
}

function rolesText({ roles }: Endpoint | PublicEndpoint): string {
  return roles === 'anyone' ? 'Needs no credentials.' : `Roles: ${roles.join(', ')}.`;
}

function sizeOf(endpoint: Endpoint | PublicEndpoint) {
  if (endpoint.roles === 'anyone' || endpoint.maxBodyBytes === undefined) return {};
  return { description: `At most ${endpoint.maxBodyBytes} bytes.` };
}

function requestSchema(
  request: NonNullable<Description['request']>,
  collection: DocumentedCollection | undefined,
  rest: string,
): Json {
  if (request === 'query' || request === 'nextPage') return ref('Query');
  if (collection === undefined) return object({});
  const idOf = rest === '' && request !== 'create' ? ['id'] : [];
  if (collection.parent !== undefined) {
    return requiring(ref(collection.bodies.update), [...requiredUnderParent(collection, request), ...idOf]);
  }
  const schema = ref(collection.bodies[request]);
  if (request === 'create') return requiring(schema, collection.kind === 'twins' ? ['webhookID'] : []);
  return requiring(schema, idOf);
}

/** What the body of a record must have where the path says what the record belongs to. */
function requiredUnderParent({ entity, parent }: DocumentedCollection, use: BodyUse): string[] {
  if (entity === undefined || use === 'update') return [];
  return requiredOfRecord(entity, use).filter((name) => name !== parent?.field.name);
}

/** A write that may have an `Idempotency-Key` can always clash with another one. */
function conflictOf(conflict: string | undefined, endpoint: Endpoint | PublicEndpoint): string | undefined {
  if (!takesIdempotencyKey(endpoint)) return conflict;
  return [conflict, 'The Idempotency-Key was used for another request.'].filter((text) => text !== undefined).join(' ');
}

function takesIdempotencyKey(endpoint: Endpoint | PublicEndpoint): boolean {
  return endpoint.roles !== 'anyone' && endpoint.isIntake === true;
}

function parametersOf(
  path: string,
  { query, isWarned }: Described,
  endpoint: Endpoint | PublicEndpoint,
): (Parameter | Reference)[] {
  const isNumber = (name: string) => name === 'id' || name === 'parentId';
  return [
    ...placeholders(path).map((name) => ({
      name,
      in: 'path' as const,
      required: true,
      description: placeholderMeanings[name] ?? '',
      schema: isNumber(name) ? { type: 'integer', format: 'int64', minimum: 1 } : { type: 'string' },
    })),
    ...query,
    ...(endpoint.roles === 'anyone' ? [] : [{ $ref: '#/components/parameters/ImpersonationResourceId' }]),
    ...(takesIdempotencyKey(endpoint) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(isWarned ? [{ $ref: '#/components/parameters/Strict' }, { $ref: '#/components/parameters/Prefer' }] : []),
  ];
}

function failuresOf(
  path: string,
  method: string,
  rest: string,
  endpoint: Endpoint | PublicEndpoint,
  collection: DocumentedCollection | undefined,
): FailureStatus[] {
  if (endpoint.roles === 'anyone') return path === '/zoneInformation' ? [400, 429, 500, 503] : [500];
  const isUpdate = method === 'PATCH' || method === 'PUT';
  // What is made at the root names the webhook that it belongs to in its body.
  const isTwin = method === 'POST' && collection?.kind === 'twins';
  const namesRecord = path.includes(':') || (rest === '' && (isUpdate || isTwin));
  const hasBody = endpoint.maxBodyBytes !== undefined;
  return [
    400,
    401,
    403,
    ...(namesRecord ? [404 as const] : []),
    ...(hasBody ? ([408, 413, 415] as const) : []),
    429,
    500,
    503,
  ];
}

/** `/CompanyWebhooks/:id` with the placeholders as OpenAPI writes them. */
export function templated(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function placeholders(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}
