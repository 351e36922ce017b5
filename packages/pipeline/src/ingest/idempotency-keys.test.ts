import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { openIngest, type IngestSetup } from '../fixtures/ingest.ts';
import { anEvent, insertTenant, values } from '@callout/database/fixtures/tenant';
import { applyMigrations } from '@callout/database/schema/migrations';
import type { IngestRequest, IngestResult } from './request.rules.ts';

let rig: IngestSetup;

beforeAll(async () => {
  rig = openIngest(await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) }));
});
afterAll(() => rig.close());

describe('idempotency keys', () => {
  const request = (tenantId: number, key: string, recordId: number): IngestRequest => ({
    tenantId,
    events: [anEvent({ recordId, fields: values({ companyName: key }) })],
    idempotencyKey: {
      credentialId: tenantId,
      route: 'POST /EntityEvents',
      key,
      requestHash: Buffer.from(`${key} ${recordId}`),
      response: { kind: 'record', remarks: {} },
    },
  });
  const kinds = (results: IngestResult[]) =>
    results.map((result) => (result.kind === 'refused' ? result.problem.kind : result.kind));

  it('accept each request of a commit once, in their order', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const one = request(tenantId, 'k-1', 1);
    const { results } = await rig.commit([one, request(tenantId, 'k-2', 2), one, request(tenantId, 'k-1', 3), one]);
    expect(kinds(results)).toEqual(['accepted', 'accepted', 'repeated', 'conflict', 'repeated']);
    expect(results[2]).toEqual({ kind: 'repeated', response: { status: 200, body: '{"itemId":1}' } });
    expect(kinds((await rig.commit([one, request(tenantId, 'k-1', 3)])).results)).toEqual(['repeated', 'conflict']);
    expect(await rig.storedEvents(tenantId)).toHaveLength(2);
  });

  it('belong to the request that is accepted when an earlier one of the commit was refused', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const refused = request(tenantId, 'k-1', 9);
    refused.events = [anEvent({ recordId: 9, expects: 'present' })];
    const { results } = await rig.commit([refused, request(tenantId, 'k-1', 1)]);
    expect(kinds(results)).toEqual(['notFound', 'accepted']);
    expect(kinds((await rig.commit([request(tenantId, 'k-1', 1), refused])).results)).toEqual(['repeated', 'conflict']);
  });

  it('never deadlock commits that have the same ones', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const rounds = Array.from({ length: 40 }, (_, round) => {
      const numbers = round % 2 === 0 ? [1, 2, 3, 4] : [4, 3, 2, 1];
      return rig.commit(numbers.map((number) => request(tenantId, `k-${number}`, number)));
    });
    const results = (await Promise.all(rounds)).flatMap((one) => one.results);
    expect(results.filter(({ kind }) => kind === 'accepted')).toHaveLength(4);
    expect(results.filter(({ kind }) => kind === 'repeated')).toHaveLength(156);
  });
});
