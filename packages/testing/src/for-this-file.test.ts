import { beforeAll, describe, expect, it } from '@jest/globals';
import { forThisFile } from './for-this-file.ts';

const steps: string[] = [];

describe('forThisFile', () => {
  const thing = forThisFile(
    async () => ({ name: 'thing', say: () => steps.push('used') }),
    async ({ name }) => steps.push(`${name} ended`),
  );
  let tooEarly: unknown;
  try {
    steps.push(thing.name);
  } catch (error) {
    tooEarly = error;
  }
  beforeAll(() => {
    steps.push(thing.name);
  });

  it('cannot be used while the tests are only declared', () => {
    expect(tooEarly).toHaveProperty('message', expect.stringContaining('it is made in beforeAll'));
  });

  it('is there for hooks and tests', () => {
    thing.say();
    expect(steps).toEqual(['thing', 'used']);
  });
});

it('is ended after them', () => {
  expect(steps).toEqual(['thing', 'used', 'thing ended']);
});
