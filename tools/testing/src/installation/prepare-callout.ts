import type { Database } from '@callout/database/connection/database';
import { startScriptedReceiver, type ScriptedReceiver } from '../servers/scripted-receiver.ts';
import { makeTenant, openForTest, type TenantUnderTest } from '../rest/tenant.ts';
import { prepareInstallation, type Installation, type InstallationOptions } from './installation.ts';

/** The environment of a test of processes. */
export interface CalloutSetup {
  readonly installation: Installation;
  readonly database: Database;
  readonly receiver: ScriptedReceiver;
  /** Makes a tenant; the database has its tables once a process is ready. */
  tenant(): Promise<TenantUnderTest>;
  /** Kills the processes and ends their services. */
  stop(): Promise<void>;
}

/** Prepares an installation with a receiver; no process runs yet. */
export async function prepareCallout(options: InstallationOptions): Promise<CalloutSetup> {
  const installation = await prepareInstallation(options);
  const database = openForTest(options.databaseUrl);
  const receiver = await startScriptedReceiver();
  return {
    installation,
    database,
    receiver,
    tenant: () => makeTenant(database),
    async stop() {
      await installation.stop();
      await Promise.all([database.close(), receiver.stop()]);
    },
  };
}
