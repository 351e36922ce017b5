import { useInfiniteQuery } from '@tanstack/react-query';
import type { WebhookAddress } from '../../api/entities.ts';
import { ChangesTable } from '../../parts/changes/changes-table.tsx';
import { pagesOf } from '../../parts/table/records-table.tsx';
import { changesQuery } from './webhook-queries.ts';

/** Who changed the webhook and the fields, and when the service deactivated or paused the webhook. */
export default function HistoryTab({ address }: { readonly address: WebhookAddress }) {
  return <ChangesTable list={pagesOf(useInfiniteQuery(changesQuery(address)))} />;
}
