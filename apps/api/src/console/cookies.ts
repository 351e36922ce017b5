/** The attributes of a cookie. */
export interface CookieRules {
  /** Only over TLS. */
  readonly isSecure: boolean;
  /** `None` also inside frames of other sites, where it is kept apart for each site around it (`Partitioned`). */
  readonly sameSite: 'Strict' | 'None';
}

/** All values that a request has for a cookie: a neighbouring host can add one of the same name. */
export function cookieValues(header: string | undefined, name: string): string[] {
  if (header === undefined) return [];
  const values: string[] = [];
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) values.push(pair.slice(at + 1).trim());
  }
  return values;
}

/** The header `Set-Cookie`. It has no end of its own: the browser forgets it when it is closed, the server before. */
export function setCookie(name: string, value: string, { isSecure, sameSite }: CookieRules): string {
  return [
    `${name}=${value}`,
    'Path=/',
    'HttpOnly',
    ...(isSecure ? ['Secure'] : []),
    `SameSite=${sameSite}`,
    ...(sameSite === 'None' ? ['Partitioned'] : []),
  ].join('; ');
}

/** The header `Set-Cookie` that makes a browser forget one. */
export function clearCookie(name: string, rules: CookieRules): string {
  return `${setCookie(name, '', rules)}; Max-Age=0`;
}
