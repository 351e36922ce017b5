import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** Where a process of the sender is found: its id, or words of its command line. */
const processSchema = z.union([
  z.strictObject({ pid: z.int().positive() }),
  z.strictObject({ command: z.string().min(1) }),
]);

const loopback = /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/;

const targetSchema = z.strictObject({
  name: z.string().min(1),
  request: z.strictObject({
    method: z.enum(['POST', 'PUT']).default('POST'),
    url: z.url({ protocol: /^https?$/ }).refine((url) => loopback.test(new URL(url).hostname), {
      message: 'must be on this machine (127.0.0.1, localhost or [::1]): a benchmark loads no other',
    }),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.unknown(),
    /** Statuses that mean: accepted. */
    accepted: z.array(z.int()).default([200, 201, 202]),
  }),
  /** Where the sender's webhooks point: http://127.0.0.1:<receiverPort>/ and any path below. */
  receiverPort: z.int().min(1).max(65_535),
  /** Callouts owed for each event: how many webhooks of the sender point at the receiver. */
  callouts: z.int().min(1).max(1000).default(1),
  /** CPU and memory are reported for each, with all processes below it. */
  processes: z.record(z.string(), processSchema).default({}),
});

/** A webhook sender that is driven over HTTP, whatever it is. */
export type Target = z.infer<typeof targetSchema>;
export type TargetProcess = z.infer<typeof processSchema>;

/** Where an event's marker goes, and text that makes it as long as asked for. */
export const MARKER = '{{marker}}';
export const FILLER = '{{filler}}';

/**
 * Reads the description of a target.
 * @throws Error with a sentence for everything that is wrong with it.
 */
export async function readTarget(file: string): Promise<Target> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`--target ${file} cannot be read: ${error.code ?? error.message}`, { cause: error });
  });
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new Error(`--target ${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  const parsed = targetSchema.safeParse(given);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  const markers = JSON.stringify(parsed.data?.request.body ?? null).split(MARKER).length - 1;
  if (parsed.success && markers !== 1)
    problems.push(`request.body: must hold ${MARKER} once, and holds it ${markers} times`);
  if (!parsed.success || problems.length > 0) throw new Error(`--target ${file}:\n  ${problems.join('\n  ')}`);
  return parsed.data;
}
