import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ok, send } from '../../http/api-response.ts';
import { HttpProblem } from '../../http/http-problem.ts';

/**
 * `GET /`: links to console, documentation and API. A browser gets a page, a program JSON. No credentials are needed,
 * and only public addresses are named.
 */
export function frontPage(apiRoot: string, hasConsole: boolean): RequestHandler {
  const links: Links = {
    ...(hasConsole && { console: '/console' }),
    docs: '/docs',
    reference: '/docs/api',
    openapi: '/openapi.json',
    api: `/${apiRoot}/v1.0`,
    version: `/${apiRoot}/v1.0/Version`,
    health: '/healthz',
    readiness: '/readyz',
  };
  const html = pageOf(links);
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw HttpProblem.methodNotAllowed(['GET', 'HEAD']);
    response.set('Vary', 'Accept');
    if (request.accepts(['json', 'html']) !== 'html') send(response, ok({ name: 'Callout', ...links }));
    else response.set('Content-Security-Policy', policy).type('html').send(html);
  };
}

interface Links {
  readonly console?: string;
  readonly docs: string;
  readonly reference: string;
  readonly openapi: string;
  readonly api: string;
  readonly version: string;
  readonly health: string;
  readonly readiness: string;
}

const style = `:root{color-scheme:light dark;--text:#1f2328;--quiet:#59636e;--line:#d1d9e0;--accent:#0b7285;--hover:#f0f7f8}
@media(prefers-color-scheme:dark){:root{--text:#e6e8ea;--quiet:#a0a8b0;--line:#3d444d;--accent:#50c0d1;--hover:#1c2a2e;background:#16181b}}
body{margin:0 auto;max-width:46rem;padding:10vh 1.25rem 3rem;font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--text)}
header{display:flex;align-items:center;gap:.75rem}
h1{margin:0;font-size:1.75rem}
p{margin:.5rem 0 1.75rem;color:var(--quiet)}
ul{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr));gap:.75rem;margin:0;padding:0;list-style:none}
main a{display:block;height:100%;box-sizing:border-box;padding:1rem 1.125rem;border:1px solid var(--line);border-radius:.6rem;color:var(--quiet);font-size:.9rem;text-decoration:none}
main b{display:block;color:var(--accent);font-size:1.05rem}
main a:hover{background:var(--hover)}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
footer{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin-top:1.75rem;color:var(--quiet);font-size:.875rem}
footer a{color:inherit}
code{font-family:ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}`;

/** The policy of the whole API, which allows nothing, and a single style. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';');

const logo = `<svg viewBox="0 0 32 32" width="40" height="40" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#0b7285"/><path d="M8 9h16a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-7l-5 4.5V21H8a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2z" fill="#fff"/><g fill="#0b7285"><circle cx="11.5" cy="15" r="1.7"/><circle cx="16" cy="15" r="1.7"/><circle cx="20.5" cy="15" r="1.7"/></g></svg>`;

function pageOf(links: Links): string {
  const cards = [
    {
      path: links.console,
      title: 'Console',
      text: 'Create webhooks, and see what was delivered, what was not, and why.',
    },
    { path: links.docs, title: 'Documentation', text: 'How to receive callouts, verify them and run Callout.' },
    { path: links.reference, title: 'API reference', text: 'Every operation with its parameters, answers and errors.' },
    {
      path: `${links.docs}/downloads`,
      title: 'Downloads',
      text: 'Libraries, the command line and example receivers.',
    },
  ];
  const small = [
    { path: links.openapi, title: 'OpenAPI document' },
    { path: links.version, title: 'Version' },
    { path: links.readiness, title: 'Readiness' },
  ];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Callout</title><style>${style}</style></head>
<body>
<header>${logo}<h1>Callout</h1></header>
<p>Signed callouts to your URL when the records that you subscribe to change.</p>
<main>
<ul>
${cards
  .flatMap(({ path, title, text }) =>
    path === undefined ? [] : [`<li><a href="${path}"><b>${title}</b>${text}</a></li>`],
  )
  .join('\n')}
</ul>
</main>
<footer>
<span>API: <code>${links.api}</code></span>
${small.map(({ path, title }) => `<a href="${path}">${title}</a>`).join('\n')}
</footer>
</body>
</html>
`;
}
