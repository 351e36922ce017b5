/** The keys that a ring lacks; none when the keys of the ring are unknown. */
export function lackingKeys(keyIds: readonly string[], ring: readonly string[] | undefined): string[] {
  return ring === undefined ? [] : [...new Set(keyIds)].filter((keyId) => !ring.includes(keyId));
}
