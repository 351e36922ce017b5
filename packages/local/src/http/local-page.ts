import type { IncomingMessage, ServerResponse } from 'node:http';

const LOCAL_NAMES = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Whether a browser asked for this machine by its own name. A page on another site whose name was made to point here
 * (DNS rebinding) sends that name, and does not get to read what is shown.
 */
export function isAskedLocally(request: IncomingMessage): boolean {
  return LOCAL_NAMES.has((request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase());
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

/** @param main HTML; everything in it that came from outside has been through `escapeHtml`. */
export function sendPage(response: ServerResponse, title: string, main: string): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // What is shown was written by others: it may look like something, and do nothing.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  });
  response.end(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="5">
<title>${escapeHtml(title)}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
article { border: 1px solid #bbb; border-radius: 6px; padding: 0 1rem; margin: 1rem 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f4f4f4; padding: .5rem; }
iframe { width: 100%; border: 1px solid #ddd; }
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${main}
</body>
</html>
`);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text between tags and inside quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
