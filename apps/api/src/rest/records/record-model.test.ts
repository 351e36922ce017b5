import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import type { TestResponse } from '../../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../../fixtures/test-tenant.ts';
import { edits, MADE_SLOT, type Edit, type Given } from './record-edits.fixture.ts';
import { RecordModel, UNWATCHED, type ModelEvent } from './record-model.fixture.ts';

const PATH = '/ConfigurationItems';
const UDFS = ['Tier', 'Seen'];

const api = runTestApi();

/** The same edit as a request. */
function send(tenant: TestTenant, edit: Edit, ids: readonly number[]): Promise<TestResponse> {
  const call = (method: string, path: string, body?: unknown) => api.call(method, path, { as: tenant.source, body });
  if (edit.kind === 'events') {
    const events = edit.events.map(({ action, slot, given, changed }) => ({
      entityType: 'InstalledProduct',
      action,
      id: ids[slot],
      fields: spellings(given, false),
      userDefinedFields: spellings(given, true),
      ...(changed && { changedFields: changed.map((name) => name.replace('udf:', '')) }),
    }));
    return call('POST', '/EntityEvents', { events });
  }
  if (edit.kind === 'delete') return call('DELETE', `${PATH}/${ids[edit.slot]}`);
  const udfs = Object.entries(spellings(edit.given, true)).map(([name, value]) => ({ name, value }));
  const body = { ...spellings(edit.given, false), ...(udfs.length > 0 && { userDefinedFields: udfs }) };
  if (edit.kind === 'create') return call('POST', PATH, edit.slot === null ? body : { ...body, id: ids[edit.slot] });
  const method = edit.kind === 'put' ? 'PUT' : 'PATCH';
  const id = ids[edit.slot];
  return edit.isIdInPath ? call(method, `${PATH}/${id}`, body) : call(method, PATH, { ...body, id });
}

function spellings(given: Given, areUdfs: boolean): Record<string, unknown> {
  const named = Object.entries(given).filter(([name]) => name.startsWith('udf:') === areUdfs);
  return Object.fromEntries(named.map(([name, { json }]) => [name.replace('udf:', ''), json]));
}

/** The events that the service has stored, in the order of each record, in the form of the model. */
async function storedEvents(tenant: TestTenant): Promise<ModelEvent[]> {
  const rows = await api.database.prisma.event.findMany({
    where: { tenantId: tenant.id },
    orderBy: [{ recordId: 'asc' }, { recordVersion: 'asc' }],
  });
  const udfName = (id: number | string) => `udf:${UDFS[Number(id) - 1]}`;
  return rows.map((row) => {
    const { [UNWATCHED]: _, ...fields } = row.fields as Record<string, string | null>;
    const udfs = Object.entries(row.udfFields as Record<string, string | null>).map(([id, value]) => [
      udfName(id),
      value,
    ]);
    const changed = [...row.changedFields.filter((name) => name !== UNWATCHED), ...row.changedUdfs.map(udfName)];
    return {
      recordId: Number(row.recordId),
      action: row.action as ModelEvent['action'],
      changed: changed.toSorted(),
      values: { ...fields, ...(Object.fromEntries(udfs) as Record<string, string | null>) },
    };
  });
}

describe('any edits of records', () => {
  it('make exactly the events that a plain model of the records makes of them', async () => {
    const entity = api.catalogue.byEntityType('InstalledProduct');
    if (entity === undefined) throw new Error('the catalogue has configuration items');
    await fc.assert(
      fc.asyncProperty(edits, async (all) => {
        const tenant = await makeTenant(api.database);
        for (const name of UDFS) {
          const dataType = name === 'Tier' ? 'integer' : 'datetime';
          const body = { entityType: 'InstalledProduct', name, label: `The ${name}`, dataType };
          const made = await api.call('POST', '/UserDefinedFieldDefinitions', { as: tenant.admin, body });
          expect(made).toMatchObject({ status: 200 });
        }
        const model = new RecordModel({ fields: entity.fields, udfs: UDFS });
        const ids = [11, 12, 13, 14];
        for (const edit of all) {
          const response = await send(tenant, edit, ids);
          const { itemId, items } = response.body as { itemId?: number; items?: { status: string }[] };
          const { status, statuses } = model.apply(edit, ids, itemId ?? 0);
          expect([response.status, items?.map((item) => item.status)]).toEqual([status, statuses]);
          if (edit.kind === 'create' && edit.slot === null && itemId !== undefined) ids[MADE_SLOT] = itemId;
        }
        const expected = model.events.toSorted((a, b) => a.recordId - b.recordId);
        expect(await storedEvents(tenant)).toEqual(expected);
        for (const id of ids) {
          const { status, body } = await api.call('GET', `${PATH}/${id}`, { as: tenant.source });
          const known = model.known(id);
          expect(status).toBe(known === undefined ? 404 : 200);
          if (known === undefined) continue;
          const { item } = body as { item: Record<string, unknown> };
          const serialNumber = known.get('serialNumber') ?? null;
          const cost = known.get('dailyCost') ?? null;
          expect(item).toMatchObject({ id, serialNumber, dailyCost: cost === null ? null : Number(cost) });
        }
      }),
      { numRuns: 25 },
    );
  });
});
