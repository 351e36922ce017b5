import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buildCatalogue, type EntityDefinition, ownCatalogueDir } from '@callout/core/catalogue';
import { fitPayload, type FillerField } from './driver/company-fields.ts';
import { createWorkloads, type Phase, type Workload } from './driver/workload.ts';
import type { BenchOptions } from './options.ts';
import type { Behaviour } from './receiver/messages.ts';

/** What a run is made of, worked out before anything is started. */
export interface Plan {
  readonly options: BenchOptions;
  readonly company: EntityDefinition;
  readonly fillers: readonly FillerField[];
  readonly workloads: Readonly<Record<Phase, Workload>>;
  /** One for each webhook: the slow ones first, then the failing ones. */
  readonly behaviours: readonly Behaviour[];
}

/** @returns the plan, or the sentence that says why there is none. */
export async function makePlan(options: BenchOptions): Promise<Plan | string> {
  const company = await readCompany();
  const fit = fitPayload(company, options.payload);
  if (fit.kind === 'impossible') {
    return `--payload must be from ${fit.leastBytes} to ${fit.mostBytes}: what a callout about a company can be`;
  }
  const { fillers } = fit;
  const workloads = createWorkloads({
    entityType: company.entityType,
    fillers,
    events: options.events,
    warmup: options.warmup,
  });
  return { options, company, fillers, workloads, behaviours: behavioursOf(options) };
}

async function readCompany(): Promise<EntityDefinition> {
  const file: unknown = JSON.parse(await readFile(path.join(ownCatalogueDir, 'companies.json'), 'utf8'));
  const [company] = buildCatalogue([file]).entities;
  if (company === undefined) throw new Error('the catalogue has no companies');
  return company;
}

function behavioursOf({ fanout, slow, failing }: BenchOptions): Behaviour[] {
  const slowWebhooks = Math.round(slow * fanout);
  const failingWebhooks = Math.round(failing * fanout);
  return Array.from({ length: fanout }, (_, webhook) => {
    if (webhook < slowWebhooks) return 'slow';
    return webhook < slowWebhooks + failingWebhooks ? 'failing' : 'prompt';
  });
}
