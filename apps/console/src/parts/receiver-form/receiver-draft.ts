export const authKinds = ['none', 'basic', 'bearer', 'oauth2', 'mtls'] as const;
export type AuthKind = (typeof authKinds)[number];

/** Values of all inputs as text; empty: none. A secret that is stored and not replaced has the mask. */
export type AuthDraft = Readonly<Record<string, string>> & { readonly kind: AuthKind };

export interface ReceiverDraft {
  readonly auth: AuthDraft;
  /** `key` names a row of the form. */
  readonly headers: readonly { readonly key: string; readonly name: string; readonly value: string }[];
  readonly caCertificate: string;
}

/** Stands for a stored secret in reads, and for an unchanged one in writes. */
export const secretMask = '********';

interface StoredReceiver {
  readonly receiverAuth?: object | undefined;
  readonly requestHeaders?: readonly { readonly name: string; readonly value: string }[] | undefined;
  readonly caCertificate?: string | null | undefined;
}

export function receiverDraft({ receiverAuth, requestHeaders = [], caCertificate }: StoredReceiver): ReceiverDraft {
  const values = Object.entries(receiverAuth ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : '',
  ]);
  return {
    auth: { kind: 'none', ...(Object.fromEntries(values) as Record<string, string>) },
    headers: requestHeaders.map(({ name, value }) => ({ key: name, name, value })),
    caCertificate: caCertificate ?? '',
  };
}

/** The draft as the API takes it. */
export function receiverBody({ auth, headers, caCertificate }: ReceiverDraft) {
  const { certificateExpiresAt: _readOnly, ...values } = auth;
  const entries = Object.entries(values).filter(([, value]) => value !== '');
  return {
    receiverAuth: Object.fromEntries(entries),
    requestHeaders: headers.map(({ name, value }) => ({ name, value })),
    caCertificate: caCertificate.trim() === '' ? null : caCertificate,
  };
}

/** What a webhook begins with. */
export const emptyReceiver: ReceiverDraft = { auth: { kind: 'none' }, headers: [], caCertificate: '' };

const secretNames: Readonly<Record<string, string>> = {
  password: 'the password',
  token: 'the token',
  clientSecret: 'the client secret',
  privateKey: 'the private key',
};

/** A draft for another webhook: stored secrets cannot be copied, and are to be entered again. */
export interface CopiedReceiver {
  readonly draft: ReceiverDraft;
  /** The names of the secrets that it lacks, such as `the password`. */
  readonly missing: readonly string[];
}

/** Copies what may be read of the settings of a webhook. */
export function copyReceiver({ auth, headers, caCertificate }: ReceiverDraft): CopiedReceiver {
  const { certificateExpiresAt: _readOnly, ...values } = auth;
  const secrets = Object.entries(values).filter(([, value]) => value === secretMask);
  const emptied = Object.fromEntries(secrets.map(([key]) => [key, '']));
  return {
    draft: { auth: { ...values, ...emptied }, headers: headers.map((one) => ({ ...one, value: '' })), caCertificate },
    missing: [
      ...secrets.map(([key]) => secretNames[key] ?? key),
      ...headers.map(({ name }) => `the value of the header ${name}`),
    ],
  };
}
