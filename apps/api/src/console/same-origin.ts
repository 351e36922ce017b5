import type { Request } from 'express';
import { parseUrl } from '@callout/domain/target/target';
import { Problem } from '@callout/domain/problem';

/**
 * The header of the console. A page of another origin cannot send the header without permission, and no origin has
 * permission.
 */
export const CONSOLE_HEADER = 'x-callout-console';
/** The value of the header inside a portal, whose cookie then counts in place of the user's. */
export const PORTAL_VALUE = 'portal';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Whether a request declares itself as the portal's. */
export function isOfPortal(request: Request): boolean {
  return request.headers[CONSOLE_HEADER] === PORTAL_VALUE;
}

/**
 * A browser sends the cookie with every request to the host, also for pages of other origins. Therefore the cookie
 * counts only for the pages of the console: a change needs the console's header and a same-origin statement of the
 * browser; a read needs that the browser states no other origin. Throws a Problem (`forbidden`).
 */
export function refuseCrossOriginRequests(request: Request, publicUrl: string | undefined): void {
  const site = request.headers['sec-fetch-site'];
  if (READING.has(request.method)) {
    // 'none': typed, or from a bookmark.
    if (site !== undefined && site !== 'same-origin' && site !== 'none') throw fromElsewhere();
    return;
  }
  const consoleHeader = request.headers[CONSOLE_HEADER];
  if (consoleHeader !== '1' && consoleHeader !== PORTAL_VALUE) {
    throw Problem.forbidden(
      'With the cookie of the console, a request that changes something needs the header X-Callout-Console: 1. ' +
        'Programs send their credentials as headers instead.',
    );
  }
  // Browsers send `Sec-Fetch-Site` only to addresses with TLS and to the machine itself; elsewhere only the origin is
  // known.
  const isOwn = site === undefined ? isOwnOrigin(request, publicUrl) : site === 'same-origin';
  if (!isOwn) throw fromElsewhere();
}

function fromElsewhere(): Problem {
  return Problem.forbidden(
    'The cookie of the console counts for requests of its own pages only: this one comes from a page of another origin.',
  );
}

/** The scheme is ignored, since a proxy may not have forwarded the scheme. */
function isOwnOrigin(request: Request, publicUrl: string | undefined): boolean {
  const origin = parseUrl(request.headers.origin ?? '');
  if (origin === undefined) return false;
  const { host } = origin;
  const consoleHeader = [
    request.host as string | undefined,
    publicUrl === undefined ? undefined : new URL(publicUrl).host,
  ];
  return consoleHeader.some((one) => one?.toLowerCase() === withoutDefaultPort(host) || one?.toLowerCase() === host);
}

function withoutDefaultPort(host: string): string {
  return host.replace(/:(?:80|443)$/u, '');
}
