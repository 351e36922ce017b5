export { eventually, type EventuallyOptions } from './eventually.ts';
export { runHasFastWays } from './fast-ways.ts';
export { forThisFile } from './for-this-file.ts';
export { startAppProcess, type AppProcess, type Exit, type LogLine } from './installation/app-process.ts';
export type { App } from './installation/built-app.ts';
export { bundledMain } from './installation/bundled-app.ts';
export {
  prepareInstallation,
  type Installation,
  type InstallationOptions,
  type Settings,
} from './installation/installation.ts';
export { prepareCallout, type CalloutSetup } from './installation/prepare-callout.ts';
export { useCallout, type CalloutUnderTest } from './installation/use-callout.ts';
export { startPostgresRelay, type PostgresRelay } from './servers/postgres-relay.ts';
export { copyInBackupMode } from './base-backup.ts';
export { startPostgresPair, type PostgresPair } from './postgres-pair.ts';
export type { FailingRedis } from './redis/failing-redis.ts';
export { startRedisCluster } from './redis/redis-cluster.ts';
export { startRedisSentinels } from './redis/redis-sentinels.ts';
export { killTree } from './servers/kill-tree.ts';
export { startMovableAddress, type MovableAddress } from './servers/movable-address.ts';
export { callApi, itemId, type Call, type Reply } from './rest/api-client.ts';
export { createCompanies } from './rest/create-companies.ts';
export { COMPANY_NAME, everyCompanyEvent, registerWebhook, type NewWebhook } from './rest/register-webhook.ts';
export { makeTenant, openForTest, type TenantUnderTest } from './rest/tenant.ts';
export {
  startScriptedMailServer,
  type MailScript,
  type ScriptedMailServer,
  type ScriptedMailServerOptions,
} from './servers/scripted-mail-server.ts';
export { makeOwnCertificate, type OwnCertificate } from './servers/own-certificate.ts';
export { startConnectProxy, type ConnectProxy, type ConnectScript } from './servers/connect-proxy.ts';
export {
  startScriptedReceiver,
  type ReceivedRequest,
  type Script,
  type ScriptedResponse,
  type ScriptedReceiver,
} from './servers/scripted-receiver.ts';
export { createTestDatabase } from './servers/test-database.ts';
export { testRedis, type TestRedis } from './servers/test-redis.ts';
export { expiredCertificate, testCertificate, testKey } from './servers/certificates.ts';
export { startStallingReceiver, type StalledCall, type StallingReceiver } from './servers/stalling-receiver.ts';
export {
  startNameServer,
  type NameServer,
  type NameServerResponse,
  type NameServerRecord,
} from './servers/name-server.ts';
export {
  answer,
  flood,
  forever,
  startRawReceiver,
  type RawReceiver,
  type RawReceiverOptions,
  type RawScript,
} from './servers/raw-receiver.ts';
export { startRedisRelay, type RedisRelay } from './servers/redis-relay.ts';
