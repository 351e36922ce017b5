import { parseCatalogue } from '@callout/domain/catalogue/parse-catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { openDatabase, openSearchPool } from '@callout/database/connection/database';
import { apiConfig } from '@callout/runtime/config/api';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import { parseConfig } from '@callout/runtime/config/parse';
import { createLogger } from '@callout/runtime/log/logger';
import type { OpenApiDocument } from '../openapi/document-types.ts';
import { startHttpServer } from '../http/server/server.ts';
import { wireApi } from '../start/wire.ts';

const unusedUrl = 'postgres://unused@127.0.0.1:1/unused';

/**
 * The OpenAPI document of an installation with default settings, as served. No database and no Redis is needed, since
 * connections are opened on first use.
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
    catalogue: parseCatalogue(await readCatalogueFiles(ownCatalogueDir, ownCatalogueDir)),
    database: openDatabase(connecting),
    searchPool: openSearchPool(connecting),
    log: createLogger({ service: 'openapi', level: 'silent' }),
    enqueueMatch: () => undefined,
    enqueueDeliver: () => undefined,
    clock: { problems: () => [], notices: () => [] },
    queueProblem: () => 'Redis is away',
    makeCounter: () => ({ add: async () => ({ used: 0, endsInS: 0 }), used: async () => 0 }),
    isStopping: () => false,
    hasFastWays: true,
  });
  const server = await startHttpServer(app, '127.0.0.1', 0, { senderPatienceMs: 0, idlePatienceMs: 0 });
  const response = await fetch(`http://127.0.0.1:${server.port}/openapi.json`);
  const text = await response.text();
  await server.close();
  if (!response.ok) throw new Error(text);
  return { text, document: JSON.parse(text) as OpenApiDocument };
}
