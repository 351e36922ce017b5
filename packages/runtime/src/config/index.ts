export { apiConfig, type ApiConfig } from './api.ts';
export { readCatalogueFiles } from './catalogue-files.ts';
export { catalogueConfig, databaseConfig, keyRingConfig, linkConfig, redisConfig } from './command-line.ts';
export { ConfigError, parseConfig, parseConfigOrExit } from './parse.ts';
export { readSecretFiles } from './secret-files.ts';
export { type WorkerConfig, workerConfig } from './worker.ts';
