import { beforeAll, describe, expect, it } from '@jest/globals';
import { buildCatalogue, type Catalogue } from '@callout/domain/catalogue/catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { mostProblems, Problem } from '@callout/domain/problem';
import { collectUnknownNames } from '@callout/domain/input/unknown-names';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import { noUserDefinedFields } from '../metadata/user-defined-fields.ts';
import { givenEvents, readEventBatch } from './event-batch.ts';

let catalogue: Catalogue;

beforeAll(async () => {
  catalogue = buildCatalogue(await readCatalogueFiles(ownCatalogueDir));
});

/** The errors of a batch of one event. */
function problemsOf(event: object) {
  const names = collectUnknownNames(1000);
  const body = { events: [{ entityType: 'Account', action: 'Update', id: 1, ...event }] };
  try {
    const context = { catalogue, userDefinedFieldsOf: noUserDefinedFields, personId: 1 };
    readEventBatch(givenEvents(body, names), context, names, { isStrict: false });
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
  ])('are no more than a response lists for %s', (_, event) => {
    expect(problemsOf(event)).toHaveLength(mostProblems);
  });

  it('name a changed field that is none once, however often it is given', () => {
    const message = 'events[0].changedFields names "phon", which is no field of Account: did you mean phone?';
    expect(problemsOf({ changedFields: Array.from({ length: 1_000 }, () => 'phon') })).toEqual([
      { code: 'unknownField', field: 'events[0].changedFields', message },
    ]);
  });
});
