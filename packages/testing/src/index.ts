export { eventually, type EventuallyOptions } from './eventually.ts';
export { forThisFile } from './for-this-file.ts';
export { startPostgresRelay, type PostgresRelay } from './postgres-relay.ts';
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
