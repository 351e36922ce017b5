/** The commands of operators as 0.1.0 called them, and what follows `admin` now. */
const formerNames: ReadonlyMap<string, string> = new Map([
  ['migrate', 'migrate'],
  ['status', 'status'],
  ['zone', 'zones'],
  ['tenant', 'tenants'],
  ['resource', 'resources'],
  ['credential', 'credentials'],
  ['link', 'links'],
  ['lockout', 'lockouts'],
  ['webhook', 'webhooks'],
  ['keys', 'keys'],
  ['queue', 'queue'],
]);

/**
 * Lets scripts that were written for 0.1.0 go on: `callout tenant list` is done as `callout admin tenants list`.
 * @param tell told of the present name.
 */
export function withPresentNames(args: readonly string[], tell: (text: string) => void): readonly string[] {
  const at = args.findIndex((arg, index) => !arg.startsWith('-') && args[index - 1] !== '--profile');
  const former = args[at] ?? '';
  // Those of integrators know no tenant but their own.
  const isAdminDeliveries = former === 'deliveries' && args.includes('--tenant');
  const present = isAdminDeliveries ? former : formerNames.get(former);
  if (present === undefined) return args;
  tell(`\`callout ${former}\` is called \`callout admin ${present}\` now.`);
  return [...args.slice(0, at), 'admin', present, ...args.slice(at + 1)];
}
