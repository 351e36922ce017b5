import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Express, RequestHandler } from 'express';
import { Problem } from '@callout/core';
import { openApiDocument, type DocumentSource } from './document.ts';
import { documentPage, pagePolicy } from './page.ts';

/** A text that stays the same as long as the process lives. */
interface Fixed {
  /** The same bytes for all: whoever reads slowly holds nothing of his own. */
  readonly plain: Buffer;
  /** The text for those who can read it so: a twentieth of the bytes. */
  readonly gzipped: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * `GET /openapi.json`, and `GET /docs`, which shows the same to people. Both need no credentials: they tell nothing of any
 * tenant. Each is made when it is first asked for, and kept.
 */
export function addDocuments(app: Express, source: DocumentSource): void {
  const document = once(() => openApiDocument(source));
  const json = once(() => fixed(JSON.stringify(document()), { 'Content-Type': 'application/json; charset=utf-8' }));
  const page = once(() =>
    fixed(documentPage(document()), {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': pagePolicy,
    }),
  );
  app.all('/openapi.json', serveFixed(json));
  app.all('/docs', serveFixed(page));
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function fixed(text: string, headers: Readonly<Record<string, string>>): Fixed {
  // Weak, because both encodings have it.
  const etag = `W/"${hash('sha256', text, 'base64url')}"`;
  const plain = Buffer.from(text);
  return {
    plain,
    gzipped: gzipSync(plain),
    headers: { ...headers, ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' },
  };
}

function serveFixed(get: () => Fixed): RequestHandler {
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw Problem.methodNotAllowed(['GET', 'HEAD']);
    const { plain, gzipped, headers } = get();
    response.set(headers);
    // Compares If-None-Match with the ETag.
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    const isGzipped = request.acceptsEncodings('gzip') === 'gzip';
    if (isGzipped) response.set('Content-Encoding', 'gzip');
    const bytes = isGzipped ? gzipped : plain;
    response.set('Content-Length', String(bytes.length));
    response.end(bytes);
  };
}
