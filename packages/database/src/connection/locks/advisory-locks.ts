/**
 * Every advisory lock that Callout acquires in its database, in one list, because two that share a number would block
 * each other. Each is held by one process at a time, for the work that it is named after.
 */
export const advisoryLocks = {
  /** The number is that of `prisma migrate deploy`, so that both tools wait for each other. */
  migrate: 72_707_369,
  makePartitions: 72_707_370,
  dropHistory: 72_707_371,
  deleteLeftovers: 72_707_372,
  gatherMail: 72_707_373,
  eraseTenants: 72_707_374,
  rollUpDeliveries: 72_707_375,
  moveTenant: 72_707_376,
  makeHealthEvents: 72_707_377,
} as const;
