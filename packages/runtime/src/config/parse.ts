import type { z } from 'zod';
import { readSecretFiles } from './secret-files.ts';

/** The environment is not a valid configuration. `message` lists every problem and its remedy. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads all configuration once; secrets may be in files, see `readSecretFiles`. Throws one `ConfigError` with every
 * problem, so a single start shows every mistake.
 */
export function parseConfig<S extends z.ZodType>(schema: S, env: Record<string, string | undefined>): z.output<S> {
  const files = readSecretFiles(env);
  const parsed = schema.safeParse(files.env);
  if (parsed.success && files.problems.size === 0) return parsed.data;
  const issues = (parsed.error?.issues ?? []).filter(({ path }) => !files.problems.has(String(path[0])));
  const problems = [
    ...[...files.problems.values()].map((problem) => `  ${problem}`),
    ...issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`),
  ];
  const count = problems.length === 1 ? '1 setting needs' : `${problems.length} settings need`;
  throw new ConfigError(
    [`Callout cannot start: ${count} attention.`, ...problems, 'docs/configuration.md lists every setting.'].join('\n'),
  );
}

/** The parts of `process` that report why a process cannot start. */
interface Exit {
  readonly stderr: { write(text: string): unknown };
  readonly exit: (status: number) => never;
}

/** For `main.ts`: the configuration, or the problems on stderr and status 1, without a stack that would bury them. */
export function parseConfigOrExit<S extends z.ZodType>(
  schema: S,
  env: Record<string, string | undefined>,
  { stderr, exit }: Exit,
): z.output<S> {
  try {
    return parseConfig(schema, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    stderr.write(`${error.message}\n`);
    return exit(1);
  }
}
