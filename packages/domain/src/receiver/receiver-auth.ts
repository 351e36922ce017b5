import { z } from 'zod';
import type { KeySpelling } from '../input/fold-keys.ts';
import { secretMask } from '../input/secret-mask.ts';
import { maxPemLength, readCertificates } from './certificates.ts';

/** How a token endpoint learns who asks (RFC 6749, 2.3.1). */
export const clientAuthentications = ['client_secret_basic', 'client_secret_post'] as const;

/** How Callout proves to a receiver who it is, beside the signature. */
export type ReceiverAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly userName: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string }
  | {
      readonly kind: 'oauth2';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly clientAuthentication: (typeof clientAuthentications)[number];
      readonly scope: string | null;
      readonly audience: string | null;
      /** Authorities of the token endpoint, in PEM; null: the public ones. */
      readonly tokenCaCertificate: string | null;
    }
  | { readonly kind: 'mtls'; readonly certificate: string; readonly privateKey: string };

export type ReceiverAuthKind = ReceiverAuth['kind'];
export const receiverAuthKinds = ['none', 'basic', 'bearer', 'oauth2', 'mtls'] as const satisfies ReceiverAuthKind[];

/** The secret of each kind: write-only, and shown as asterisks. */
export const secretOfKind = {
  none: null,
  basic: 'password',
  bearer: 'token',
  oauth2: 'clientSecret',
  mtls: 'privateKey',
} as const satisfies Record<ReceiverAuthKind, string | null>;

/** Text of visible ASCII, with blanks inside if they are allowed. `message` continues a sentence. */
function visible(name: string, max: number, { blanks = false } = {}): z.ZodType<string> {
  const message = `${name} must be 1 to ${max} visible ASCII characters${blanks ? '' : ' without blanks'}`;
  const pattern = blanks ? /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/u : /^[\x21-\x7e]+$/u;
  return z.string(message).max(max, message).regex(pattern, message);
}

/** Text of any characters that can be typed. */
function typed(name: string, max: number): z.ZodType<string> {
  const message = `${name} must be 1 to ${max} characters, no control characters among them`;
  return z
    .string(message)
    .min(1, message)
    .max(max, message)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), message);
}

function certificates(name: string): z.ZodType<string> {
  return z.string(`${name} must be certificates in PEM`).superRefine((text, context) => {
    const read = readCertificates(text);
    if (!read.ok) context.addIssue({ code: 'custom', message: `${name} ${read.message}` });
  });
}

/** One or more certificate authorities, in PEM. */
export const authoritiesInput = z
  .string('must be certificates in PEM')
  .superRefine((text, context) => {
    const read = readCertificates(text);
    const code = text.length > maxPemLength ? 'tooLong' : 'invalid';
    if (!read.ok) context.addIssue({ code: 'custom', message: read.message, params: { code } });
  })
  .nullable();

/** null, absent and an empty text are the same. */
function optional(text: z.ZodType<string>): z.ZodType<string | null> {
  return z
    .union([z.literal(['', null]).transform(() => null), text])
    .optional()
    .transform((auth) => auth ?? null);
}

const shapes = {
  none: z.object({ kind: z.literal('none') }),
  basic: z.object({
    kind: z.literal('basic'),
    // RFC 7617: the first colon ends it.
    userName: typed('userName', 255).refine((name) => !name.includes(':'), 'userName must not contain a colon'),
    password: typed('password', 1024),
  }),
  bearer: z.object({ kind: z.literal('bearer'), token: visible('token', 4096) }),
  oauth2: z.object({
    kind: z.literal('oauth2'),
    tokenUrl: visible('tokenUrl', 500),
    clientId: visible('clientId', 255, { blanks: true }),
    clientSecret: visible('clientSecret', 1024, { blanks: true }),
    clientAuthentication: z
      .enum(clientAuthentications, `clientAuthentication must be one of ${clientAuthentications.join(', ')}`)
      .default('client_secret_basic'),
    scope: optional(visible('scope', 1000, { blanks: true })),
    audience: optional(visible('audience', 500, { blanks: true })),
    tokenCaCertificate: optional(certificates('tokenCaCertificate')),
  }),
  mtls: z.object({
    kind: z.literal('mtls'),
    certificate: certificates('certificate'),
    privateKey: z
      .string('privateKey must be a private key in PEM')
      .max(maxPemLength, `privateKey must be ${maxPemLength} characters or fewer`),
  }),
} as const satisfies Record<ReceiverAuthKind, z.ZodType<ReceiverAuth>>;

/**
 * Reads `receiverAuth`, with folded keys: an object whose `kind` decides about the keys; keys of other kinds are
 * ignored. A secret may be the mask, which an update understands as the stored one.
 */
export const receiverAuthInput = z
  .record(z.string(), z.unknown(), 'must be an object with a kind')
  .transform((body, context): ReceiverAuth => {
    const kind = receiverAuthKinds.find((one) => one === body['kind']);
    if (kind === undefined) {
      context.addIssue({ code: 'custom', message: `must have the kind ${receiverAuthKinds.join(', ')}` });
      return z.NEVER;
    }
    const secret = secretOfKind[kind];
    // An update may leave out an unchanged secret.
    const parsed = shapes[kind].safeParse(secret === null ? body : { ...body, [secret]: body[secret] ?? secretMask });
    if (parsed.success) return parsed.data;
    for (const { message } of parsed.error.issues) {
      context.addIssue({ code: 'custom', message: `of the kind ${kind}: ${message}` });
    }
    return z.NEVER;
  });

const text = z.string();

/** What documents say of the object. */
export const receiverAuthSchema = z
  .object({
    kind: z
      .enum(receiverAuthKinds)
      .describe('`none`; `basic` with userName and password; `bearer` with token; `oauth2`; `mtls`.'),
    userName: text.optional().describe('Of `basic`; without a colon.'),
    password: text.optional().describe('Of `basic`; reads as asterisks, which mean an unchanged one.'),
    token: text.optional().describe('Of `bearer`; reads as asterisks, which mean an unchanged one.'),
    tokenUrl: text.optional().describe('Of `oauth2`: where tokens come from (RFC 6749, client credentials).'),
    clientId: text.optional().describe('Of `oauth2`: the name of the client.'),
    clientSecret: text.optional().describe('Of `oauth2`; reads as asterisks, which mean an unchanged one.'),
    clientAuthentication: z
      .enum(clientAuthentications)
      .optional()
      .describe('Of `oauth2`: how the token endpoint gets the secret; `client_secret_basic` by default.'),
    scope: text.nullable().optional().describe('Of `oauth2`: the scope of the token; null: none is named.'),
    audience: text.nullable().optional().describe('Of `oauth2`: who the token is for; null: nobody is named.'),
    tokenCaCertificate: text
      .nullable()
      .optional()
      .describe('Of `oauth2`: the authorities of the token endpoint, in PEM; null: the public ones.'),
    certificate: text.optional().describe('Of `mtls`: the client certificate, and those above it, in PEM.'),
    privateKey: text.optional().describe('Of `mtls`, in PEM; reads as asterisks, which mean an unchanged one.'),
    certificateExpiresAt: z.iso.datetime().optional().describe('Of `mtls`, read-only: when the certificate expires.'),
  })
  .meta({ id: 'ReceiverAuth' });

/** The keys in a body, also keys that reads show. */
export const receiverAuthKeys: KeySpelling = Object.fromEntries(
  Object.keys(receiverAuthSchema.shape).map((key) => [key, null]),
);
