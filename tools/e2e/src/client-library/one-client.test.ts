import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../../../..');

/** Files that may authenticate requests themselves, and why; all other callers of the API use `@callout/client`. */
const exempt: Readonly<Record<string, string>> = {
  'packages/client/src/credential.ts': 'the client itself',
  'packages/receiver/src/consume/pull-api.ts': 'depends on nothing, as its README promises',
  'tools/bench/src/tenant.ts': 'the load of a benchmark is raw HTTP: it measures the API and not a client',
  'packages/cli/src/tenant/curl-files.ts': 'files for curl',
  'tools/e2e/src/secrets.test.ts': 'looks for secrets in the bytes of answers, and sends broken requests',
  'tools/e2e/src/stop.test.ts': 'holds connections open and sends half a request',
  'tools/e2e/src/console/operator.suite.ts': 'tries wrong secrets until it is locked out',
  'packages/cli/src/callout/test/signed-in.fixture.ts': 'writes a file for curl',
};

/** The API tests its own wire: headers in any case, broken bodies, stalled connections. */
const isOwnWire = /^apps\/api\//u;

it('nothing but @callout/client signs requests to the API in', async () => {
  const files = await Promise.all(
    ['apps', 'packages', 'tools', 'deploy'].map(async (part) =>
      (await readdir(path.join(root, part), { recursive: true })).map((file) => path.join(part, file)),
    ),
  );
  const sources = files
    .flat()
    .filter((file) => /\.(?:tsx?|m?js)$/u.test(file) && !/\/(?:dist|generated|node_modules)\//u.test(file))
    .filter((file) => !isOwnWire.test(file) && file !== path.relative(root, import.meta.filename));
  const found: string[] = [];
  for (const file of sources) {
    if (file in exempt) continue;
    const text = await readFile(path.join(root, file), 'utf8');
    // As a header: a key of an object, or `name: value` in text. Prose about it continues differently.
    if (/\bApiIntegrationCode\b['"]?(?::|,$| \})/mu.test(text)) found.push(file);
  }
  expect(found).toEqual([]);
});
