import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { parseCatalogue } from '@callout/domain/catalogue/parse-catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { mostProblems, Problem } from '@callout/domain/problem';
import { collectUnknownNames } from '@callout/domain/input/unknown-names';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import { noUserDefinedFields } from './user-defined-fields.ts';
import { givenEvents, readEventBatch } from './event-batch.ts';

let catalogue: Catalogue;

beforeAll(async () => {
  catalogue = parseCatalogue(await readCatalogueFiles(ownCatalogueDir, ownCatalogueDir));
});

/** The errors of a batch of one event. */
async function problemsOf(event: object) {
  const names = collectUnknownNames(1000);
  const body = { events: [{ entityType: 'Account', action: 'Update', id: 1, ...event }] };
  try {
    const context = { catalogue, userDefinedFieldsOf: noUserDefinedFields, personId: 1 };
    await readEventBatch(givenEvents(body, names), context, names, { isStrict: false });
  } catch (error) {
    if (error instanceof Problem) return error.details;
    throw error;
  }
  return [];
}

const many = Array.from({ length: 5_000 }, (_, nth) => `x${nth}`);
const inTwoCases = Object.fromEntries(
  many.flatMap((name) => [name, name.toUpperCase()].map((one) => [one, 1] as const)),
);

describe('the problems of one event', () => {
  it.each([
    ['changed fields that are none', { changedFields: many }],
    [
      'values of user-defined fields that are none',
      { userDefinedFields: Object.fromEntries(many.map((one) => [one, 1])) },
    ],
    ['fields that are given twice', { fields: inTwoCases }],
    ['keys that are given twice', inTwoCases],
  ])('are no more than a response lists for %s', async (_, event) => {
    expect(await problemsOf(event)).toHaveLength(mostProblems);
  });

  it('name a changed field that is none once, however often it is given', async () => {
    const message = 'events[0].changedFields names "phon", which is no field of Account: did you mean phone?';
    expect(await problemsOf({ changedFields: Array.from({ length: 1_000 }, () => 'phon') })).toEqual([
      { code: 'unknownField', field: 'events[0].changedFields', message },
    ]);
  });
});

describe('a batch of many events', () => {
  it('lets other requests run between its events, and compares no unknown name when enough of them are named', async () => {
    const fields = Object.fromEntries(Array.from({ length: 100 }, (_, nth) => [`x${nth}`, 1]));
    const event = { entityType: 'Account', action: 'Update', id: 1, fields };
    const names = collectUnknownNames(1000);
    const account = catalogue.byEntityType('Account');
    const listed = jest.spyOn(account?.fields ?? [], 'map');
    const yieldToOthers = jest.fn(async () => undefined);
    const context = { catalogue, userDefinedFieldsOf: noUserDefinedFields, personId: 1 };
    const given = givenEvents({ events: Array.from({ length: 1_000 }, () => event) }, names);
    const { events, unknownNamesOf } = await readEventBatch(given, context, names, { isStrict: false }, yieldToOthers);
    expect(events).toHaveLength(1_000);
    expect(events.flatMap((_event, nth) => unknownNamesOf(nth))).toHaveLength(1_000);
    expect(yieldToOthers).toHaveBeenCalledTimes(1_000);
    // One comparison for each of the 100 different names.
    expect(listed.mock.calls.length).toBeLessThanOrEqual(100);
    listed.mockRestore();
  });

  it.each([
    ['its events', (names: object) => names],
    ['their fields', (names: object) => ({ fields: names })],
  ])('is not read further than the 100,000th unknown name of %s', async (_, within) => {
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_name, nth) => [`x${nth}`, 1]));
    const event = { entityType: 'Account', action: 'Update', id: 1, ...within(unknown) };
    const names = collectUnknownNames(1000);
    const found = jest.spyOn(names, 'find');
    const context = { catalogue, userDefinedFieldsOf: noUserDefinedFields, personId: 1 };
    const read = async (count: number) => {
      const given = givenEvents({ events: Array.from({ length: count }, () => event) }, names);
      return readEventBatch(given, context, names, { isStrict: false });
    };
    await expect(read(100)).resolves.toMatchObject({ events: { length: 100 } });
    found.mockClear();
    await expect(read(1_000)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('more than 100000 names that are no field'),
    });
    expect(found).toHaveBeenCalledTimes(100_000);
  });
});
