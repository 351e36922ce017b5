import { describe, expect, it } from '@jest/globals';
import { credentialsFile, type KnownTenant } from './credentials-file.ts';

const issued = { userName: 'u', secret: 's', apiIntegrationCode: 'c' };
const known: KnownTenant = {
  tenant: 'demo',
  webhookSecret: 'w',
  credentials: { integrator: issued, source: issued, admin: issued },
};

function directoryWith(files: Map<string, string>) {
  return {
    read: async (name: string) => files.get(name),
    write: async (name: string, text: string) => void files.set(name, text),
  };
}

describe('credentialsFile', () => {
  it('stores each database separately, for any user that connects to it', async () => {
    const directory = directoryWith(new Map());
    const one = credentialsFile(directory, 'postgres://ann:a@db:5432/one');
    await one.write(known);
    expect(await one.read()).toEqual(known);
    expect(await credentialsFile(directory, 'postgres://bob:b@db:5432/one').read()).toEqual(known);
    expect(await credentialsFile(directory, 'postgres://ann:a@db:5432/two').read()).toBeUndefined();
    expect(await credentialsFile(directory, undefined).read()).toBeUndefined();
  });

  it.each([
    ['', undefined],
    ['{"tenant":"demo"', undefined],
    ['null', undefined],
    [JSON.stringify({ ...known, tenant: '' }), undefined],
    [JSON.stringify({ ...known, credentials: { integrator: issued } }), { tenant: 'demo', webhookSecret: 'w' }],
  ])('makes the best of a damaged file: %s', async (text, expected) => {
    const directory = directoryWith(new Map([['credentials.json', text]]));
    expect(await credentialsFile(directory, undefined).read()).toEqual(expected);
  });
});
