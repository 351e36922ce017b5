import type { Request } from 'express';
import { parseUrl } from '@callout/domain/target/target';
import { Problem } from '@callout/domain/problem';

/** The console's own header. A page of another origin cannot send it without being allowed to, and none is. */
export const CONSOLE_HEADER = 'x-callout-console';
/** Its value inside a portal, whose cookie then counts in place of the other one. */
export const PORTAL_VALUE = 'portal';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Whether a request declares itself as the portal's. */
export function isOfPortal(request: Request): boolean {
  return request.headers[CONSOLE_HEADER] === PORTAL_VALUE;
}

/**
 * A browser sends the cookie with every request to this host, also for pages of other origins. So the cookie counts
 * only for the console's own pages: a change needs the console's header and a same-origin statement of the browser; a
 * read needs that the browser states no other origin.
 * Throws a Problem (`forbidden`).
 */
export function refuseCrossOriginRequests(request: Request, publicUrl: string | undefined): void {
  const site = request.headers['sec-fetch-site'];
  if (READING.has(request.method)) {
    // 'none': typed, or from a bookmark.
    if (site !== undefined && site !== 'same-origin' && site !== 'none') throw fromElsewhere();
    return;
  }
  const own = request.headers[CONSOLE_HEADER];
  if (own !== '1' && own !== PORTAL_VALUE) {
    throw Problem.forbidden(
      'With the cookie of the console, a request that changes something needs the header X-Callout-Console: 1. ' +
        'Programs send their credentials as headers instead.',
    );
  }
  // Browsers send this header only to addresses with TLS and to this machine; elsewhere only the origin is known.
  const isOwn = site === undefined ? isOwnOrigin(request, publicUrl) : site === 'same-origin';
  if (!isOwn) throw fromElsewhere();
}

function fromElsewhere(): Problem {
  return Problem.forbidden(
    'The cookie of the console counts for requests of its own pages only: this one comes from a page of another origin.',
  );
}

/** The scheme is ignored, since a proxy may not have forwarded it. */
function isOwnOrigin(request: Request, publicUrl: string | undefined): boolean {
  const origin = parseUrl(request.headers.origin ?? '');
  if (origin === undefined) return false;
  const { host } = origin;
  const own = [request.host as string | undefined, publicUrl === undefined ? undefined : new URL(publicUrl).host];
  return own.some((one) => one?.toLowerCase() === withoutDefaultPort(host) || one?.toLowerCase() === host);
}

function withoutDefaultPort(host: string): string {
  return host.replace(/:(?:80|443)$/u, '');
}
