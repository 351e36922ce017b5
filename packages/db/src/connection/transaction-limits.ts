/** Milliseconds that a Prisma transaction may wait for a connection, and may take: room to wait for another one's locks. */
export const transactionLimits = { maxWait: 5_000, timeout: 15_000 };
