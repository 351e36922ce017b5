/** A limit of a tenant in words. */
export function limitText(limit: number | null): string {
  if (limit === null) return 'as the installation';
  return limit === 0 ? 'no limit' : limit.toLocaleString();
}
