import type { ServerResponse } from 'node:http';
import { Problem } from '@callout/domain/problem';
import type { CalloutFilter } from '@callout/domain/callout/callout-filter';
import type { CalloutScope } from '@callout/history/log/callouts/callout-candidates';
import { attemptItem, calloutItem } from '@callout/history/log/callouts/callout-item';
import { exportCallouts, type ExportedCallout } from '@callout/history/log/callouts/exported-callouts';
import type { ApiContext } from '../../../api-context.ts';
import type { ApiResponse } from '../../../http/api-response.ts';
import { jsonLinesType, writeLine } from '../../../http/responses/json-lines.ts';

/** How often an export makes sure that the caller still has the right to read. */
const RECHECK_MS = 60_000;
const RETRY_AFTER_S = 30;

/**
 * Begins an export: JSON lines, sent while rows are read. Throws a Problem: 429 when an export of the tenant is under
 * way.
 */
export type ExportCallouts = (scope: CalloutScope, filter: CalloutFilter) => Promise<ApiResponse>;

/** A single export per tenant at a time in the process, since an export reads as much as the reader takes. */
export function createCalloutExport(api: ApiContext): ExportCallouts {
  const underWay = new Set<number>();
  return async (scope, filter) => {
    const { tenantId } = scope;
    if (underWay.has(tenantId)) {
      throw Problem.tooManyRequests('Another export of callouts is under way: wait until it has ended.', RETRY_AFTER_S);
    }
    underWay.add(tenantId);
    try {
      const parts = exportCallouts(api.search, scope, filter);
      // Before the response begins: a filter that takes too long is still refused.
      const first = await parts.next();
      return {
        status: 200,
        body: undefined,
        stream(response, isAllowed) {
          const sent = first.done === true ? Promise.resolve() : send(api, response, isAllowed, first.value, parts);
          void sent
            .catch((error: unknown) => {
              api.log.warn({ tenantId, err: error }, 'an export of callouts was cut off');
              response.destroy();
            })
            .finally(() => underWay.delete(tenantId));
          if (first.done === true) begin(response).end();
        },
      };
    } catch (error) {
      underWay.delete(tenantId);
      throw error;
    }
  };
}

function begin(response: ServerResponse): ServerResponse {
  return response.writeHead(200, {
    'Content-Type': jsonLinesType,
    'Content-Disposition': 'attachment; filename="callouts.jsonl"',
    'Cache-Control': 'no-store',
  });
}

/** An incomplete export has no end: the connection is closed before the last chunk. */
async function send(
  api: ApiContext,
  response: ServerResponse,
  isAllowed: () => Promise<boolean>,
  first: readonly ExportedCallout[],
  parts: AsyncGenerator<readonly ExportedCallout[]>,
): Promise<void> {
  begin(response);
  // All callouts would be read for nothing.
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  let checkedAt = performance.now();
  for (let part = first; ;) {
    for (const callout of part) {
      if (!(await writeLine(response, JSON.stringify(exportedItem(api, callout))))) return;
    }
    const next = await parts.next();
    if (next.done === true) break;
    part = next.value;
    const isDue = performance.now() - checkedAt >= RECHECK_MS;
    if (isDue) checkedAt = performance.now();
    if (api.isStopping() || (isDue && !(await isAllowed()))) {
      response.destroy();
      return;
    }
  }
  response.end();
}

function exportedItem({ keyRing }: ApiContext, callout: ExportedCallout) {
  const { body, attempt } = callout;
  return {
    ...calloutItem(callout, keyRing.keyIds),
    lastAttempt: attempt && attemptItem(attempt),
    body,
  };
}
