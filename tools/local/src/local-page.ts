import type { IncomingMessage, ServerResponse } from 'node:http';
import { liveScript } from './live-script.ts';

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

/**
 * @returns undefined when the sender sends more than `mostBytes`: the rest has been read and dropped.
 * @throws when the sender breaks off.
 */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= mostBytes) chunks.push(chunk);
  }
  return size <= mostBytes ? Buffer.concat(chunks) : undefined;
}

/** The look of the pages of the receiver and of the mail catcher. */
export const pageStyle = `
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 60rem; }
body:has(.inbox) { max-width: none; }
h1 { font-size: 1.3rem; margin: 0 0 .5rem; }
h2 { font-size: 1.05rem; margin: .5rem 0; overflow-wrap: anywhere; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: .5rem; margin: .5rem 0; }
article { border: 1px solid var(--line); border-radius: 6px; padding: 0 1rem; margin: 1rem 0; }
.inbox { display: grid; grid-template-columns: minmax(18rem, 26rem) 1fr; gap: 1rem; }
.inbox > * { min-width: 0; }
.mails { max-height: calc(100vh - 8rem); overflow-y: auto; border: 1px solid var(--line); border-radius: 6px; }
.mails > * { display: block; margin: 0; padding: .4rem .7rem; border-bottom: 1px solid var(--line); color: inherit; text-decoration: none; }
.mails > a:hover, .mails > a[aria-current] { background: var(--soft); }
.mails span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.mails .subject { font-weight: 600; }
.mails .about { font-size: .85rem; opacity: .8; }
.mails time { float: right; font-size: .85rem; opacity: .8; margin-left: .7rem; }
.views a[aria-current] { font-weight: 600; text-decoration: none; color: inherit; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0 1rem; margin: .5rem 0; }
dt { opacity: .7; }
dd { margin: 0; overflow-wrap: anywhere; }
iframe { width: 100%; height: 70vh; border: 1px solid var(--line); background: #fff; }
input { font: inherit; padding: .3rem .5rem; width: min(26rem, 100%); }
@media (max-width: 50rem) { .inbox { grid-template-columns: 1fr; } .mails { max-height: 40vh; } }
`;
