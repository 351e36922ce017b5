import { randomBytes } from 'node:crypto';
import { makeOwnCertificate } from '@callout/testing';
import type { Random } from '../random.ts';
import type { Mood } from '../receivers/moods.ts';
import { companyConditions, type DrillCondition } from './conditions.ts';
import { company, type DrillEntity } from './entities.ts';

/** What a webhook has beside its subscription. */
export interface Variety {
  readonly format: BodyFormat;
  readonly signatureKind: (typeof signatureKinds)[number];
  /** Its callouts say what changed fields were before. */
  readonly withPrevious?: true;
  readonly condition?: DrillCondition;
  readonly credentials?: DrillCredentials;
  /** Limits of its calls, by which its callouts wait and none may be lost. */
  readonly limits?: (typeof kindsOfLimits)[number];
}

export const bodyFormats = ['reference', 'typed', 'cloudevents'] as const;
export type BodyFormat = (typeof bodyFormats)[number];

const signatureKinds = ['hmac', 'ed25519', 'both'] as const;

/** Low enough to be reached, and high enough for a backlog to be sent within the drill; none for a sluggish receiver. */
const kindsOfLimits = [
  { maxCallsPerSecond: 40 },
  { maxConcurrentCalls: 2 },
  { maxCallsPerSecond: 100.5, maxConcurrentCalls: 1 },
] as const;

/** What each request to a receiver carries beside the signature. */
export interface DrillCredentials {
  readonly requestHeaders: readonly { readonly name: string; readonly value: string }[];
  readonly receiverAuth:
    | { readonly kind: 'none' }
    | { readonly kind: 'basic'; readonly userName: string; readonly password: string }
    | { readonly kind: 'bearer'; readonly token: string }
    | { readonly kind: 'oauth2'; readonly clientId: string; readonly clientSecret: string }
    | { readonly kind: 'mtls'; readonly certificate: string; readonly privateKey: string };
}

/** What webhooks have to know of the receivers. */
export interface ReceiverPlaces {
  /** Where webhooks with OAuth 2.0 get their tokens. */
  readonly tokenUrl: string;
  /** Of the receiver that wants certificates of its clients. */
  readonly caCertificate: string;
}

const random = () => randomBytes(15).toString('base64url');

/** One for all: certificates that are their own authorities need different names, and these have the same. */
const client = makeOwnCertificate();
export const clientCertificate = client.cert;

const kindsOfAuth: readonly ((name: string) => DrillCredentials['receiverAuth'])[] = [
  () => ({ kind: 'none' }),
  () => ({ kind: 'basic', userName: 'Bär', password: random() }),
  () => ({ kind: 'bearer', token: random() }),
  (name) => ({ kind: 'oauth2', clientId: name, clientSecret: random() }),
  () => ({ kind: 'mtls', certificate: client.cert, privateKey: client.key }),
];

/**
 * Gives webhooks formats, signatures, previous values, conditions, credentials and limits of their calls, each kind to
 * some of them: which ones is determined by the seed.
 */
export function giveVariety<
  Webhook extends { readonly name: string; readonly entity: DrillEntity; readonly mood: Mood },
>(webhooks: readonly Webhook[], chances: Random): (Webhook & Variety)[] {
  const places = (those = webhooks) => new Map(chances.shuffle(those).map((webhook, nth) => [webhook.name, nth]));
  const [formats, previous, credentials, signatures] = [places(), places(), places(), places()];
  const limits = places(webhooks.filter(({ mood }) => mood !== 'sluggish'));
  const conditions = places(webhooks.filter((webhook) => webhook.entity === company));
  const kinds = chances.shuffle(companyConditions);
  return webhooks.map((webhook) => {
    const { name } = webhook;
    const nthFormat = (formats.get(name) ?? 0) % bodyFormats.length;
    const nthSignature = (signatures.get(name) ?? 0) % signatureKinds.length;
    const condition = kinds[conditions.get(name) ?? kinds.length];
    const nthLimits = limits.get(name);
    const isLimited = nthLimits !== undefined && nthLimits % 3 === 0;
    const ownLimits = isLimited ? kindsOfLimits[(nthLimits / 3) % kindsOfLimits.length] : undefined;
    const nthAuth = credentials.get(name) ?? 0;
    return {
      ...webhook,
      format: bodyFormats[nthFormat] ?? 'reference',
      signatureKind: signatureKinds[nthSignature] ?? 'hmac',
      ...((previous.get(name) ?? 0) % 2 === 0 && { withPrevious: true }),
      ...(condition && { condition }),
      ...(ownLimits && { limits: ownLimits }),
      ...(nthAuth % 2 === 0 && {
        credentials: {
          requestHeaders: [{ name: 'X-Drill-Key', value: `key ${random()}` }],
          receiverAuth: kindsOfAuth[(nthAuth / 2) % kindsOfAuth.length]?.(name) ?? { kind: 'none' },
        },
      }),
    };
  });
}

/** The fields of a registration. */
export function settingsOf(
  { format, signatureKind, withPrevious, condition, credentials, limits }: Variety,
  { tokenUrl, caCertificate }: ReceiverPlaces,
): Readonly<Record<string, unknown>> {
  const auth = credentials?.receiverAuth;
  return {
    payloadFormat: format,
    signatureKind,
    ...(withPrevious && { includePreviousValues: true }),
    ...(condition && { condition: condition.filter }),
    ...limits,
    ...(credentials && {
      requestHeaders: credentials.requestHeaders,
      receiverAuth: auth?.kind === 'oauth2' ? { ...auth, tokenUrl } : auth,
      ...(auth?.kind === 'mtls' && { caCertificate }),
    }),
  };
}

/** The secrets in it. */
export function secretsIn(credentials: DrillCredentials | undefined): string[] {
  if (credentials === undefined) return [];
  const { requestHeaders, receiverAuth: auth } = credentials;
  const values = requestHeaders.map(({ value }) => value);
  if (auth.kind === 'basic') return [...values, auth.password];
  if (auth.kind === 'bearer') return [...values, auth.token];
  // A line of it: the log writes line breaks in another way.
  if (auth.kind === 'mtls') return [...values, ...auth.privateKey.split('\n').slice(1, 2)];
  return auth.kind === 'oauth2' ? [...values, auth.clientSecret] : values;
}
