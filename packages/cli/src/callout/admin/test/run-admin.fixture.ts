import { type Ran, runCommand, runForJson } from '../../run-command.fixture.ts';

/** Runs a command line of `callout admin` in this process. */
export function runAdmin(
  args: readonly string[],
  ...rest: Parameters<typeof runCommand> extends [unknown, ...infer Rest] ? Rest : never
): Promise<Ran> {
  return runCommand(['admin', ...args], ...rest);
}

/** The same with `--json`; fails the test unless it succeeds. */
export function runAdminForJson<T>(args: readonly string[], env: Record<string, string>): Promise<T> {
  return runForJson<T>(['admin', ...args], env);
}
