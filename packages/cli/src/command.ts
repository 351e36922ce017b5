import { parseArgs } from 'node:util';

export type Command =
  { kind: 'start' | 'dev'; json: boolean } | { kind: 'demo' } | { kind: 'help' } | { kind: 'refused'; problem: string };

export const helpText = `npm start                 starts Callout on this machine, with everything that it needs
npm start -s -- --json    the same, and prints one line of JSON once everything is ready
npm run dev               the same for work on Callout: API and worker start again when their sources change
npm run demo              starts it in a directory of its own, walks through the whole story, and stops
npm run bench -- --help   measures throughput and latency

Without DATABASE_URL and REDIS_URL it starts a PostgreSQL and a Redis of its own; nothing has to be installed.
What it has to remember is kept in .callout/ of the checkout, or in the directory that CALLOUT_DATA_DIR names.
Ctrl-C, SIGTERM, or the end of the process that started it stop everything.
Other settings: docs/configuration.md.
`;

/** @param args the arguments after the name of the program: the command, then its options. */
export function parseCommand(args: readonly string[]): Command {
  const [name, ...rest] = args;
  try {
    const { values } = parseArgs({
      args: rest,
      options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
    });
    if (values.help || name === '--help' || name === 'help') return { kind: 'help' };
    if (name === 'start' || name === 'dev') return { kind: name, json: values.json };
    if (name === 'demo' && !values.json) return { kind: 'demo' };
    return {
      kind: 'refused',
      problem: name === 'demo' ? 'The demo has no option --json.' : `Unknown command ${name}.`,
    };
  } catch (error) {
    // parseArgs reports the unknown option.
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith('ERR_PARSE_ARGS') === true) return { kind: 'refused', problem: message };
    throw error;
  }
}
