import { receiverResponses, receiverTag, type CalloutRequest } from './callout-requests.ts';
import type { OpenApiDocument, PathItem } from '../document-types.ts';

/** The requests to receivers, as the `webhooks` of the document. */
export function receiverRequests(requests: readonly CalloutRequest[]): OpenApiDocument['webhooks'] {
  return Object.fromEntries(
    requests.map(({ name, operationId, summary, forms, headers }): [string, PathItem] => [
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
                schema: { oneOf: [forms.reference.schema, forms.typed.schema] },
                examples: {
                  reference: { summary: 'The format reference', value: forms.reference.example },
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
