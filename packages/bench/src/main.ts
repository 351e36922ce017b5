import path from 'node:path';
import { Interrupted, runBench } from './bench.ts';
import { helpText } from './help.ts';
import { parseOptions } from './options.ts';
import { makePlan, type Plan } from './plan.ts';
import { builtPrograms } from './process/programs.ts';
import { jsonLine } from './report/json-line.ts';
import { keptItsPromises } from './report/result.ts';
import { renderReport } from './report/table.ts';

// Not left to end by itself: what an interrupted run waited for would keep it alive.
process.exit(await main(process.argv.slice(2)));

/** @returns the exit status: 0, 1 when the run failed or a callout was lost, 2 when the command line makes no sense. */
async function main(args: readonly string[]): Promise<number> {
  const parsed = parseOptions(args);
  if (parsed.kind === 'help') {
    process.stdout.write(helpText());
    return 0;
  }
  if (parsed.kind === 'refused') return refuse(parsed.problems);
  const plan = await makePlan(parsed.options);
  return typeof plan === 'string' ? refuse([plan]) : run(plan);
}

function refuse(problems: readonly string[]): number {
  process.stderr.write(`${problems.join('\n')}\nnpm run bench -- --help shows the options.\n`);
  return 2;
}

async function run(plan: Plan): Promise<number> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Interrupted(`Stopped by ${signal}.`)));
    }
  });
  interrupted.catch(() => undefined);
  try {
    const { run, result } = await runBench(plan, {
      env: process.env,
      programs: builtPrograms(),
      dataDir: path.resolve(import.meta.dirname, '../../../.callout/bench'),
      tell: (line) => process.stderr.write(`${line}\n`),
      interrupted,
    });
    process.stdout.write(`\n${renderReport(run, result)}`);
    if (plan.options.json) process.stdout.write(`${jsonLine(run, result)}\n`);
    return keptItsPromises(result) ? 0 : 1;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${error instanceof Interrupted ? '' : 'The benchmark failed: '}${message}\n`);
    return 1;
  }
}
