import { buildCatalogue, ownCatalogueDir } from '@callout/core/catalogue';
import { openDatabase, openSearchPool } from '@callout/db/connection';
import { apiConfig, parseConfig, readCatalogueFiles } from '@callout/runtime/config';
import { createLogger } from '@callout/runtime/log';
import type { OpenApiDocument } from '../openapi/document-types.ts';
import { startHttpServer } from '../http/server/server.ts';
import { wireApi } from '../wiring/wire.ts';

const unusedUrl = 'postgres://unused@127.0.0.1:1/unused';

/**
 * The OpenAPI document of an installation with default settings, as it is served. It needs no database and no Redis:
 * nothing connects before it is asked for something.
 */
export async function ownDocument(): Promise<{ readonly text: string; readonly document: OpenApiDocument }> {
  const config = parseConfig(apiConfig, {
    DATABASE_URL: unusedUrl,
    REDIS_URL: 'redis://127.0.0.1:1',
    SECRET_KEYS: `document:${Buffer.alloc(32).toString('base64')}`,
  });
  const connecting = { url: unusedUrl, poolSize: 1, applicationName: 'openapi', onError: () => undefined };
  const { app } = wireApi({
    build: 'document',
    config,
    catalogue: buildCatalogue(await readCatalogueFiles(ownCatalogueDir)),
    database: openDatabase(connecting),
    searchPool: openSearchPool(connecting),
    log: createLogger({ service: 'openapi', level: 'silent' }),
    enqueueMatch: () => undefined,
    enqueueDeliver: () => undefined,
    isQueueReady: () => false,
    makeCounter: () => ({ add: async () => ({ used: 0, endsInS: 0 }), used: async () => 0 }),
    isStopping: () => false,
  });
  const server = await startHttpServer(app, '127.0.0.1', 0, { senderPatienceMs: 0, idlePatienceMs: 0 });
  const answer = await fetch(`http://127.0.0.1:${server.port}/openapi.json`);
  const text = await answer.text();
  await server.close();
  if (!answer.ok) throw new Error(text);
  return { text, document: JSON.parse(text) as OpenApiDocument };
}
