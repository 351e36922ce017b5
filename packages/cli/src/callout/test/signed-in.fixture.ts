import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CalloutUnderTest, forThisFile, type TenantUnderTest } from '@callout/testing';
import { type Ran, runCommand, runForJson, type Running, startCommand } from '../run-command.fixture.ts';

export interface SignedIn {
  readonly tenant: TenantUnderTest;
  /** The directory of its own configuration. */
  readonly home: string;
  readonly env: Record<string, string>;
  readonly run: (...args: string[]) => Promise<Ran>;
  readonly json: <T>(...args: string[]) => Promise<T>;
  readonly start: (...args: string[]) => Running;
}

/** A tenant, and profiles for its credentials: `default` of an integrator, `source` and `admin`. */
export function useSignedIn(callout: CalloutUnderTest): SignedIn {
  return forThisFile(
    async () => {
      const tenant = await callout.tenant();
      const home = await mkdtemp(path.join(tmpdir(), 'callout-cli-'));
      const env = { XDG_CONFIG_HOME: home };
      for (const [profile, credential] of [
        ['default', tenant.integrator],
        ['source', tenant.source],
        ['admin', tenant.admin],
      ] as const) {
        const file = path.join(home, `curl-${profile}`);
        const { userName, secret, apiIntegrationCode } = credential;
        const headers = { UserName: userName, Secret: secret, ApiIntegrationCode: apiIntegrationCode };
        const lines = Object.entries(headers).map(([name, value]) => `header = "${name}: ${value}"\n`);
        await writeFile(file, lines.join(''));
        const { status, stderr } = await runCommand(
          ['login', '--profile', profile, '--url', callout.url, '--curl-config', file],
          env,
        );
        if (status !== 0) throw new Error(`${profile} cannot sign in: ${stderr}`);
      }
      return {
        tenant,
        home,
        env,
        run: (...args: string[]) => runCommand(args, env),
        json: <T>(...args: string[]) => runForJson<T>(args, env),
        start: (...args: string[]) => startCommand(args, env),
      };
    },
    ({ home }) => rm(home, { recursive: true }),
  );
}
