import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { emptyFieldValues, toWireValue } from '@callout/domain/values/values';
import { calloutBody } from '@callout/domain/callout/callout-body';
import { BODY_BYTES, CHANGED_FIELD, CHANGED_FIELD_CHARACTERS, fillers } from './company-fields.ts';

const file: unknown = JSON.parse(readFileSync(path.join(ownCatalogueDir, 'companies.json'), 'utf8'));
const [company] = buildCatalogue([file]).entities;

it('fills a body of exactly so many bytes', () => {
  const fields = emptyFieldValues();
  for (const { name, characters } of [{ name: CHANGED_FIELD, characters: CHANGED_FIELD_CHARACTERS }, ...fillers]) {
    const field = company?.fieldByName(name);
    if (field === undefined) throw new Error(`no field ${name}`);
    const wire = toWireValue(field, 'x'.repeat(characters));
    if (!wire.ok) throw new Error(wire.message);
    fields[field.payloadKey] = wire.value;
  }
  const about = { webhookGuid: '00000000-0000-4000-8000-000000000000', entityType: 'Account', recordId: 4711 };
  const body = calloutBody(
    { action: 'Update', ...about, eventTime: new Date(), sequenceNumber: 12_345, personId: 2 },
    fields,
  );
  expect(Buffer.byteLength(body)).toBe(BODY_BYTES);
});
