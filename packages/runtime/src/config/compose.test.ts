import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { apiConfig } from './api.ts';
import { parseConfig } from './parse.ts';
import { workerConfig } from './worker.ts';

const docker = (name: string) => readFile(path.join(import.meta.dirname, '../../../../docker', name), 'utf8');

it('the settings file for Docker Compose names only settings there are, and needs a key alone', async () => {
  const lines = (await docker('callout.env.example')).split('\n');
  const settings = lines.flatMap((line) => /^(?:# )?([A-Z_]+)=(.*)$/.exec(line)?.slice(1, 3) ?? []);
  const names = settings.filter((_, at) => at % 2 === 0);
  const known = Object.keys({ ...apiConfig.shape, ...workerConfig.shape });
  // OpenTelemetry reads its own variables.
  expect(known).toEqual(expect.arrayContaining(names.filter((name) => !name.startsWith('OTEL_'))));
  const set = lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s, 2) as [string, string]);
  const env = { ...Object.fromEntries(set), SECRET_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` };
  expect(parseConfig(apiConfig, env)).toMatchObject(Object.fromEntries(set));
  expect(parseConfig(workerConfig, env)).toMatchObject(Object.fromEntries(set));
});

it('Docker Compose sets nothing that would go before that file', async () => {
  const compose = await docker('compose.yaml');
  expect(compose).toContain('env_file: callout.env');
  // Those of PostgreSQL itself.
  expect(compose.match(/environment:.*/g)).toEqual([expect.stringContaining('POSTGRES_USER')]);
});
