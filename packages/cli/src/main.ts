import path from 'node:path';
import { readSecretFiles } from '@callout/runtime/config/secret-files';
import { helpText, parseCommand } from './command.ts';
import { demo } from './demo.ts';
import { createOutput } from './output.ts';
import { runThenStop } from './run-then-stop.ts';
import { listenForStop } from './stop-request.ts';
import { start } from './start.ts';

const files = readSecretFiles(process.env);
// Their errors are reported together with the others.
const env = files.problems.size === 0 ? files.env : process.env;
const out = createOutput({ stdout: process.stdout, stderr: process.stderr, env });

// Not left to end without help: an open connection somewhere would keep the process alive.
process.exit(await main(process.argv.slice(2)));

/** @returns the exit status: 0, also when it was stopped; 1 when something went wrong; 2 for a wrong command line. */
async function main(args: readonly string[]): Promise<number> {
  const command = parseCommand(args);
  if (command.kind === 'help') {
    out.print(helpText);
    return 0;
  }
  if (command.kind === 'refused') {
    out.report(`${command.problem}\n\n${helpText}`);
    return 2;
  }
  const stop = listenForStop({ process, force: () => process.exit(1) });
  if (command.kind === 'demo') {
    // An interrupted demo has shown nothing: the status must not be a success.
    return (await runThenStop(out, false, (stops) => demo({ env, out, stop, stops }))) === 'done' ? 0 : 1;
  }
  const outcome = await runThenStop(out, command.json, (stops) =>
    start(
      { env, out, stop, stops, dataDirectory: dataDirectory() },
      { json: command.json, isDevelopment: command.kind === 'dev' },
    ),
  );
  return outcome === 'failed' ? 1 : 0;
}

/** A relative path is relative to the directory of the user; npm itself changes to the checkout. */
function dataDirectory(): string {
  const directory = env['CALLOUT_DATA_DIR']?.trim();
  if (directory) return path.resolve(env['INIT_CWD'] ?? '.', directory);
  return path.resolve(import.meta.dirname, '../../../.callout');
}
