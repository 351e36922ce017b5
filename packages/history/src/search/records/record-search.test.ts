import { beforeAll, describe, expect, it } from '@jest/globals';
import { compileCondition, fulfils } from '@callout/domain/condition/judge-condition';
import { readCondition } from '@callout/domain/condition/read-condition';
import { noPreviousValues } from '@callout/domain/previous-values';
import type { ProblemDetail } from '@callout/domain/problem';
import type { FieldValues } from '@callout/domain/values/values';
import type { Query } from '@callout/domain/query/condition';
import type { Position } from '@callout/domain/query/cursor';
import { evaluate } from '@callout/domain/query/evaluate';
import { parseQuery } from '@callout/domain/query/parse/parse-query';
import { arbitraryCompanyQuery, companies } from '@callout/domain/fixtures/companies';
import { createDisposableDatabase } from '@callout/local/test-run';
import * as fc from 'fast-check';
import { anEvent, insertTenant, values } from '@callout/database/fixtures/tenant';
import { createIngestCommit } from '@callout/pipeline/ingest/ingest';
import type { StoredRecord } from '../../records.ts';
import { scanLimits, type ScanLimits } from './find-records.ts';
import { createRecordSearch, type RecordSearch } from './record-search.ts';
import { arbitraryRecord, type ArbitraryRecord } from './arbitrary-records.fixture.ts';
import { useDatabase } from '@callout/database/fixtures/own-database';

const database = useDatabase(createDisposableDatabase);
let commit: ReturnType<typeof createIngestCommit>;

beforeAll(async () => {
  commit = createIngestCommit(database.pool);
});

/** Small enough for forty records to go through every stage. */
const stages: readonly { name: string; limits: ScanLimits }[] = [
  { name: 'in one scan', limits: scanLimits },
  { name: 'in many scans', limits: { firstWindow: 1, maxWindow: 3, maxRowsBeforeIndex: Infinity } },
  { name: 'by the index as soon as it may', limits: { firstWindow: 1, maxWindow: 3, maxRowsBeforeIndex: 0 } },
];

const searching = (limits: ScanLimits = scanLimits): RecordSearch =>
  createRecordSearch({ pool: database.pool, timeoutMs: 20_000 }, limits);

const ofTenant = (tenantId: number) => ({ tenantId, entityType: 'Account' });
const ask = (body: unknown): Query => parseQuery(body, companies);

/**
 * Writes records as an API request does; ids count from `firstId` in steps of two, so that there are free ids between.
 */
async function write(tenantId: number, records: readonly ArbitraryRecord[], firstId = 1): Promise<Stored[]> {
  const stored = records.map((record, nth) => ({ id: firstId + 2 * nth, ...record }));
  const events = stored.map(({ id, fields, udfFields }) =>
    anEvent({ action: 'Create', recordId: id, fields: values(fields), udfFields: values(udfFields) }),
  );
  const { results } = await commit([{ tenantId, events }]);
  expect(results.map((result) => result.kind)).toEqual(['accepted']);
  return stored;
}

type Stored = ArbitraryRecord & { readonly id: number };

const named = (...names: string[]): ArbitraryRecord[] =>
  names.map((companyName) => ({ fields: { companyName }, udfFields: {} }));

/** The ids that pass, by the plain evaluator. */
function expectedIds(records: readonly Stored[], { filter }: Query): number[] {
  const passing = records.filter(({ id, fields, udfFields }) =>
    evaluate(filter, ({ name, udfId }) =>
      udfId !== null ? udfFields[udfId] : name === 'id' ? String(id) : fields[name],
    ),
  );
  return passing.map(({ id }) => id).toSorted((a, b) => a - b);
}

const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

/** All pages from a position on, one way. */
async function pagesFrom(
  search: RecordSearch,
  tenantId: number,
  query: Query,
  start: Position | null,
  way: 'next' | 'previous',
  afterEachPage: () => Promise<unknown> = async () => undefined,
) {
  const pages: StoredRecord[][] = [];
  let position = start;
  do {
    const page = await search.page(ofTenant(tenantId), query, position);
    expect(page.items.length).toBeLessThanOrEqual(query.maxRecords);
    pages.push(page.items);
    position = page[way];
    await afterEachPage();
  } while (position !== null);
  return pages;
}

describe('records that are large', () => {
  it('come on pages of a bounded size, at least one on each, both ways', async () => {
    const tenantId = await insertTenant(database.pool);
    const sizes = [10, 10, 9_000, 10, 4_000, 4_000, 4_000, 20_000, 10];
    const stored = await write(tenantId, named(...sizes.map((size, nth) => `${nth}`.repeat(size))));
    const search = createRecordSearch({ pool: database.pool, timeoutMs: 20_000 }, scanLimits, 10_000);
    const query = ask({ MaxRecords: 6 });
    const pages: number[][] = [];
    let position: Position | null = null;
    do {
      const page = await search.page(ofTenant(tenantId), query, position);
      pages.push(page.items.map(({ id }) => id));
      position = page.next;
    } while (position !== null);
    expect(pages).toEqual([[1, 3, 5, 7, 9], [11, 13, 15], [17]]);
    expect(await search.page(ofTenant(tenantId), query, { direction: 'after', id: 17 })).toMatchObject({ next: null });

    const back: number[][] = [];
    position = { direction: 'before', id: Number.MAX_SAFE_INTEGER };
    do {
      const page = await search.page(ofTenant(tenantId), query, position);
      back.push(page.items.map(({ id }) => id));
      expect(page.next).toEqual({ direction: 'after', id: page.items.at(-1)?.id });
      position = page.previous;
    } while (position !== null);
    expect(back).toEqual([
      [15, 17],
      [9, 11, 13],
      [1, 3, 5, 7],
    ]);
    expect(stored.map(({ id }) => id)).toEqual(back.toReversed().flat());
  });
});

describe('the condition of a webhook', () => {
  it('holds for the records that the same filter finds, where all values are known', async () => {
    const whole = (given: FieldValues, names: readonly string[]) => ({
      ...Object.fromEntries(names.map((name) => [name, null])),
      ...given,
    });
    const own = companies.fieldNames.filter((name) => name !== 'id');
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryRecord, { minLength: 1, maxLength: 20 }),
        fc.array(arbitraryCompanyQuery, { minLength: 20, maxLength: 20 }),
        async (records, bodies) => {
          const tenantId = await insertTenant(database.pool);
          const known = records.map(({ fields, udfFields }) => ({
            fields: whole(fields, own),
            udfFields: whole(udfFields, ['3', '4']),
          }));
          const stored = await write(tenantId, known);
          for (const body of bodies) {
            const { Filter: items = [] } = body as { Filter?: unknown[] };
            if (items.length === 0) continue;
            const problems: ProblemDetail[] = [];
            const fields = { ...companies, isVisible: () => true };
            const condition = compileCondition(readCondition({ op: 'and', items }, fields, problems));
            expect(problems).toEqual([]);
            const noChange = { changedFields: [], changedUdfs: [], previous: noPreviousValues };
            const fulfilling = stored.filter(({ id, ...rest }) =>
              fulfils({ action: 'Update', recordId: id, ...rest, ...noChange }, condition),
            );
            const found = await pagesFrom(searching(), tenantId, ask({ Filter: items }), null, 'next');
            expect(idsOf(fulfilling)).toEqual(found.flatMap(idsOf));
          }
        },
      ),
      { numRuns: 6 },
    );
  });
});

describe.each(stages)('a filter, searched $name,', ({ limits }) => {
  it('finds the same as the evaluator, for any filter, records and page size', async () => {
    const search = searching(limits);
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryRecord, { minLength: 1, maxLength: 40 }),
        fc.array(arbitraryCompanyQuery, { minLength: 12, maxLength: 12 }),
        async (records, bodies) => {
          const [tenantId, neighbour] = [await insertTenant(database.pool), await insertTenant(database.pool)];
          const stored = await write(tenantId, records);
          await write(neighbour, records);
          for (const body of bodies) {
            const query = ask(body);
            const expected = expectedIds(stored, query);
            const pages = await pagesFrom(search, tenantId, query, null, 'next');
            expect(pages.flatMap(idsOf)).toEqual(expected);
            const backwards: Position = { direction: 'before', id: Number.MAX_SAFE_INTEGER };
            const back = await pagesFrom(search, tenantId, query, backwards, 'previous');
            expect(back.toReversed().flatMap(idsOf)).toEqual(expected);
            expect(await search.count(ofTenant(tenantId), query)).toBe(expected.length);
          }
        },
      ),
      { numRuns: 6 },
    );
  });

  it('shows every row once, forward and back, while rows are inserted', async () => {
    const search = searching(limits);
    const query = ask({ MaxRecords: 3, Filter: [{ op: 'eq', field: 'companyName', value: 'acme' }] });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('Acme', 'other'), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        async (names, maxRecords) => {
          const tenantId = await insertTenant(database.pool);
          const stored = await write(tenantId, named(...names));
          let inserted = 0;
          // Between ids that are there, and behind all of them; few enough for the pages to come to an end.
          const insert = async () => {
            if (inserted >= 8) return;
            inserted += 1;
            const id = inserted % 2 === 0 ? 2 * inserted : 1000 + inserted;
            stored.push(...(await write(tenantId, named('ACME'), id)));
          };
          const before = new Set(expectedIds(stored, query));
          const asked = { ...query, maxRecords };
          const forward = (await pagesFrom(search, tenantId, asked, null, 'next', insert)).flatMap(idsOf);
          expect(forward).toEqual([...new Set(forward)].toSorted((a, b) => a - b));
          expect([...before].filter((id) => !forward.includes(id))).toEqual([]);

          const end: Position = { direction: 'before', id: 5000 };
          const back = await pagesFrom(search, tenantId, asked, end, 'previous', insert);
          const backward = back.toReversed().flatMap(idsOf);
          expect(backward).toEqual([...new Set(backward)].toSorted((a, b) => a - b));
          expect(forward.filter((id) => !backward.includes(id))).toEqual([]);
        },
      ),
      { numRuns: 6 },
    );
  });
});

describe('pages', () => {
  it('lead back to the very rows that one came from', async () => {
    const tenantId = await insertTenant(database.pool);
    await write(tenantId, named('a', 'b', 'c', 'd', 'e'));
    const search = searching();
    const query = ask({ MaxRecords: 2 });
    const first = await search.page(ofTenant(tenantId), query, null);
    const second = await search.page(ofTenant(tenantId), query, first.next);
    const third = await search.page(ofTenant(tenantId), query, second.next);
    expect([first, second, third].map(({ items }) => idsOf(items))).toEqual([[1, 3], [5, 7], [9]]);
    expect([first.previous, third.next]).toEqual([null, null]);
    const back = await search.page(ofTenant(tenantId), query, third.previous);
    expect(back).toEqual({ items: second.items, previous: { direction: 'before', id: 5 }, next: second.next });
    expect((await search.page(ofTenant(tenantId), query, back.previous)).previous).toBeNull();
  });

  it('go on from where rows have been deleted', async () => {
    const tenantId = await insertTenant(database.pool);
    const stored = await write(tenantId, named('a', 'b', 'c'));
    const search = searching();
    const query = ask({ MaxRecords: 1 });
    const first = await search.page(ofTenant(tenantId), query, null);
    const remove = (recordId: number) =>
      anEvent({ action: 'Delete', recordId, expects: 'present', fields: values({}) });
    await commit([{ tenantId, events: stored.slice(1).map(({ id }) => remove(id)) }]);
    const empty = await search.page(ofTenant(tenantId), query, first.next);
    expect(empty).toEqual({ items: [], previous: { direction: 'before', id: 2 }, next: null });
    expect(idsOf((await search.page(ofTenant(tenantId), query, empty.previous)).items)).toEqual([1]);
  });

  it('hold records as they are stored, not as they are searched', async () => {
    const tenantId = await insertTenant(database.pool);
    const fields = { companyName: 'ÉCOLE', phone: null };
    await write(tenantId, [{ fields, udfFields: { 3: '2' } }]);
    const { items } = await searching().page(ofTenant(tenantId), ask({}), null);
    expect(items).toEqual([{ id: 1, fields, udfFields: { 3: '2' } }]);
  });
});

describe('terms and folded values', () => {
  const name = (value: string) => ask({ filter: [{ op: 'eq', field: 'companyName', value }] });

  it('follow every change of their record', async () => {
    const tenantId = await insertTenant(database.pool);
    const search = searching();
    const change = (action: 'Create' | 'Update' | 'Delete', fields: FieldValues) =>
      commit([{ tenantId, events: [anEvent({ action, fields: values(fields) })] }]);
    const found = (value: string) => search.count(ofTenant(tenantId), name(value));

    await change('Create', { companyName: 'Ant', phone: '1' });
    expect([await found('ANT'), await found('BEE')]).toEqual([1, 0]);
    await change('Update', { companyName: 'Bee' });
    expect([await found('ANT'), await found('BEE')]).toEqual([0, 1]);
    await change('Delete', {});
    expect([await found('ANT'), await found('BEE')]).toEqual([0, 0]);
    await change('Create', { companyName: 'Cat' });
    expect([await found('CAT'), await search.count(ofTenant(tenantId), ask({}))]).toEqual([1, 1]);
  });

  it('keep tenants and entities apart', async () => {
    const [one, two] = [await insertTenant(database.pool), await insertTenant(database.pool)];
    await write(one, named('Acme'));
    await commit([
      { tenantId: two, events: [anEvent({ entityType: 'Contact', fields: values({ companyName: 'Acme' }) })] },
    ]);
    const counts = [
      ofTenant(one),
      ofTenant(two),
      { tenantId: two, entityType: 'Contact' },
      { tenantId: one, entityType: 'Contact' },
    ].map((collection) => searching().count(collection, name('acme')));
    expect(await Promise.all(counts)).toEqual([1, 0, 1, 0]);
  });
});

describe('hostile input', () => {
  it('stays a value, with any content', async () => {
    const tenantId = await insertTenant(database.pool);
    const hostile = [
      "'; DROP TABLE records; --",
      '$1',
      '%',
      '_',
      '\\',
      '"}]',
      '{"a":1}',
      '__proto__',
      '😀\uffff',
      '{,}',
    ];
    await write(tenantId, named(...hostile));
    for (const [nth, value] of hostile.entries()) {
      for (const op of ['eq', 'beginsWith', 'endsWith', 'contains']) {
        const { items } = await searching().page(
          ofTenant(tenantId),
          ask({ filter: [{ op, field: 'companyName', value }] }),
          null,
        );
        expect(idsOf(items)).toContain(1 + 2 * nth);
      }
    }
  });

  it('of the largest size that a query may have is answered', async () => {
    const tenantId = await insertTenant(database.pool);
    await write(tenantId, named('Acme'));
    const wide = {
      filter: [
        { op: 'in', field: 'companyName', value: [...Array.from({ length: 499 }, (_, i) => `name ${i}`), 'ACME'] },
        ...Array.from({ length: 900 }, (_, i) => ({ op: 'noteq', field: 'phone', value: String(i) })),
      ],
    };
    expect(await searching(stages[2]?.limits).count(ofTenant(tenantId), ask(wide))).toBe(1);
    const leaf = { op: 'contains', field: 'companyName', value: 'x'.repeat(100_000) };
    const deep = Array.from({ length: 9 }).reduce<unknown>((inner) => ({ op: 'or', items: [inner] }), leaf);
    expect(await searching().count(ofTenant(tenantId), ask({ filter: [deep] }))).toBe(0);
  });
});

describe('a query that takes too long', () => {
  it('is refused, and says what to do', async () => {
    const tenantId = await insertTenant(database.pool);
    await write(tenantId, named('Acme'));
    const search = createRecordSearch({ pool: database.pool, timeoutMs: 1 });
    // So many comparisons that no machine does them in a millisecond.
    const value = Array.from({ length: 500 }, (_, i) => `${i}`.padStart(20_000, 'x'));
    const slow = ask({ filter: [{ op: 'notIn', field: 'companyName', value }] });
    await expect(search.count(ofTenant(tenantId), slow)).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ code: 'tooSlow', message: expect.stringContaining('narrow the filter') as unknown }],
    });
    // The connection is fit for use again.
    expect(await searching().count(ofTenant(tenantId), ask({}))).toBe(1);
  });
});
