import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '@callout/client';
import type { TenantUnderTest } from '@callout/testing';
import { type Ran, runCommand } from './run-command.fixture.ts';
import { callout } from './test/one-callout.fixture.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const run = promisify(execFile);

let directory: string;
let tenant: TenantUnderTest;
let types: (...args: string[]) => Promise<Ran>;

const clientAs = (role: 'integrator' | 'admin') =>
  createClient({ baseUrl: `${callout.url}/atservicesrest`, credential: tenant[role] });

async function makeWebhook(name: string): Promise<number> {
  const { data } = await clientAs('integrator').POST('/v1.0/CompanyWebhooks', {
    body: {
      name,
      webhookUrl: 'pull:',
      deactivationUrl: 'pull:',
      secretKey: 'a secret of at least ten characters',
      isActive: true,
      isSubscribedToCreateEvents: true,
      isSubscribedToUpdateEvents: true,
      fields: [
        { field: 'companyName', isSubscribedField: true, isDisplayAlwaysField: true },
        { field: 'isActive', isSubscribedField: true },
        { field: 'assetValue', isSubscribedField: true },
      ],
      udfFields: [{ name: 'tier', isSubscribedField: true }],
    },
  });
  return data.itemId;
}

describe('callout types', () => {
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'callout-types-'));
    await symlink(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
    tenant = await callout.tenant();
    const { userName, secret, apiIntegrationCode } = tenant.integrator;
    const env = {
      CALLOUT_URL: `${callout.url}/atservicesrest`,
      CALLOUT_USER_NAME: userName,
      CALLOUT_SECRET: secret,
      CALLOUT_INTEGRATION_CODE: apiIntegrationCode,
      XDG_CONFIG_HOME: directory,
    };
    types = (...args) => runCommand(['types', ...args], env);
    await clientAs('admin').POST('/v1.0/UserDefinedFieldDefinitions', {
      body: { entityType: 'Account', name: 'tier', label: 'Support tier', dataType: 'string' },
    });
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('writes what the webhook sends, and knows when that has changed', async () => {
    const id = await makeWebhook('Companies to the shop');
    const file = path.join(directory, 'callouts.ts');
    const written = await types(`CompanyWebhooks/${id}`, '--out', file);
    expect(written).toMatchObject({ status: 0, stderr: '' });
    const text = await readFile(file, 'utf8');
    expect(text).toContain('export interface CompaniesToTheShop {');
    expect(text).toContain("readonly EntityType: 'Account';");
    expect(text).toContain("readonly Action: 'Create' | 'Update' | 'Deactivated';");
    expect(text).toContain('readonly CompanyName?: string | null;');
    expect(text).toContain("readonly IsActive?: 'true' | 'false' | null;");
    expect(text).toContain('readonly AssetValue?: `${number}` | null;');
    expect(text).toContain("readonly 'Support tier'?: string | null;");
    expect(text).not.toContain('Phone');

    expect(await types(`Company/${id}`, '--out', file)).toMatchObject({
      status: 0,
      stdout: `${file} is up to date.\n`,
    });
    const check = () => types(`CompanyWebhooks/${id}`, '--out', file, '--check');
    expect(await check()).toMatchObject({ status: 0 });
    await clientAs('integrator').POST('/v1.0/CompanyWebhooks/{parentId}/Fields', {
      params: { path: { parentId: id } },
      body: { field: 'phone', isSubscribedField: true },
    });
    expect(await check()).toMatchObject({ status: 1, stdout: expect.stringContaining('is not up to date') });
    expect(await readFile(file, 'utf8')).toBe(text);
    await types(`CompanyWebhooks/${id}`, '--out', file);
    expect(await check()).toMatchObject({ status: 0 });
    expect(await readFile(file, 'utf8')).toContain('readonly Phone?: string | null;');

    await clientAs('integrator').PATCH('/v1.0/CompanyWebhooks/{id}', {
      params: { path: { id } },
      body: { payloadFormat: 'typed' },
    });
    // The values as text are the same in every format.
    const asText = (await readFile(file, 'utf8')).slice(0, -'}\n'.length);
    await types(`CompanyWebhooks/${id}`, '--out', file);
    const typed = await readFile(file, 'utf8');
    expect(typed.startsWith(asText)).toBe(true);
    expect(typed.slice(asText.length).replaceAll(/ *\/\*\*.*\*\/\n/gu, '')).toBe(
      [
        '  readonly typed: {',
        '    readonly fields: {',
        '      readonly companyName?: string | null;',
        '      readonly isActive?: boolean | null;',
        '      readonly assetValue?: number | `${number}` | null;',
        '      readonly phone?: string | null;',
        '    };',
        '    readonly userDefinedFields: {',
        "      readonly 'Support tier'?: string | null;",
        '    };',
        '  };',
        '}',
        '',
      ].join('\n'),
    );

    await clientAs('integrator').PATCH('/v1.0/CompanyWebhooks/{id}', {
      params: { path: { id } },
      body: { payloadFormat: 'cloudevents', includePreviousValues: true },
    });
    await types(`CompanyWebhooks/${id}`, '--out', file);
    const ofEvents = await readFile(file, 'utf8');
    for (const line of [
      "  readonly Action: 'Create' | 'Update' | 'Deactivated';",
      '  readonly PreviousFields?: {',
      '    readonly previousFields?: {',
      '    readonly previousUserDefinedFields?: {',
    ]) {
      expect(ofEvents).toContain(line);
    }
  });

  it('makes the example of packages/receiver/README.md compile, and refuses what the webhook does not send', async () => {
    const id = await makeWebhook('Companies to the shop');
    await types(`CompanyWebhooks/${id}`, '--out', path.join(directory, 'callouts.ts'));
    const readme = await readFile(path.join(root, 'packages/receiver/README.md'), 'utf8');
    const [, section = ''] = readme.split('\n## Types made from the webhook\n');
    const [, example = ''] = /^```ts\n(.*?)^```$/msu.exec(section) ?? [];
    const compile = async (sources: Record<string, string>) => {
      const names = Object.keys(sources).map((name) => path.join(directory, name));
      await Promise.all(Object.values(sources).map((source, nth) => writeFile(names[nth] ?? '', source)));
      return run(process.execPath, [
        path.join(root, 'node_modules/typescript/bin/tsc'),
        ...'--noEmit --strict --ignoreConfig --module nodenext --target es2023 --types node'.split(' '),
        ...['--allowImportingTsExtensions', '--typeRoots', path.join(root, 'node_modules/@types')],
        ...names,
      ]).then(
        () => '',
        (error: { stdout?: string }) => String(error.stdout),
      );
    };
    const problems = await compile({
      'right.mts': example,
      'field.mts': example.replace('Fields.CompanyName', 'Fields.Fax'),
      'type.mts': example.replace("!== 'false'", "!== 'no'"),
    });
    expect(problems).toMatch(/field\.mts.*'Fax'/u);
    expect(problems).toMatch(/type\.mts.*no overlap/u);
    expect(problems).not.toContain('right.mts');
  });

  it('names each webhook once, for any names, and lets no name end its comment', async () => {
    const ids = [await makeWebhook('a */ b'), await makeWebhook('A-B'), await makeWebhook('2nd')];
    const names = ids.map((id) => `CompanyWebhooks/${id}`);
    const { stdout } = await types(...names);
    const interfaces = [...stdout.matchAll(/^export interface (\S+)/gmu)].map(([, name]) => name);
    expect(interfaces).toEqual([
      `ABCompanyWebhooks${ids[0]}`,
      `ABCompanyWebhooks${ids[1]}`,
      `CompanyWebhooks${ids[2]}`,
    ]);
    expect(stdout).not.toContain('a */');
  });

  it('uses all webhooks when none is named, and reports a wrong name', async () => {
    const { stdout } = await types();
    expect(stdout).toContain('export interface CompaniesToTheShop');
    expect(await types('Webhooks/1')).toMatchObject({ status: 2, stderr: expect.stringContaining('names no webhook') });
    expect(await types('TicketWebhooks/999')).toMatchObject({ status: 1, stderr: expect.stringContaining('404') });
    expect(await types('--check')).toMatchObject({ status: 2 });
  });
});
