/** Those of these keys that a ring lacks; none when it is not known which keys a ring has. */
export function lackingKeys(keyIds: readonly string[], ring: readonly string[] | undefined): string[] {
  return ring === undefined ? [] : [...new Set(keyIds)].filter((keyId) => !ring.includes(keyId));
}
