import { z } from 'zod';
import { placeholders, placeholdersOf, type Operation as Described } from '@callout/domain/operations/operation';
import { operationNames, operations } from '@callout/domain/operations/operations';
import type { ResponseSchema } from '../../http/operation/operation-schema.ts';
import type { ResponseObject, Json, OpenApiDocument, Operation, Parameter } from '../../openapi/document-types.ts';
import { failure } from '../../openapi/failures.ts';
import { templated } from '../../openapi/operation.ts';
import { queryParameters } from '../../openapi/parameters.ts';
import { createSchemaReader, jsonContent, type SchemaReader } from '../../openapi/zod-schemas.ts';
import { responses } from './operator-responses.ts';
import { queryOf, shapeOf } from './parameter-schemas.ts';

type OperatorDocument = Pick<OpenApiDocument, 'openapi' | 'info' | 'servers' | 'security' | 'paths'> & {
  readonly components: {
    readonly securitySchemes: Json;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly schemas: Readonly<Record<string, Json>>;
  };
};

/** An operation with the schemas of the document. */
interface OperatorOperation extends Pick<
  Described,
  'method' | 'path' | 'summary' | 'description' | 'status' | 'isFound' | 'needsConsole' | 'conflict' | 'isBodyOptional'
> {
  readonly query: z.ZodObject | undefined;
  readonly body: z.ZodObject | undefined;
  readonly response: ResponseSchema;
}

const documentedOperations = operationNames.map((name) => {
  const described = operations[name];
  const body = described.body && z.object(shapeOf(described.body));
  return [name, { ...described, query: queryOf(described), body, response: responses[name] }] as const;
});

const failures = {
  400: 'A value of the query or of the body is wrong: every problem is named.',
  401: 'The operator token is missing or wrong.',
  403: 'A request with the cookie of the console did not come from its page.',
  404: 'No matching records found: the path or what it names does not exist.',
  408: 'The body stopped coming before it was complete; the connection ends.',
  412: 'If-Match names a version, and what operators write has none.',
  413: 'The body is too long.',
  415: 'The body is not JSON.',
  429: 'Too many wrong tokens came from this address; Retry-After says when to try again.',
  500: 'Something went wrong that is not the fault of the request; the sentence has its id.',
  503: 'The database is away; Retry-After says when to try again.',
} as const;

/** The OpenAPI 3.1 document of the operator API. */
export function operatorDocument(): OperatorDocument {
  const reader = createSchemaReader([failure, ...documentedOperations.flatMap(([, one]) => schemasOf(one))]);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, operation] of documentedOperations) {
    const item = (paths[templated(operation.path)] ??= {});
    item[operation.method.toLowerCase()] = documented(name, operation, reader);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Callout, operator API',
      version: '1.0',
      description:
        'Zones, tenants, resources and credentials of an installation, what is to be delivered in it, and what keeps it going. It has a port and a token of its own. Below /tenants/{tenantId}/v1.0 it has the API of that tenant, with the requests and answers of its own document: everything that an admin of the tenant reads, redeliver, retryNow and cancel, and PATCH of a webhook with {"isActive":false}.',
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
  [query, body, response.schema].filter((schema) => schema !== undefined);

function documented(operationId: string, operation: OperatorOperation, reader: SchemaReader): Operation {
  const { summary, description, query, body, isBodyOptional, response, status = 200, conflict } = operation;
  const read = reader.read(response.schema);
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    parameters: [
      ...placeholdersOf(operation).map(placeholder),
      ...(query === undefined ? [] : queryParameters(query, reader)),
    ],
    ...(body !== undefined && {
      requestBody: { required: isBodyOptional !== true, content: jsonContent(reader.read(body)) },
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
  const { kind, description } = placeholders[name] ?? { kind: 'id', description: '' };
  const schema: Json =
    kind === 'guid' ? { type: 'string', format: 'uuid' } : { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 };
  return { name, in: 'path', required: true, description, schema };
}

function failuresOf({ method, path, body, isFound, needsConsole }: OperatorOperation): (keyof typeof failures)[] {
  return [
    400,
    401,
    403,
    ...(path.includes(':') || isFound === true || needsConsole === true ? [404 as const] : []),
    ...(method === 'GET' ? [] : [412 as const]),
    ...(body ? ([408, 413, 415] as const) : []),
    429,
    500,
    503,
  ];
}
