import { chmod, mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { acquireProcessLock } from '@callout/local/process';
import { openDataDirectory, type DataDirectory } from './data-directory.ts';
import { randomBytes } from 'node:crypto';
import { ApiError } from '@callout/client';
import { createOwnDatabase } from '@callout/local/postgres';
import { removeKeys } from '@callout/queue/redis/remove-keys';
import { CannotGoOn, reasonOf, whereIs } from './cannot-go-on.ts';
import { printStory } from './story.ts';
import { readLocalConfig, type Environment, type LocalConfig } from './local-config.ts';
import type { Output } from './output.ts';
import type { StopList } from './run-then-stop.ts';
import { whenStopped } from './stop-request.ts';
import { logTail } from './services/log-tail.ts';
import { startServices, type LocalServices } from './services/start-services.ts';

interface DemoDeps {
  readonly env: Environment;
  readonly out: Output;
  /** Aborted when everything is to stop. */
  readonly stop: AbortSignal;
  /** Collects the steps that stop and remove everything that was started and made. */
  readonly stops: StopList;
}

/**
 * `npm run demo`: starts everything in a directory of its own, and shows the whole story.
 * @throws the reason of `stop`, or CannotGoOn with the failure.
 */
export async function demo({ env, out, stop, stops }: DemoDeps): Promise<void> {
  const startedAt = Date.now();
  out.print(out.bold('Callout, the whole story: one webhook, one company.'));
  const config = await configOfOurOwn(readLocalConfig(env), stops);
  const directory = await openTemporaryDirectory();
  stops.add('the directory of the demo', directory.release);
  const services = await startServices({
    isDevelopment: false, // Its receiver has no TLS.
    env: { ...env, ALLOW_HTTP_TARGETS: 'true' },
    config,
    directory,
    ports: {},
    stop,
    stops,
    report: out.report,
  });
  const tookS = ((Date.now() - startedAt) / 1000).toFixed(1);
  out.print(out.dim(`They run, together with a receiver, after ${tookS} s.`));
  await Promise.race([story(services, out), services.failed, whenStopped(stop)]);
  out.print(`\n${out.green(out.bold('Every callout arrived, in order, its signature verified.'))}`);
  out.print('npm start runs the same for you to play with.');
}

/** Servers that belong to others are used, in a database and under a prefix of our own, both removed afterwards. */
async function configOfOurOwn(config: LocalConfig, stops: StopList): Promise<LocalConfig> {
  const { databaseUrl, redisUrl } = config;
  // Ports from the user belong to `npm start`, which may be running, and a demo needs no mail.
  const demoConfig = { ...config, apiPort: undefined, workerPort: undefined, smtpUrl: undefined };
  const redisPrefix = `callout_demo_${randomBytes(8).toString('hex')}`;
  if (redisUrl !== undefined) stops.add('the keys of the demo in Redis', () => removeKeys(redisUrl, redisPrefix));
  if (databaseUrl === undefined) return { ...demoConfig, redisPrefix };
  try {
    const database = await createOwnDatabase(databaseUrl, 'callout_demo');
    stops.add('the database of the demo', database.drop);
    return { ...demoConfig, redisPrefix, databaseUrl: database.url };
  } catch (cause) {
    throw new CannotGoOn(
      `DATABASE_URL: cannot make a database for the demo at ${whereIs(databaseUrl)}: ${reasonOf(cause)}`,
      { cause },
    );
  }
}

async function story(services: LocalServices, out: Output): Promise<void> {
  try {
    await printStory({ services, out });
  } catch (error) {
    if (!(error instanceof CannotGoOn || error instanceof ApiError)) throw error;
    const tails = await Promise.all(
      services.logFiles.map(async (file) => `The end of ${file}:\n${await logTail(file)}`),
    );
    throw new CannotGoOn([`\nThe demo failed. ${error.message}`, ...tails].join('\n'), { cause: error });
  }
}

const PREFIX = 'callout-demo-';
/**
 * A demo acquires its lock right after making its directory; a directory of this age without a lock belongs to no
 * running demo.
 */
const SETTLED_AFTER_MS = 10 * 60_000;

/** A data directory that `release` removes. Directories of demos that were killed are removed first. */
async function openTemporaryDirectory(): Promise<DataDirectory> {
  const home = await realpath(tmpdir());
  await removeAbandoned(home);
  const place = await mkdtemp(path.join(home, PREFIX));
  // As root, the user that PostgreSQL runs as has to pass.
  if (process.getuid?.() === 0) await chmod(place, 0o711);
  const directory = await openDataDirectory(place);
  return { ...directory, isTemporary: true, release: () => rm(place, { recursive: true, force: true }) };
}

async function removeAbandoned(home: string): Promise<void> {
  const names = (await readdir(home)).filter((name) => name.startsWith(PREFIX));
  for (const directory of names.map((name) => path.join(home, name))) {
    const { uid, mtimeMs } = await stat(directory);
    if (uid !== process.getuid?.() || Date.now() - mtimeMs < SETTLED_AFTER_MS) continue;
    const lock = await acquireProcessLock(path.join(directory, 'lock'));
    if (lock.kind === 'taken') await rm(directory, { recursive: true, force: true });
  }
}
