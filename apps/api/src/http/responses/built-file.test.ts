import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import express from 'express';
import { startHttpServer, type HttpServer } from '../server/server.ts';
import { sendBuiltFile } from './built-file.ts';

const size = 64 * 2 ** 20;
let directory: string;
let server: HttpServer;
let closedResponses = 0;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'callout-files-'));
  await writeFile(path.join(directory, 'large.js'), Buffer.alloc(size));
  const app = express();
  app.use((_request, response, next) => {
    response.once('close', () => (closedResponses += 1));
    next();
  });
  app.use((request, response) => sendBuiltFile({ directory, what: 'The test' }, request.path, request, response));
  server = await startHttpServer(app, '127.0.0.1', 0, { idlePatienceMs: 0, readerPatienceMs: 200 });
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

describe('a client that requests a large file and reads nothing', () => {
  it('loses its connection', async () => {
    const clients = Array.from({ length: 5 }, () => connect(server.port, server.host).on('error', () => undefined));
    for (const client of clients) client.write('GET /large.js HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually(() => closedResponses === clients.length);
    for (const client of clients) expect(client.bytesRead).toBeLessThan(size);
    for (const client of clients) client.destroy();
  });
});
