import type { Catalogue } from '@callout/core/catalogue';
import { itemId, pageDetails, queryCount } from '../http/route/wire-types.ts';
import type { Route } from '../http/route/route-table.ts';
import { calloutSchemas, calloutWebhooks } from './callouts.ts';
import { documentedCollections } from './collections.ts';
import type { OpenApiDocument, Operation, Parameter } from './document-types.ts';
import { errorLogSchemas, recordSchemas, webhookSchemas, webhookSchemasOf } from './entity-schemas.ts';
import type { Json } from './json-schema.ts';
import { introduction } from './introduction.ts';
import { operation, templated } from './operation.ts';
import { withMeanings } from './property-descriptions.ts';
import { failureResponses } from './responses.ts';
import { definitionSchemas, envelopeSchemas } from './shared-schemas.ts';
import { createSchemaReader } from './zod-schemas.ts';
import { tagOf, tagsAndGroups, type Tag } from './tags.ts';

/** What the document is made from: what the API itself goes by. */
export interface DocumentSource {
  readonly apiRoot: string;
  readonly catalogue: Catalogue;
  /** The registered routes, by what comes before them in their path, such as `/v1.0`. */
  readonly routes: Readonly<Record<string, readonly Route[]>>;
}

const header = (name: string, text: string) => ({ type: 'apiKey', in: 'header', name, description: text });

/** The OpenAPI 3.1 document of an installation: every route that is registered, and what receivers get. */
export function openApiDocument({ apiRoot, catalogue, routes }: DocumentSource): OpenApiDocument {
  const collections = documentedCollections(catalogue);
  const paths: Record<string, Record<string, Operation>> = {};
  const used: Tag[] = [];
  const reader = createSchemaReader();
  // What routes declare in no schema of their own refers to these.
  for (const envelope of [itemId, queryCount, pageDetails]) reader.read(envelope);
  for (const [base, table] of Object.entries(routes)) {
    for (const { path, methods } of table.toSorted((a, b) => rank(a) - rank(b))) {
      const item = (paths[base + templated(path)] ??= {});
      for (const [method, endpoint] of Object.entries(methods)) {
        const tag = tagOf(path, method, collections);
        used.push(tag);
        item[method.toLowerCase()] = operation(path, method, endpoint, {
          catalogue,
          collections,
          tag: tag.name,
          reader,
        });
      }
    }
  }
  const { tags, groups } = tagsAndGroups(used);
  return {
    openapi: '3.1.0',
    info: { title: 'Callout', version: '1.0', description: introduction({ apiRoot, catalogue, collections }) },
    servers: [{ url: `/${apiRoot}` }],
    security: [{ UserName: [], Secret: [], ApiIntegrationCode: [] }],
    tags,
    'x-tagGroups': groups,
    paths,
    webhooks: calloutWebhooks(catalogue),
    components: {
      securitySchemes: {
        UserName: header('UserName', 'The name of the credential.'),
        Secret: header('Secret', 'Its secret, which was shown once, when it was made.'),
        ApiIntegrationCode: header('ApiIntegrationCode', 'The code of the integration that the credential is for.'),
      },
      parameters: {
        ImpersonationResourceId: impersonation,
        IdempotencyKey: idempotencyKey,
        Strict: strict,
        Prefer: prefer,
      },
      responses: failureResponses(),
      schemas: { ...schemas(catalogue), ...reader.components },
    },
  };
}

/** Routes are registered in the order in which they are tried; readers look for the records first. */
function rank({ path }: Route): number {
  if (path.includes('/entityInformation')) return 2;
  return path.includes('/query') ? 1 : 0;
}

const strict: Parameter = {
  name: 'strict',
  in: 'query',
  required: false,
  description: 'true: what the answer would warn of is refused instead (400), and nothing is kept.',
  schema: { type: 'boolean', default: false },
};

const prefer: Parameter = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description: 'handling=strict (RFC 7240) says the same as strict=true.',
  schema: { type: 'string' },
  example: 'handling=strict',
};

const impersonation: Parameter = {
  name: 'ImpersonationResourceId',
  in: 'header',
  required: false,
  description:
    'Who acts, instead of the resource of the credential. Rights and ownership stay those of the credential.',
  schema: { type: 'integer', minimum: 1 },
};

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to repeat for 24 hours, per credential, method and path: a repeat is answered as the first was, with `Idempotent-Replayed: true`; it waits while the first still runs. What failed is not kept.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

function schemas(catalogue: Catalogue): Record<string, Json> {
  const watched = catalogue.entities.filter((entity) => entity.supportsWebhookCallouts);
  const resources = catalogue.byCollection('Resources');
  const parts: readonly Json[] = [
    envelopeSchemas(),
    webhookSchemas(),
    ...watched.flatMap((entity) => [recordSchemas(entity), webhookSchemasOf(entity)]),
    ...(resources === undefined ? [] : [recordSchemas(resources)]),
    definitionSchemas(catalogue),
    errorLogSchemas(),
    calloutSchemas(catalogue),
  ];
  const all = Object.assign({}, ...parts) as Record<string, Json>;
  return Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, withMeanings(name, schema)]));
}
