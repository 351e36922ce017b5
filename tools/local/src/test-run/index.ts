export { SHARED_SERVICES } from './request-services.ts';
export { sharedPostgres, sharedRedis } from './request-services.ts';
export { createDisposableDatabase, type DisposableDatabase } from './disposable-database.ts';
export { memoryDirectory } from './memory-directory.ts';
export { installedPostgresTools, installedProgram } from './servers/installed-program.ts';
export { canKeepStatements, installedPgBouncer, startPgBouncer } from './servers/pgbouncer.ts';
export { serveSharedServices, type SharedServices } from './shared-services.ts';
export { startTlsRelay, type TlsRelay } from './servers/tls-relay.ts';
