import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { forThisFile } from '@callout/testing';
import { runTestApi } from '../fixtures/run-test-api.ts';
import { makeTenant } from '../fixtures/test-tenant.ts';

const api = runTestApi();
const tenant = forThisFile(
  () => makeTenant(api.database),
  async () => undefined,
);

/** Where `.ci/zeep` installs it. */
const installed = path.resolve(import.meta.dirname, '../../../../node_modules/.cache/zeep/bin/python');
const python = existsSync(installed) ? installed : 'python3';
const hasZeep = spawnSync(python, ['-c', 'import zeep']).status === 0;
if (!hasZeep)
  process.stderr.write('== not run: the SOAP API with zeep, which python3 does not have: .ci/zeep installs it\n');

it('the description is what zeep reads first', async () => {
  await expect(fetch(`${api.url}/atservices/1.6/atws.wsdl`)).resolves.toMatchObject({ status: 200 });
});

if (hasZeep) {
  describe('a client made with zeep from the description', () => {
    it('calls every operation', async () => {
      const { userName, secret, apiIntegrationCode } = tenant.integrator;
      const program = path.join(import.meta.dirname, 'zeep-client.fixture.py');
      const args = [program, `${api.url}/atservices/1.6/atws.wsdl`, userName, secret, apiIntegrationCode];
      const { stdout } = await promisify(execFile)(python, args);
      expect(JSON.parse(stdout)).toEqual({
        version: '1.6',
        created: [-1, 1, ['Error creating entity for record number [2]: Name must be 50 characters or fewer']],
        field: [1, true],
        updated: [1, [], 'changed by zeep'],
        found: [['AccountWebhook', 'changed by zeep', false, tenant.integrator.resourceId]],
        deleted: [1, [expect.any(Number)]],
        fields: ['ResourceID', 'id', 'WebhookID'],
        udfs: null,
        entities: 27,
        usage: expect.stringContaining('numberOfExternalRequest:'),
        zone: 0,
        soap12: '1.6',
        fault: expect.stringContaining('"Invoice" is no entity of this API.'),
      });
    });
  });
}
