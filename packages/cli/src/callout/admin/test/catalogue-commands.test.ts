import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { runCommand } from '../../run-command.fixture.ts';
import { useCommandDatabase } from './command-database.fixture.ts';

const database = useCommandDatabase();

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'callout-catalogue-'));
});
afterEach(() => rm(directory, { recursive: true }));

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runCommand(['admin', 'catalogue', ...args], env);
const init = (...args: string[]) => run(['init', ...args, '--directory', directory]);
const readJson = async (name: string) => JSON.parse(await readFile(path.join(directory, name), 'utf8')) as object;

describe('callout admin catalogue init', () => {
  it('writes a file that its own schema and the service take', async () => {
    await expect(init('orderLine', '--field', 'amount:integer', '--field', 'label')).resolves.toMatchObject({
      status: 0,
      stdout: expect.stringContaining('order-lines.json is written'),
    });
    const file = await readJson('order-lines.json');
    expect(file).toEqual({
      $schema: './catalogue.schema.json',
      entityType: 'OrderLine',
      fields: [
        { name: 'amount', dataType: 'integer' },
        { name: 'label', dataType: 'string' },
      ],
    });
    const isValid = new Ajv2020().compile(await readJson('catalogue.schema.json'));
    expect([isValid(file), isValid.errors]).toEqual([true, null]);
    expect(isValid({ ...file, entityTyp: 'Order' })).toBe(false);
    await expect(run(['check', directory])).resolves.toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^OrderLine +OrderLines +OrderLineWebhooks +3$/mu),
    });
  });

  it('copies the entities that come with Callout, so that all stand side by side', async () => {
    await init('Order', '--with-built-in');
    const { stdout } = await run(['check', directory, '--json']);
    const rows = JSON.parse(stdout) as { entityType: string }[];
    expect(rows.map(({ entityType }) => entityType)).toEqual(expect.arrayContaining(['Account', 'Order', 'Ticket']));
  });

  it('keeps a file that is there already', async () => {
    await init('Order');
    await writeFile(path.join(directory, 'orders.json'), 'described by hand');
    await expect(init('Order')).resolves.toMatchObject({
      status: 1,
      stderr: expect.stringContaining('orders.json is there already: change it by hand'),
    });
    await expect(readFile(path.join(directory, 'orders.json'), 'utf8')).resolves.toBe('described by hand');
  });

  it.each([
    [['Order line'], /must be a name in PascalCase/u],
    [['Order', '--field', 'total:money'], /fields\.0\.dataType .*decimal/u],
    [['Account'], /Account is defined twice/u],
  ])('refuses %j', async (args, expected) => {
    await expect(init(...args)).resolves.toMatchObject({ status: 1, stderr: expect.stringMatching(expected) });
  });
});

describe('callout admin catalogue check', () => {
  it('names file and line of each problem', async () => {
    const text = '{\n  "entityType": "Order",\n  "fields": [\n    {"name": "total", "datatype": "decimal"}\n  ]\n}\n';
    await writeFile(path.join(directory, 'orders.json'), text);
    const { status, stderr } = await run(['check'], { CATALOGUE_DIR: directory });
    expect(status).toBe(1);
    expect(stderr).toMatch(/orders\.json:4: fields\.0\.dataType /u);
    expect(stderr).toMatch(/orders\.json:4: fields\.0 .*datatype/u);
  });
});

describe('callout admin catalogue diff', () => {
  const company = { fieldID: 2, name: 'companyName', dataType: 'string' };
  const write = (fields: readonly object[]) =>
    writeFile(
      path.join(directory, 'companies.json'),
      JSON.stringify({ entityType: 'Account', singular: 'Company', fields }),
    );

  it('shows what a change means, and ends with 1 when it must not be made', async () => {
    await write([{ ...company, dataType: 'integer' }]);
    const { status, stdout } = await run(['diff', directory]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^refused +Account +companyName is stored as string and cannot be integer/mu);
    expect(stdout).toMatch(/^loss +Ticket +The entity is gone/mu);
    expect(stdout).toMatch(/^1 of \d+ changes must not be made\.$/mu);
  });

  it('counts the webhooks concerned where it has the database', async () => {
    const { pool } = database.database;
    await insertWebhook(pool, await insertTenant(pool), 1);
    await write([{ fieldID: 3, name: 'companyNumber', dataType: 'string' }]);
    const { status, stdout } = await run(['diff', directory, '--json'], database.env);
    const rows = JSON.parse(stdout) as { entityType: string; fieldID: number | null; webhooks: number }[];
    const countOf = (type: string, id: number | null) =>
      rows.find(({ entityType, fieldID }) => entityType === type && fieldID === id)?.webhooks;
    expect(status).toBe(0);
    // The webhook watches the name of a company.
    expect([countOf('Account', 2), countOf('Account', 4), countOf('Ticket', null)]).toEqual([1, 0, 0]);
  });
});
