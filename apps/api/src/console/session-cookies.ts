import { randomBytes } from 'node:crypto';
import type { CookieOptions, Request, Response } from 'express';
import type { KeyRing } from '@callout/domain/secrets/keyring';

/** Whose session: of a credential, of a portal link, of an operator. */
export type SessionKind = 'user' | 'portal' | 'operator';

/** The session cookie of a request. */
export type ReceivedCookie =
  | { readonly kind: 'none' }
  /** The cookie was not made here: changed, cut short, encrypted by unknown keys, or duplicate. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'token'; readonly token: string };

export interface SessionCookies {
  read(request: Request, kind: SessionKind): ReceivedCookie;
  give(request: Request, response: Response, kind: SessionKind, token: string): void;
  take(request: Request, response: Response, kind: SessionKind): void;
}

/** Ports of a host share their cookies, and each kind has a separate name. */
const names: Readonly<Record<SessionKind, string>> = {
  user: 'callout-console',
  portal: 'callout-portal',
  operator: 'callout-operator',
};
const NONCE_BYTES = 12;
const ENCRYPTED = /^([\w-]{1,32})\.([\w-]{16})\.([\w-]{20,200})$/u;

/**
 * Cookies with the token of a session, encrypted by the key ring for a single kind: nobody can forge a cookie by
 * reading or writing the database. Behind TLS the name begins with `__Host-`, which a browser accepts from the host
 * only: no neighbouring host can set the cookie.
 * @param publicUrl PUBLIC_URL, if it is set.
 */
export function createSessionCookies(
  keyRing: Pick<KeyRing, 'encrypt' | 'decrypt'>,
  publicUrl: string | undefined,
): SessionCookies {
  /** From the headers of the proxy, if TRUST_PROXY trusts the proxy, or from the address of the installation. */
  const isKnownSecure = (request: Request): boolean =>
    request.protocol.toLowerCase() === 'https' || publicUrl?.startsWith('https:') === true;

  /** The browser may know of TLS that a proxy did not forward; the statement affects only the browser's cookie. */
  function optionsOf(request: Request, kind: SessionKind): CookieOptions & { readonly secure: boolean } {
    const secure = isKnownSecure(request) || request.headers.origin?.startsWith('https:') === true;
    // Without TLS no browser accepts a cookie in the frame of another site; frames of the site itself get the cookie.
    // Inside frames of other sites the cookie is kept apart for each surrounding site.
    const partitioned = kind === 'portal' && secure;
    return { httpOnly: true, secure, partitioned, sameSite: partitioned ? 'none' : 'strict' };
  }

  const nameOf = (kind: SessionKind, isSecure: boolean) => (isSecure ? `__Host-${names[kind]}` : names[kind]);

  return {
    read(request, kind) {
      const header = request.headers.cookie;
      if (header === undefined) return { kind: 'none' };
      const secure = cookieValues(header, nameOf(kind, true));
      const values = secure.length > 0 || isKnownSecure(request) ? secure : cookieValues(header, nameOf(kind, false));
      if (values.length === 0) return { kind: 'none' };
      const [value = ''] = values;
      const token = values.length === 1 ? decrypted(keyRing, value, kind) : undefined;
      return token === undefined ? { kind: 'unreadable' } : { kind: 'token', token };
    },
    give(request, response, kind, token) {
      // Without an end: the browser forgets the cookie when closed, the server before.
      const options = optionsOf(request, kind);
      response.cookie(nameOf(kind, options.secure), encrypted(keyRing, token, kind), options);
    },
    take(request, response, kind) {
      const options = optionsOf(request, kind);
      response.cookie(nameOf(kind, options.secure), '', { ...options, maxAge: 0 });
    },
  };
}

/**
 * All values of a cookie in a request: a neighbouring host can add a cookie of an equal name, and the `cookie` package
 * returns a single value (`session-routes.test.ts`).
 */
function cookieValues(header: string, name: string): string[] {
  const pairs = header.split(';').map((pair) => pair.split(/=(.*)/su, 2));
  return pairs.flatMap(([key = '', value]) => (key.trim() === name && value !== undefined ? [value.trim()] : []));
}

/** The context of a cookie, besides the key. */
const purposeOf = (kind: SessionKind): string => `console session of a ${kind}`;

function encrypted(keyRing: Pick<KeyRing, 'encrypt'>, token: string, kind: SessionKind): string {
  const { keyId, nonce, ciphertext } = keyRing.encrypt(token, purposeOf(kind), randomBytes(NONCE_BYTES));
  return [keyId, Buffer.from(nonce).toString('base64url'), Buffer.from(ciphertext).toString('base64url')].join('.');
}

function decrypted(keyRing: Pick<KeyRing, 'decrypt'>, value: string, kind: SessionKind): string | undefined {
  const [, keyId, nonce, ciphertext] = ENCRYPTED.exec(value) ?? [];
  if (keyId === undefined || nonce === undefined || ciphertext === undefined) return undefined;
  try {
    const parts = { keyId, nonce: Buffer.from(nonce, 'base64url'), ciphertext: Buffer.from(ciphertext, 'base64url') };
    return keyRing.decrypt(parts, purposeOf(kind));
  } catch {
    return undefined;
  }
}
