import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { HttpProblem } from '../http/errors/http-problem.ts';
import { Problem } from '@callout/core/errors';
import { consolePolicy } from './console-policy.ts';

interface ConsoleFilesDeps {
  /** Where the page was built to. */
  readonly directory: string;
  /** Origins of pages that may show a portal in a frame. */
  readonly portalOrigins: readonly string[];
}

/** Names of built files: nothing that could lead out of the directory, and no hidden file. */
const FILE = /^\/(?:[\w-][\w.-]*\/)*[\w-][\w-]*(?:\.[\w-]+)+$/u;
/** Their names hold a hash of what is in them, so they never change. */
const HASHED = /^\/assets\//u;
const YEAR_S = 31_536_000;
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

/**
 * `/console`: the files of the page as they were built, compressed ones where there are any and the browser takes them. A
 * path that is no file is one of the page's own, and gets its one document. None of it needs a session: it is the same for
 * all, and everything else is asked for through the API.
 */
export function consoleFiles({ directory, portalOrigins }: ConsoleFilesDeps): RequestHandler {
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw HttpProblem.methodNotAllowed(['GET', 'HEAD']);
    setHeaders(response);
    if (FILE.test(request.path)) await sendAsset(directory, request, response);
    else await sendPage(directory, request, response, isPortal(request.path) ? portalOrigins : []);
  };
}

/** The only part of the page that may stand in a frame. */
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

async function sendPage(
  directory: string,
  request: Request,
  response: Response,
  frameAncestors: readonly string[],
): Promise<void> {
  const html = await readFile(path.join(directory, 'index.html')).catch(notBuilt);
  response.set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': consolePolicy(frameAncestors),
    'Cache-Control': 'no-cache',
    ETag: `"${hash('sha256', html, 'base64url')}"`,
  });
  if (frameAncestors.length === 0) response.set('X-Frame-Options', 'DENY');
  if (request.fresh) response.status(304).end();
  else response.set('Content-Length', String(html.length)).end(html);
}

function notBuilt(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error;
  throw Problem.notFound(
    'The console is not built: run "npm run build", or set CONSOLE=off where this API is to be without it.',
  );
}

async function sendAsset(directory: string, request: Request, response: Response): Promise<void> {
  const name = request.path;
  const encoding = await encodingOf(directory, request);
  response.type(path.extname(name));
  response.set({
    Vary: 'Accept-Encoding',
    'Cache-Control': HASHED.test(name) ? `public, max-age=${YEAR_S}, immutable` : 'no-cache',
    ...(encoding && { 'Content-Encoding': encoding.name }),
  });
  await new Promise<void>((resolve, reject) => {
    const options = { root: directory, cacheControl: false, acceptRanges: false };
    response.sendFile(`${name}${encoding?.suffix ?? ''}`, options, (error?: Error & { status?: number }) => {
      if (error === undefined || response.headersSent) resolve();
      else reject(error.status === 404 ? Problem.notFound(`The console has no file ${name}.`) : error);
    });
  }).catch((error: unknown) => {
    for (const header of ['Content-Encoding', 'Content-Type', 'Cache-Control']) response.removeHeader(header);
    throw error;
  });
}

/** The first that the browser takes and there is a file for. */
async function encodingOf(directory: string, request: Request): Promise<(typeof encodings)[number] | undefined> {
  for (const encoding of encodings) {
    if (request.acceptsEncodings(encoding.name) !== encoding.name) continue;
    const file = path.join(directory, `${request.path}${encoding.suffix}`);
    if (
      await stat(file).then(
        (found) => found.isFile(),
        () => false,
      )
    )
      return encoding;
  }
  return undefined;
}
