/** Hosts, ports and name of a URL's target, without user and password. */
export function whereIs(url: string): string {
  const [, where = ''] = /^[^/]*\/\/(?:[^@/?#]*@)?([^?#]*)/.exec(url) ?? [];
  return where.replace(/\/$/, '');
}
