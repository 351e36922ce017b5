/**
 * The flags of the two programs wherever Callout starts them itself; the image sets the same. V8 lets short-lived
 * objects fill three halves of 16 MiB before it collects them: with 4 MiB a worker under load has some 20 MiB less
 * resident, and uses as much CPU time.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=4'];
