import path from 'node:path';
import { runBench } from './bench.ts';
import { helpText } from './help.ts';
import { parseOptions, type BenchOptions } from './options.ts';
import { isolationSize, runIsolationBench } from './isolation/isolation-bench.ts';
import { isolationJsonLine, renderIsolationReport } from './isolation/isolation-report.ts';
import { runLogBench } from './log/log-bench.ts';
import { logJsonLine, renderLogReport } from './log/log-report.ts';
import { runHistoryBench } from './history/history-bench.ts';
import { historyJsonLine, renderHistoryReport } from './history/history-report.ts';
import { makePlan, type Plan } from './plan.ts';
import { builtPrograms } from './process/programs.ts';
import { jsonLine } from './report/json-line.ts';
import { keptItsPromises } from './report/result.ts';
import { renderReport } from './report/table.ts';
import { runSearchBench } from './search/search-bench.ts';
import { renderSearchReport, searchJsonLine } from './search/search-report.ts';
import { Interrupted, type BenchDeps } from './stage.ts';
import { isComplete, runTargetBench } from './target/target-bench.ts';
import { readTarget } from './target/target-file.ts';
import { renderTargetReport, targetFigures } from './target/target-report.ts';
import { runViewersBench } from './viewers/viewers-bench.ts';
import { renderViewersReport } from './viewers/viewers-report.ts';

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
  const { options } = parsed;
  const { target } = options;
  if (target !== undefined) return run((deps) => driveAnother(target, options, deps));
  if (options.search > 0) return run((deps) => search(options, deps));
  if (options.log > 0) return run((deps) => askLog(options, deps));
  if (options.history > 0) return run((deps) => compareHistory(options, deps));
  if (options.viewers > 0) return run((deps) => watchLive(options, deps));
  if (options.isolation) return run((deps) => isolate(options, deps));
  const plan = await makePlan(options);
  return typeof plan === 'string' ? refuse([plan]) : run((deps) => deliver(plan, deps));
}

function refuse(problems: readonly string[]): number {
  process.stderr.write(`${problems.join('\n')}\nnpm run bench -- --help shows the options.\n`);
  return 2;
}

/** @returns the exit status. */
async function deliver(plan: Plan, deps: BenchDeps): Promise<number> {
  const { run: description, result } = await runBench(plan, deps);
  process.stdout.write(`\n${renderReport(description, result)}`);
  if (plan.options.json) process.stdout.write(`${jsonLine(description, result)}\n`);
  return keptItsPromises(result) ? 0 : 1;
}

/** @returns the exit status. */
async function driveAnother(file: string, options: BenchOptions, deps: BenchDeps): Promise<number> {
  const result = await runTargetBench(await readTarget(file), options, deps);
  process.stdout.write(`\n${renderTargetReport(result)}`);
  if (options.json) process.stdout.write(`${JSON.stringify(targetFigures(result))}\n`);
  return isComplete(result) ? 0 : 1;
}

/** @returns the exit status. */
async function search(options: BenchOptions, deps: BenchDeps): Promise<number> {
  const result = await runSearchBench(options, deps);
  process.stdout.write(`\n${renderSearchReport(result)}`);
  if (options.json) process.stdout.write(`${searchJsonLine(result)}\n`);
  return 0;
}

/** @returns the exit status. */
async function askLog(options: BenchOptions, deps: BenchDeps): Promise<number> {
  const result = await runLogBench(options, deps);
  process.stdout.write(`\n${renderLogReport(result)}`);
  if (options.json) process.stdout.write(`${logJsonLine(result)}\n`);
  return 0;
}

/** @returns the exit status. */
async function compareHistory(options: BenchOptions, deps: BenchDeps): Promise<number> {
  const result = await runHistoryBench(options, deps);
  process.stdout.write(`\n${renderHistoryReport(result)}`);
  if (options.json) process.stdout.write(`${historyJsonLine(result)}\n`);
  return result.isWhole ? 0 : 1;
}

/** @returns the exit status. */
async function watchLive(options: BenchOptions, deps: BenchDeps): Promise<number> {
  const result = await runViewersBench(options, deps);
  process.stdout.write(`\n${renderViewersReport(result)}`);
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  return 0;
}

/** @returns the exit status. Of the losses alone: how long something took depends on who else was at work. */
async function isolate(options: BenchOptions, deps: BenchDeps): Promise<number> {
  const seen = await runIsolationBench(options, deps, isolationSize(options));
  process.stdout.write(`\n${renderIsolationReport(seen)}`);
  if (options.json) process.stdout.write(`${isolationJsonLine(seen)}\n`);
  return keptItsPromises(seen.result) ? 0 : 1;
}

async function run(measure: (deps: BenchDeps) => Promise<number>): Promise<number> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Interrupted(`Stopped by ${signal}.`)));
    }
  });
  interrupted.catch(() => undefined);
  try {
    return await measure({
      env: process.env,
      programs: builtPrograms(),
      dataDir: path.resolve(import.meta.dirname, '../../../.callout/bench'),
      tell: (line) => process.stderr.write(`${line}\n`),
      interrupted,
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${error instanceof Interrupted ? '' : 'The benchmark failed: '}${message}\n`);
    return 1;
  }
}
