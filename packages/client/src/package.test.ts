import path from 'node:path';
import { expect, it } from '@jest/globals';
import { publint } from 'publint';

it('can be published', async () => {
  const { messages } = await publint({ pkgDir: path.resolve(import.meta.dirname, '..'), strict: true, pack: 'npm' });
  expect(messages).toEqual([]);
});
