import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { describe, expect, it } from '@jest/globals';
import { forThisFile } from '@callout/testing';
import { publint } from 'publint';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../../..');
const names = ['client', 'receiver'] as const;

/** Both packages as npm would publish them, and installed from there into a project of their own. */
const published = forThisFile(installed, ({ directory }) => rm(directory, { recursive: true }));

async function installed() {
  const directory = await mkdtemp(path.join(tmpdir(), 'callout-published-'));
  const tarballs = { client: await packed('client', directory), receiver: await packed('receiver', directory) };
  // The dependencies of the client come from this checkout, so that no registry is needed.
  const others = ['openapi-fetch', 'openapi-typescript-helpers'];
  for (const name of others) {
    await cp(path.join(root, 'node_modules', name), path.join(directory, name), { recursive: true });
    const manifest = path.join(directory, name, 'package.json');
    // npm would query a registry for its development dependencies.
    const { devDependencies: _, ...rest } = JSON.parse(await readFile(manifest, 'utf8')) as Record<string, unknown>;
    await writeFile(manifest, JSON.stringify(rest));
  }
  const dependencies = Object.fromEntries([
    ...names.map((name) => [`@callout/${name}`, `file:${tarballs[name]}`]),
    ...others.map((name) => [name, `file:./${name}`]),
  ]);
  await writeFile(path.join(directory, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
  const options = ['--install-links', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  await run('npm', ['install', ...options], { cwd: directory });
  return { directory, tarballs };
}

/** Packs a package that is built. @returns the tarball. */
async function packed(name: string, directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const options = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
  const { stdout } = await run('npm', options, { cwd: path.join(root, 'packages', name) });
  const [{ filename } = { filename: '' }] = JSON.parse(stdout) as { filename: string }[];
  return path.join(directory, filename);
}

const program = `
import { ApiError, calloutTypes, createClient, createOperatorClient, listAll, queryAll } from '@callout/client';
import { consume, createReceiver, verify } from '@callout/receiver';
import { fetchHandler } from '@callout/receiver/fetch';
import { fastifyCallouts } from '@callout/receiver/fastify';
import { nodeHandler } from '@callout/receiver/node';

const client = createClient({
  baseUrl: 'http://callout',
  fetch: async () => Response.json({ item: { id: 1, name: 'acme' } }),
});
const { data } = await client.GET('/v1.0/CompanyWebhooks/{id}', { params: { path: { id: 1 } } });
const receiver = createReceiver({ secrets: 'a secret', onCallout: () => undefined, onError: () => undefined });
const answer = await fetchHandler(receiver)(new Request('http://receiver', { method: 'POST', body: '{}' }));
const ofClient = [typeof ApiError, typeof calloutTypes, typeof createOperatorClient, typeof listAll, typeof queryAll];
const functions = [...ofClient, typeof verify, typeof consume, typeof fastifyCallouts, typeof nodeHandler];
console.log(data.item.name, answer.status, functions.every((kind) => kind === 'function'));
`;

describe('both packages, installed as they are published', () => {
  it('are imported as ES modules', async () => {
    const { directory } = published;
    await writeFile(path.join(directory, 'program.mjs'), program);
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: directory });
    expect(stdout).toBe('acme 401 true\n');
  });

  it.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('have types: modules %s, resolved as by %s', async (module, resolution) => {
    const { directory } = published;
    const file = `program-${resolution}.mts`;
    await writeFile(
      path.join(directory, file),
      program.replace('data.item.name', 'data.item.name satisfies string | undefined'),
    );
    await writeFile(path.join(directory, `wrong-${file}`), program.replace('data.item.name', 'data.item.title'));
    const compile = (name: string) =>
      run(
        process.execPath,
        [
          path.join(root, 'node_modules/typescript/bin/tsc'),
          ...'--noEmit --strict --ignoreConfig --target es2023 --types node --typeRoots'.split(' '),
          path.join(root, 'node_modules/@types'),
          ...['--module', module, '--moduleResolution', resolution, name],
        ],
        { cwd: directory },
      ).then(
        () => '',
        (error: { stdout?: string }) => String(error.stdout),
      );
    expect(await compile(file)).toBe('');
    expect(await compile(`wrong-${file}`)).toContain("'title' does not exist");
  });
});

describe.each(names)('@callout/%s', (name) => {
  it('can be published', async () => {
    const { messages } = await publint({ pkgDir: path.join(root, 'packages', name), strict: true, pack: 'npm' });
    expect(messages).toEqual([]);
  });

  it('has types for the least TypeScript that its README names', async () => {
    const compiler = path.join(root, 'tools/e2e/node_modules/typescript');
    const readme = await readFile(path.join(root, 'packages', name, 'README.md'), 'utf8');
    const [, least] = /TypeScript (\d+\.\d+) or later/u.exec(readme) ?? [];
    const { version } = JSON.parse(await readFile(path.join(compiler, 'package.json'), 'utf8')) as { version: string };
    expect(version).toMatch(new RegExp(`^${least}\\.`, 'u'));
    const { directory } = published;
    const file = `least-${name}.mts`;
    await writeFile(path.join(directory, file), program);
    // Without skipLibCheck: the types of the packages are checked, too.
    const options = '--noEmit --strict --module nodenext --target es2022 --lib es2022,dom,dom.iterable --types node';
    const types = ['--typeRoots', path.join(root, 'node_modules/@types')];
    const args = [path.join(compiler, 'bin/tsc'), ...options.split(' '), ...types, file];
    const { stdout } = await run(process.execPath, args, { cwd: directory });
    expect(stdout).toBe('');
  });

  it('has types that every resolution of ES modules finds', async () => {
    const found = await checkPackage(createPackageFromTarballData(await readFile(published.tarballs[name])));
    if (found.types === false) throw new Error('the package has no types');
    // It is for ES modules: `require` of old Node and resolution without `exports` are not offered.
    const problems = found.problems.filter(
      (problem) => !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
    );
    expect(problems).toEqual([]);
  });

  it('is as small as its README says', async () => {
    const readme = await readFile(path.join(root, 'packages', name, 'README.md'), 'utf8');
    const [, tarball, code] =
      /package is at most (\d+) KB.* JavaScript (?:is )?at most (\d+) KB compressed/u.exec(readme) ?? [];
    if (tarball === undefined || code === undefined) throw new Error('its README does not say how large it is');
    expect((await stat(published.tarballs[name])).size).toBeLessThanOrEqual(Number(tarball) * 1024);
    const dist = path.join(published.directory, 'node_modules/@callout', name, 'dist');
    const modules = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.js'));
    const texts = await Promise.all(modules.map((file) => readFile(path.join(dist, file))));
    expect(gzipSync(Buffer.concat(texts)).byteLength).toBeLessThanOrEqual(Number(code) * 1024);
  });
});
