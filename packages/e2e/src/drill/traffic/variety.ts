import { randomBytes } from 'node:crypto';
import type { Random } from '../random.ts';
import { companyConditions, type DrillCondition } from './conditions.ts';
import { company, type DrillEntity } from './entities.ts';

/** What a webhook has beside its subscription. */
export interface Variety {
  /** Absent: the reference format. */
  readonly format?: 'typed' | 'cloudevents';
  /** Its callouts say what changed fields were before. */
  readonly withPrevious?: true;
  readonly condition?: DrillCondition;
  readonly credentials?: DrillCredentials;
  /** Limits of its calls, by which its callouts wait and none may be lost. */
  readonly limits?: (typeof kindsOfLimits)[number];
}

/** Low enough to be reached, and high enough for a backlog to be sent within the drill. */
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
    | { readonly kind: 'oauth2'; readonly clientId: string; readonly clientSecret: string };
}

const random = () => randomBytes(15).toString('base64url');

const kindsOfAuth: readonly ((name: string) => DrillCredentials['receiverAuth'])[] = [
  () => ({ kind: 'none' }),
  () => ({ kind: 'basic', userName: 'Bär', password: random() }),
  () => ({ kind: 'bearer', token: random() }),
  (name) => ({ kind: 'oauth2', clientId: name, clientSecret: random() }),
];

/**
 * Gives webhooks formats, previous values, conditions, credentials and limits of their calls, each kind to some of them: which ones is
 * determined by the seed.
 */
export function giveVariety<Webhook extends { readonly name: string; readonly entity: DrillEntity }>(
  webhooks: readonly Webhook[],
  chances: Random,
): (Webhook & Variety)[] {
  const places = (those = webhooks) => new Map(chances.shuffle(those).map((webhook, nth) => [webhook.name, nth]));
  const [formats, previous, credentials, limits] = [places(), places(), places(), places()];
  const conditions = places(webhooks.filter((webhook) => webhook.entity === company));
  const kinds = chances.shuffle(companyConditions);
  return webhooks.map((webhook) => {
    const { name } = webhook;
    const format = ([undefined, 'typed', 'cloudevents'] as const)[(formats.get(name) ?? 0) % 3];
    const condition = kinds[conditions.get(name) ?? kinds.length];
    const nthLimits = limits.get(name) ?? 0;
    const ownLimits = nthLimits % 3 === 0 ? kindsOfLimits[(nthLimits / 3) % kindsOfLimits.length] : undefined;
    const nthAuth = credentials.get(name) ?? 0;
    return {
      ...webhook,
      ...(format && { format }),
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

/** The fields of a registration. @param tokenUrl where its tokens are issued. */
export function settingsOf(
  { format, withPrevious, condition, credentials, limits }: Variety,
  tokenUrl: string,
): Readonly<Record<string, unknown>> {
  const auth = credentials?.receiverAuth;
  return {
    ...(format && { payloadFormat: format }),
    ...(withPrevious && { includePreviousValues: true }),
    ...(condition && { condition: condition.filter }),
    ...limits,
    ...(credentials && {
      requestHeaders: credentials.requestHeaders,
      receiverAuth: auth?.kind === 'oauth2' ? { ...auth, tokenUrl } : auth,
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
  return auth.kind === 'oauth2' ? [...values, auth.clientSecret] : values;
}
