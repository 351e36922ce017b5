import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RequestHandler, Response } from 'express';
import { Problem } from '@callout/domain/problem';
import { isFileName, sendBuiltFile } from '../http/responses/built-file.ts';
import { HttpProblem } from '../http/http-problem.ts';

/** The output directory of apps/console; the path is equal from the sources and from the compiled program. */
export const consoleDirectory = path.resolve(import.meta.dirname, '../../../console/dist');

interface ConsoleFilesDeps {
  /** Where the page was built to. */
  readonly directory: string;
  /** Origins of pages that may show a portal in a frame. */
  readonly portalOrigins: readonly string[];
}

/**
 * `/console`: the built files of the page, compressed if the browser accepts it. A path without a file belongs to the
 * page, and gets the document of the page. No session is needed: the files are equal for everybody, and all data comes
 * through the API.
 */
export function consoleFiles({ directory, portalOrigins }: ConsoleFilesDeps): RequestHandler {
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw HttpProblem.methodNotAllowed(['GET', 'HEAD']);
    setHeaders(response);
    if (isFileName(request.path))
      await sendBuiltFile({ directory, what: 'The console' }, request.path, request, response);
    else await sendPage(directory, response, isPortal(request.path) ? portalOrigins : []);
  };
}

/** The only part of the page that frames may show. */
function isPortal(one: string): boolean {
  return one === '/portal' || one.startsWith('/portal/');
}

function setHeaders(response: Response): void {
  response.set({
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Content-Security-Policy': consolePolicy([]),
  });
}

async function sendPage(directory: string, response: Response, frameAncestors: readonly string[]): Promise<void> {
  const html = await readFile(path.join(directory, 'index.html')).catch(notBuilt);
  response.set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': consolePolicy(frameAncestors),
    'Cache-Control': 'no-cache',
    ETag: `"${hash('sha256', html, 'base64url')}"`,
  });
  if (frameAncestors.length === 0) response.set('X-Frame-Options', 'DENY');
  response.send(html);
}

function notBuilt(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error;
  throw Problem.notFound(
    'The console is not built: run "npm run build", or set CONSOLE=off where this API is to be without it.',
  );
}

/**
 * The content security policy of the console: the page may run scripts of the server and call the server, and no
 * further host. Scripts may write styles, as the components of the page do.
 * @param frameAncestors origins of pages that may show the page in a frame; no page if empty.
 */
function consolePolicy(frameAncestors: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ].join('; ');
}
