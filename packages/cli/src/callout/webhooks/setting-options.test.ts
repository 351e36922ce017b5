import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { expect, it } from '@jest/globals';
import { sampleOf } from '@callout/webhooks/settings/samples.fixture';
import { isJson, type Setting } from '@callout/webhooks/settings/setting';
import { settings } from '@callout/webhooks/settings/settings';
import type { CommandContext } from '../context.ts';
import { type SettingOptions, settingsBody, shownSettings, withSettingOptions } from './setting-options.ts';

/** What a line with these options makes the body of a request. */
async function bodyOf(args: readonly string[], env: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const command = withSettingOptions(new Command()).exitOverride().parse(args, { from: 'user' });
  return settingsBody({ env } as unknown as CommandContext, command.opts<SettingOptions>());
}

const kebab = (key: string): string => key.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);

/** Active by commands of its own, and the secret by the options for secrets. */
const elsewhere = ['isActive', 'secretKey'];

it('each setting of a webhook has an option', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'callout-settings-'));
  const file = async (name: string, content: string): Promise<string> => {
    await writeFile(path.join(directory, name), content);
    return path.join(directory, name);
  };
  const args: string[] = [];
  for (const setting of settings.filter(({ command }) => command?.isElsewhere !== true)) {
    const { key, type, command } = setting as Setting;
    const option = `--${command?.option ?? kebab(key)}`;
    const text = JSON.stringify(sampleOf(setting));
    if (command?.word !== undefined) args.push(option, command.word);
    else if (type.kind === 'flag' || type.kind === 'boolean') args.push(option);
    else if (isJson(setting)) args.push(option, await file(`${key}.json`, text));
    else if (type.kind === 'authorities') args.push(option, await file('ca.pem', 'PEM'));
    else args.push(option, type.kind === 'routingKey' ? 'KEY' : String(sampleOf(setting)));
  }
  const body = await bodyOf(args, { KEY: 'a secret' });
  expect([...Object.keys(body), ...elsewhere].toSorted()).toEqual(settings.map(({ key }) => key).toSorted());
  for (const setting of settings.filter(({ key }) => key in body && !key.startsWith('isSubscribed'))) {
    const expected = setting.type.kind === 'authorities' ? 'PEM' : sampleOf(setting);
    expect([setting.key, body[setting.key]]).toEqual([
      setting.key,
      setting.key === 'alertRoutingKey' ? 'a secret' : expected,
    ]);
  }
  expect(JSON.stringify(shownSettings(body))).not.toMatch(/a.secret/u);
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
