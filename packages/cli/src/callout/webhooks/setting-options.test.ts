import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { expect, it } from '@jest/globals';
import { healthWebhookFields } from '@callout/webhooks/input/webhook-fields';
import type { CommandContext } from '../context.ts';
import { type SettingOptions, settingsBody, shownSettings, withSettingOptions } from './setting-options.ts';

/** What a line with these options makes the body of a request. */
async function bodyOf(args: readonly string[], env: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const command = withSettingOptions(new Command()).exitOverride().parse(args, { from: 'user' });
  return settingsBody({ env } as unknown as CommandContext, command.opts<SettingOptions>());
}

/** Active by commands of its own, and the secret by the options for secrets. */
const elsewhere = ['isActive', 'secretKey'];

it('each setting of a webhook has an option', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'callout-settings-'));
  const file = async (name: string, content: string): Promise<string> => {
    await writeFile(path.join(directory, name), content);
    return path.join(directory, name);
  };
  const args = [
    ...['--name', 'n', '--url', 'https://u.example', '--deactivation-url', 'https://d.example', '--events', 'update'],
    ...['--notify', 'a@example.com', '--format', 'typed', '--previous-values'],
    ...['--signature', 'both', '--merge', '--calls-per-second', '0.5', '--concurrent-calls', '3'],
    '--threshold-mail',
    ...['--condition-file', await file('condition.json', '{"op":"exist","field":"city"}')],
    ...['--request-headers-file', await file('headers.json', '[{"name":"X-A","value":"a secret"}]')],
    ...['--receiver-auth-file', await file('auth.json', '{"kind":"bearer","token":"a secret"}')],
    ...['--ca-file', await file('ca.pem', 'PEM'), '--alert-format', 'pagerduty', '--alert-routing-key-env', 'KEY'],
  ];
  const body = await bodyOf(args, { KEY: 'a secret' });
  const settings = Object.entries(healthWebhookFields).flatMap(([name, field]) =>
    'isReadOnly' in field && field.isReadOnly ? [] : [name],
  );
  expect([...Object.keys(body), ...elsewhere].toSorted()).toEqual(settings.toSorted());
  expect(body).toMatchObject({
    condition: { op: 'exist', field: 'city' },
    requestHeaders: [{ name: 'X-A', value: 'a secret' }],
    receiverAuth: { kind: 'bearer', token: 'a secret' },
    caCertificate: 'PEM',
    alertRoutingKey: 'a secret',
  });
  expect(JSON.stringify(shownSettings(body))).not.toContain('a secret');
});

it('none removes a setting', async () => {
  const none = [
    ...['condition-file', 'request-headers-file', 'receiver-auth-file', 'ca-file', 'alert-routing-key-env'],
    ...['calls-per-second', 'concurrent-calls', 'notify'],
  ];
  expect(await bodyOf(none.flatMap((option) => [`--${option}`, 'none']))).toEqual({
    condition: null,
    requestHeaders: [],
    receiverAuth: { kind: 'none' },
    caCertificate: null,
    alertRoutingKey: null,
    maxCallsPerSecond: null,
    maxConcurrentCalls: null,
    notificationEmailAddress: null,
  });
});

it('a file that is not there, or is no JSON, is named', async () => {
  await expect(bodyOf(['--condition-file', '/not/there'])).rejects.toThrow('/not/there cannot be read (ENOENT)');
  await expect(bodyOf(['--condition-file', import.meta.filename])).rejects.toThrow('is no JSON');
});
