import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { isFileName, sendBuiltFile } from '../../http/responses/built-file.ts';
import { HttpProblem } from '../../http/http-problem.ts';

/**
 * The output directory of the documentation in `npm run build`; the path is equal from the sources and from the
 * compiled program.
 */
export const docsDirectory = path.resolve(import.meta.dirname, '../../../../../docs/.vitepress/dist');

/**
 * Files outside the site: the output of `npm run downloads`, and the progress that `npm start` writes while both are
 * built.
 */
const DOWNLOADS = '../../dist/downloads';
const BUILDING = '../cache/building.json';

/** Paths of pages, without `.html`. */
const PAGE = /^(?:\/[\w-]+)+$/u;

/**
 * The content security policy of a page: the page may run scripts and read files of the server, and calls no further
 * host. The colours of code are inline styles.
 */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * `/docs`: the built documentation, with pages at paths without `.html`, and below `/docs/downloads/` the files that
 * integrators without a checkout need. No credentials are needed. Before the build, every path is a page that explains
 * how to build the documentation, or the progress of the build, and where else to read.
 */
export function docsSite(directory: string): RequestHandler {
  const site = { directory, what: 'The documentation' };
  const downloads = { directory: path.join(directory, DOWNLOADS), what: 'The documentation', isDownload: true };
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw HttpProblem.methodNotAllowed(['GET', 'HEAD']);
    response.set({
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      'Content-Security-Policy': docsPolicy,
    });
    const requestPath = pageOf(request.path);
    const [, download] = /^\/downloads(\/.+)$/u.exec(requestPath) ?? [];
    if (download !== undefined && isFileName(download)) await sendBuiltFile(downloads, download, request, response);
    else if (isFileName(requestPath)) await sendBuiltFile(site, requestPath, request, response);
    else if (PAGE.test(requestPath) && existsSync(path.join(directory, `${requestPath}.html`)))
      await sendBuiltFile(site, `${requestPath}.html`, request, response);
    else await sendWithoutPage(directory, request, response);
  };
}

/** `/` and `/downloads/` are pages, too. */
function pageOf(requestPath: string): string {
  if (requestPath === '/') return '/index';
  return requestPath === '/downloads/' ? '/downloads' : requestPath;
}

/** The page of the site for unknown paths; without a site, an explanation how to build it. */
async function sendWithoutPage(directory: string, request: Request, response: Response): Promise<void> {
  const html = await readFile(path.join(directory, '404.html'), 'utf8').catch(() => undefined);
  const building = html === undefined ? await readBuilding(path.join(directory, BUILDING)) : undefined;
  response.status(html === undefined && request.path === '/' ? 200 : 404);
  response.set('Cache-Control', 'no-cache').type('html');
  if (building === 'now') response.set('Refresh', '3');
  response.send(html ?? placeholder(building));
}

/**
 * The progress of the build by `npm start`: `now` is being built, a text is why the build failed, undefined: no build.
 */
async function readBuilding(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const { pid, failure, logFile } = JSON.parse(text) as { pid?: number; failure?: string; logFile?: string };
  if (failure !== undefined) return `${failure}\n\nAll of it is in ${logFile}.`;
  return pid !== undefined && isRunning(pid) ? 'now' : undefined;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeHtml = (text: string) => text.replaceAll(/[&<>]/gu, (one) => entities[one] ?? one);

function placeholder(building: string | undefined): string {
  const [title, text] =
    building === 'now'
      ? ['The documentation is being built', '<p>This takes less than a minute. The page loads itself again.</p>']
      : [
          building === undefined ? 'The documentation is not built here' : 'The documentation could not be built',
          `${building === undefined ? '' : `<pre>${escapeHtml(building)}</pre>\n`}<p>Run <code>npm run build</code> in the checkout of Callout, and load this page again; a restart is not needed.</p>`,
        ];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Callout</title></head>
<body>
<h1>${title}</h1>
${text}
<p>The same pages are Markdown files in <code>docs/</code> of the checkout.
The <a href="/docs/api">API reference</a> needs no build.</p>
</body>
</html>
`;
}
