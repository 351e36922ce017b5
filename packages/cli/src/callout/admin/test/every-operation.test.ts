import { describe, expect, it } from '@jest/globals';
import { parametersOf, wordsOf, requestOf } from '@callout/domain/operations/operation';
import { operationNames, operations } from '@callout/domain/operations/operations';
import { useOperatedCallout } from './operated-callout.fixture.ts';
import { runAdmin } from './run-admin.fixture.ts';

const own = useOperatedCallout();
/** Nothing has this id, or this name. */
const NOWHERE = '2000000000';
const UUID = '019cb6a1-0000-7000-8000-000000000001';

describe('every operation of operators', () => {
  it.each(operationNames)('%s is called over REST', async (name) => {
    const operation = operations[name];
    const values = Object.fromEntries(
      Object.entries(parametersOf(operation)).map(([one, { kind }]) => [one, kind === 'guid' ? UUID : NOWHERE]),
    );
    const { path, body } = requestOf(operation, values);
    const response = await fetch(`${own.env['CALLOUT_OPERATOR_URL']}/operator/v1${path}`, {
      method: operation.method,
      headers: { Authorization: `Bearer ${own.env['OPERATOR_TOKEN']}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(operation.method === 'POST' ? {} : body) }),
    });
    expect([200, 202, 400, 404, 409]).toContain(response.status);
    // The answer of a path that does not exist differs from that of a thing that is not there.
    if (response.status === 404) expect(await response.text()).toContain('No matching records found');
  });

  it.each(operationNames)('%s has a command, whose help has its sentence and parameters', async (name) => {
    const { command, summary, names = [], typed } = operations[name];
    const { stdout, status } = await runAdmin([...command, '--help']);
    expect(status).toBe(0);
    const help = stdout.replaceAll(/\s+/gu, ' ');
    expect(help).toContain(`Usage: callout admin ${command.join(' ')}`);
    // The export works on the database, with a sentence of its own.
    if (name !== 'exportTenant') expect(help.toLowerCase()).toContain(summary.toLowerCase());
    const isFound = names.includes('credentialId');
    const ofWebhook = ['entityType', 'webhookID', 'webhookGUID'];
    for (const one of Object.keys(parametersOf(operations[name]))) {
      if (names.includes(one) || one === typed || (isFound && one === 'tenantId')) continue;
      expect(help).toContain(`--${ofWebhook.includes(one) ? 'webhook' : wordsOf(one).replaceAll(' ', '-')}`);
    }
    if (typed !== undefined) expect(help).toContain('--confirm <name>');
    else if (operations[name].confirmation !== undefined) expect(help).toContain('--yes');
  });
});
