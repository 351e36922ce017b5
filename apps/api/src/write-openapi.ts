import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildCatalogue, ownCatalogueDir } from '@callout/core/catalogue';
import { openDatabase, openSearchPool } from '@callout/db/connection';
import { apiConfig, parseConfig, readCatalogueFiles } from '@callout/runtime/config';
import { createLogger } from '@callout/runtime/log';
import { operatorDocument } from './tenants/operator/operations/operator-document.ts';
import { startHttpServer } from './http/server/server.ts';
import { wireApi } from './wiring/wire.ts';

/**
 * Writes the OpenAPI documents of an installation with default settings, `openapi.json` and `operator-openapi.json`, into
 * the directory that the command line names. The typed client and the console's types are generated from them. It needs no
 * database and no Redis: nothing connects before it is asked for something.
 */
const nowhere = 'postgres://nobody@127.0.0.1:1/none';
const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: write-openapi <directory>');

const config = parseConfig(apiConfig, {
  DATABASE_URL: nowhere,
  REDIS_URL: 'redis://127.0.0.1:1',
  SECRET_KEYS: `document:${Buffer.alloc(32).toString('base64')}`,
});
const connecting = { url: nowhere, poolSize: 1, applicationName: 'openapi', onError: () => undefined };
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
// The directory may be missing: `npm ci` leaves no node_modules/.cache.
await mkdir(directory, { recursive: true });
await writeFile(path.join(directory, 'openapi.json'), await answer.text());
await writeFile(path.join(directory, 'operator-openapi.json'), JSON.stringify(operatorDocument()));
process.exit(answer.ok ? 0 : 1);
