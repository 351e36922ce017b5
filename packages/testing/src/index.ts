export { eventually, type EventuallyOptions } from './eventually.ts';
export { forThisFile } from './for-this-file.ts';
export { startAppProcess, type AppProcess, type Exit, type LogLine } from './installation/app-process.ts';
export { builtMain, type App } from './installation/built-app.ts';
export {
  prepareInstallation,
  type Installation,
  type InstallationOptions,
  type Settings,
} from './installation/installation.ts';
export { prepareRig, type Rig } from './installation/rig.ts';
export { useCallout, type CalloutUnderTest } from './installation/use-callout.ts';
export { startPostgresRelay, type PostgresRelay } from './postgres-relay.ts';
export { callApi, itemId, type Call, type Credential, type Reply } from './rest/api-client.ts';
export { createCompanies } from './rest/create-companies.ts';
export { COMPANY_NAME, everyCompanyEvent, registerWebhook, type NewWebhook } from './rest/register-webhook.ts';
export { makeTenant, openForTest, type TenantUnderTest } from './rest/tenant.ts';
export {
  startScriptedMailServer,
  type MailScript,
  type ScriptedMailServer,
  type ScriptedMailServerOptions,
} from './scripted-mail-server.ts';
export {
  startScriptedReceiver,
  type ReceivedRequest,
  type Script,
  type ScriptedAnswer,
  type ScriptedReceiver,
} from './scripted-receiver.ts';
export { createTestDatabase } from './test-database.ts';
export { testRedis, type TestRedis } from './test-redis.ts';
