import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const BUILD = path.resolve(import.meta.dirname, '../bin/build.js');

/** Asks build.js, in a process of its own: Jest does not load plain ES modules. */
async function isClientGenerated(root: string): Promise<boolean> {
  const program = `import { isClientGenerated } from ${JSON.stringify(BUILD)};
    console.log(await isClientGenerated(${JSON.stringify(root)}));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  return stdout === 'true\n';
}

const roots: string[] = [];
afterEach(() => Promise.all(roots.splice(0).map((root) => rm(root, { recursive: true }))));

/** A checkout whose client was made by version 7.0.0 from `model Note { id Int @id }`. */
async function checkoutWith(schema: string, version = '7.0.0'): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'callout-client-'));
  roots.push(root);
  const files = {
    'prisma/schema.prisma': schema,
    'node_modules/prisma/package.json': JSON.stringify({ version }),
    'packages/database/src/generated/internal/class.ts': `const config = {
  "clientVersion": "7.0.0",
  "inlineSchema": ${JSON.stringify('// "Notes"\nmodel Note {\n  id   Int @id\n}\n')},
  "runtimeDataModel": {}
}`,
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.join(root, path.dirname(file)), { recursive: true });
    await writeFile(path.join(root, file), text);
  }
  return root;
}

const schema = '// "Notes"\nmodel Note {\n  id Int @id\n}\n';

describe('whether `npm start` leaves the Prisma client alone', () => {
  it('does in a checkout that is built', async () => {
    expect(await isClientGenerated(ROOT)).toBe(true);
  });

  it('does where only the columns of the schema stand elsewhere', async () => {
    expect(await isClientGenerated(await checkoutWith(schema))).toBe(true);
  });

  it.each([
    ['the schema has changed', schema.replace('Int', 'BigInt'), '7.0.0'],
    ['Prisma has another version', schema, '7.0.1'],
  ])('does not when %s', async (_name, changed, version) => {
    expect(await isClientGenerated(await checkoutWith(changed, version))).toBe(false);
  });

  it('does not when there is no client', async () => {
    const root = await checkoutWith(schema);
    await rm(path.join(root, 'packages/database'), { recursive: true });
    expect(await isClientGenerated(root)).toBe(false);
  });
});
