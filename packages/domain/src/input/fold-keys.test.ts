import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { foldKeys, knownKeys } from './fold-keys.ts';
import { Problem } from '../problem.ts';

const known = knownKeys({ name: null, isActive: null, fields: { fieldID: null, field: null }, owner: { id: null } });

const problemOf = (body: unknown): Problem | undefined => {
  try {
    foldKeys(body, known);
  } catch (problem) {
    if (problem instanceof Problem) return problem;
    throw problem;
  }
  return undefined;
};

describe('foldKeys', () => {
  it('gives keys their canonical spelling at every level and leaves unknown ones out', () => {
    const body = { NAME: 'x', ISACTIVE: true, Fields: [{ FIELDID: 1, extra: 2 }, 'odd'], Owner: { ID: 3 }, more: {} };
    expect(foldKeys(body, known)).toEqual({
      name: 'x',
      isActive: true,
      fields: [{ fieldID: 1 }, 'odd'],
      owner: { id: 3 },
    });
  });

  it('leaves values of another kind than expected to the schema', () => {
    expect(foldKeys({ fields: 'x', owner: null, name: { NAME: 1 } }, known)).toEqual({
      fields: 'x',
      owner: null,
      name: { NAME: 1 },
    });
  });

  it('names every two keys of one object that differ only by case, unknown ones too', () => {
    const problem = problemOf({ name: 1, Name: 2, Odd: 1, oDD: 2, fields: [{}, { fieldID: 1, FieldId: 1 }] });
    expect(problem?.kind).toBe('invalid');
    expect(problem?.details).toEqual([
      { code: 'duplicateKey', field: 'name', message: 'name is given twice, in keys that differ by case only' },
      { code: 'duplicateKey', field: 'oDD', message: 'oDD is given twice, in keys that differ by case only' },
      {
        code: 'duplicateKey',
        field: 'fields[1].fieldID',
        message: 'fields[1].fieldID is given twice, in keys that differ by case only',
      },
    ]);
  });

  it.each([null, undefined, 'text', 5, [], [{}]])('refuses %j, which is no object', (body) => {
    expect(problemOf(body)?.details).toEqual([
      {
        code: 'invalidType',
        message: expect.stringMatching(/^The body must be a JSON object(, and is empty|, not an array)?$/),
      },
    ]);
  });

  it('makes objects without prototype and ignores __proto__', () => {
    const folded = foldKeys(JSON.parse('{"__proto__":{"name":"x"},"constructor":1,"owner":{"__proto__":2}}'), known);
    expect(Object.getPrototypeOf(folded)).toBeNull();
    expect(folded['name']).toBeUndefined();
    expect(Object.keys(folded)).toEqual(['owner']);
  });

  it('folds any spelling to the same body, and a folded body to itself', () => {
    const anyCase = (key: string): fc.Arbitrary<string> =>
      fc
        .array(fc.boolean(), { minLength: key.length, maxLength: key.length })
        .map((upper) =>
          key.replace(/./gu, (letter, index: number) =>
            upper[index] === true ? letter.toUpperCase() : letter.toLowerCase(),
          ),
        );
    fc.assert(
      fc.property(anyCase('isActive'), anyCase('fields'), anyCase('fieldID'), (isActive, fields, fieldID) => {
        const folded = foldKeys({ [isActive]: 1, [fields]: [{ [fieldID]: 2 }] }, known);
        expect(folded).toEqual({ isActive: 1, fields: [{ fieldID: 2 }] });
        expect(foldKeys(folded, known)).toEqual(folded);
      }),
    );
  });
});
