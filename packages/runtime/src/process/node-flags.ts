/**
 * The flags of the two programs wherever Callout starts them itself; the image sets the same. V8 lets short-lived
 * objects fill three halves of 16 MiB before it collects them: with 4 MiB a worker under load has some 20 MiB less
 * resident, and uses as much CPU time. Where it may use gigabytes it lets garbage grow to twice what is in use: with a
 * bound, which neither program comes near, API and worker on Node 26 have 340 MiB resident in a flood in place of 490 to
 * 620.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=4', '--max-old-space-size=384'];
