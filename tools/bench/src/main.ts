import path from 'node:path';
import { runLoads } from './bench.ts';
import { helpText } from './help.ts';
import { renderHistory, runHistoryBench } from './history/history-bench.ts';
import { runIsolationBench } from './isolation/isolation-bench.ts';
import { renderIsolation } from './isolation/isolation-result.ts';
import { parseOptions, type BenchOptions } from './options.ts';
import { keptItsPromises, renderResults } from './result.ts';
import { Interrupted, type BenchDeps } from './stage.ts';
import { renderTargetResult, runTargetBench } from './target-bench.ts';
import { readTarget } from './target-file.ts';

interface Report {
  readonly text: string;
  readonly json: unknown;
  /** Whether nothing was lost: how long something took depends on who else was at work. */
  readonly isGood: boolean;
}

// Not left to end by itself: what an interrupted run waited for would keep it alive.
process.exit(await main(process.argv.slice(2)));

/** @returns the exit status: 0, 1 when the run failed or a callout was lost, 2 when the command line makes no sense. */
async function main(args: readonly string[]): Promise<number> {
  const parsed = parseOptions(args);
  if (parsed.kind === 'help') {
    process.stdout.write(helpText());
    return 0;
  }
  if (parsed.kind === 'refused') {
    process.stderr.write(`${parsed.problems.join('\n')}\nnpm run bench -- --help shows the options.\n`);
    return 2;
  }
  return run((deps) => reportOf(parsed.options, deps), parsed.options.json);
}

async function reportOf(options: BenchOptions, deps: BenchDeps): Promise<Report> {
  if (options.target !== undefined) {
    const target = await readTarget(options.target);
    const result = await runTargetBench(target, options, deps);
    return { text: renderTargetResult(target, options, result), json: result, isGood: result.lost === 0 };
  }
  if (options.history > 0) {
    const result = await runHistoryBench(options, deps);
    return { text: renderHistory(result), json: result, isGood: result.isWhole };
  }
  if (options.isolation) {
    const { conditions, result } = await runIsolationBench(options, deps);
    return {
      text: renderIsolation(conditions, result),
      json: { conditions, ...result },
      isGood: keptItsPromises(result),
    };
  }
  const { conditions, results } = await runLoads(options, deps);
  return {
    text: renderResults(conditions, results),
    json: { conditions, results },
    isGood: results.every(keptItsPromises),
  };
}

async function run(measure: (deps: BenchDeps) => Promise<Report>, isJsonWanted: boolean): Promise<number> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Interrupted(`Stopped by ${signal}.`)));
    }
  });
  interrupted.catch(() => undefined);
  try {
    const { text, json, isGood } = await measure({
      env: process.env,
      dataDir: path.resolve(import.meta.dirname, '../../../.callout/bench'),
      report: (line) => process.stderr.write(`${line}\n`),
      interrupted,
    });
    process.stdout.write(`\n${text}`);
    if (isJsonWanted) process.stdout.write(`${JSON.stringify(json)}\n`);
    return isGood ? 0 : 1;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${error instanceof Interrupted ? '' : 'The benchmark failed: '}${message}\n`);
    return 1;
  }
}
