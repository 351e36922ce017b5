/** The tenants that are watched, each with the time until which its viewers have said so: one sorted set. */
export const watchedKey = (prefix: string): string => `${prefix}:live:watched`;

/** Where what happens to a tenant's callouts is told. */
export const liveChannel = (prefix: string, tenantId: number): string => `${prefix}:live:${tenantId}`;

/** The tenant of a channel; undefined when it is none of these. */
export function tenantOfChannel(prefix: string, channel: string): number | undefined {
  const start = `${prefix}:live:`;
  const id = channel.startsWith(start) ? Number(channel.slice(start.length)) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}
