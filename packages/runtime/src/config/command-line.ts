import { operatorConfig } from './settings/operator.ts';
import { sharedConfig } from './settings/shared.ts';

/** What a command needs that works on the database directly. */
export const databaseConfig = sharedConfig.pick({ DATABASE_URL: true });

/** What a command needs that fills the queues of the workers. */
export const redisConfig = sharedConfig.pick({ REDIS_URL: true, REDIS_PREFIX: true });

/** What a command needs that knows entities by their collections. */
export const catalogueConfig = sharedConfig.pick({ CATALOGUE_DIR: true });

/** What a command needs that makes links to the console. */
export const linkConfig = sharedConfig.pick({ PUBLIC_URL: true }).extend(operatorConfig.shape);

/** What a command needs that opens or seals webhook secrets. */
export const keyRingConfig = sharedConfig.pick({ SECRET_KEYS: true });
