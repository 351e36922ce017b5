import { describe, expect, it } from '@jest/globals';
import { fieldChanges } from './field-changes.ts';

describe('fieldChanges', () => {
  it('has the fields that differ, with both values', () => {
    const before = { name: 'a', isActive: false, rate: null, url: 'https://a.example' };
    expect(fieldChanges(before, { ...before, name: 'b', rate: 5 })).toEqual([
      { field: 'name', from: 'a', to: 'b' },
      { field: 'rate', from: null, to: 5 },
    ]);
    expect(fieldChanges(before, before)).toEqual([]);
  });

  it('has every value of a thing that is made or deleted, and none that is null', () => {
    expect(fieldChanges(null, { name: 'a', isActive: false, rate: null })).toEqual([
      { field: 'name', from: null, to: 'a' },
      { field: 'isActive', from: null, to: false },
    ]);
    expect(fieldChanges({ name: 'a' }, null)).toEqual([{ field: 'name', from: 'a', to: null }]);
  });

  it('never has a secret', () => {
    const [made, same, other, gone] = [
      fieldChanges(null, { key: { secret: 'one' } }),
      fieldChanges({ key: { secret: 'one' } }, { key: { secret: 'one' } }),
      fieldChanges({ key: { secret: 'one' } }, { key: { secret: 'two' } }),
      fieldChanges({ key: { secret: 'one' } }, { key: { secret: null } }),
    ];
    expect(made).toEqual([{ field: 'key', from: null, to: 'changed' }]);
    expect(same).toEqual([]);
    expect(other).toEqual([{ field: 'key', from: 'changed', to: 'changed' }]);
    expect(gone).toEqual([{ field: 'key', from: 'changed', to: null }]);
  });

  it('cuts long values, and finds what differs behind the cut', () => {
    const long = 'x'.repeat(5_000);
    expect(fieldChanges({ condition: `${long}a` }, { condition: `${long}b` })).toEqual([
      {
        field: 'condition',
        from: `${'x'.repeat(2_000)}… (5001 characters)`,
        to: `${'x'.repeat(2_000)}… (5001 characters)`,
      },
    ]);
  });
});
