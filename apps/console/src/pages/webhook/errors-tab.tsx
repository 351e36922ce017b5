import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { BodyView } from '../../parts/show/body-view.tsx';
import { RecordsTable } from '../../parts/table/records-table.tsx';
import { rowsOf } from '../../parts/table/rows-of.ts';
import { Time } from '../../parts/show/time.tsx';
import { webhookQuery, type WebhookAddress } from './webhook-queries.ts';

/** What was given up, with the payload as it was: the newest hundred. */
export default function ErrorsTab({ address }: { readonly address: WebhookAddress }) {
  const { data: webhook } = useQuery(webhookQuery(address));
  const guid = webhook?.webhookGUID;
  const errors = useQuery({
    queryKey: ['webhook', address.entity.type, address.id, 'errors'],
    enabled: guid !== undefined,
    queryFn: async () => {
      const filter = { op: 'eq' as const, field: 'webhookGUID', value: guid };
      const { data } = await api.POST('/v1.0/WebhookEventErrorLogs/query', {
        body: { Filter: [filter], MaxRecords: 100 },
      });
      return (data?.items ?? []).toReversed();
    },
  });
  return (
    <RecordsTable
      label="Errors"
      {...rowsOf(errors)}
      keyOf={({ id }) => String(id)}
      empty={{ title: 'Nothing was given up', description: 'Callouts that used up their attempts are listed here.' }}
      columns={[
        {
          title: 'When',
          cell: ({ createDateTime }) => (createDateTime === undefined ? '' : <Time value={createDateTime} />),
        },
        { title: 'Callout', cell: ({ sequenceNumber }) => sequenceNumber },
        { title: 'Why', cell: ({ errorMessage }) => errorMessage },
        { title: 'Payload', cell: ({ payload }) => <BodyView text={payload ?? ''} label="Payload" /> },
      ]}
    />
  );
}
