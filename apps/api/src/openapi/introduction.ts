import { maxHeaderSize } from 'node:http';
import type { Catalogue, EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { spacedWords } from '@callout/domain/catalogue/names';
import { maxConditions, maxFilterDepth, maxOrBranches } from '@callout/domain/query/parse/filter-reading';
import { maxPageSize } from '@callout/domain/query/parse/query-schema';
import { mostPageBytes } from '@callout/history/search/records/read-records';
import { readableCodings } from '../http/body/inflate.ts';
import { MAX_DEPTH } from '../http/body/json-shape.ts';
import { rolesTable } from '../http/auth/roles-table.ts';

const everywhere = `Paths, header names, and the keys of bodies ignore case. Numbers and booleans may come quoted, booleans also as 1 and 0; a number or boolean where text is expected becomes text. The body of an update may have itemId in place of id, as answers do. Keys that are unknown or read-only are ignored; the answer names the unknown ones, and with \`?strict=true\` they are refused. Lengths are in UTF-16 units. Create, update and delete are answered 200 with the id. Every GET of a list has an \`ETag\`: while the list is the same, a GET with it in \`If-None-Match\` is answered 304 without a body. Every failure has the same envelope.`;

/** What the introduction shows of single endpoints. */
export interface ShownEndpoints {
  /** The most events of a request. */
  readonly maxEvents: number;
  /** A body of a create. */
  readonly webhookExample: (entity: EntityDefinition) => unknown;
  /** A body about a change. */
  readonly eventsExample: (catalogue: Catalogue) => unknown;
}

interface IntroductionSource {
  readonly apiRoot: string;
  readonly catalogue: Catalogue;
  readonly endpoints: ShownEndpoints;
}

/** The beginning of the document: authentication, the first webhook, the first event, and general rules. */
export function introduction(source: IntroductionSource): string {
  const { catalogue, endpoints } = source;
  const watched = catalogue.watched;
  const many = watched.map((entity) => spacedWords(entity.collection));
  const [first] = watched;
  const subjects = [many.slice(0, -1).join(', '), many.at(-1)].filter((part) => part).join(' and ');
  return [
    `Webhooks for ${subjects}: integrators subscribe to fields, and get a signed request when one of them changes.`,
    '# Sign in',
    'Each request carries three headers, `UserName`, `Secret` and `ApiIntegrationCode`. An operator creates them with `callout admin credentials create`, and chooses the role, which decides what they may do:',
    rolesTable(),
    first && firstRequests(source, first),
    '# Everywhere',
    everywhere,
    '# Limits',
    limits(endpoints.maxEvents),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n');
}

function firstRequests({ apiRoot, catalogue, endpoints }: IntroductionSource, entity: EntityDefinition): string {
  const curl = (path: string, body: unknown) =>
    [
      '```sh',
      `curl https://callout.example/${apiRoot}/v1.0${path} \\`,
      `  -H 'UserName: …' -H 'Secret: …' -H 'ApiIntegrationCode: …' -H 'Content-Type: application/json' \\`,
      `  -d '${JSON.stringify(body, null, 2)}'`,
      '```',
    ].join('\n');
  return [
    '# The first webhook',
    'With a credential of the role `integrator`: where the callouts go, the secret that signs them, and the fields that matter.',
    curl(`/${entity.webhookCollection}`, endpoints.webhookExample(entity)),
    'The answer is `{"itemId":…}`. `POST …/{id}/test` sends a sample at once, and `GET …/{id}/readiness` says what is missing.',
    '# The first event',
    'With a credential of the role `source`: report what changed. Products that keep their records here write the records instead.',
    curl('/EntityEvents', endpoints.eventsExample(catalogue)),
    'The answer 202 means stored: each webhook for which a callout is due gets it. `GET /EntityEvents/{eventID}` shows the result, and `GET …/{id}/Callouts` what the receiver answered.',
  ].join('\n\n');
}

/** General rules for requests, in Markdown: limits, and the statuses before an operation runs. */
function limits(maxEvents: number): string {
  return [
    `- URL and headers of a request: ${maxHeaderSize} bytes together, else 431. A long query goes as the body of \`POST …/query\`.`,
    `- A body: as many bytes as its operation says, ${MAX_DEPTH} levels of nesting. It may be compressed, with \`Content-Encoding\` ${readableCodings}; the bytes are then those of the inflated body, and another coding is 415.`,
    `- \`POST /EntityEvents\`: ${maxEvents} events.`,
    `- A page: ${maxPageSize} rows, and ${mostPageBytes} bytes of stored values; it may have fewer rows than were asked for while another page follows.`,
    `- A filter: ${maxConditions} conditions, ${maxFilterDepth} levels of groups, ${maxOrBranches} items of \`or\` groups and values of \`in\` together.`,
    '- Requests per hour and tenant, queries and answers at the same time: above them 429 with `Retry-After`. `GET /ThresholdInformation` shows the first.',
    '- Any path may answer 400 to a request that is not valid HTTP (two `Host` headers, a `Transfer-Encoding` other than `chunked`), 405 to a method that it does not have, with `Allow`, and 417 to an `Expect` other than `100-continue`.',
  ].join('\n');
}
