export { eventually, type EventuallyOptions } from './eventually.ts';
export {
  startScriptedReceiver,
  type ReceivedRequest,
  type Script,
  type ScriptedAnswer,
  type ScriptedReceiver,
} from './scripted-receiver.ts';
export { createTestDatabase } from './test-database.ts';
export { testRedis, type TestRedis } from './test-redis.ts';
