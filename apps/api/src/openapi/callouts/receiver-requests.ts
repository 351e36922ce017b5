import { receiverResponses, receiverTag, type CalloutRequest } from './callout-requests.ts';
import type { OpenApiDocument, PathItem } from '../document-types.ts';
import type { SchemaReader } from '../zod-schemas.ts';

/** The requests to receivers, as the `webhooks` of the document. */
export function receiverRequests(
  requests: readonly CalloutRequest[],
  { read }: SchemaReader,
): OpenApiDocument['webhooks'] {
  return Object.fromEntries(
    requests.map(({ name, operationId, summary, schema, body, forms, headers }): [string, PathItem] => [
      name,
      {
        post: {
          operationId,
          tags: [receiverTag.name],
          summary,
          parameters: headers.map((header) => ({
            name: header.name,
            in: 'header',
            required: header.isAlwaysThere,
            description: header.description,
            schema: { type: 'string' },
            example: header.example,
          })),
          requestBody: {
            required: true,
            description: 'In the payloadFormat of the webhook.',
            content: {
              'application/json': {
                // No body has the required keys of both.
                schema: { oneOf: [read(schema), forms.typed.schema] },
                examples: {
                  reference: { summary: 'The format reference', value: JSON.parse(body) as unknown },
                  typed: { summary: 'The format typed', value: forms.typed.example },
                },
              },
              'application/cloudevents+json': forms.cloudevents,
            },
          },
          responses: receiverResponses,
        },
      },
    ]),
  );
}
