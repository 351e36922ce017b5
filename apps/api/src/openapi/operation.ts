import type { z } from 'zod';
import type { ResponseSchema, BodySchema, OperationSchema } from '../http/operation/operation-schema.ts';
import type { Endpoint, PublicEndpoint } from '../http/route/endpoint.ts';
import type { Operation } from './document-types.ts';
import { etagHeader, failuresOf } from './failures.ts';
import { parametersOf } from './parameters.ts';
import { jsonContent, requiring, type SchemaReader } from './zod-schemas.ts';

/** Every schema of an operation. */
export function schemasOf({ query, body, responses }: OperationSchema): z.ZodType[] {
  const responseSchemas = Object.values(responses).map(({ schema }) => schema);
  return [...(query === undefined ? [] : [query]), ...(body === undefined ? [] : [body.schema]), ...responseSchemas];
}

/** A method of a registered path, from the declaration of the endpoint. */
export function operation(path: string, endpoint: Endpoint | PublicEndpoint, reader: SchemaReader): Operation {
  const { schema } = endpoint;
  const hasTag = schema.version !== undefined && schema.version !== 'deleted';
  return {
    operationId: schema.id,
    tags: [schema.tag.name],
    summary: schema.summary,
    description: [schema.description, rolesText(endpoint)].filter((text) => text !== undefined).join('\n\n'),
    ...(endpoint.roles === 'anyone' ? { security: [] } : { 'x-roles': endpoint.roles }),
    parameters: parametersOf(path, endpoint, reader),
    ...(schema.body !== undefined && { requestBody: requestBody(endpoint, schema.body, reader) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(schema.responses).map(([status, response]) => [
          status,
          {
            description: response.description,
            ...(hasTag && { headers: etagHeader }),
            content: contentOf(response, reader),
          },
        ]),
      ),
      ...(schema.version === 'read' && { 304: { description: 'The version is the one of If-None-Match.' } }),
      ...failuresOf(path, endpoint, reader),
    },
  };
}

function contentOf({ schema, mediaType }: ResponseSchema, reader: SchemaReader): ReturnType<typeof jsonContent> {
  const read = reader.read(schema);
  return mediaType === undefined ? jsonContent(read) : { [mediaType]: { schema: read } };
}

function requestBody(
  endpoint: Endpoint | PublicEndpoint,
  { schema, required = [], example, isOptional }: BodySchema,
  { read }: SchemaReader,
): NonNullable<Operation['requestBody']> {
  const maxBytes = endpoint.roles === 'anyone' ? undefined : endpoint.maxBodyBytes;
  return {
    ...(maxBytes !== undefined && { description: `At most ${maxBytes} bytes.` }),
    required: isOptional !== true,
    content: jsonContent(requiring(read(schema), required), example),
  };
}

function rolesText({ roles }: Endpoint | PublicEndpoint): string {
  return roles === 'anyone' ? 'Needs no credentials.' : `Roles: ${roles.join(', ')}.`;
}

/** `/CompanyWebhooks/:id` with the placeholders as OpenAPI writes them. */
export function templated(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
