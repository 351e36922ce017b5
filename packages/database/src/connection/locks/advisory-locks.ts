/**
 * Every advisory lock of Callout, in one list, because two locks with the same number would block each other. One
 * process at a time holds a lock, for the work in the lock's name.
 */
export const advisoryLocks = {
  /** The number of `prisma migrate deploy`: both tools wait for each other. */
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
