import { describe, expect, it } from '@jest/globals';
import { applyChange, unseenRecord, type KnownRecord, type RecordChange } from './record.rules.ts';

const known: KnownRecord = {
  version: 4,
  fields: { companyName: 'Acme', phone: '1', city: null },
  udfFields: { 7: 'North' },
  isDeleted: false,
};

const update = (change: Partial<RecordChange>): RecordChange => ({
  action: 'Update',
  fields: {},
  udfFields: {},
  changed: null,
  ...change,
});

describe('applyChange', () => {
  it('applies an update to the known values and finds the differences', () => {
    const change = update({ fields: { phone: '2', companyName: 'Acme', city: null }, udfFields: { 7: 'South' } });
    expect(applyChange(known, change)).toEqual({
      kind: 'changed',
      record: {
        version: 5,
        fields: { companyName: 'Acme', phone: '2', city: null },
        udfFields: { 7: 'South' },
        isDeleted: false,
      },
      changedFields: ['phone'],
      changedUdfs: [7],
      before: known,
    });
  });

  it('makes no event of an update without changes', () => {
    expect(applyChange(known, update({ fields: { phone: '1', city: null } }))).toEqual({ kind: 'unchanged' });
    expect(applyChange(known, update({}))).toEqual({ kind: 'unchanged' });
    expect(applyChange(known, update({ fields: { phone: '1' }, changed: { fields: [], udfs: [] } }))).toEqual({
      kind: 'unchanged',
    });
  });

  it('stores given values that the list of changed names leaves out, also when it is empty', () => {
    const given = { fields: { phone: '2' }, udfFields: { 7: 'South' } };
    const fields = { companyName: 'Acme', phone: '2', city: null };
    expect(applyChange(known, update({ ...given, changed: { fields: [], udfs: [] } }))).toEqual({
      kind: 'valuesOnly',
      record: { version: 5, fields, udfFields: { 7: 'South' }, isDeleted: false },
    });
    expect(applyChange(known, update({ ...given, changed: { fields: ['city'], udfs: [] } }))).toMatchObject({
      kind: 'changed',
      changedFields: ['city'],
      changedUdfs: [],
      record: { fields, udfFields: { 7: 'South' } },
    });
  });

  it('treats every given field of a new record as changed', () => {
    const result = applyChange(unseenRecord, update({ fields: { phone: '1', city: null } }));
    expect(result).toMatchObject({ kind: 'changed', changedFields: ['phone', 'city'], record: { version: 1 } });
  });

  it('accepts a list of changed names, also for a value that was given before or not at all', () => {
    const result = applyChange(
      known,
      update({ fields: { phone: '1' }, changed: { fields: ['phone', 'city'], udfs: [7] } }),
    );
    expect(result).toMatchObject({ kind: 'changed', changedFields: ['phone', 'city'], changedUdfs: [7] });
  });

  it('refuses a field in the list of changed names that has no known value', () => {
    const unknown = { fields: ['phone', 'webAddress'], udfs: [] };
    expect(applyChange(known, update({ changed: unknown }))).toEqual({ kind: 'unknownValue', name: 'webAddress' });
    expect(applyChange(known, update({ changed: { fields: [], udfs: [8] } }))).toEqual({
      kind: 'unknownValue',
      name: '8',
    });
    expect(applyChange(known, update({ changed: { fields: ['constructor'], udfs: [] } }))).toEqual({
      kind: 'unknownValue',
      name: 'constructor',
    });
  });

  it('starts a create without known values, also where a record with that id existed before', () => {
    const result = applyChange(known, update({ action: 'Create', fields: { companyName: 'Acme' } }));
    expect(result).toMatchObject({
      kind: 'changed',
      changedFields: ['companyName'],
      record: { version: 5, fields: { companyName: 'Acme' }, udfFields: {} },
    });
    expect(Object.keys(result.kind === 'changed' ? result.record.fields : {})).toEqual(['companyName']);
  });

  it('keeps the last known values of a deleted record, and removes them when the record is created again', () => {
    const deleted = applyChange(known, update({ action: 'Delete' }));
    expect(deleted).toMatchObject({ kind: 'changed', record: { version: 5, fields: known.fields, isDeleted: true } });
    const last = deleted.kind === 'changed' ? deleted.record : known;
    const back = applyChange(last, update({ fields: { phone: '1' } }));
    expect(back).toMatchObject({ kind: 'changed', changedFields: ['phone'], record: { version: 6, isDeleted: false } });
    expect(Object.keys(back.kind === 'changed' ? back.record.fields : {})).toEqual(['phone']);
  });

  it('changes neither of its arguments', () => {
    const before = structuredClone(known);
    applyChange(known, update({ fields: { phone: '2' } }));
    expect(known).toEqual(before);
    expect(Object.keys(unseenRecord.fields)).toEqual([]);
  });
});
