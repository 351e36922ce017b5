import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import type { Administration } from '@callout/tenancy/operator/administration/administration';
import { serveTenantExport } from './tenant-export.ts';

let server: Server;
let url: string;
let opened = 0;

beforeAll(async () => {
  const handler = serveTenantExport({
    tenants: { read: async (id: number) => ({ id }) } as unknown as Administration['tenants'],
    openSlowPool() {
      opened += 1;
      throw new Error('no history may be read');
    },
  });
  const app = express();
  app.all('/tenants/:tenantId/export', handler);
  app.use(((error: { kind?: string }, _request, response, _next) => {
    response.status(error.kind === 'methodNotAllowed' ? 405 : 500).end();
  }) satisfies express.ErrorRequestHandler);
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tenants/7/export`;
});
afterAll(() => void server.close());

describe('the export of a tenant', () => {
  it('reads nothing for a HEAD, which has the headers of a GET', async () => {
    const { status, headers } = await fetch(url, { method: 'HEAD' });
    expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="tenant-7.jsonl"']);
    expect(opened).toBe(0);
  });

  it('has no other method', async () => {
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  });
});
