import type { Catalogue } from '@callout/core/catalogue';
import { words, type DocumentedCollection } from './collections.ts';
import { eventsExample, exampleOf } from './examples.ts';
import { limits } from './limits.ts';
import { rolesTable } from './roles-table.ts';

const everywhere = `Paths, header names, and the keys of bodies ignore case. Numbers and booleans may come quoted, booleans also as 1 and 0; a number or boolean given for a text is its text. The body of an update may have itemId in place of id, as answers do. Keys that are unknown or read-only are ignored; the answer names the unknown ones, and with \`?strict=true\` they are refused. Lengths are in UTF-16 units. Create, update and delete are answered 200 with the id. Every failure has the same envelope.`;

interface IntroductionSource {
  readonly apiRoot: string;
  readonly catalogue: Catalogue;
  readonly collections: readonly DocumentedCollection[];
}

/** What the document begins with: how to sign in, the first webhook, the first event, and what holds everywhere. */
export function introduction({ apiRoot, catalogue, collections }: IntroductionSource): string {
  const watched = catalogue.entities.filter((entity) => entity.supportsWebhookCallouts);
  const many = watched.map((entity) => words(entity.collection));
  const webhooks = collections.find((one) => one.kind === 'webhooks');
  const subjects = [many.slice(0, -1).join(', '), many.at(-1)].filter((part) => part).join(' and ');
  return [
    `Webhooks for ${subjects}: integrators subscribe to fields, and get a signed request when one of them changes.`,
    '# Sign in',
    'Each request carries three headers, `UserName`, `Secret` and `ApiIntegrationCode`. An operator makes them with `npx callout credential create`, and chooses the role, which decides what they may do:',
    rolesTable(),
    webhooks && firstRequests(apiRoot, catalogue, webhooks),
    '# Everywhere',
    everywhere,
    '# Limits',
    limits(),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n');
}

function firstRequests(apiRoot: string, catalogue: Catalogue, webhooks: DocumentedCollection): string {
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
    curl(webhooks.path, exampleOf(catalogue, 'create', webhooks, false)),
    'The answer is `{"itemId":…}`. `POST …/{id}/test` sends a sample at once, and `GET …/{id}/readiness` says what is missing.',
    '# The first event',
    'With a credential of the role `source`: report what changed. Products that keep their records here write the records instead.',
    curl('/EntityEvents', eventsExample(catalogue)),
    'The answer 202 means stored: each webhook that is owed a callout gets it. `GET /EntityEvents/{eventID}` says what came of it, and `GET …/{id}/Callouts` what the receiver answered.',
  ].join('\n\n');
}
