import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * The viewer of the document: Scalar's, as the single browser file of the package for Fastify. The package of the
 * viewer has 300 dependencies for its build, which nothing here needs.
 */
export function viewerFile(): string {
  const main = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  return path.join(path.dirname(main), 'js', 'standalone.js');
}

/**
 * The content security policy of the page: the page may run two scripts of the server, and call the server, where
 * requests can be tried. The page calls no further host. The viewer writes styles that cannot be listed in advance.
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

/** Shows the document. Features that call or name a further host are switched off. */
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
    // Webhooks and events first, and not the whole first collection.
    defaultOpenAllTags: false,
    defaultOpenFirstTag: false,
  },
  null,
  2,
)});
`;
