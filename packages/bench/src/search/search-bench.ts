import { loadavg } from 'node:os';
import { nowMs } from '../clock.ts';
import { withCpuEach } from '../measure/cpu-each.ts';
import { describeMachine } from '../measure/machine.ts';
import type { BenchOptions } from '../options.ts';
import { apiOfRun } from '../process/api-of-run.ts';
import { withClient } from '../services/bench-database.ts';
import { servicesOfRun } from '../services/services-of-run.ts';
import { setUpTenant } from '../setup.ts';
import { onStage, type BenchDeps, type Stage } from '../stage.ts';
import { ask, pageThrough } from './ask.ts';
import { fillCompanies, sizesOf } from './fill-companies.ts';
import { questionsAbout } from './questions.ts';
import type { Measured, SearchResult } from './search-report.ts';

/** Searches a tenant with `options.search` companies through the API, and measures how long that takes. */
export function runSearchBench(options: BenchOptions, deps: BenchDeps): Promise<SearchResult> {
  return onStage(
    deps,
    (stage) => measure(options, deps, stage),
    () => true,
  );
}

async function measure(options: BenchOptions, deps: BenchDeps, stage: Stage): Promise<SearchResult> {
  const { search: companies } = options;
  const { tell } = deps;
  const { guarded } = stage;
  tell('Starting PostgreSQL, Redis and API …');
  const services = await servicesOfRun(deps, stage);
  const machine = await describeMachine(services.dataDir);
  const { integrator, tenantId } = await guarded(setUpTenant(services.postgres.url));

  tell(`Making ${companies.toLocaleString('en-US')} companies …`);
  const startedAtMs = nowMs();
  const sizes = await guarded(
    withClient(services.postgres.url, async (client) => {
      await fillCompanies(client, { tenantId, companies }, tell);
      return sizesOf(client);
    }),
  );
  const fillS = (nowMs() - startedAtMs) / 1000;

  const api = await apiOfRun(options, deps, stage, services);
  const asking = { url: `${api.url}/Companies`, headers: integrator, random: Math.random };
  const answered: Measured[] = [];
  for (const question of questionsAbout(companies)) {
    tell(`Asking: ${question.name} …`);
    answered.push(await guarded(withCpuEach(api.pids, () => ask(asking, question))));
  }
  tell('Paging through …');
  answered.push(await guarded(withCpuEach(api.pids, () => pageThrough(asking))));
  return {
    companies,
    machine,
    load: loadavg()[0] ?? Number.NaN,
    postgres: services.postgres.description,
    settings: api.settings,
    fillS,
    ...sizes,
    answered,
  };
}
