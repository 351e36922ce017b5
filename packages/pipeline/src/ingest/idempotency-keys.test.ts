import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { openIngest, type IngestSetup } from '../fixtures/ingest.ts';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { countingValues } from '@callout/database/fixtures/counting-values';
import { anEvent, insertTenant, values } from '@callout/database/fixtures/tenant';
import { applyMigrations } from '@callout/database/schema/migrations';
import { findResponses } from './idempotency-keys.ts';
import { repeatOf, type RepeatableResponse } from './idempotency-keys.rules.ts';
import type { IngestRequest, IngestResult } from './request.rules.ts';

let rig: IngestSetup;

beforeAll(async () => {
  rig = openIngest(await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) }));
});
afterAll(() => rig.close());

function expectFound(kept: RepeatableResponse | undefined): RepeatableResponse {
  if (kept === undefined) throw new Error('the key is known');
  return kept;
}

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

  it('give their response to the same request alone: of another one only that it is another is read', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const { idempotencyKey } = request(tenantId, 'k-1', 1);
    if (idempotencyKey === undefined) throw new Error('the request has a key');
    await rig.commit([request(tenantId, 'k-1', 1)]);
    const other = { ...idempotencyKey, requestHash: Buffer.from('other') };
    const { pool, rows } = countingValues(rig.database.pool, 'body');
    const found = await inTransaction(pool, (client) => findResponses(client, [other, idempotencyKey]));
    expect(repeatOf(expectFound(found.get(other)), other.requestHash)).toMatchObject({ kind: 'refused' });
    expect(repeatOf(expectFound(found.get(idempotencyKey)), idempotencyKey.requestHash)).toEqual({
      kind: 'repeated',
      response: { status: 200, body: '{"itemId":1}' },
    });
    expect(Math.max(...rows)).toBe(1);
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
