import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * The viewer of the document: Scalar's, as the single browser file of its package for Fastify. The package of the
 * viewer itself has 300 dependencies to build it with, which nothing here needs.
 */
export function viewerFile(): string {
  const main = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  return path.join(path.dirname(main), 'js', 'standalone.js');
}

/**
 * The content security policy of the page: it may run the two scripts of this server, and call this server, where
 * requests can be tried. It calls no other host. The viewer writes its own styles, which cannot be listed in advance.
 */
export const viewerPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page that loads the viewer. */
export const viewerPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Callout API</title>
</head>
<body>
<noscript><p>This page needs JavaScript. <a href="/openapi.json">openapi.json</a> says the same to programs.</p></noscript>
<div id="reference"></div>
<script src="/docs/api/viewer.js"></script>
<script src="/docs/api/start.js"></script>
</body>
</html>
`;

/** Shows the document. Features that call or name another host are switched off. */
export const viewerStart = `Scalar.createApiReference('#reference', ${JSON.stringify(
  {
    url: '/openapi.json',
    layout: 'modern',
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    documentDownloadType: 'json',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    // Webhooks and events first, and not the first collection with all that it has.
    defaultOpenAllTags: false,
    defaultOpenFirstTag: false,
  },
  null,
  2,
)});
`;
