import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { tagGroups, type Tag } from '../http/operation/tags.ts';
import type { Route } from '../http/route/route-table.ts';
import { calloutRequests, receiverTag } from './callouts/callout-requests.ts';
import type { DocumentedTag, OpenApiDocument, Operation, TagGroup } from './document-types.ts';
import { failure, failureResponses } from './failures.ts';
import { introduction, type ShownEndpoints } from './introduction.ts';
import { operation, schemasOf, templated } from './operation.ts';
import { parameterComponents } from './parameters.ts';
import { receiverRequests } from './callouts/receiver-requests.ts';
import { createSchemaReader } from './zod-schemas.ts';
import { describeOnce, nameOf } from './describe-once.ts';
import { shareParameters } from './share-parameters.ts';

/** The definitions of the API for the document. */
export interface DocumentSource {
  readonly apiRoot: string;
  readonly catalogue: Catalogue;
  /** The registered routes, by the prefix of the paths, like `/v1.0`. */
  readonly routes: Readonly<Record<string, readonly Route[]>>;
  readonly shown: ShownEndpoints;
}

const header = (name: string, text: string) => ({ type: 'apiKey', in: 'header', name, description: text });

/** The OpenAPI 3.1 document of an installation: every registered route, and the requests to receivers. */
export function openApiDocument({ apiRoot, catalogue, routes, shown }: DocumentSource): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  const used: Tag[] = [receiverTag];
  const callouts = calloutRequests(catalogue);
  const endpoints = Object.values(routes).flatMap((table) => table.flatMap(({ methods }) => Object.values(methods)));
  const reader = createSchemaReader([failure, ...endpoints.flatMap(({ schema }) => schemasOf(schema))]);
  for (const [base, table] of Object.entries(routes)) {
    for (const { path, methods } of table.toSorted((a, b) => rank(a) - rank(b))) {
      const item = (paths[base + templated(path)] ??= {});
      for (const [method, endpoint] of Object.entries(methods)) {
        used.push(endpoint.schema.tag);
        item[method.toLowerCase()] = operation(path, endpoint, reader);
      }
    }
  }
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: {
      title: 'Callout',
      version: '1.0',
      description: introduction({ apiRoot, catalogue, endpoints: shown }),
      contact: { name: 'The operators of this installation' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `/${apiRoot}` }],
    security: [{ UserName: [], Secret: [], ApiIntegrationCode: [] }],
    ...tagsAndGroups(used),
    paths,
    webhooks: receiverRequests(callouts),
    components: {
      securitySchemes: {
        UserName: header('UserName', 'The name of the credential.'),
        Secret: header('Secret', 'Its secret, which was shown once, when it was made.'),
        ApiIntegrationCode: header('ApiIntegrationCode', 'The code of the integration that the credential is for.'),
      },
      parameters: parameterComponents(catalogue.watched.map(nameOf)),
      responses: failureResponses(reader),
      schemas: Object.assign({}, reader.components, ...callouts.map(({ forms }) => forms.components)),
    },
  };
  return shareParameters(describeOnce(document, catalogue));
}

/** Routes are registered in the order of matching; readers look for the records first. */
function rank({ path }: Route): number {
  if (path.includes('/entityInformation')) return 2;
  return path.includes('/query') ? 1 : 0;
}

/** The used tags, in the order of groups. */
function tagsAndGroups(used: readonly Tag[]): { tags: DocumentedTag[]; 'x-tagGroups': TagGroup[] } {
  const tags = [...new Map(used.map((tag) => [tag.name, tag])).values()];
  const groups = tagGroups
    .map((name) => ({
      name,
      tags: tags
        .filter((tag) => tag.group === name)
        .toSorted((a, b) => (a.place ?? Infinity) - (b.place ?? Infinity) || 0),
    }))
    .filter((group) => group.tags.length > 0);
  return {
    tags: groups.flatMap((group) => group.tags.map(({ name, description }) => ({ name, description }))),
    'x-tagGroups': groups.map((group) => ({ name: group.name, tags: group.tags.map(({ name }) => name) })),
  };
}
