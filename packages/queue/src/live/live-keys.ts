/** The watched tenants, each with the time until which it is watched: one sorted set. */
export const watchedKey = (prefix: string): string => `${prefix}:live:watched`;

/** The channel for the results of a tenant's callouts. */
export const liveChannel = (prefix: string, tenantId: number): string => `${prefix}:live:${tenantId}`;

/** The tenant of a channel; undefined for other channels. */
export function tenantOfChannel(prefix: string, channel: string): number | undefined {
  const start = `${prefix}:live:`;
  const id = channel.startsWith(start) ? Number(channel.slice(start.length)) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}
