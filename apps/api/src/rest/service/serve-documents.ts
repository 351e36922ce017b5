import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Express, RequestHandler } from 'express';
import { openApiDocument, type DocumentSource } from '../../openapi/document.ts';
import { MAX_EVENTS } from '../events/event-batch.ts';
import { eventsExample } from '../events/event-schemas.ts';
import { webhookExample } from '../webhooks/webhook-operations.ts';
import { viewerFile, viewerPage, viewerPolicy, viewerStart } from './viewer.ts';
import { HttpProblem } from '../../http/http-problem.ts';

/** A text that never changes while the process lives. */
interface Fixed {
  /**
   * All responses share the bytes: a slow reader has no separate copy. `compression` would compress for each reader.
   */
  readonly plain: Buffer;
  /** The compressed text for clients that accept gzip: a third of the bytes, or less. */
  readonly gzipped: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const shown = { maxEvents: MAX_EVENTS, eventsExample, webhookExample };

const javaScript = { 'Content-Type': 'text/javascript; charset=utf-8' };

/**
 * `GET /openapi.json`, and `GET /docs/api`, which shows the document to people, with scripts. Neither needs
 * credentials, since no data of tenants is inside. Each is made on the first request, and kept.
 */
export function addDocuments(app: Express, source: Omit<DocumentSource, 'shown'>): void {
  const json = () => JSON.stringify(openApiDocument({ ...source, shown }));
  app.all('/openapi.json', serveFixed(json, { 'Content-Type': 'application/json; charset=utf-8' }));
  app.all(
    '/docs/api',
    serveFixed(() => viewerPage, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': viewerPolicy,
    }),
  );
  app.all(
    '/docs/api/viewer.js',
    serveFixed(() => readFile(viewerFile()), javaScript),
  );
  app.all(
    '/docs/api/start.js',
    serveFixed(() => viewerStart, javaScript),
  );
}

async function fixed(content: string | Buffer, headers: Readonly<Record<string, string>>): Promise<Fixed> {
  const plain = Buffer.from(content);
  // Weak, because both encodings have the tag.
  const etag = `W/"${hash('sha256', plain, 'base64url')}"`;
  return {
    plain,
    gzipped: await promisify(gzip)(plain),
    headers: { ...headers, ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' },
  };
}

function serveFixed(
  make: () => string | Promise<Buffer>,
  headersOfContent: Readonly<Record<string, string>>,
): RequestHandler {
  let madeText: Promise<Fixed> | undefined;
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw HttpProblem.methodNotAllowed(['GET', 'HEAD']);
    madeText ??= (async () => fixed(await make(), headersOfContent))();
    const { plain, gzipped, headers } = await madeText;
    response.set(headers);
    const isGzipped = request.acceptsEncodings('gzip') === 'gzip';
    if (isGzipped) response.set('Content-Encoding', 'gzip');
    // Compares If-None-Match with the ETag, too.
    response.send(isGzipped ? gzipped : plain);
  };
}
