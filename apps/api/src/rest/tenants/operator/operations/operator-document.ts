import type { z } from 'zod';
import type {
  ResponseObject,
  Json,
  OpenApiDocument,
  Operation,
  Parameter,
} from '../../../../openapi/document-types.ts';
import { failure } from '../../../../openapi/failures.ts';
import { templated } from '../../../../openapi/operation.ts';
import { queryParameters } from '../../../../openapi/parameters.ts';
import { createSchemaReader, jsonContent, type SchemaReader } from '../../../../openapi/zod-schemas.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { statusOperations } from './status-operations.ts';
import { tenantOperations } from './tenant-operations.ts';
import { accessOperations } from './access-operations.ts';

type OperatorDocument = Pick<OpenApiDocument, 'openapi' | 'info' | 'servers' | 'security' | 'paths'> & {
  readonly components: {
    readonly securitySchemes: Json;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly schemas: Readonly<Record<string, Json>>;
  };
};

/** Every operation of the operator API, by the name of a client's method. */
const byName: Readonly<Record<string, OperatorOperation>> = {
  ...tenantOperations,
  ...accessOperations,
  ...statusOperations,
};

export const operatorOperations = Object.values(byName);

const failures = {
  400: 'A value of the query or of the body is wrong: every problem is named.',
  401: 'The operator token is missing or wrong.',
  403: 'A request with the cookie of the console did not come from its page.',
  404: 'No matching records found: the path or what it names does not exist.',
  408: 'The body stopped coming before it was complete; the connection ends.',
  413: 'The body is too long.',
  415: 'The body is not JSON.',
  429: 'Too many wrong tokens came from this address; Retry-After says when to try again.',
  500: 'Something went wrong that is not the fault of the request; the sentence has its id.',
  503: 'The database is away; Retry-After says when to try again.',
} as const;

/** The OpenAPI 3.1 document of the operator API. */
export function operatorDocument(): OperatorDocument {
  const reader = createSchemaReader([failure, ...operatorOperations.flatMap(schemasOf)]);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, operation] of Object.entries(byName)) {
    const item = (paths[templated(operation.path)] ??= {});
    item[operation.method.toLowerCase()] = documented(name, operation, reader);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Callout, operator API',
      version: '1.0',
      description:
        'Zones, tenants, resources and credentials of an installation, what is owed in it, and what keeps it going. It has a port and a token of its own. Below /tenants/{tenantId}/v1.0 it has the API of that tenant, with the requests and answers of its own document: everything that an admin of the tenant reads, redeliver, retryNow and cancel, and PATCH of a webhook with {"isActive":false}.',
      contact: { name: 'The operators of this installation' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/operator/v1' }],
    security: [{ OperatorToken: [] }],
    paths,
    components: {
      securitySchemes: {
        OperatorToken: { type: 'http', scheme: 'bearer', description: 'OPERATOR_TOKEN of the API process.' },
      },
      responses: Object.fromEntries(
        Object.entries(failures).map(([status, description]) => [
          `Failure${status}`,
          { description, content: jsonContent(reader.read(failure)) },
        ]),
      ),
      schemas: reader.components,
    },
  };
}

const schemasOf = ({ query, body, response }: OperatorOperation): z.ZodType[] =>
  [query, body?.schema, response.schema].filter((schema) => schema !== undefined);

function documented(operationId: string, operation: OperatorOperation, reader: SchemaReader): Operation {
  const { path, summary, description, query, body, response, status = 200, conflict } = operation;
  const read = reader.read(response.schema);
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    parameters: [
      ...[...path.matchAll(/:(\w+)/gu)].map(([, name = '']) => placeholder(name)),
      ...(query === undefined ? [] : queryParameters(query, reader)),
    ],
    ...(body !== undefined && {
      requestBody: { required: body.isOptional !== true, content: jsonContent(reader.read(body.schema)) },
    }),
    responses: {
      [status]: {
        description: response.description,
        content: response.mediaType === undefined ? jsonContent(read) : { [response.mediaType]: { schema: read } },
      },
      ...Object.fromEntries(
        failuresOf(operation).map((code) => [code, { $ref: `#/components/responses/Failure${code}` }]),
      ),
      ...(conflict !== undefined && { 409: { description: conflict, content: jsonContent(reader.read(failure)) } }),
    },
  };
}

function placeholder(name: string): Parameter {
  const schema: Json =
    name === 'mailId' || name === 'calloutId'
      ? { type: 'string', format: 'uuid' }
      : { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 };
  return { name, in: 'path', required: true, schema };
}

function failuresOf({ path, body, isFound, needsConsole }: OperatorOperation): (keyof typeof failures)[] {
  return [
    400,
    401,
    403,
    ...(path.includes(':') || isFound === true || needsConsole === true ? [404 as const] : []),
    ...(body ? ([408, 413, 415] as const) : []),
    429,
    500,
    503,
  ];
}
