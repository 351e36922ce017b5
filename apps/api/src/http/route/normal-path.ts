import type { RequestHandler } from 'express';

/** Scheme and host that a request may name before the path, the path, and the rest. */
const PARTS = /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)?(\/[^?#]*)(.*)$/is;

/**
 * The address of a request with its path in normal form: several slashes in a row become one, and a slash at the end is
 * removed. Percent-encoding stays: `%2F` is a character of a name, not a slash.
 */
export function normalUrl(url: string): string {
  const [, origin = '', path, rest = ''] = PARTS.exec(url) ?? [];
  if (path === undefined) return url;
  const short = path.replaceAll(/\/{2,}/g, '/').replace(/(?!^)\/$/, '');
  return `${origin}${short}${rest}`;
}

/**
 * Puts the path of a request into normal form, before routing, rights, limits and the log read it. Express ignores a
 * slash at the end, but no double slash, and leaves both in the path that the log and rights see
 * (`normal-path.test.ts`).
 */
export function normalPath(): RequestHandler {
  return (request, _response, next) => {
    request.url = normalUrl(request.url);
    request.originalUrl = request.url;
    next();
  };
}
