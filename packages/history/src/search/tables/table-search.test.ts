import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { FieldValues } from '@callout/domain/values/values';
import { errorLogFields } from '@callout/domain/metadata/error-log-fields';
import { metadataOf } from '@callout/domain/metadata/field-metadata';
import { defineCollection, type QueryableCollection } from '@callout/domain/query/collection';
import { evaluate } from '@callout/domain/query/evaluate';
import { parseQuery } from '@callout/domain/query/parse/parse-query';
import { webhookFields } from '@callout/webhooks/input/webhook-fields';
import { arbitraryBodyOf } from '@callout/domain/fixtures/arbitrary-body';
import { createDisposableDatabase } from '@callout/local/test-run';
import * as fc from 'fast-check';
import { countingValues } from '@callout/database/fixtures/counting-values';
import { insertOwner, insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import type { SearchableTable, TenantScope } from './searchable-table.ts';
import { createTableSearch, type FoundRow, type TableSearch } from './table-search.ts';
import { childTablesToSearch, errorLogTable, resourceTable, udfDefinitionTable, webhookTable } from './tables.ts';
import { useDatabase } from '@callout/database/fixtures/own-database';

/** As failed_insert_logs makes them. */
const nextErrorLogId =
  "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint * 1000 + nextval('webhook_event_error_logs_serial')";

const database = useDatabase(createDisposableDatabase);
let search: TableSearch;

beforeAll(async () => {
  search = createTableSearch({ pool: database.pool, timeoutMs: 20_000 });
});

const webhookMetadata = metadataOf(webhookFields);
const errorLogMetadata = metadataOf(errorLogFields);
const webhooks = defineCollection('CompanyWebhooks', webhookMetadata);

async function allRows<Scope extends TenantScope>(
  table: SearchableTable<Scope>,
  scope: Scope,
  collection: QueryableCollection,
  body: unknown,
): Promise<FoundRow[]> {
  const query = parseQuery(body, collection);
  const rows: FoundRow[] = [];
  let page = await search.page(table, scope, query, null);
  for (;;) {
    expect(page.items.length).toBeLessThanOrEqual(query.maxRecords);
    rows.push(...page.items);
    if (page.next === null) break;
    page = await search.page(table, scope, query, page.next);
  }
  expect(await search.count(table, scope, query)).toBe(rows.length);
  // And back again.
  const back: FoundRow[] = [];
  let last = await search.page(table, scope, query, { direction: 'before', id: Number.MAX_SAFE_INTEGER });
  for (;;) {
    back.unshift(...last.items);
    if (last.previous === null) break;
    last = await search.page(table, scope, query, last.previous);
  }
  expect(back).toEqual(rows);
  return rows;
}

const idsOf = (rows: readonly FoundRow[]) => rows.map(({ id }) => id);
const flag = fc.boolean();
const names = fc.constantFrom('ÉCOLE', 'école', 'Acme.Company.Update', 'x');
const addresses = fc.constantFrom('OPS@example.com', 'ops@example.com', 'é@example.com');

const arbitraryWebhook = fc.record({
  name: names,
  notificationEmailAddress: fc.option(addresses),
  isActive: flag,
  onCreate: flag,
  onUpdate: flag,
  onDelete: flag,
  ownerResourceID: fc.integer({ min: 1, max: 3 }),
  hasField: flag,
});

const arbitraryWebhookQuery = arbitraryBodyOf({
  id: { dataType: 'long', values: fc.integer({ min: 1, max: 12 }) },
  name: { dataType: 'string', values: names },
  notificationEmailAddress: { dataType: 'string', values: addresses },
  isActive: { dataType: 'boolean', values: flag },
  isReady: { dataType: 'boolean', values: flag },
  isSubscribedToDeleteEvents: { dataType: 'boolean', values: flag },
  ownerResourceID: { dataType: 'integer', values: fc.integer({ min: 0, max: 4 }) },
  maxCallsPerSecond: { dataType: 'double', values: fc.constantFrom(0.1, 0.5, 12.25) },
  maxConcurrentCalls: { dataType: 'integer', values: fc.constantFrom(19, 20, 21) },
  webhookGUID: { dataType: 'string', values: fc.constantFrom('-', 'A', randomUUID()) },
});

type ArbitraryWebhook = typeof arbitraryWebhook extends fc.Arbitrary<infer Webhook> ? Webhook : never;

/** Stores a webhook. @returns its expected search result. */
async function store(tenantId: number, id: number, webhook: ArbitraryWebhook): Promise<FieldValues> {
  const key = await insertWebhook(database.pool, tenantId, id);
  await insertOwner(database.pool, tenantId, webhook.ownerResourceID);
  const { rows } = await database.pool.query<{ guid: string }>(
    `UPDATE webhooks SET name = $2, notification_email_address = $3, is_active = $4, is_subscribed_to_create_events = $5,
       is_subscribed_to_update_events = $6, is_subscribed_to_delete_events = $7, owner_resource_id = $8,
       max_calls_per_second = CASE WHEN id % 2 = 0 THEN 0.5 END, max_concurrent_calls = CASE WHEN id % 3 = 0 THEN 20 END
     WHERE key = $1 RETURNING guid`,
    [
      key,
      webhook.name,
      webhook.notificationEmailAddress,
      webhook.isActive,
      webhook.onCreate,
      webhook.onUpdate,
      webhook.onDelete,
      webhook.ownerResourceID,
    ],
  );
  if (!webhook.hasField) await database.pool.query('DELETE FROM webhook_fields WHERE webhook_key = $1', [key]);
  return {
    id: String(id),
    webhookGUID: rows[0]?.guid ?? '',
    name: webhook.name,
    webhookUrl: 'http://127.0.0.1/in',
    deactivationUrl: 'http://127.0.0.1/off',
    isActive: String(webhook.isActive),
    isReady: String(webhook.hasField || (webhook.onDelete && !webhook.onCreate && !webhook.onUpdate)),
    isSubscribedToCreateEvents: String(webhook.onCreate),
    isSubscribedToUpdateEvents: String(webhook.onUpdate),
    isSubscribedToDeleteEvents: String(webhook.onDelete),
    notificationEmailAddress: webhook.notificationEmailAddress,
    ownerResourceID: String(webhook.ownerResourceID),
    sendThresholdExceededNotification: 'false',
    mergeWhileWaiting: 'false',
    maxCallsPerSecond: id % 2 === 0 ? '0.5' : null,
    maxConcurrentCalls: id % 3 === 0 ? '20' : null,
    condition: null,
    includePreviousValues: 'false',
    payloadFormat: 'reference',
    requestHeaders: '[]',
    receiverAuth: '{"kind":"none"}',
    caCertificate: null,
    signatureKind: 'hmac',
  };
}

describe('webhooks', () => {
  it('are found as the evaluator finds them, with every field in wire form', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryWebhook, { maxLength: 8 }),
        fc.array(arbitraryWebhookQuery, { minLength: 10, maxLength: 10 }),
        async (given, bodies) => {
          const tenantId = await insertTenant(database.pool);
          const stored: FieldValues[] = [];
          for (const [nth, webhook] of given.entries()) stored.push(await store(tenantId, nth + 1, webhook));
          for (const body of bodies) {
            const { filter } = parseQuery(body, webhooks);
            const rows = await allRows(webhookTable, { tenantId, entityType: 'Account' }, webhooks, body);
            expect(rows.map(({ fields }) => ({ ...fields }))).toEqual(
              stored.filter((fields) => evaluate(filter, ({ name }) => fields[name])),
            );
          }
        },
      ),
      { numRuns: 8 },
    );
  });

  it('are those of the tenant and entity, and not deleted', async () => {
    const [tenantId, other] = [await insertTenant(database.pool), await insertTenant(database.pool)];
    for (const id of [1, 2]) await insertWebhook(database.pool, tenantId, id);
    await insertWebhook(database.pool, other, 3);
    await database.pool.query('UPDATE webhooks SET deleted_at = now() WHERE tenant_id = $1 AND id = 2', [tenantId]);
    expect(idsOf(await allRows(webhookTable, { tenantId, entityType: 'Account' }, webhooks, {}))).toEqual([1]);
    expect(idsOf(await allRows(webhookTable, { tenantId, entityType: 'Contact' }, webhooks, {}))).toEqual([]);
  });

  it('are paged over many reads when only the application can judge them', async () => {
    const tenantId = await insertTenant(database.pool);
    await insertOwner(database.pool, tenantId);
    await database.pool.query(
      `INSERT INTO webhooks (tenant_id, entity_type, id, guid, name, webhook_url, deactivation_url, is_active,
         is_subscribed_to_create_events, is_subscribed_to_update_events, is_subscribed_to_delete_events,
         send_threshold_exceeded_notification, owner_resource_id, secret_key_id, secret_nonce, secret_ciphertext)
       SELECT $1, 'Account', n, gen_random_uuid(), CASE n % 400 WHEN 0 THEN 'É' || n ELSE 'x' END, '', '', false, true,
         true, true, false, 1, 'k', '', '' FROM generate_series(1, 1300) n`,
      [tenantId],
    );
    const body = { MaxRecords: 2, Filter: [{ op: 'beginsWith', field: 'name', value: 'é' }] };
    const rows = await allRows(webhookTable, { tenantId, entityType: 'Account' }, webhooks, body);
    expect(idsOf(rows)).toEqual([400, 800, 1200]);
  });

  it('do not reveal their secrets', () => {
    const asking = { Filter: [{ op: 'beginsWith', field: 'secretKey', value: 'a' }] };
    expect(() => parseQuery(asking, webhooks)).toThrow('"secretKey" cannot be queried');
    expect(Object.keys(webhookTable.columns)).not.toContain('secretKey');
  });

  it('have a column for everything else that can be asked for', () => {
    const asked = webhookMetadata.filter(({ isQueryable }) => isQueryable).map(({ name }) => name);
    expect(Object.keys(webhookTable.columns).toSorted()).toEqual(asked.toSorted());
  });
});

describe('children', () => {
  const fields = defineCollection('CompanyWebhookFields', [
    { name: 'id', dataType: 'long' },
    { name: 'webhookID', dataType: 'integer' },
    { name: 'fieldID', dataType: 'integer' },
    { name: 'isSubscribedField', dataType: 'boolean' },
    { name: 'isDisplayAlwaysField', dataType: 'boolean' },
  ]);

  it('are found under their webhook, and under all of its entity', async () => {
    const tenantId = await insertTenant(database.pool);
    for (const id of [1, 2, 3]) await insertWebhook(database.pool, tenantId, id);
    await database.pool.query('UPDATE webhooks SET deleted_at = now() WHERE tenant_id = $1 AND id = 3', [tenantId]);
    const scope = { tenantId, entityType: 'Account' };
    const all = await allRows(childTablesToSearch.fields, scope, fields, {
      Filter: [{ op: 'eq', field: 'fieldID', value: 2 }],
    });
    expect(all.map((row) => ({ ...row.fields }))).toEqual(
      [1, 2].map((id) => ({
        id: String(id),
        webhookID: String(id),
        fieldID: '2',
        isSubscribedField: 'true',
        isDisplayAlwaysField: 'true',
      })),
    );
    expect(idsOf(await allRows(childTablesToSearch.fields, { ...scope, webhookId: 2 }, fields, {}))).toEqual([2]);
    for (const kind of ['udfFields', 'excludedResources'] as const) {
      expect(await allRows(childTablesToSearch[kind], scope, fields, {})).toEqual([]);
    }
  });
});

describe('resources and definitions', () => {
  it('are found by the fields that have columns and by the others', async () => {
    const tenantId = await insertTenant(database.pool);
    await database.pool.query(
      `INSERT INTO resources (tenant_id, id, email, is_active, fields, deleted_at) VALUES
       ($1, 1, 'ANN@example.com', true, '{"firstName":"Änn","userType":"5"}', NULL),
       ($1, 2, 'ben@example.com', false, '{"firstName":null}', NULL), ($1, 3, 'x', true, '{}', now())`,
      [tenantId],
    );
    const resources = defineCollection('Resources', [
      { name: 'id', dataType: 'long' },
      { name: 'email', dataType: 'string' },
      { name: 'isActive', dataType: 'boolean' },
      { name: 'firstName', dataType: 'string' },
      { name: 'userType', dataType: 'integer' },
    ]);
    const found = async (...Filter: unknown[]) =>
      idsOf(await allRows(resourceTable, { tenantId }, resources, { Filter }));
    expect(await found()).toEqual([1, 2]);
    expect(await found({ op: 'eq', field: 'firstName', value: 'äNN' })).toEqual([1]);
    expect(await found({ op: 'notExist', field: 'firstName' })).toEqual([2]);
    expect(await found({ op: 'lt', field: 'userType', value: 10 })).toEqual([1]);
    expect(await found({ op: 'endsWith', field: 'email', value: '@EXAMPLE.com' })).toEqual([1, 2]);
    expect(await found({ op: 'eq', field: 'isActive', value: false })).toEqual([2]);
  });

  it('of user-defined fields are found by name', async () => {
    const tenantId = await insertTenant(database.pool);
    await database.pool.query(
      `INSERT INTO udf_definitions VALUES ($1, 1, 'Account', 'Tïer', 'tïer', 'L', 'l', 'list', '[{"value":"1","label":"A"}]')`,
      [tenantId],
    );
    const definitions = defineCollection('UserDefinedFieldDefinitions', [{ name: 'name', dataType: 'string' }]);
    const body = { Filter: [{ op: 'contains', field: 'name', value: 'Ï' }] };
    const [row] = await allRows(udfDefinitionTable, { tenantId }, definitions, body);
    expect(row?.fields).toMatchObject({ id: '1', entityType: 'Account', name: 'Tïer', dataType: 'list' });
    expect(JSON.parse(row?.fields['listValues'] ?? '')).toEqual([{ value: '1', label: 'A' }]);
  });
});

describe('error logs', () => {
  const logs = defineCollection('WebhookEventErrorLogs', errorLogMetadata);

  it('are those of the owner, or all; times are compared by the second', async () => {
    const tenantId = await insertTenant(database.pool);
    await database.pool.query(
      `INSERT INTO webhook_event_error_logs (id, tenant_id, owner_resource_id, entity_type, webhook_id, webhook_guid,
         sequence_number, created_at, error_message, payload)
       SELECT ${nextErrorLogId}, $1, n, e, 7, gen_random_uuid(), n, '2026-01-02T03:04:05.678Z'::timestamptz + n * interval '1 second', 'É', '{}'
       FROM (VALUES (1, 'Account'), (2, 'Ticket'), (3, 'Contact')) AS l (n, e)`,
      [tenantId],
    );
    const found = async (ownerResourceId: number | null, ...Filter: unknown[]) =>
      (await allRows(errorLogTable, { tenantId, ownerResourceId }, logs, { Filter })).map(({ fields }) => fields);
    expect(await found(null)).toHaveLength(3);
    expect(await found(2)).toMatchObject([
      { entityType: 'Ticket', createDateTime: '2026-01-02T03:04:07Z', accountWebhookID: null, contactWebhookID: null },
    ]);
    const at = (op: string) => ({ op, field: 'createDateTime', value: '2026-01-02T03:04:07Z' });
    for (const [op, sequences] of Object.entries({ eq: ['2'], gt: ['3'], gte: ['2', '3'], lt: ['1'] })) {
      expect((await found(null, at(op))).map((row) => row['sequenceNumber'])).toEqual(sequences);
    }
    expect(await found(null, { op: 'eq', field: 'accountWebhookID', value: 7 })).toMatchObject([{ webhookID: '7' }]);
    expect(await found(null, { op: 'eq', field: 'errorMessage', value: 'é' })).toHaveLength(3);
  });

  it('are judged for as long as a query may take, and no longer', async () => {
    const tenantId = await insertTenant(database.pool);
    await database.pool.query(
      `INSERT INTO webhook_event_error_logs (id, tenant_id, owner_resource_id, entity_type, webhook_id, webhook_guid,
         sequence_number, created_at, error_message, payload)
       SELECT ${nextErrorLogId}, $1, 1, 'Account', 7, gen_random_uuid(), n, now(), '', repeat('a', 8000)
       FROM generate_series(1, 480) AS n`,
      [tenantId],
    );
    // Minutes of work for rows that the database returns in milliseconds.
    const items = Array.from({ length: 499 }, () => ({ op: 'contains', field: 'payload', value: 'aab' }));
    const query = parseQuery({ Filter: [{ op: 'or', items }] }, logs);
    const impatient = createTableSearch({ pool: database.pool, timeoutMs: 1_000 });
    await expect(impatient.count(errorLogTable, { tenantId, ownerResourceId: null }, query)).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ code: 'tooSlow' }],
    });
  });

  it('have a column for everything that can be asked for', () => {
    const asked = errorLogMetadata.map(({ name }) => name);
    expect(Object.keys(errorLogTable.columns).toSorted()).toEqual(asked.toSorted());
  });
});

it('ends a page early when its rows are long, and reads few of them at a time', async () => {
  const { pool: own } = database;
  const tenantId = await insertTenant(own);
  await insertOwner(own, tenantId);
  for (let id = 1; id <= 130; id += 1) await insertWebhook(own, tenantId, id);
  await own.query("UPDATE webhooks SET ca_certificate = repeat('x', 100000) WHERE tenant_id = $1", [tenantId]);
  const { pool, rows } = countingValues(own, 'furtherFields');
  const counting = createTableSearch({ pool, timeoutMs: 20_000 });
  const scope = { tenantId, entityType: 'Account' };
  const page = await counting.page(webhookTable, scope, parseQuery({}, webhooks), null);
  expect(page.items).toHaveLength(84);
  expect(page.next).toEqual({ direction: 'after', id: 84 });
  expect(Math.max(...rows)).toBeLessThanOrEqual(100);
  expect(idsOf(await allRows(webhookTable, scope, webhooks, {}))).toEqual(Array.from({ length: 130 }, (_, n) => n + 1));
});
