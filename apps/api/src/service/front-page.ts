import type { RequestHandler } from 'express';
import { ok, send } from '../http/answer.ts';
import { HttpProblem } from '../http/errors/http-problem.ts';

/**
 * `GET /`: what there is, for those who know no more than the address. JSON for programs, links for browsers. It needs no
 * credentials and says nothing that the pages it names do not say.
 */
export function frontPage(apiRoot: string, hasConsole: boolean): RequestHandler {
  const links = {
    ...(hasConsole && { console: '/console' }),
    docs: '/docs',
    reference: '/docs/api',
    openapi: '/openapi.json',
    api: `/${apiRoot}/v1.0`,
    version: `/${apiRoot}/v1.0/Version`,
    health: '/healthz',
    readiness: '/readyz',
  };
  const items = Object.entries(links).filter(([name]) => name !== 'api');
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Callout</title></head>
<body>
<h1>Callout</h1>
<ul>
${items.map(([name, path]) => `<li><a href="${path}">${name}</a></li>`).join('\n')}
</ul>
<p>The API is at ${links.api}.</p>
</body>
</html>
`;
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw HttpProblem.methodNotAllowed(['GET', 'HEAD']);
    response.set('Vary', 'Accept');
    if (request.accepts(['json', 'html']) === 'html') response.type('html').send(html);
    else send(response, ok({ name: 'Callout', ...links }));
  };
}
