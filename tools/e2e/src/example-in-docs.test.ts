import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';

it('docs/testing.md shows the example that runs', async () => {
  const page = await readFile(path.resolve(import.meta.dirname, '../../../docs/testing.md'), 'utf8');
  const example = await readFile(path.join(import.meta.dirname, 'example.test.ts'), 'utf8');
  expect(page).toContain('```ts\n' + example + '```');
});
