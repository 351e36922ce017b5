import { hostname } from 'node:os';
import process from 'node:process';
import { newId } from './schema/ids.ts';
import type { Client } from './connection/database.ts';
import { removeProcess, reportEveryMs, storeProcess, type ProcessFacts, type ProcessReport } from './processes.ts';

interface ReportDeps {
  readonly client: Client;
  /** Returns its current state. */
  readonly report: () => Promise<ProcessReport>;
  /** Receives the error when it could not be stored; the next report comes in any case. */
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number;
}

/** Facts about the process beside its health. */
interface OwnFacts extends Pick<ProcessReport, 'service' | 'version'>, Pick<ProcessFacts, 'retentionDays'> {
  readonly keyIds: readonly string[];
  /** Roles of a worker. */
  readonly roles?: readonly string[];
}

/** The response of `/readyz`. */
interface Readiness {
  readonly status: number;
  readonly body: { readonly checks?: Readonly<Record<string, string>>; readonly notices?: readonly string[] };
}

const startedAt = new Date(Date.now() - process.uptime() * 1000);

/** The report of this process. */
export function reportOf({ status, body }: Readiness, facts: OwnFacts): ProcessReport {
  const { service, version, keyIds, roles = [], retentionDays } = facts;
  const { checks = {}, notices = [] } = body;
  return {
    service,
    version,
    host: hostname(),
    pid: process.pid,
    startedAt,
    isReady: status === 200,
    facts: { roles, keyIDs: keyIds, checks, notices, ...(retentionDays && { retentionDays }) },
  };
}

/** Reports the process from now on, for operators. Nothing depends on the reports. */
export function startReporting({ client, report, onError, everyMs = reportEveryMs }: ReportDeps): {
  stop(): Promise<void>;
} {
  const id = newId();
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;

  async function store(): Promise<void> {
    try {
      await storeProcess(client, id, await report());
    } catch (error) {
      onError(error);
    }
    if (isStopping) return;
    timer = setTimeout(() => {
      underWay = store();
    }, everyMs);
  }

  let underWay = store();
  return {
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      await underWay;
      await removeProcess(client, id).catch(onError);
    },
  };
}
