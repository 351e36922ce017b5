import type { Request } from 'express';
import { parseUrl } from '@callout/core/deliver';
import { Problem } from '@callout/core/errors';

/** The console's own header. A page of another origin cannot send it without being allowed to, and none is. */
export const CONSOLE_HEADER = 'x-callout-console';
/** Its value inside a portal, whose cookie then counts in place of the other one. */
export const PORTAL_VALUE = 'portal';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Whether a request says that it is the portal's. */
export function isOfPortal(request: Request): boolean {
  return request.headers[CONSOLE_HEADER] === PORTAL_VALUE;
}

/**
 * A browser sends the cookie with every request to this host, whichever page made it. So it counts only for those of the
 * console's own pages: what changes something needs the console's header, and the browser's word that it comes from this
 * origin; what reads needs that the browser does not say otherwise.
 * Throws a Problem (`forbidden`).
 */
export function refuseOthersPages(request: Request, publicUrl: string | undefined): void {
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
  // Browsers say it to addresses with TLS and to this machine only; elsewhere there is the origin alone.
  const isOwn = site === undefined ? isOwnOrigin(request, publicUrl) : site === 'same-origin';
  if (!isOwn) throw fromElsewhere();
}

function fromElsewhere(): Problem {
  return Problem.forbidden(
    'The cookie of the console counts for requests of its own pages only: this one comes from a page of another origin.',
  );
}

/** The scheme is left out: a proxy may not have told it. */
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
