import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { KeyRing } from '@callout/core/secrets';
import { clearCookie, cookieValues, setCookie, type CookieRules } from './cookies.ts';

/** Whose session: of a credential, of a portal link, of an operator. */
export type SessionKind = 'user' | 'portal' | 'operator';

/** What a request brought. */
export type BroughtCookie =
  | { readonly kind: 'none' }
  /** There is one, and it is none that was made here: changed, cut short, sealed by other keys, or there twice. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'token'; readonly token: string };

export interface SessionCookies {
  read(request: Request, kind: SessionKind): BroughtCookie;
  give(request: Request, response: Response, kind: SessionKind, token: string): void;
  take(request: Request, response: Response, kind: SessionKind): void;
}

/** Ports of a host share their cookies, so each kind has a name of its own. */
const names: Readonly<Record<SessionKind, string>> = {
  user: 'callout-console',
  portal: 'callout-portal',
  operator: 'callout-operator',
};
const NONCE_BYTES = 12;
const SEALED = /^([\w-]{1,32})\.([\w-]{16})\.([\w-]{20,200})$/u;

/**
 * Cookies that carry the token of a session, sealed by the key ring for one kind: a cookie cannot be forged by writing to the
 * database, nor by reading it. Behind TLS the name begins with `__Host-`, which a browser takes from this very host only,
 * so that no neighbouring host can plant one.
 * @param publicUrl PUBLIC_URL, where it is set.
 */
export function createSessionCookies(
  keyRing: Pick<KeyRing, 'seal' | 'open'>,
  publicUrl: string | undefined,
): SessionCookies {
  /** By what the proxy in front says, as far as TRUST_PROXY believes it, or by the address of the installation. */
  const isKnownSecure = (request: Request): boolean =>
    request.protocol.toLowerCase() === 'https' || publicUrl?.startsWith('https:') === true;

  /** The browser itself may know of TLS that a proxy did not tell of: its word binds only the browser. */
  function rulesOf(request: Request, kind: SessionKind): CookieRules {
    const isSecure = isKnownSecure(request) || request.headers.origin?.startsWith('https:') === true;
    // Without TLS no browser takes a cookie into the frame of another site; frames of the same site have this one.
    return { isSecure, sameSite: kind === 'portal' && isSecure ? 'None' : 'Strict' };
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
      const token = values.length === 1 ? unsealed(keyRing, value, kind) : undefined;
      return token === undefined ? { kind: 'unreadable' } : { kind: 'token', token };
    },
    give(request, response, kind, token) {
      const rules = rulesOf(request, kind);
      response.append('Set-Cookie', setCookie(nameOf(kind, rules.isSecure), sealed(keyRing, token, kind), rules));
    },
    take(request, response, kind) {
      const rules = rulesOf(request, kind);
      response.append('Set-Cookie', clearCookie(nameOf(kind, rules.isSecure), rules));
    },
  };
}

/** What a cookie is bound to, beside the key. */
const purposeOf = (kind: SessionKind): string => `console session of a ${kind}`;

function sealed(keyRing: Pick<KeyRing, 'seal'>, token: string, kind: SessionKind): string {
  const { keyId, nonce, ciphertext } = keyRing.seal(token, purposeOf(kind), randomBytes(NONCE_BYTES));
  return [keyId, Buffer.from(nonce).toString('base64url'), Buffer.from(ciphertext).toString('base64url')].join('.');
}

function unsealed(keyRing: Pick<KeyRing, 'open'>, value: string, kind: SessionKind): string | undefined {
  const [, keyId, nonce, ciphertext] = SEALED.exec(value) ?? [];
  if (keyId === undefined || nonce === undefined || ciphertext === undefined) return undefined;
  try {
    const parts = { keyId, nonce: Buffer.from(nonce, 'base64url'), ciphertext: Buffer.from(ciphertext, 'base64url') };
    return keyRing.open(parts, purposeOf(kind));
  } catch {
    return undefined;
  }
}
