import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { isFileName, sendBuiltFile } from '../http/answers/built-file.ts';
import { HttpProblem } from '../http/errors/http-problem.ts';

/** Where `npm run docs:build` puts the site; from the sources of this program as from what is built of them. */
export const docsDirectory = path.resolve(import.meta.dirname, '../../../../docs/.vitepress/dist');

/** Paths of pages, without `.html`. */
const PAGE = /^(?:\/[\w-]+)+$/u;

/**
 * What a page may do: run the scripts of this server, and read its files. It asks no other host for anything. The colours
 * of code are written as styles.
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
 * `/docs`: the documentation as it was built, with pages at paths without `.html`. It needs no credentials. Where it was
 * not built, every path is a page that says how, and where else to read.
 */
export function docsSite(directory: string): RequestHandler {
  const site = { directory, what: 'The documentation' };
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw HttpProblem.methodNotAllowed(['GET', 'HEAD']);
    response.set({
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      'Content-Security-Policy': docsPolicy,
    });
    const asked = request.path === '/' ? '/index' : request.path;
    if (isFileName(asked)) await sendBuiltFile(site, asked, request, response);
    else if (PAGE.test(asked) && existsSync(path.join(directory, `${asked}.html`)))
      await sendBuiltFile(site, `${asked}.html`, request, response);
    else await sendWithoutPage(directory, request, response);
  };
}

/** The site's own page for what it does not have; without a site, how to get one. */
async function sendWithoutPage(directory: string, request: Request, response: Response): Promise<void> {
  const html = await readFile(path.join(directory, '404.html'), 'utf8').catch(() => undefined);
  response.status(html === undefined && request.path === '/' ? 200 : 404);
  response.set('Cache-Control', 'no-cache').type('html');
  response.send(html ?? notBuilt);
}

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Callout</title></head>
<body>
<h1>The documentation is not built here</h1>
<p>Run <code>npm run docs:build</code> in the checkout of Callout, and load this page again; a restart is not needed.
The Docker image has it built in.</p>
<p>The same pages are Markdown files in <code>docs/</code> of the checkout.
The <a href="/docs/api">API reference</a> needs no build.</p>
</body>
</html>
`;
