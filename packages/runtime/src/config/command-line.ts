import { sharedConfig } from './settings/shared.ts';

/** Settings of commands that use the database directly. */
export const databaseConfig = sharedConfig.pick({ DATABASE_URL: true });

/** Settings of commands that know entities by their collections. */
export const catalogueConfig = sharedConfig.pick({ CATALOGUE_DIR: true });

/** Settings of commands that decrypt or encrypt webhook secrets. */
export const keyRingConfig = sharedConfig.pick({ SECRET_KEYS: true });
