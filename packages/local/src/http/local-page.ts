import type { IncomingMessage, ServerResponse } from 'node:http';
import { liveScript } from './live-script.ts';
import { pageStyle } from './page-style.ts';

const LOCAL_NAMES = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Whether a browser requested this machine by its own name. A page on another site whose name resolves to this machine
 * (DNS rebinding) sends that name, and cannot read the content.
 */
export function isLocalRequest(request: IncomingMessage): boolean {
  return LOCAL_NAMES.has((request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase());
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

/**
 * The shown content is foreign: it may have any look, and do nothing. The one script is that of this server, which
 * updates the page; a mail within the page has styles of its own.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'unsafe-inline'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': policy,
};

/** @param main HTML; all foreign text in it was escaped by `escapeHtml`. */
export function sendPage(response: ServerResponse, title: string, main: string, status = 200): void {
  response.writeHead(status, pageHeaders);
  response.end(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}</style>
<script src="/live.js" defer></script>
</head>
<body>
${main}
</body>
</html>
`);
}

/** A part of a page, which the script puts into it. @param html as for `sendPage`. */
export function sendPart(response: ServerResponse, html: string): void {
  response.writeHead(200, pageHeaders);
  response.end(html);
}

/** The script that each page loads from `/live.js`. */
export function sendLiveScript(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' });
  response.end(liveScript);
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
