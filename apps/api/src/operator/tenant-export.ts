import type { RequestHandler } from 'express';
import { Problem } from '@callout/domain/problem';
import type { Database } from '@callout/database/connection/database';
import { exportTenant } from '@callout/transfer/export/export-tenant';
import type { Administration } from '@callout/tenancy/operator/administration/administration';
import { HttpProblem } from '../http/http-problem.ts';
import { jsonLinesType, writeLine } from '../http/responses/json-lines.ts';
import { MAX_SMALL_ID, pathId } from '../http/route/path-id.ts';
import { noteForLog } from '../http/server/request-log.ts';

interface TenantExportDeps {
  readonly tenants: Pick<Administration['tenants'], 'read'>;
  /** A separate connection, whose statements may take as long as reading all attempts needs. */
  readonly openSlowPool: () => Database['pool'];
}

/**
 * `GET /tenants/{id}/export`: everything of a tenant as JSON lines, sent while rows are read, without secrets. A single
 * export at a time, since all history is read. An incomplete export lacks the last line, `{"kind":"end"}`.
 */
export function serveTenantExport({ tenants, openSlowPool }: TenantExportDeps): RequestHandler {
  let isUnderWay = false;
  return async (request, response) => {
    noteForLog(response, { route: '/operator/v1/tenants/:tenantId/export' });
    if (request.method !== 'GET' && request.method !== 'HEAD') throw HttpProblem.methodNotAllowed(['GET', 'HEAD']);
    const { id } = await tenants.read(pathId(String(request.params['tenantId']), MAX_SMALL_ID));
    const headers = {
      'Content-Disposition': `attachment; filename="tenant-${id}.jsonl"`,
      'Content-Type': jsonLinesType,
    };
    // All history would be read for nothing.
    if (request.method === 'HEAD') {
      response.set(headers).end();
      return;
    }
    if (isUnderWay) throw Problem.conflict('Another export is under way: wait until it has ended.');
    const pool = openSlowPool();
    isUnderWay = true;
    try {
      response.set(headers);
      await exportTenant(pool, id, { write: (line) => writeLine(response, line) });
      response.end();
    } catch (error) {
      if (!response.headersSent) {
        for (const header of Object.keys(headers)) response.removeHeader(header);
        throw error;
      }
      // Too late for another status: the reader sees the cut connection.
      response.destroy();
    } finally {
      isUnderWay = false;
      await pool.end();
    }
  };
}
