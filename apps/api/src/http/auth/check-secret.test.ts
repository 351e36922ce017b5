import { hash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createCheckSecret, type StoredSecret } from './check-secret.ts';

const imported = (credentialId: number, change: Partial<StoredSecret> = {}): StoredSecret => ({
  credentialId,
  secretHash: Buffer.from('right'),
  secretScrypt: 'ln=15',
  ...change,
});

/** Checks that end on command; the stored text is the right one. */
function heldChecks() {
  let nowMs = 1000;
  const checks: { secret: string; finish: () => void }[] = [];
  const check = createCheckSecret({
    nowMs: () => nowMs,
    cacheKey: randomBytes(32),
    checkImported: (secret, stored) =>
      new Promise((resolve) => {
        const finish = () => resolve(Buffer.from(stored.hash).toString() === secret);
        checks.push({ secret, finish });
      }),
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const finishAll = async () => {
    await settled();
    for (let nth = 0; nth < checks.length; nth += 1) {
      checks[nth]?.finish();
      await settled();
    }
  };
  return { check, checks, finishAll, settled, wait: (ms: number) => void (nowMs += ms) };
}

describe('a generated secret', () => {
  it('is compared by its hash each time, and no scrypt is made', async () => {
    const { check, checks } = heldChecks();
    const stored = { credentialId: 1, secretHash: hash('sha256', 'secret', 'buffer'), secretScrypt: null };
    await expect(check('secret', stored)).resolves.toBe(true);
    await expect(check('other', stored)).resolves.toBe(false);
    expect(checks).toEqual([]);
  });
});

describe('an imported secret', () => {
  it('is checked once in ten seconds while it is right, and each time while it is wrong', async () => {
    const { check, checks, finishAll, wait } = heldChecks();
    const ask = async (secret: string) => {
      const asked = check(secret, imported(1));
      await finishAll();
      return asked;
    };
    expect(await ask('right')).toBe(true);
    wait(10_000);
    expect(await ask('right')).toBe(true);
    expect(checks).toHaveLength(1);
    wait(1);
    expect(await ask('right')).toBe(true);
    expect(checks).toHaveLength(2);
    expect(await ask('wrong')).toBe(false);
    expect(await ask('wrong')).toBe(false);
    expect(checks).toHaveLength(4);
  });

  it('is forgotten with what is stored: another hash, another salt or another credential is checked again', async () => {
    const { check, checks, finishAll } = heldChecks();
    const others = [
      imported(1),
      imported(2),
      imported(1, { secretScrypt: 'ln=16' }),
      imported(1, { secretHash: Buffer.from('other') }),
    ];
    const responses: boolean[] = [];
    for (const stored of others) {
      const asked = check('right', stored);
      await finishAll();
      responses.push(await asked);
    }
    expect(responses).toEqual([true, true, true, false]);
    expect(checks).toHaveLength(4);
  });

  it('is checked once for all requests that bring it at the same time', async () => {
    const { check, checks, finishAll } = heldChecks();
    const asked = Array.from({ length: 20 }, () => check('right', imported(1)));
    await finishAll();
    expect(await Promise.all(asked)).toEqual(Array(20).fill(true));
    expect(checks).toHaveLength(1);
  });

  it('uses two slots at most, one for each credential, so that guesses at one delay no other', async () => {
    const { check, checks, finishAll, settled } = heldChecks();
    const guesses = ['a', 'b', 'c'].map((guess) => check(guess, imported(1)));
    const other = check('right', imported(2));
    const third = check('right', imported(3));
    await settled();
    expect(checks.map(({ secret }) => secret)).toEqual(['a', 'right']);
    await finishAll();
    expect(await Promise.all([other, third])).toEqual([true, true]);
    expect(await Promise.all(guesses)).toEqual([false, false, false]);
  });

  it('is 503 with Retry-After behind too many others of its credential', async () => {
    const { check, checks, finishAll } = heldChecks();
    const guesses = Array.from({ length: 6 }, (_, nth) => check(`guess ${nth}`, imported(1)));
    await expect(check('one more', imported(1))).rejects.toMatchObject({ kind: 'unavailable', retryAfterS: 1 });
    await finishAll();
    expect(await Promise.all(guesses)).toEqual(Array(6).fill(false));
    expect(checks).toHaveLength(6);
  });
});
