import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { emptyFieldValues, toWireValue } from '@callout/domain/values/values';
import { calloutBody } from '@callout/domain/callout/callout-body';
import { CHANGED_FIELD, CHANGED_FIELD_CHARACTERS, fitPayload, type FillerField } from './company-fields.ts';

const file: unknown = JSON.parse(readFileSync(path.join(ownCatalogueDir, 'companies.json'), 'utf8'));
const [company] = buildCatalogue([file]).entities;
if (company === undefined) throw new Error('no companies');

/** What the receiver would get. */
function bodyBytes(fillers: readonly FillerField[]): number {
  const fields = emptyFieldValues();
  const all = [{ name: CHANGED_FIELD, characters: CHANGED_FIELD_CHARACTERS }, ...fillers];
  for (const { name, characters } of all) {
    const field = company?.fieldByName(name);
    if (field === undefined) throw new Error(`no field ${name}`);
    const wire = toWireValue(field, 'x'.repeat(characters));
    if (!wire.ok) throw new Error(wire.message);
    fields[field.payloadKey] = wire.value;
  }
  const body = calloutBody(
    {
      action: 'Update',
      webhookGuid: '00000000-0000-4000-8000-000000000000',
      entityType: 'Account',
      recordId: 4711,
      eventTime: new Date(),
      sequenceNumber: 12_345,
      personId: 2,
    },
    fields,
  );
  return Buffer.byteLength(body);
}

const limits = fitPayload(company, 1);
if (limits.kind === 'fits') throw new Error('one byte is no callout');
const { leastBytes, mostBytes } = limits;

describe('fitPayload', () => {
  it('fills any possible size, short by less than one more field would take', () => {
    fc.assert(
      fc.property(fc.integer({ min: leastBytes, max: mostBytes }), (bytes) => {
        const fit = fitPayload(company, bytes);
        const actual = bodyBytes(fit.kind === 'fits' ? fit.fillers : []);
        expect(actual).toBeLessThanOrEqual(bytes);
        expect(actual).toBeGreaterThan(bytes - 30);
      }),
    );
  });

  it('makes the standard size exactly', () => {
    const fit = fitPayload(company, 1024);
    expect(bodyBytes(fit.kind === 'fits' ? fit.fillers : [])).toBe(1024);
  });

  it.each([leastBytes - 1, mostBytes + 1])('says what is possible when %d bytes are not', (bytes) => {
    expect(fitPayload(company, bytes)).toEqual({ kind: 'impossible', leastBytes, mostBytes });
  });
});
